"""Lessons of an incident: what a review has to ask for, mechanism by mechanism, and what would have helped earlier."""

_REVIEW: dict[str, tuple[str, str]] = {
    "abandoned-sender": (
        "In review, ask of every goroutine that sends a result: who "
        "receives it when the caller has timed out, returned "
        "early or panicked? A channel for one answer gets a buffer of one.",
        "代码评审时，对每个发送结果的 goroutine 都要问一句：调用方超时、提前返回或 panic 之后，谁来接收？"
        "只传一个结果的 channel 应带容量为 1 的缓冲。",
    ),
    "abandoned-receiver": (
        "In review, ask of every receive and every range over a channel: on which paths does the sender leave without "
        "sending or closing? `defer close(ch)` belongs to the sender, right where it starts.",
        "代码评审时，对每处 channel 接收和 range 都要问一句：发送方在哪些路径上既不发送也不关闭就返回？"
        "`defer close(ch)` 应写在发送方的开头。",
    ),
    "double-send": (
        "In review, look for a send that is followed by another on some path: each send of a result is followed by "
        "return.",
        "代码评审时，留意某条路径上先后发送两次的情况：发送结果之后应立即 return。",
    ),
    "unstopped-worker": (
        "In review, no start without its end: whoever calls a constructor that starts goroutines must show in the same "
        "function, or in its own Stop, where Stop, Close or cancel is called.",
        "代码评审时坚持“有始有终”：调用会启动 goroutine 的构造函数时，必须在同一函数或自己的 Stop 中写明何处调用 "
        "Stop、Close 或 cancel。",
    ),
    "detached-wait": (
        "In review, follow the context down to the call that blocks: a "
        "context that a function takes and does not hand on "
        "ends nothing.",
        "代码评审时，要沿着 context 一直看到真正阻塞的那次调用：收下 context 却不往下传，就什么也取消不了。",
    ),
    "lock-cycle": (
        "Write the order of the locks down beside their declaration, and "
        "let review hold code against it; whatever calls "
        "out of the package does so without a lock.",
        "把加锁顺序写在锁的声明旁边，评审时据此检查；需要调用包外代码时，先把锁放开。",
    ),
    "double-lock": (
        "In review, `mu.Lock()` is followed by `defer mu.Unlock()` in the "
        "next line, and methods that expect the lock to "
        "be held say so in their name (`...Locked`).",
        "代码评审时要求 `mu.Lock()` 的下一行就是 `defer mu.Unlock()`；"
        "要求调用者已持锁的方法，在名字里写明（如 `...Locked`）。",
    ),
    "lock-held-while-waiting": (
        "In review, look between Lock and Unlock for anything that may wait: channel operations, network calls, other "
        "locks. Copy what is needed, unlock, then wait.",
        "代码评审时，检查 Lock 与 Unlock 之间有没有可能等待的操作：channel 收发、网络调用、别的锁。"
        "应先取出所需数据、解锁，然后再等待。",
    ),
    "waitgroup-never-done": (
        "In review, Add stands before the go statement and `defer "
        "wg.Done()` is the first line of the goroutine; anything "
        "between them that can return or panic is a leak.",
        "代码评审时，Add 要写在 go 语句之前，`defer wg.Done()` 要写在 goroutine 的第一行；两者之间凡是可能返回或 "
        "panic 的地方都会造成泄漏。",
    ),
    "lost-signal": (
        "In review, Wait of a sync.Cond stands in a loop over its condition, the condition changes under the lock, and "
        "Signal is used only where one waiter is enough.",
        "代码评审时，sync.Cond 的 Wait 必须放在检查条件的循环里，"
        "条件必须在持锁时修改；只有唤醒一个等待者就够时才用 Signal。",
    ),
    "nil-channel": (
        "In review, look for channels that are declared in one place and "
        "made in another, and for structs that are used "
        "without their constructor: a nil channel blocks without any error.",
        "代码评审时，留意声明与 make 不在一处的 channel，"
        "以及绕过构造函数直接使用的结构体：nil channel 会一直阻塞，"
        "而且不报任何错误。",
    ),
    "missing-deadline": (
        "Every call to another process gets a deadline, also those that are "
        "meant to take long: a slow peer must cost an "
        "error, not a goroutine. Make the client's constructor demand it.",
        "调用其他进程必须设置超时，预计耗时较长的调用也不例外：对端变慢时，代价应是一次报错，而不是一个 goroutine。"
        "最好由客户端的构造函数强制要求。",
    ),
    "peer-stopped-reading": (
        "Writes to a peer get a deadline, and no goroutine both writes and "
        "reads one connection: when the write blocks, "
        "nobody reads the answers.",
        "向对端写入必须有截止时间；同一个连接的读和写也不要放在一个 goroutine 里：写一旦阻塞，应答就没有人读了。",
    ),
    "unclosed-body": (
        "Let the linter `bodyclose` run in CI: a response whose body is not "
        "closed costs a connection and two goroutines.",
        "在 CI 中启用 `bodyclose` 检查：响应体不关闭，就会占住一个连接和两个 goroutine。",
    ),
    "unbounded-spawn": (
        "In review, ask of every go statement in a handler or loop what bounds it: a semaphore, a pool, or "
        "`errgroup.SetLimit`, and what happens to the work that does not fit.",
        "代码评审时，对 handler 或循环里的每个 go 语句都要问："
        "数量由什么限制（信号量、工作池还是 `errgroup.SetLimit`），"
        "超出的请求怎么处理？",
    ),
    "timer-loop": (
        "In review, every loop around a ticker selects on `ctx.Done()` too, and whoever starts it holds the cancel.",
        "代码评审时，每个定时循环都要同时 select `ctx.Done()`，并且启动它的一方要持有 cancel。",
    ),
    "accumulating-registration": (
        "In review, no registration in what runs again and again (loops, retries, handlers) without its removal; count "
        "the registered handlers as a metric, since they should not follow the time.",
        "代码评审时，凡是会反复执行的地方（循环、重试、handler）都不得只注册不注销；并把已注册的 handler "
        "数量做成指标，它不应随时间增长。",
    ),
    "growing-container": (
        "In review, every map, slice or cache that outlives a request has a bound or somebody who deletes; export its "
        "length as a metric.",
        "代码评审时，凡是生命周期超过单次请求的 map、slice 或缓存，都必须有上限或有人负责删除；并把其长度导出为指标。",
    ),
    "held-by-goroutine": (
        "When the heap grows, look at the goroutines first: what a goroutine that never ends can reach is never freed, "
        "and the heap profile names only who allocated it.",
        "堆内存增长时先看 goroutine：不结束的 goroutine 所引用的内存永远不会释放，而堆 profile 只会指出是谁分配的。",
    ),
    "unstopped-timer": (
        "In review, every NewTimer, NewTicker and AfterFunc is followed by a "
        "Stop on each path, and no `time.After` stands "
        "in a loop.",
        "代码评审时，每个 NewTimer、NewTicker、AfterFunc 在各条路径上都要有对应的 Stop；循环里不要用 `time.After`。",
    ),
    "substring-pin": (
        "In review, what is cut out of a large buffer and kept is copied (`strings.Clone`, `bytes.Clone`).",
        "代码评审时，从大块缓冲中截取并长期保留的内容要复制一份（`strings.Clone`、`bytes.Clone`）。",
    ),
    "finalizer-backlog": (
        "No finalizer waits, locks or calls out: resources are closed by "
        "their owner, and a finalizer only reports that "
        "this was forgotten.",
        "finalizer 中不得等待、加锁或调用外部服务：资源由使用者显式关闭，finalizer 至多用来报告“忘了关闭”。",
    ),
    "off-heap": (
        "Memory outside Go needs a metric of its own (C allocations, "
        "mappings, threads): no pprof profile shows it. Every "
        "C.malloc and mmap has its free in review.",
        "Go 之外的内存（C 分配、内存映射、线程）需要单独的指标：任何 pprof profile "
        "都看不到它。评审时每个 C.malloc、mmap 都要有对应的释放。",
    ),
    "growing-goroutines": (
        "Metrics showed that goroutines grow, not which: let the alert take a dump of them at once, while the process "
        "still runs.",
        "监控能看到 goroutine 在增长，却看不到是哪些：告警触发时就应自动采集 goroutine 转储，趁进程还在运行。",
    ),
    "growing-memory": (
        "Metrics showed that memory grows, not what holds it: let the alert take a heap profile and the goroutines at "
        "once, while the process still runs.",
        "监控能看到内存在增长，却看不到被谁持有：告警触发时就应自动采集堆 profile 和 goroutine，趁进程还在运行。",
    ),
}

