"""Verdicts, confidence, headings and labels: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # The verdict and its sentence.
    "badge.leaking": ("LEAKING", "存在泄漏"),
    "badge.healthy": ("HEALTHY", "未见泄漏"),
    "badge.undecided": ("UNDECIDED", "无法判定"),
    "verdict.leaking": ("It leaks: {findings:#finding}.", "共 {findings:,} 项发现。"),
    "verdict.healthy": ("No leak was found in this evidence.", "在这些证据中没有发现泄漏。"),
    "verdict.undecided": (
        "This evidence does not settle it ({findings:#suspicion}); what would is listed below.",
        "现有证据不足以判定（可疑之处 {findings:,} 项）；下面列出了怎样才能确定。",
    ),
    # How sure.
    "confidence.proven": ("proven", "已证实"),
    "confidence.likely": ("likely", "很可能"),
    "confidence.possible": ("possible", "有可能"),
    # Headings.
    "heading.harmless": ("Looked at and found harmless", "已检查，无害"),
    "heading.memory": ("Where the memory is", "内存去向"),
    "heading.gaps": ("Not checked", "未能检查"),
    "heading.inputs": ("Read", "已读取"),
    # Labels of a finding.
    "label.where": ("where", "位置"),
    "label.why": ("why", "依据"),
    "label.growth": ("growth", "增长"),
    "label.victims": ("behind it", "受其牵连"),
    "label.path": ("path", "路径"),
    "label.cause": ("cause", "原因"),
    "label.known": ("known", "已知缺陷"),
    "label.do": ("what to do", "怎么办"),
    "label.next": ("next", "下一步"),
    "label.run": ("run", "运行"),
    "label.share": ("share", "占比"),
    # What a site is.
    "place.process": ("(process)", "（整个进程）"),
    "role.blocked": ("stands here", "停在此处"),
    "role.created": ("started here", "在此启动"),
    "role.allocated": ("allocated here", "在此分配"),
    "role.registered": ("registered here", "在此注册"),
    "role.driver": ("driven from here", "由此驱动"),
    "role.released": ("released here", "在此释放"),
    # Why a victim waits.
    "because.parent": ("waits for its child", "等待其子 goroutine"),
    "because.same lock": ("waits for the same lock", "等待同一把锁"),
    "because.behind": ("waits behind it", "排在其后等待"),
    # Measures.
    "measure.goroutines": ("goroutines", "goroutine 数"),
    "measure.inuse_space": ("heap in use", "在用堆内存"),
    "measure.inuse_objects": ("objects in use", "在用对象数"),
    "measure.rss": ("resident memory", "常驻内存（RSS）"),
    "count.goroutines": ("{count:#goroutine}", "{count:,} 个 goroutine"),
    "count.objects": ("{count:#object}", "{count:,} 个对象"),
    "count.more": ("... and {count:,} more", "……另有 {count:,} 处"),
    "growth.per-hour": ("{rate} per hour", "每小时 {rate}"),
    "growth.per-event": ("{value} per {event}", "每次 {event} 增加 {value}"),
    "growth.per-event-about": ("{value} per {event} ({low} to {high})", "每次 {event} 增加 {value}（{low} 至 {high}）"),
    "growth.against-baseline": ("against the healthy twin", "与健康的对照相比"),
    "share.goroutines": ("{share:.0%} of all goroutines", "占全部 goroutine 的 {share:.0%}"),
    "share.inuse_space": ("{share:.0%} of the heap", "占堆内存的 {share:.0%}"),
    "share.inuse_objects": ("{share:.0%} of all objects", "占全部对象的 {share:.0%}"),
    "share.rss": ("{share:.0%} of the resident memory", "占常驻内存的 {share:.0%}"),
    # Memory.
    "budget.rss": ("resident (RSS)", "常驻内存（RSS）"),
    "budget.limit": ("limit", "上限"),
    "budget.heap_live": ("heap, live", "堆：存活"),
    "budget.heap_dead": ("heap, to be collected", "堆：待回收"),
    "budget.heap_idle": ("heap, kept for reuse", "堆：空闲待用"),
    "budget.heap_released": ("heap, returned to the OS", "堆：已归还系统"),
    "budget.stacks": ("stacks", "goroutine 栈"),
    "budget.runtime": ("runtime", "运行时自用"),
    "budget.off_heap": ("outside Go", "Go 之外"),
    "budget.next_gc": ("next collection at", "下次 GC 触发点"),
    "budget.last_gc": ("last collection", "上次 GC"),
    "budget.full_in": ("limit reached in about {seconds:span}", "按目前速度约 {seconds:span}后达到上限"),
    # Remedies.
    "remedy.upgrade": ("upgrade", "升级"),
    "remedy.patch": ("change", "修改"),
    "remedy.mitigate": ("mitigate", "缓解"),
    "remedy.risk": ("Risk: {risk}", "风险：{risk}"),
    "remedy.compiled": ("This draft was compiled with Go.", "此草稿已用 Go 编译通过。"),
    "remedy.not-compiled": (
        "This draft was not compiled here: compile and test it before you use it.",
        "此草稿未在本机编译：使用前请先编译并测试。",
    ),
    "lead.changed": (
        "lead: {module} {changed} is the first release that changed {functions} (running {running}). "
        "Whether that mends it is not known.",
        "线索：{module} {changed} 是第一个改动了 {functions} 的版本（当前运行 {running}）。是否因此修复尚不清楚。",
    ),
    "lead.changed-lines": (
        "lead: {module} {changed} is the first release in which these very lines of {functions} are others "
        "(running {running}). Whether that mends it is not known.",
        "线索：{module} {changed} 是第一个改动了 {functions} 中这些代码行的版本（当前运行 {running}）。"
        "是否因此修复尚不清楚。",
    ),
    "diff.more": ("... and {count:#line} more", "……另有 {count:,} 行"),
    # What was read.
    "cause.read": ("Source read: {source}", "所读源码：{source:phrase}"),
    "inputs.line": ("{captures:#capture}", "{captures:,} 份采集"),
    "inputs.baseline": ("{moments:#moment} of a healthy twin", "另有健康对照的 {moments:,} 个时刻"),
    "inputs.problems": (
        "{count:,} not used or with problems; --json lists them, oakum inspect explains them",
        "其中 {count:,} 份未使用或有问题；--json 列出全部，oakum inspect 说明原因",
    ),
    "process.line": ("{name} ({id})", "{name}（{id}）"),
    "process.moments": ("{moments:#moment}", "{moments:,} 个时刻"),
}  # fmt: skip

__all__ = ["WORDS"]
