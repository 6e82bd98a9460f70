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
    "experiment.heap-reproduced": (
        "Reproduced: {value} [{low}, {high}] of live heap per {unit:unit} stay, batch by batch and after draining "
        "({units:,} {unit:units}).",
        "已复现：每{unit:unit}残留 {value} [{low}, {high}] 存活堆内存，逐批增长，排空后仍在"
        "（共 {units:,} {unit:unit}）。",
    ),
    "experiment.heap-level-under-load": (
        "{units:,} {unit:units} left nothing here beyond sampling: {value} [{low}, {high}] per {unit:unit}.",
        "{units:,} {unit:unit}之后，此处没有超出采样误差的残留：每{unit:unit} {value} [{low}, {high}]。",
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
    "reproduce.error": ("the last error: {error}", "最后一次错误：{error}"),
}