WORDS: dict[str, tuple[str, str]] = {f"lesson.review.{name}": words for name, words in _REVIEW.items()} | {
    # Seen earlier.
    "lesson.alert.goroutines": (
        "Detect it earlier: goroutines of {process} grew by {rate} an hour. "
        "An alert on growth, not on a level, fires after "
        "{window:span} whatever the size of the service. Drafted from the measured rate (half of it, to leave room):",
        "更早发现：{process} 的 goroutine 每小时增长 {rate}。告警应针对增长而不是绝对数量，这样无论服务规模大小，"
        "{window:span}内都能触发。根据实测速度拟定如下（取一半作为阈值，留出余量）：",
    ),
    "lesson.alert.memory": (
        "Detect it earlier: memory of {process} grew by {rate} an hour. An "
        "alert on growth, not on a level, fires after "
        "{window:span} whatever the size of the service. Drafted from the measured rate (half of it, to leave room):",
        "更早发现：{process} 的内存每小时增长 {rate}。告警应针对增长而不是绝对用量，这样无论服务规模大小，"
        "{window:span}内都能触发。根据实测速度拟定如下（取一半作为阈值，留出余量）：",
    ),
    "lesson.alert.check": (
        "Put your own job in the place of JOB, and check the rule against a "
        "week of ordinary load before it pages anybody.",
        "请把 JOB 换成实际的 job 名；启用之前先用一周的正常负载数据核对，以免误报。",
    ),
    "lesson.alert.summary.goroutines": (
        "Goroutines grow without end: capture two dumps before a restart",
        "goroutine 持续增长：重启之前请先采集两次转储",
    ),
    "lesson.alert.summary.memory": (
        "Memory grows without end: capture heap and goroutines before a restart",
        "内存持续增长：重启之前请先采集堆和 goroutine",
    ),
    # From what the evidence had or lacked.
    "lesson.released": (
        "The fix was to be had: {module} {fixed} has it, {running} ran. `oakum scan` in CI tells of known leaks in the "
        "modules that are built.",
        "修复已经发布：{module} {fixed} 已包含修复，而运行的是 {running}。可在 CI 中用 `oakum scan` "
        "检查构建所用模块中的已知泄漏。",
    ),
    "lesson.unreported": (
        "It is code of a dependency (`{function}`) and no bug that "
        "upstream is known to know: report it with this stack.",
        "问题出在依赖的代码（`{function}`），而且不是上游已知的缺陷：请附上这个调用栈向上游报告。",
    ),
    "lesson.test": (
        "Keep it from coming back: a test that runs this path and ends with `goleak.VerifyNone(t)` fails on the first "
        "goroutine that `{function}` leaves behind.",
        "防止复发：为这条路径写一个测试，以 `goleak.VerifyNone(t)` 结尾；只要 "
        "`{function}` 留下一个 goroutine，测试就会失败。",
    ),
    "lesson.test-go": (
        "Keep it from coming back: a test that runs this path and ends with "
        "`goleak.VerifyNone(t)`, or reads the goroutineleak "
        "profile that this Go has (GOEXPERIMENT=goroutineleakprofile), fails on the first goroutine that `{function}` "
        "leaves behind.",
        "防止复发：为这条路径写一个测试，以 `goleak.VerifyNone(t)` 结尾，或检查当前 Go 版本提供的 goroutineleak profile"
        "（GOEXPERIMENT=goroutineleakprofile）；只要 `{function}` 留下一个 goroutine，测试就会失败。",
    ),
    "lesson.pinned": (
        "The heap profile pointed at `{function}`, which only allocated; "
        "what kept it alive were the goroutines. Take both "
        "profiles together.",
        "堆 profile 指向的是 `{function}`，但它只是负责分配，"
        "真正使内存无法释放的是那些 goroutine。两种 profile 要一起采集。",
    ),
    "lesson.victims": (
        "The largest crowd is not always the cause: {victims:,} goroutines "
        "wait behind {roots:,} that hold them up. Look "
        "for who holds, not for who waits.",
        "数量最多的一群不一定是原因：有 {victims:,} 个 goroutine 被 "
        "{roots:,} 个挡在后面。要找的是谁占着不放，而不是谁在等。",
    ),
    "lesson.peer": (
        "The symptom and the cause stand in two processes: capture both ends of a call that waits.",
        "现象和原因分处两个进程：遇到等待中的调用，两端都要采集。",
    ),
    "lesson.twin": (
        "The healthy twin decided much: it showed what is normal. Keep captures of a replica that is well.",
        "健康对照起了很大作用：它说明了什么才是正常。平时就应保存一份健康副本的采集。",
    ),
    "lesson.several": (
        "There are {count:,} causes on top of each other: after the first "
        "fix, diagnose again before the case is closed.",
        "共有 {count:,} 个原因叠加在一起：修复第一个之后要重新诊断，再决定是否结案。",
    ),
    "lesson.traffic": (
        "{count:#place} grew with the load and went, or will go, with it: "
        "growth alone is no leak, what stays when the load "
        "has gone is.",
        "另有 {count:,} 处的增长只是随负载变化：增长本身不等于泄漏，负载结束后仍不消失的才是。",
    ),
    "lesson.lack.second-moment": (
        "One moment shows no growth: take two, some minutes apart, before a restart destroys the evidence.",
        "单个时刻看不出增长：在重启毁掉现场之前，至少相隔几分钟采集两次。",
    ),
    "lesson.lack.after-load": (
        "A capture after the load would have told a leak from traffic: take one more when it is quiet.",
        "负载结束后的采集才能区分泄漏与流量：等负载下来后再采集一次。",
    ),
    "lesson.lack.goroutines": (
        "The goroutines were missing, and most leaks of Go services are "
        "goroutines: `oakum capture` takes them with the rest.",
        "缺少 goroutine 的采集，而 Go 服务的泄漏大多出在 goroutine 上：`oakum capture` 会一并采集。",
    ),
    "lesson.lack.ages": (
        "A dump with debug=2 was missing: only it tells how long each goroutine waits and who started it.",
        "缺少 debug=2 的转储：只有它能说明每个 goroutine 等了多久、由谁启动。",
    ),
    "lesson.lack.heap": (
        "The heap profile was missing, so what the memory is made of is not "
        "known: `oakum capture` takes it with the rest.",
        "缺少堆 profile，因此不清楚内存由什么构成：`oakum capture` 会一并采集。",
    ),
    "lesson.lack.rss": (
        "Resident memory was not recorded: export "
        "process_resident_memory_bytes, or keep /proc/PID/status with the "
        "captures.",
        "没有记录常驻内存：请导出 process_resident_memory_bytes 指标，或把 /proc/PID/status 与采集一起保存。",
    ),
    "lesson.lack.known-version": (
        "The version of {module} decides whether it is {id}, and nothing "
        "told it: keep `go version -m` of what is deployed.",
        "是不是 {id} 取决于 {module} 的版本，而证据中没有：请保存所部署程序的 `go version -m` 输出。",
    ),
    "lesson.lack.known-peer": (
        "The process at the other end was not captured, and it decides: capture both ends of a call that waits.",
        "对端进程没有采集，而关键恰恰在对端：遇到等待中的调用，两端都要采集。",
    ),
    "lesson.lack.source-missing": (
        "The source of what runs was not at hand: keep the commit in the "
        "build (`-buildvcs`), and diagnose with `--source`.",
        "手边没有所运行版本的源码：请在构建时保留提交信息（`-buildvcs`），诊断时用 `--source` 指定。",
    ),
    "lesson.none": (
        "Keep these captures: they are the healthy twin of the next incident (`oakum diagnose --baseline`).",
        "请保留这批采集：下次出现故障时，它们就是健康对照（`oakum diagnose --baseline`）。",
    ),
}  # fmt: skip

__all__ = ["WORDS"]
