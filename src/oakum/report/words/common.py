"""Verdicts, confidence, headings and labels: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # The verdict and its sentence.
    "badge.leaking": ("LEAK", "泄漏"),
    "badge.healthy": ("HEALTHY", "正常"),
    "badge.undecided": ("INCONCLUSIVE", "无法定论"),
    "verdict.leaking": ("{findings:#leak} found.", "发现 {findings:,} 处泄漏。"),
    "verdict.healthy": ("No leak found in this evidence.", "现有证据未发现泄漏。"),
    "verdict.undecided": (
        "Inconclusive: {findings:#suspect}. What is missing is listed below.",
        "无法定论：疑似泄漏 {findings:,} 处，还缺的证据见下文。",
    ),
    # How sure.
    "confidence.proven": ("proven", "已证实"),
    "confidence.likely": ("likely", "很可能"),
    "confidence.possible": ("possible", "有可能"),
    # Headings.
    "heading.gaps": ("Not checked", "未检查"),
    # Labels of a finding.
    "label.where": ("where", "位置"),
    "label.why": ("evidence", "依据"),
    "label.growth": ("growth", "增长"),
    "label.victims": ("blocks", "牵连"),
    "label.path": ("call path", "调用路径"),
    "label.cause": ("root cause", "根因"),
    "label.known": ("known bug", "已知缺陷"),
    "label.do": ("fix", "处理"),
    "label.next": ("next", "下一步"),
    "label.run": ("run", "执行"),
    "label.share": ("share", "占比"),
    # What a site is.
    "place.process": ("(process)", "（整个进程）"),
    "role.blocked": ("blocked here", "阻塞在此"),
    "role.created": ("started here", "在此启动"),
    "role.allocated": ("allocated here", "在此分配"),
    "role.keeps": ("keeps it", "持有者"),
    "role.registered": ("registered here", "在此注册"),
    "role.driver": ("triggered here", "由此触发"),
    "role.released": ("released here", "在此释放"),
    # Why a victim waits.
    "because.parent": ("waits for its child", "等待子协程"),
    "because.same lock": ("waits for the same lock", "等待同一把锁"),
    "because.behind": ("queued behind it", "排在其后"),
    # Measures.
    "measure.goroutines": ("goroutines", "协程数"),
    "measure.inuse_space": ("heap in use", "在用堆内存"),
    "measure.inuse_objects": ("objects in use", "在用对象数"),
    "measure.rss": ("RSS", "常驻内存（RSS）"),
    "count.goroutines": ("{count:#goroutine}", "{count:,} 个协程"),
    "count.objects": ("{count:#object}", "{count:,} 个对象"),
    "count.more": ("... and {count:,} more", "……另有 {count:,} 处"),
    "growth.against-baseline": ("against the baseline", "与基线相比"),
    "share.goroutines": ("{share:.0%} of all goroutines", "占协程总数的 {share:.0%}"),
    "share.inuse_space": ("{share:.0%} of the heap", "占堆内存的 {share:.0%}"),
    "share.inuse_objects": ("{share:.0%} of all objects", "占对象总数的 {share:.0%}"),
    "share.rss": ("{share:.0%} of RSS", "占 RSS 的 {share:.0%}"),
    # Memory.
    "budget.rss": ("RSS", "常驻内存（RSS）"),
    "budget.limit": ("memory limit", "内存上限"),
    "budget.heap_live": ("heap, live", "堆：存活"),
    "budget.heap_dead": ("heap, waiting for GC", "堆：待 GC 回收"),
    "budget.heap_idle": ("heap, idle", "堆：空闲"),
    "budget.heap_released": ("heap, returned to the OS", "堆：已归还操作系统"),
    "budget.stacks": ("goroutine stacks", "协程栈"),
    "budget.runtime": ("Go runtime", "Go 运行时"),
    "budget.off_heap": ("outside Go", "Go 之外"),
    "budget.next_gc": ("next GC at", "下次 GC 触发于"),
    "budget.last_gc": ("last GC", "上次 GC"),
    "budget.full_in": ("limit reached in about {seconds:span}", "按当前速度约 {seconds:span}后达到上限"),
    # Remedies.
    "remedy.upgrade": ("upgrade", "升级"),
    "remedy.patch": ("change", "修改"),
    "remedy.mitigate": ("mitigate", "临时缓解"),
    "remedy.risk": ("Risk: {risk}", "风险：{risk}"),
    "remedy.compiled": ("This draft compiles.", "该补丁草稿已编译通过。"),
    "remedy.not-compiled": (
        "This draft was not compiled: compile and test it first.",
        "该补丁草稿未经编译，使用前请先编译、测试。",
    ),
    "lead.changed": (
        "lead: {module} {changed} is the first release that changed {functions} (running: {running}). Whether it "
        "fixes this is unknown.",
        "线索：{module} {changed} 首次改动了 {functions}（当前运行 {running}），是否修复了本问题未知。",
    ),
    "lead.changed-lines": (
        "lead: {module} {changed} is the first release that changed these lines of {functions} (running: "
        "{running}). Whether it fixes this is unknown.",
        "线索：{module} {changed} 首次改动了 {functions} 中的这些行（当前运行 {running}），是否修复了本问题未知。",
    ),
    "diff.more": ("... and {count:#line} more", "……另有 {count:,} 行"),
    # What was read.
    "cause.read": ("Source read: {source}", "所读源码：{source:phrase}"),
    "inputs.baseline": ("{moments:#snapshot} of the baseline", "另有基线快照 {moments:,} 次"),
    "process.moments": ("{moments:#snapshot}", "{moments:,} 次快照"),
}  # fmt: skip
