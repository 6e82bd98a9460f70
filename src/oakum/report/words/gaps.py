"""What was not checked, why that matters: key -> (English, Chinese). Pairs of gap.X and gap.X.why."""

WORDS: dict[str, tuple[str, str]] = {
    "gap.second-moment": ("Only one snapshot.", "只有一次快照。"),
    "gap.second-moment.why": (
        "Growth needs two snapshots, some minutes apart.",
        "至少要两次间隔几分钟的快照才能看出增长。",
    ),
    "gap.short": ("All snapshots are within one minute.", "所有快照都在一分钟之内。"),
    "gap.short.why": (
        "A leak of a few goroutines or MiB per hour does not show within seconds.",
        "每小时只泄漏几个协程或几 MiB 时，几秒内看不出来。",
    ),
    "gap.after-load": ("No snapshot after the load.", "没有负载结束后的快照。"),
    "gap.after-load.why": (
        "What goes away with the load is traffic, what stays is a leak.",
        "负载结束后消失的是正常流量，留下的才是泄漏。",
    ),
    "gap.more-load": (
        "No later snapshot under the same load shows whether it keeps growing.",
        "缺少同等负载下的后续快照，不能确定是否继续增长。",
    ),
    "gap.more-load.why": (
        "Under more load a full cache stops growing, a leak does not. After the load both stay.",
        "继续加压，缓存满了就不再增长，泄漏则一直增长；负载结束后两者都不回落。",
    ),
    "gap.goroutines": ("No goroutines captured.", "没有采集协程。"),
    "gap.goroutines.why": (
        "Most leaks in Go services are goroutines blocked forever and the memory they hold.",
        "Go 服务的泄漏大多是永久阻塞的协程及其持有的内存。",
    ),
    "gap.ages": ("The goroutines have no wait times, ids or creators.", "协程缺少等待时长、id 和创建者。"),
    "gap.ages.why": ("Only a debug=2 dump has them.", "只有 debug=2 的 dump 才包含这些信息。"),
    "gap.cut": ("The goroutine dump is truncated.", "goroutine dump 不完整。"),
    "gap.cut.why": ("Goroutines are missing at the end, so the counts are too low.", "末尾缺少部分协程，计数偏低。"),
    "gap.heap": ("No heap profile captured.", "没有采集 heap profile。"),
    "gap.heap.why": ("It shows where the memory still in use was allocated.", "它能指出在用内存是在哪里分配的。"),
    "gap.memstats": ("No memory statistics.", "没有内存统计（memstats）。"),
    "gap.memstats.why": (
        "They distinguish a growing heap from memory waiting for the GC or not returned to the OS.",
        "有了它才能区分：堆在增长、内存在等 GC，还是未归还操作系统。",
    ),
    "gap.rss": ("RSS of the process is unknown.", "进程的 RSS 未知。"),
    "gap.rss.why": (
        "Without it memory outside the Go heap cannot be checked.",
        "缺少 RSS 就无法检查 Go 堆之外的内存。",
    ),
    "gap.goroutineleak": ("No goroutineleak profile captured.", "没有采集 goroutineleak profile。"),
    "gap.goroutineleak.why": (
        "This build has the goroutineleak profile: the GC proves which goroutines nothing can unblock.",
        "该构建支持 goroutineleak profile：GC 可以证明哪些协程无法被唤醒。",
    ),
    "gap.baseline": ("No baseline (healthy replica or node).", "没有基线（健康副本或节点）。"),
    "gap.baseline.why": (
        "A healthy replica under the same load shows what is normal.",
        "同等负载下的健康副本能说明什么是正常。",
    ),
    "gap.build": ("Module versions are unknown.", "模块版本未知。"),
    "gap.build.why": (
        "They decide whether this build has a known bug of a dependency.",
        "有版本才能判断该构建是否含有依赖的已知缺陷。",
    ),
    "gap.source-late": (
        "Source was not read for every finding: the limit of {seconds} s was reached.",
        "并非每个问题都读了源码：已达到 {seconds} 秒上限。",
    ),
    "gap.source-late.why": (
        "For the others, diagnose them separately or point --source at a smaller tree.",
        "其余问题请单独诊断，或用 --source 指定更小的目录。",
    ),
    "gap.source-missing": ("Source of {function} not found.", "未找到 {function} 的源码。"),
    "gap.source-missing.why": (
        "The root cause is read from the source of the running version: --source DIR names a checkout, "
        "--fetch-source downloads it from the Go module proxy.",
        "根因需要从正在运行的版本的源码中读出：用 --source DIR 指定代码目录，或用 --fetch-source 从 Go 模块代理下载。",
    ),
    "gap.source-differs": (
        "The source found for {function} is not the running version: {place} does not match the stack.",
        "找到的 {function} 源码不是正在运行的版本：{place} 与调用栈对不上。",
    ),
    "gap.source-differs.why": (
        "It was not used. Point --source at the checkout that was built.",
        "因此未采用。请用 --source 指定构建时的代码目录。",
    ),
}
