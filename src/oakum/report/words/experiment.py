"""What is said about experiments: key -> (English, Chinese)."""

# Units of work: one, several, and in Chinese with its measure word: {x:unit}, {x:units}.
UNITS = {
    "request": ("request", "requests", "次请求"),
    "run": ("run", "runs", "次执行"),
    "second": ("second", "seconds", "秒"),
    "iteration": ("iteration", "iterations", "次迭代"),
}

WORDS: dict[str, tuple[str, str]] = {
    "experiment.reproduced": (
        "Reproduced: {value} [{low}, {high}] goroutines per {unit:unit} stay here, batch by batch and after draining "
        "({units:,} {unit:units}: {counts}).",
        "已复现：每{unit:unit}残留 {value} [{low}, {high}] 个协程，逐批增长，排空后仍在"
        "（共 {units:,} {unit:unit}：{counts}）。",
    ),
    "experiment.level-under-load": (
        "{units:,} {unit:units} left nothing here ({counts}); {smallest} per {unit:unit} would have been seen.",
        "{units:,} {unit:unit}在此没有残留（{counts}）；每{unit:unit}残留达到 {smallest} 即可检出。",
    ),
    "experiment.progress": (
        "While nothing was sent their number fell in every snapshot, from {first:,} to {last:,}: they get on.",
        "停止发送期间，数量逐次下降：{first:,} → {last:,}，仍在推进。",
    ),
    "experiment.heap-reproduced": (
        "Reproduced: {value} [{low}, {high}] of live heap per {unit:unit} stay, batch by batch and after draining "
        "({units:,} {unit:units}).",
        "已复现：每{unit:unit}残留 {value} [{low}, {high}] 存活堆内存，逐批增长，排空后仍在"
        "（共 {units:,} {unit:unit}）。",
    ),
    "experiment.heap-level-under-load": (
        "{units:,} {unit:units} left nothing here that goes on growing: {value} [{low}, {high}] per {unit:unit}, "
        "within sampling, or levelling off with the whole heap.",
        "{units:,} {unit:unit}之后，此处没有持续增长的残留：每{unit:unit} {value} [{low}, {high}]，"
        "在采样误差之内，或随整个堆趋于平稳。",
    ),
    "experiment.may-end": (
        "Nothing was sent for {seconds} s at most: what ends by itself after longer (a time-out, a lease, a long job) "
        "looks the same. A break before the last batch tells, or `--source`; a whole experiment makes one, unless a "
        "known bug proves the leak.",
        "停止发送的时间最长只有 {seconds} 秒：更久之后才自行结束的（超时、租约、长任务）看起来一样。"
        "最后一批之前的停顿、延长 `--drain` 或给出 `--source` 可判定；完整的实验会停顿，除非已知缺陷已证实泄漏。",
    ),
    "experiment.may-end-asleep": (
        "They sleep or run, and get on by themselves: a job that takes longer than the {seconds} s in which nothing "
        "was sent looks the same. `--drain 60s` tells, longer than the longest job, or `--source`.",
        "它们在休眠或运行，会自行推进：耗时超过停止发送的 {seconds} 秒的任务看起来一样。"
        "用 `--drain 60s`（比最长的任务更长）或给出 `--source` 可判定。",
    ),
    "experiment.may-fill": (
        "{count} came in all: a pool that is started little by little looks the same. {more:,} more {unit:units} would "
        "tell, or `--source`.",
        "总共出现 {count} 个：逐步启动的池看起来一样。再做 {more:,} {unit:unit}，或给出 `--source`，即可判定。",
    ),
    "experiment.may-fill-new": (
        "Each {unit:unit} was a new one (`{{n}}`): a cache of what was asked for fills in the same way. The same few "
        "again and again tell, or `--source`.",
        "每{unit:unit}都是新的（`{{n}}`）：按请求内容填充的缓存看起来一样。反复发送同样的几个，或给出 `--source`，"
        "即可判定。",
    ),
    # How it ended, where not as planned.
    "reproduce.ended.time": (
        "the time was up after {done:,} {unit:units} (--max-time); what came by then is judged",
        "完成 {done:,} {unit:unit}后时间已到（--max-time）；按已有数据判断",
    ),
    "reproduce.ended.interrupted": (
        "interrupted after {done:,} {unit:units}; what came by then is kept and judged",
        "完成 {done:,} {unit:unit}后被中断；已有数据已保存并据此判断",
    ),
    "reproduce.ended.gone": (
        "the process could not be reached any more after {done:,} {unit:units}: it ended, or hangs ({error}); what "
        "came before is kept and judged",
        "完成 {done:,} {unit:unit}后无法再访问该进程：已退出或挂起（{error}）；此前的数据已保存并据此判断",
    ),
    "reproduce.ended.restarted": (
        "the process was restarted after {done:,} {unit:units}; each run is judged on its own",
        "完成 {done:,} {unit:unit}后该进程被重启；各次运行分别判断",
    ),
    "reproduce.ended.refused": (
        "no {unit:unit} was answered any more after {done:,} ({error}), though pprof answers; what came before is "
        "judged",
        "完成 {done:,} {unit:unit}后不再得到应答（{error}），但 pprof 仍可访问；按此前的数据判断",
    ),
    "reproduce.ended.throttled": (
        "the service answers that it is overloaded (429, 503): no more was sent after {done:,} {unit:units}; send "
        "fewer at a time with --connections 1",
        "服务持续返回过载（429、503）：完成 {done:,} {unit:unit}后停止发送；可用 --connections 1 降低并发",
    ),
    "reproduce.next": (
        "with the fix: the same once more, -o after.tar.gz; then: oakum verify {before} after.tar.gz",
        "修复之后：用 -o after.tar.gz 再做一次同样的实验，然后执行 oakum verify {before} after.tar.gz",
    ),
    "reproduce.error": ("the last error: {error}", "最后一次错误：{error}"),
    # The answer.
    "experiment.one": ("{unit:unit}", "{unit:unit}"),
    "experiment.stays-goroutines": (
        "{value} [{low}, {high}] goroutines per {unit:unit} stay at `{function}`",
        "每{unit:unit}有 {value} [{low}, {high}] 个协程残留在 `{function}`",
    ),
    "experiment.stays-heap": (
        "{value} [{low}, {high}] of live heap per {unit:unit} stay, allocated at `{function}`",
        "每{unit:unit}残留 {value} [{low}, {high}] 存活堆内存，分配于 `{function}`",
    ),
    "experiment.unsure-may-end": (
        "Not proven: what ends by itself, only later, looks the same; a longer --drain or --source tells",
        "尚未证实：稍后才自行结束的看起来一样；延长 --drain 或给出 --source 可判定",
    ),
    "experiment.unsure-may-fill": (
        "Not proven: a pool or a cache that still fills looks the same; a higher --times or --source tells",
        "尚未证实：仍在填充的池或缓存看起来一样；提高 --times 或给出 --source 可判定",
    ),
    "experiment.in-all": ("In all, {whole} per {unit:unit} stay", "合计每{unit:unit}残留 {whole}"),
    "experiment.and": (" and ", "和 "),
    "experiment.or": (" or ", " 或 "),
    "experiment.of-goroutines": ("{amount} goroutines", "{amount} 个协程"),
    "experiment.of-inuse_space": ("{amount} of live heap", "{amount} 存活堆内存"),
    "experiment.of-rss": ("{amount} of resident memory", "{amount} 常驻内存"),
    "experiment.nothing": ("nothing stays after {units:,} {unit:units}", "{units:,} {unit:unit}之后没有残留"),
    "experiment.nothing-seen": (
        "nothing stays after {units:,} {unit:units}; a leak above {smallest} per {unit:unit} would have been seen",
        "{units:,} {unit:unit}之后没有残留；每{unit:unit}泄漏超过 {smallest} 即可检出",
    ),
    "experiment.added-nothing": (
        "The {units:,} {unit:units} of the experiment added nothing to that",
        "实验的 {units:,} {unit:unit}没有使其增加",
    ),
    "experiment.added-nothing-seen": (
        "The {units:,} {unit:units} of the experiment added nothing to that; {smallest} per {unit:unit} would have "
        "been seen",
        "实验的 {units:,} {unit:unit}没有使其增加；每{unit:unit}增加 {smallest} 即可检出",
    ),
    "experiment.unplaced": (
        "{value} [{low}, {high}] of live heap per {unit:unit} stay, at no place that the sampled profile shows; "
        "{more:,} more {unit:units} would show where",
        "每{unit:unit}残留 {value} [{low}, {high}] 存活堆内存，采样的 profile 尚未显示位置；"
        "再做 {more:,} {unit:unit}可以定位",
    ),
    "experiment.open": (
        "{value} [{low}, {high}] goroutines per {unit:unit} may stay; {more:,} more {unit:units} would decide",
        "每{unit:unit}可能残留 {value} [{low}, {high}] 个协程；再做 {more:,} {unit:unit}可以定论",
    ),
    "experiment.draining": (
        "goroutines were still ending when it was over ({first:,} → {last:,} without work); send fewer at a time "
        "(--connections), fewer in all (--times), or raise --drain",
        "结束时协程仍在退出（停止发送后 {first:,} → {last:,}）；请降低并发（--connections）、减少总量（--times）"
        "或延长 --drain",
    ),
    "experiment.drifts": (
        "{whole} per second come with the time, whether or not anything is sent: `--wait 1m` measures that",
        "无论是否发送，每秒都会增加 {whole}：可用 `--wait 1m` 测量",
    ),
    "experiment.no-work": ("no work was done", "没有完成任何工作"),
    "experiment.failed-all": ("All {units:,} {unit:units} failed", "全部 {units:,} {unit:unit}均失败"),
    "experiment.failed-most": (
        "{failed:,} of {units:,} {unit:units} failed",
        "{units:,} {unit:unit}中有 {failed:,} 次失败",
    ),
    "experiment.answers": (" ({said})", "（{said}）"),
    "experiment.rejected": (
        ": are method, path, body and credentials right?",
        "：请检查方法、路径、请求体和凭据",
    ),
    "experiment.no-answer": ("no answer", "无应答"),
    # The picture and the table.
    "section.experiment": ("Experiment", "实验"),
    "experiment.line": ("{units:,} {unit:units}", "{units:,} {unit:unit}"),
    "experiment.chart": (
        "{what} at `{function}` against {unit:units} done",
        "`{function}` 处的{what}，横轴为完成量（{unit:unit}）",
    ),
    "experiment.chart-whole": ("{what} against {unit:units} done", "{what}，横轴为完成量（{unit:unit}）"),
    "experiment.done": ("{count:,} {unit:units}", "{count:,} {unit:unit}"),
    "experiment.sent": (
        "{units:,} {unit:units} in {batches} batches of different sizes, with a snapshot after each.",
        "共 {units:,} {unit:unit}，分 {batches} 批，每批大小不同，批后各采集一次快照。",
    ),
    "experiment.asked": ("Sent: {asked}.", "发送内容：{asked}。"),
    "experiment.answered": ("Answers: {said}.", "应答：{said}。"),
    "experiment.ended.complete": ("All of it was sent.", "已全部发送。"),
    "experiment.ended.clear": ("It ended early: the answer was clear.", "结论已明确，提前结束。"),
    "experiment.ended.time": ("It ended when its time was up.", "时间已到而结束。"),
    "experiment.ended.interrupted": ("It was interrupted.", "中途被中断。"),
    "experiment.ended.gone": ("It ended when the process could not be reached any more.", "因进程无法访问而结束。"),
    "experiment.ended.restarted": ("It ended when the process was restarted.", "因进程重启而结束。"),
    "experiment.ended.refused": ("It ended when nothing was answered any more.", "因不再得到应答而结束。"),
    "experiment.ended.throttled": ("It ended when the service was overloaded.", "因服务过载而结束。"),
    "experiment.column.where": ("where", "位置"),
    "experiment.column.measure": ("measure", "指标"),
    "experiment.column.each": ("per unit", "每单位"),
    "experiment.column.interval": ("95% interval", "95% 区间"),
    "experiment.column.course": ("first → last", "首 → 末"),
    "experiment.column.verdict": ("result", "结果"),
    "experiment.whole": ("whole process", "整个进程"),
    "experiment.is-stays": ("stays", "残留"),
    "experiment.is-returned": ("came back", "已退还"),
    "experiment.is-open": ("open: {more:,} more {unit:units}", "未定：还需 {more:,} {unit:unit}"),
    "experiment.is-nothing": ("nothing stays", "无残留"),
}
