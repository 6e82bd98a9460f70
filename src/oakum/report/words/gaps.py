"""What was not checked, why that matters: key -> (English, Chinese). Pairs of gap.X and gap.X.why."""

WORDS: dict[str, tuple[str, str]] = {
    "gap.second-moment": ("There is only one moment.", "只有一个时刻的证据。"),
    "gap.second-moment.why": (
        "Growth shows between two moments some minutes apart.",
        "相隔几分钟的两个时刻才能看出增长。",
    ),
    "gap.short": ("The moments lie within one minute.", "各个时刻都在一分钟之内。"),
    "gap.short.why": (
        "A leak of some goroutines or megabytes an hour does not show in seconds.",
        "每小时只泄漏几个 goroutine 或几兆字节的问题，在几秒之内看不出来。",
    ),
    "gap.after-load": ("There is no moment after the load.", "没有负载结束之后的时刻。"),
    "gap.after-load.why": (
        "What goes away when the load ends is traffic, what stays is a leak.",
        "负载结束后消失的是流量，留下的才是泄漏。",
    ),
    "gap.more-load": (
        "No later moment under the same load shows whether it goes on growing.",
        "没有在同样负载下继续观察，不知道它是否还会增长。",
    ),
    "gap.more-load.why": (
        "A cache that is full stands still under more load, a leak goes on; after the load both stay.",
        "缓存装满之后，负载继续也不再增长，泄漏则会一直增长；负载结束后两者都会留下。",
    ),
    "gap.goroutines": ("No goroutines were captured.", "没有采集 goroutine。"),
    "gap.goroutines.why": (
        "Most leaks of Go services are goroutines that wait for ever, and what they hold.",
        "Go 服务的泄漏大多是永远等待的 goroutine 以及它们持有的内存。",
    ),
    "gap.ages": ("The goroutines have no ages, ids or creators.", "goroutine 没有等待时长、编号和创建者。"),
    "gap.ages.why": (
        "Only a dump with debug=2 tells how long each one waits and who started it.",
        "只有 debug=2 的转储才说明每个 goroutine 等了多久、由谁启动。",
    ),
    "gap.cut": ("The goroutine dump is cut.", "goroutine 转储不完整。"),
    "gap.cut.why": (
        "Goroutines are missing at its end, so counts are lower than they were.",
        "末尾缺少一部分 goroutine，因此计数偏低。",
    ),
    "gap.heap": ("No heap profile was captured.", "没有采集堆 profile。"),
    "gap.heap.why": (
        "It names the places that allocated what is still held.",
        "它能指出仍被持有的内存是在哪里分配的。",
    ),
    "gap.memstats": ("There are no memory statistics.", "没有内存统计。"),
    "gap.memstats.why": (
        "They tell a growing heap from memory that waits for the collector or was not returned to the system.",
        "有了它才能区分堆在增长，还是内存在等待 GC 或尚未归还系统。",
    ),
    "gap.rss": ("The resident memory of the process is not known.", "不知道进程的常驻内存。"),
    "gap.rss.why": (
        "Without it nothing can be said about memory outside the Go heap.",
        "没有它就无法判断 Go 堆之外的内存。",
    ),
    "gap.goroutineleak": ("Go's own proof was not captured.", "没有采集 Go 自带的泄漏证明。"),
    "gap.goroutineleak.why": (
        "From Go 1.26 on (GOEXPERIMENT=goroutineleakprofile) the collector proves which goroutines can never wake.",
        "自 Go 1.26 起（GOEXPERIMENT=goroutineleakprofile），垃圾回收器可以证明哪些 goroutine 永远不会被唤醒。",
    ),
    "gap.baseline": ("There is no healthy twin to compare with.", "没有可供比较的健康对照。"),
    "gap.baseline.why": (
        "Another replica under the same load tells what is normal for this service.",
        "同样负载下的另一个副本可以说明该服务怎样算正常。",
    ),
    "gap.build": ("The versions of the modules are not known.", "不知道各模块的版本。"),
    "gap.build.why": (
        "They tell whether a known bug of a dependency is in this build.",
        "有了版本才能判断此构建是否包含依赖中的已知缺陷。",
    ),
    "gap.source-late": (
        "Not every finding was read in the source: that took more than {seconds} s.",
        "没有为每个发现都阅读源代码：耗时超过了 {seconds} 秒。",
    ),
    "gap.source-late.why": (
        "The findings above it have their cause; for the others, diagnose them alone or give --source a smaller tree.",
        "排在前面的发现已有原因；其余的请单独诊断，或用 --source 指定较小的目录。",
    ),
    "gap.source-missing": (
        "The source of {function} was not found.",
        "没有找到 {function} 的源代码。",
    ),
    "gap.source-missing.why": (
        "The cause is read from the source at the version that runs: --source DIR names a checkout of it, "
        "--fetch-source asks the Go module proxy for it.",
        "原因要从正在运行的那个版本的源代码中读出：--source DIR 指定其检出目录，--fetch-source 从 Go 模块代理获取。",
    ),
    "gap.source-differs": (
        "The source found for {function} is not what runs: {place} does something else there.",
        "为 {function} 找到的源代码不是正在运行的版本：{place} 处做的是别的事情。",
    ),
    "gap.source-differs.why": (
        "Another version's lines would explain the wrong code, so nothing was read from it: give --source the checkout "
        "that was built.",
        "另一个版本的行号会解释错误的代码，因此没有据此说明：请用 --source 指定构建时的检出目录。",
    ),
}

__all__ = ["WORDS"]
