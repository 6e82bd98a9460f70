"""The incident report: headings, labels, sentences: key -> (English, Chinese). Lessons have a module of their own."""

WORDS: dict[str, tuple[str, str]] = {
    # The head.
    "incident.title.goroutines": ("Incident report: goroutine leak in {process}", "{process} goroutine 泄漏故障报告"),
    "incident.title.memory": ("Incident report: memory leak in {process}", "{process} 内存泄漏故障报告"),
    "incident.title.both": (
        "Incident report: goroutine and memory leaks in {process}",
        "{process} goroutine 与内存泄漏故障报告",
    ),
    "incident.title.undecided": ("Incident report: suspected leak in {process}", "{process} 疑似泄漏排查报告"),
    "incident.title.healthy": ("Incident report: no leak found in {process}", "{process} 排查报告：未发现泄漏"),
    "incident.process.unnamed": ("the process", "该进程"),
    "incident.and": (" and ", "、"),
    "incident.badge.leaking": ("LEAKING", "存在泄漏"),
    "incident.badge.undecided": ("NOT ESTABLISHED", "尚未确定"),
    "incident.badge.healthy": ("NO LEAK FOUND", "未见泄漏"),
    "incident.verdict": ("It leaks ({sure}): {count:#cause} found.", "存在泄漏（{sure}），共找到 {count:,} 个原因。"),
    "incident.foot": (
        "Written by Oakum {version} from the evidence listed in the "
        "appendix; every number can be derived again from it. "
        "What no evidence tells is left to be filled in.",
        "本报告由 Oakum {version} 根据附录所列证据生成，其中每个数字都可以从这些证据重新得出；"
        "证据无法说明的内容留待人工填写。",
    ),
    # Headings.
    "incident.heading.summary": ("Summary", "摘要"),
    "incident.heading.fill-in": ("To be filled in by you", "待人工填写"),
    "incident.heading.phenomenon": ("Phenomenon", "故障现象"),
    "incident.heading.investigation": ("Investigation", "排查过程"),
    "incident.heading.cause": ("Root cause", "根因分析"),
    "incident.heading.causes": ("Root causes", "根因分析"),
    "incident.heading.cause-unknown": ("Root cause: not established", "根因分析：尚未确定"),
    "incident.heading.fix": ("Fix", "解决方案"),
    "incident.heading.verification": ("Verification", "验证"),
    "incident.heading.lessons": ("Lessons", "经验总结"),
    "incident.heading.appendix": ("Appendix: evidence", "附录：证据清单"),
    # The summary.
    "incident.label.what": ("What happened", "现象"),
    "incident.label.when": ("When", "时间"),
    "incident.label.service": ("Service", "服务与版本"),
    "incident.label.verdict": ("Verdict", "结论"),
    "incident.label.cause": ("Root cause", "根因"),
    "incident.label.known": ("Known bug", "已知缺陷"),
    "incident.label.fix": ("Fix", "修复"),
    "incident.label.verified": ("Verified", "验证情况"),
    "incident.label.not-checked": ("Not checked", "未能检查"),
    "incident.more-causes": ("And {count:,} more, see below.", "另有 {count:,} 个原因，见下文。"),
    "incident.known.yes": (
        "{id}: {summary}. {running} has it, mended in {fixed}.",
        "{id}：{summary}。{running} 包含此缺陷，已在 {fixed} 修复。",
    ),
    "incident.known.yes-unmended": (
        "{id}: {summary}. {running} has it; no release mends it.",
        "{id}：{summary}。{running} 包含此缺陷，尚无发布版修复。",
    ),
    "incident.known.other": ("{id}: {summary}. {told}.", "{id}：{summary}。{told}。"),
    "incident.verified.nothing": ("Not verified yet; how to is told below.", "尚未验证，验证方法见下文。"),
    "incident.verified.compiled": (
        "The drafted change compiles; its effect is not verified yet, how to is told below.",
        "修改草稿已编译通过；效果尚未验证，验证方法见下文。",
    ),
    "incident.verified.none-needed": ("Nothing to verify.", "没有需要验证的修复。"),
    # What is to be filled in.
    "incident.fill-in.about": (
        "No evidence tells this, and nothing of it is guessed here. Fill it in before you share the report.",
        "以下内容任何证据都无法说明，这里也没有猜测。分发报告之前请人工补充。",
    ),
    "incident.fill-in.item": ("Item", "项目"),
    "incident.fill-in.answer": ("Your answer", "内容"),
    "incident.fill-in.blank": ("(to be filled in)", "（待填写）"),
    "incident.fill-in.impact": (
        "Impact: which users, requests or nodes, and how badly",
        "影响范围：哪些用户、请求或节点受影响，严重程度如何",
    ),
    "incident.fill-in.noticed": ("Who noticed it, when and by what", "由谁、在何时、通过什么方式发现"),
    "incident.fill-in.changed": (
        "What was changed before it began: releases, configuration, traffic",
        "故障出现之前的变更：发布、配置、流量",
    ),
    "incident.fill-in.restored": (
        "What was done at once, and when the service was well again",
        "采取了哪些应急措施，服务何时恢复",
    ),
    "incident.fill-in.owners": (
        "Who does what is listed under Lessons, and until when",
        "“经验总结”各项的负责人与期限",
    ),
    # The phenomenon.
    "incident.process.program": ("Program", "程序"),
    "incident.process.go": ("Go", "Go 版本"),
    "incident.process.module": ("Module", "主模块"),
    "incident.process.modules": ("Modules concerned", "相关依赖"),
    "incident.process.seen": ("Seen", "观察时段"),
    "incident.process.name": ("Process", "进程"),
    "incident.seen.span": (
        "{moments:#moment}, from {first} to {last} ({seconds:span})",
        "{moments:,} 个时刻，{first} 至 {last}（历时 {seconds:span}）",
    ),
    "incident.seen.once": ("{moments:#moment}, at {first}", "{moments:,} 个时刻，{first}"),
    "incident.seen.undated": (
        "{moments:#moment}; not every capture says when it was taken",
        "{moments:,} 个时刻；并非每份采集都写明了时间",
    ),
    "incident.seen.past": (
        "; {count:,} more points are kept by metrics of the past",
        "；另有监控保存的 {count:,} 个历史数据点",
    ),
    "incident.went": ("{name} {first} → {last}", "{name} {first} → {last}"),
    "incident.stood": ("{name} {last}", "{name} {last}"),
    "incident.table.measure": ("Measure", "指标"),
    "incident.table.first": ("First", "最初"),
    "incident.table.last": ("Last", "最后"),
    "incident.table.most": ("Highest", "最高"),
    "incident.table.change": ("Change", "变化"),
    "incident.table.here": ("This process", "本进程"),
    "incident.table.twin": ("Healthy twin", "健康对照"),
    "incident.table.totals": ("The process as a whole", "进程总量"),
    "incident.table.against": (
        "Against the healthy twin, at the last moment of each",
        "与健康对照相比（各取最后时刻）",
    ),
    "incident.limit.reached": (
        "The limit of {process} is {limit}; at the rate seen it is reached about {seconds:span} after the last moment.",
        "{process} 的内存上限为 {limit}；按观察到的速度，最后时刻之后约 {seconds:span}将达到上限。",
    ),
    "incident.limit.known": (
        "The limit of {process} is {limit}; at the last moment {rss} were resident ({share:.0%}).",
        "{process} 的内存上限为 {limit}；最后时刻的常驻内存为 {rss}（{share:.0%}）。",
    ),
    "incident.limit.unknown": (
        "The evidence names no memory limit, so when the process would be killed is not known.",
        "证据中没有内存上限，因此无法推算进程何时会被 OOM 终止。",
    ),
    # The investigation.
    "incident.step": ("Step {number}: {title}", "第 {number} 步：{title}"),
    "incident.step.captured": ("what was captured", "采集了什么"),
    "incident.step.compared": ("what was compared, and what grew", "对比各个时刻，看什么在增长"),
    "incident.step.looked": ("one moment, what stands out", "只有一个时刻，看什么异常"),
    "incident.step.stands": ("where it stands", "定位代码位置"),
    "incident.step.ruled-out": ("what was ruled out", "排除了什么"),
    "incident.step.source": ("reading the source", "阅读源码"),
    "incident.step.upstream": ("is it a bug that upstream knows?", "是否为上游已知缺陷"),
    "incident.step.open": ("what stayed open", "尚未查清的问题"),
    "incident.captured.moment": ("Moment", "时刻"),
    "incident.captured.time": ("Time (UTC)", "时间（UTC）"),
    "incident.captured.captures": ("Captures used", "所用采集"),
    "incident.captured.process": ("Process", "进程"),
    "incident.captured.twin": ("{label} (healthy twin)", "{label}（健康对照）"),
    "incident.captured.past": ("{label} (metrics of the past)", "{label}（历史监控）"),
    "incident.captured.count": ("{count:#capture}", "{count:,} 份"),
    "incident.captured.caption": (
        "{captures:#capture} of {processes:#process}; the digests stand in the appendix.",
        "共 {captures:,} 份采集，涉及 {processes:,} 个进程；摘要值见附录。",
    ),
    "incident.captured.unused": (
        "{count:,} of them were not used or have problems; `oakum inspect` tells which and why.",
        "其中 {count:,} 份未被采用或存在问题；`oakum inspect` 会说明是哪些、为什么。",
    ),
    "incident.captured.shows": ("what each capture is", "查看每份采集的内容"),
    "incident.compared.moments": (
        "{moments:#moment} of {process} were compared, oldest first.",
        "按时间先后对比了 {process} 的 {moments:,} 个时刻。",
    ),
    "incident.compared.twin": (
        "Beside them stand {moments:#moment} of a healthy twin.",
        "另以健康对照的 {moments:,} 个时刻作为参照。",
    ),
    "incident.compared.once": (
        "There is one moment of {process} only: growth cannot be seen in it. What can be seen is how many stand at one "
        "place, in which state, and for how long.",
        "{process} 只有一个时刻的证据，看不出增长；能看到的是有多少 goroutine 停在同一处、处于什么状态、等了多久。",
    ),
    "incident.compared.nothing": (
        "Nothing in them grew that would not be explained below.",
        "其中没有发现无法解释的增长。",
    ),
    "incident.compared.shows": ("the whole diagnosis again", "重新得出整个诊断"),
    "incident.grew.place": ("Place", "位置"),
    "incident.grew.counts": ("From moment to moment", "各时刻的数量"),
    "incident.grew.hour": ("Per hour", "每小时"),
    "incident.grew.event": ("Per unit of work", "每次请求或任务"),
    "incident.grew.event-value": ("{value:.3g} for each {event}", "每次{event}增加 {value:.3g}"),
    "incident.grew.caption": ("What grew, worst first", "增长之处，最严重的在前"),
    "incident.grew.seen": ("What stands out, the most suspicious first", "值得注意之处，最可疑的在前"),
    "incident.grew.count": ("Count", "数量"),
    "incident.grew.shows": ("the same counts by hand", "手工核对这些数量"),
    "incident.stands.shows": ("the whole stacks", "查看完整调用栈"),
    "incident.stands.memory": (
        "The memory was allocated on this path:",
        "这些内存沿下列调用路径分配：",
    ),
    "incident.ruled.none": (
        "Nothing else grew or piled up, so nothing had to be ruled out.",
        "没有其他增长或堆积，因此没有需要排除的情况。",
    ),
    "incident.ruled.gc": (
        "“The collector is only late” does not explain it: the last "
        "collection ended at {at}, {seconds:span} before the "
        "last moment, and left {live} alive; that is what is still referred to, not garbage. The next one is due at "
        "{target}.",
        "“只是 GC 不及时”的猜想不成立：最近一次 GC 完成于 {at}，距最后时刻 {seconds:span}，回收之后仍有 {live} 存活；"
        "这些内存仍被引用，不是垃圾。下一次 GC 将在堆达到 {target} 时触发。",
    ),
    "incident.ruled.gc-just": (
        "“The collector is only late” does not explain it: the last collection ended at {at}, right before the last "
        "moment, and left {live} alive; that is what is still referred to, "
        "not garbage. The next one is due at {target}.",
        "“只是 GC 不及时”的猜想不成立：最近一次 GC 完成于 {at}，就在最后时刻之前，回收之后仍有 {live} 存活；"
        "这些内存仍被引用，不是垃圾。下一次 GC 将在堆达到 {target} 时触发。",
    ),
    "incident.ruled.gc-undated": (
        "“The collector is only late” does not explain it: {live} were "
        "alive after the last collection; that is what is "
        "still referred to, not garbage. The next one is due at {target}.",
        "“只是 GC 不及时”的猜想不成立：最近一次 GC 之后仍有 {live} 存活；这些内存仍被引用，不是垃圾。"
        "下一次 GC 将在堆达到 {target} 时触发。",
    ),
    "incident.ruled.live-rose": (
        "What is alive after collections rose itself, from {first} to {last}.",
        "GC 之后的存活堆本身就在上升：从 {first} 增至 {last}。",
    ),
    "incident.ruled.shows": (
        "the whole diagnosis as data, what is harmless too",
        "以数据形式输出整个诊断，包括无害的部分",
    ),
    "incident.ruled.shows-memory": ("the same numbers of the memory", "核对这些内存数据"),
    "incident.ruled.harmless": ("Looked at and harmless:", "已检查、无害的部分："),
    "incident.ruled.what": ("What", "内容"),
    "incident.ruled.why": ("Why it is harmless", "为何无害"),
    "incident.source.read": (
        "The source was read at the lines that matter: {files}.",
        "阅读了相关代码行的源码：{files}。",
    ),
    "incident.source.shows": ("the lines with their part in it", "查看相关代码行及其作用"),
    "incident.upstream.shows": ("all that the catalogue has on it", "查看目录中的完整条目"),
    # The root cause.
    "incident.cause.short": ("Cause {number}", "原因 {number}"),
    "incident.cause.nth": ("Cause {number}: {title}", "原因 {number}：{title}"),
    "incident.suspicion.nth": ("Suspicion {number}: {title}", "可疑之处 {number}：{title}"),
    "incident.cause.healthy": (
        "No leak was found, so there is no root cause to name. What was compared, and what was found harmless, stands "
        "under Investigation.",
        "没有发现泄漏，因此没有根因可言。对比了什么、哪些增长是无害的，见“排查过程”。",
    ),
    "incident.cause.unknown": (
        "This is not established. The evidence allows the suspicion, not more; what would settle it stands below.",
        "根因尚未确定。现有证据只够提出怀疑，下文列出怎样才能确定。",
    ),
    "incident.cause.no-suspicion": (
        "Nothing suspicious was seen, but this evidence does not show growth: what would settle it stands below.",
        "没有看到可疑之处，但现有证据无法体现增长；下文列出怎样才能确定。",
    ),
    "incident.cause.settle": ("What would settle it:", "怎样才能确定："),
    "incident.cause.longer-known": ("an hour under the usual load", "在平常负载下观察一小时"),
    "incident.cause.longer": (
        "an hour under the usual load; TARGET is what runs: http://HOST:PORT, pid:N, kube://pod/NAMESPACE/NAME",
        "在平常负载下观察一小时；TARGET 为运行中的目标：http://HOST:PORT、pid:N、kube://pod/NAMESPACE/NAME",
    ),
    "incident.cause.if": ("If it is so: {text}", "如果属实：{text}"),
    "incident.cause.unread": (
        "The source was not read, so why it happens is told by the mechanism alone.",
        "没有阅读源码，因此这里只能从机制上说明原因。",
    ),
    "incident.cause.where": ("Where", "位置"),
    "incident.cause.mechanism": ("Mechanism", "机制"),
    "incident.cause.started": ("Started by", "由谁启动"),
    "incident.cause.registered": ("Registered by", "由谁注册"),
    "incident.cause.driven": ("Driven by", "由谁驱动"),
    "incident.cause.numbers-only": (
        "Only numbers of the process are known: which code it is, this evidence cannot say.",
        "只有进程的总体数据：现有证据无法指出是哪段代码。",
    ),
    "incident.cause.victims": (
        "{count:#goroutine} more wait because of it:",
        "另有 {count:,} 个 goroutine 受牵连而等待：",
    ),
    "incident.cause.memory": ("Why memory grows with it:", "为什么内存随之增长："),
    "incident.cause.against": ("What speaks against it:", "不支持这一判断的证据："),
    # The fix.
    "incident.fix.none": ("Nothing has to be mended as far as this evidence goes.", "就现有证据而言，无需修复。"),
    "incident.fix.wait": (
        "Nothing should be changed on suspicion alone; settle it first, as "
        "told under the root cause. If it is confirmed:",
        "不要只凭怀疑就动手修改，请先按“根因分析”一节加以确认。如果得到证实：",
    ),
    "incident.fix.restart": (
        "A restart buys time, not more: at {rate} per hour the same {count:,} goroutines are back after about "
        "{seconds:span} of the same load.",
        "重启只能争取时间：按每小时 {rate} 个的速度，在同样负载下约 {seconds:span}后又会回到 {count:,} 个 goroutine。",
    ),
    "incident.fix.restart-memory": (
        "A restart buys time, not more: at {rate} per hour the same {bytes:bytes} are back after about {seconds:span} "
        "of the same load.",
        "重启只能争取时间：按每小时 {rate} 的速度，在同样负载下约 {seconds:span}后又会回到 {bytes:bytes}。",
    ),
    # Verification.
    "incident.verify.status": ("Where verification stands", "验证现状"),
    "incident.verify.compiled": (
        "The drafted change for cause {number} was compiled with Go.",
        "针对原因 {number} 的修改草稿已用 Go 编译通过。",
    ),
    "incident.verify.not-compiled": (
        "The drafted change for cause {number} was not compiled here.",
        "针对原因 {number} 的修改草稿未在本机编译。",
    ),
    "incident.verify.no-trial": (
        "That the leak stops with the fix is not verified yet: no capture of a mended build is among the evidence.",
        "修复后是否不再泄漏尚未验证：证据中没有修复后版本的采集。",
    ),
    "incident.verify.healthy": (
        "There is no fix to verify. To be sure that it stays so, capture again after some hours of ordinary load.",
        "没有需要验证的修复。为确认情况持续正常，请在正常负载运行数小时后再次采集。",
    ),
    "incident.verify.open": (
        "There is nothing to verify before the cause is established.",
        "根因确定之前，没有可以验证的修复。",
    ),
    "incident.verify.how": ("How to verify it", "验证方法"),
    "incident.verify.deploy": (
        "Run the mended build under the load that showed it, and capture "
        "it: before the load, during it, and some minutes "
        "after it has ended.",
        "让修复后的版本承受同样的负载，并在负载之前、负载期间、负载结束几分钟后各采集一次。",
    ),
    "incident.verify.deploy-event": (
        "Run the mended build under load until `{event}` has gone up by at "
        "least {events:,}, and capture it: before the "
        "load, during it, and some minutes after it has ended.",
        "让修复后的版本承受负载，直到 `{event}` 至少增加 {events:,}；在负载之前、负载期间、"
        "负载结束几分钟后各采集一次。",
    ),
    "incident.verify.capture-known": ("three moments of the mended build", "修复后版本的三个时刻"),
    "incident.verify.capture": ("TARGET is what runs: http://HOST:PORT, pid:N, kube://pod/NAMESPACE/NAME",
        "TARGET 为运行中的目标：http://HOST:PORT、pid:N、kube://pod/NAMESPACE/NAME",
    ),
    "incident.verify.alone": (
        "must say that no leak was found (exit code 0)",
        "结论必须是未发现泄漏（退出码为 0）",
    ),
    "incident.verify.twin": (
        "the sick evidence with the mended build as its healthy twin, which must have none of it",
        "以修复后的版本作为健康对照重新诊断故障证据：对照中不应再有上述堆积",
    ),
    "incident.verify.must": ("What must come out", "预期结果"),
    "incident.verify.before": ("Measured in this incident", "本次故障实测"),
    "incident.verify.after": ("With the fix", "修复后应为"),
    "incident.verify.level": ("stays level while the work goes on", "负载持续期间保持平稳"),
    "incident.verify.level-event": ("0 for each {event}", "每次{event}增加 0"),
    "incident.verify.twice": (
        "Level numbers prove something under load only: at the rate seen, "
        "{seconds:span} of the same load bring {count:,} "
        "goroutines in the old build, and must bring none in the mended one.",
        "只有在负载下保持平稳才有说服力：按实测速度，同样负载持续 {seconds:span}，"
        "旧版本会增加 {count:,} 个 goroutine，修复后的版本应一个都不增加。",
    ),
    "incident.verify.go-proof": (
        "Built with Go 1.26 or later and GOEXPERIMENT=goroutineleakprofile, the program lets the collector prove it: "
        "the profile must not name `{function}` any more.",
        "用 Go 1.26 或更高版本并设置 GOEXPERIMENT=goroutineleakprofile 构建后，可由垃圾回收器直接证明：该 profile "
        "中不应再出现 `{function}`。",
    ),
    # The appendix.
    "incident.appendix.number": ("No.", "编号"),
    "incident.appendix.origin": ("Capture", "采集"),
    "incident.appendix.kind": ("Kind", "类型"),
    "incident.appendix.time": ("Taken (UTC)", "采集时间（UTC）"),
    "incident.appendix.digest": ("Digest", "摘要值"),
    "incident.appendix.problems": ("Problems", "问题"),
    "incident.appendix.none": ("The diagnosis names no captures.", "诊断中没有列出采集。"),
    "incident.appendix.again": (
        "derives this report again from the same captures",
        "由同样的采集重新得出本报告",
    ),
}  # fmt: skip

__all__ = ["WORDS"]
