"""What is said about goroutines: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "goroutines.gains": (
        "{counts} stand there in {moments:,} moments: more come while work is done, and who came stays.",
        "{moments:,} 个时刻的数量依次为 {counts}：随负载不断增加，来了的都没有离开。",
    ),
    "goroutines.more": (
        "{counts} stand there in {moments:,} moments: more and more.",
        "{moments:,} 个时刻的数量依次为 {counts}：越来越多。",
    ),
    "goroutines.steady": (
        "More came in every step although about as much work was done in each: {counts}.",
        "每一段时间的负载相近，却每次都有增加：{counts}。",
    ),
    "goroutines.ramp": (
        "{counts} stand there in {moments:,} moments.",
        "{moments:,} 个时刻的数量依次为 {counts}。",
    ),
    "goroutines.outlives-load": (
        "Still there although hardly any work was done in the last step: {count:,} of them ({counts}).",
        "最后一段时间几乎没有负载，仍有 {count:,} 个留在那里：{counts}。",
    ),
    "goroutines.remains": (
        "The very same {count:,} stand there in all {moments:,} moments.",
        "{moments:,} 个时刻中停在那里的始终是同样的 {count:,} 个。",
    ),
    "goroutines.queue-grows": (
        "Some get on, but in every moment more wait than before: {counts}. They come faster than they go.",
        "虽有一些得以继续，但每个时刻等待的都更多：{counts}。来得比走得快。",
    ),
    "goroutines.stuck": (
        "They have waited for up to {minutes:,} min in state [{state}], which nobody means to last.",
        "它们处于 [{state}] 状态，最长已等待 {minutes:,} 分钟；正常的程序不会让这种等待持续这么久。",
    ),
    "goroutines.waits": (
        "The dump says {minutes:,} min in state [{state}]; Go dates a wait back by up to two minutes: it may be less.",
        "转储显示在 [{state}] 状态等待了 {minutes:,} 分钟；Go 记录的等待起点最多会提前两分钟，真实时间可能更短。",
    ),
    "goroutines.never-wakes": (
        "[{state}]: nothing in the program can ever wake them.",
        "[{state}]：程序中没有任何操作能唤醒它们。",
    ),
    "goroutines.nil-stop": (
        "[{state}]: nothing can ever wake it. It is one goroutine of a library, which was given a nil channel to be "
        "stopped by; where it is never to stop (Done of context.Background is nil), that is meant.",
        "[{state}]：没有任何操作能唤醒它。这是某个库的一个 goroutine，拿到的停止 channel 为 nil；"
        "如果本来就不打算让它停止（context.Background 的 Done 就是 nil），这是有意为之。",
    ),
    "goroutines.crowd": (
        "{count:,} of {total:,} goroutines stand at this one place.",
        "{total:,} 个 goroutine 中有 {count:,} 个停在这一处。",
    ),
    "goroutines.most": (
        "They are most of the process: {count:,} of {total:,} goroutines.",
        "它们占了进程的大多数：{total:,} 个 goroutine 中的 {count:,} 个。",
    ),
    "goroutines.twin": (
        "{count:,} here, {twin:,} in the healthy twin.",
        "此处有 {count:,} 个，健康对照中有 {twin:,} 个。",
    ),
    "goroutines.leak-profile": (
        "Go's own goroutineleak profile lists {count:,} of them: its collector proved that nothing can wake them.",
        "Go 自带的 goroutineleak profile 列出了其中 {count:,} 个：垃圾回收器已证明没有任何操作能唤醒它们。",
    ),
    "goroutines.goleak": (
        "goleak lists {count:,} of them as unexpected at the end of a test.",
        "goleak 在测试结束时报告其中 {count:,} 个不应存在。",
    ),
    # When they came, by their ages.
    "goroutines.arrivals": (
        "By their ages {count:,} of them came one after the other, from {oldest:,} to {youngest:,} min ago: about "
        "{rate:,} an hour, steadily.",
        "从等待时长看，其中 {count:,} 个在 {oldest:,} 至 {youngest:,} 分钟前陆续到来：每小时约 {rate:,} 个，速度平稳。",
    ),
    "goroutines.arrivals-uneven": (
        "By their ages {count:,} of them came from {oldest:,} to {youngest:,} min ago, about {rate:,} an hour, more at "
        "some times than at others.",
        "从等待时长看，其中 {count:,} 个在 {oldest:,} 至 {youngest:,} 分钟前到来：每小时约 {rate:,} 个，时多时少。",
    ),
    "goroutines.burst": (
        "By their ages {count:,} of them came at about the same time, {oldest:,} min ago.",
        "从等待时长看，其中 {count:,} 个大约在 {oldest:,} 分钟前同时到来。",
    ),
    # Against a leak.
    "goroutines.comes-and-goes": (
        "They come and go with the work: {counts}.",
        "它们随负载来去：{counts}。",
    ),
    "goroutines.levels-off": (
        "Their number levels off while work goes on: {counts}.",
        "负载仍在继续，而数量已经稳定：{counts}。",
    ),
    "goroutines.alive": (
        "{count:,} of {total:,} have got on since, or wait anew: whoever waits here can go on.",
        "{total:,} 个中有 {count:,} 个后来得以继续，或重新开始了等待：停在这里的可以继续运行。",
    ),
    "goroutines.connections": (
        "Their number follows connections that are still open ({companion}): {counts}.",
        "其数量与仍然打开的连接（{companion}）一致：{counts}。",
    ),
    "goroutines.rests": (
        "Meant to wait: {what} ({relation}).",
        "按设计就在此等待：{what_zh}（{relation_zh}）。",
    ),
    "goroutines.counts-only": (
        "Only their number is known in {moments:,} moments: this format has no ids to tell who stayed.",
        "{moments:,} 个时刻只知道数量：这种格式没有编号，无法区分谁留了下来。",
    ),
    "goroutines.served": (
        "They handle requests whose clients are still connected.",
        "它们正在处理请求，而客户端仍然连接着。",
    ),
    "goroutines.streams": (
        "They handle streams, many of which share a connection: no dump tells whether the clients of these {count:,} "
        "are still there.",
        "它们各自处理一个流，而多个流共用一个连接：转储无法说明这 {count:,} 个的客户端是否还在。",
    ),
    "goroutines.unused": (
        "{count:,} connections are idle and none was ever closed, though hardly any call was under way: one shared "
        "pool does not need so many. Either each call makes a transport (http.Transport) of its own, or it calls "
        "ever more hosts.",
        "{count:,} 个连接处于空闲状态，从未有一个关闭，而同时进行的调用几乎没有：一个共享的连接池用不着这么多。"
        "要么每次调用都新建 http.Transport，要么访问的主机越来越多。",
    ),
    "goroutines.startup": (
        "It was started when the process began (id {first:,}), and waits for those that serve as long as it runs.",
        "它在进程启动时就已启动（编号 {first:,}），等待的是与进程同生命周期的 goroutine。",
    ),
    "goroutines.crew": (
        "They were started together when the process began (ids {first:,} to {last:,}): perhaps a pool at rest.",
        "它们在进程启动时一起启动（编号 {first:,} 至 {last:,}）：可能是空闲的工作池。",
    ),
    "goroutines.supervises": (
        "It waits for {count:,} goroutines of its own, which are at work or at rest as they should be.",
        "它在等待自己启动的 {count:,} 个 goroutine，这些 goroutine 都在正常工作或休息。",
    ),
}

__all__ = ["WORDS"]
