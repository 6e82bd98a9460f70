"""Lessons of an incident: what a review has to ask for, mechanism by mechanism, and what would have helped earlier."""

_REVIEW: dict[str, tuple[str, str]] = {
    "abandoned-sender": (
        "Review: for every goroutine that sends a result, who receives it after a timeout, an early return or a "
        "panic? A channel for one result gets a buffer of one.",
        "代码评审：每个发送结果的协程，在调用方超时、提前返回或 panic 之后由谁接收？只传一个结果的 channel 缓冲设为 "
        "1。",
    ),
    "abandoned-receiver": (
        "Review: for every receive and range over a channel, on which paths does the sender return without a send "
        "or close? `defer close(ch)` goes to the top of the sender.",
        "代码评审：每处 channel 接收和 range，发送方在哪些路径上既不发送也不 close 就返回？`defer close(ch)` "
        "写在发送方开头。",
    ),
    "double-send": (
        "Review: every send of a result is followed by return.",
        "代码评审：发送结果之后必须立即 return。",
    ),
    "unstopped-worker": (
        "Review: no start without a stop. Every call of a constructor that starts goroutines has its Stop, Close or "
        "cancel in the same function or in the owner's Stop.",
        "代码评审：有启动必有停止。调用会启动协程的构造函数时，Stop、Close 或 cancel 必须出现在同一函数或所有者的 "
        "Stop 中。",
    ),
    "detached-wait": (
        "Review: follow the context down to the call that blocks. A context that is not passed on cancels nothing.",
        "代码评审：沿 context 一直看到真正阻塞的调用；不往下传的 context 取消不了任何东西。",
    ),
    "lock-cycle": (
        "Document the lock order next to the declarations and review against it. Release locks before calling other "
        "packages.",
        "把加锁顺序写在锁的声明旁，评审时据此检查；调用包外代码前先释放锁。",
    ),
    "double-lock": (
        "Review: `mu.Lock()` is followed by `defer mu.Unlock()`. Methods that expect the lock to be held are named "
        "`...Locked`.",
        "代码评审：`mu.Lock()` 下一行就是 `defer mu.Unlock()`；要求已持锁的方法以 `...Locked` 命名。",
    ),
    "lock-held-while-waiting": (
        "Review: nothing between Lock and Unlock may block: channel operations, network calls, other locks. Copy "
        "the data, unlock, then wait.",
        "代码评审：Lock 与 Unlock 之间不能有阻塞操作（channel 收发、网络调用、其他锁）；先复制数据、解锁，再等待。",
    ),
    "waitgroup-never-done": (
        "Review: Add comes before the go statement, `defer wg.Done()` is the first line of the goroutine.",
        "代码评审：Add 写在 go 语句之前，`defer wg.Done()` 写在协程第一行。",
    ),
    "lost-signal": (
        "Review: Wait of a sync.Cond is in a loop over its condition, the condition changes under the lock, and "
        "Signal is used only where one waiter is enough.",
        "代码评审：sync.Cond 的 Wait 放在检查条件的循环里，条件在持锁时修改；只需唤醒一个等待者时才用 Signal。",
    ),
    "nil-channel": (
        "Review: look for channels declared in one place and made in another, and for structs used without their "
        "constructor. A nil channel blocks without an error.",
        "代码评审：留意声明与 make 分离的 channel，以及绕过构造函数使用的结构体；nil channel 会静默阻塞。",
    ),
    "missing-deadline": (
        "Every call to another process gets a deadline, including slow ones: a slow peer must cost an error, not a "
        "goroutine.",
        "跨进程调用必须设置超时，慢调用也不例外：对端变慢的代价应是一次报错，而不是一个协程。",
    ),
    "peer-stopped-reading": (
        "Writes to a peer get a deadline. Read and write a connection in two goroutines, so that a blocked write "
        "does not stop the reads.",
        "向对端写入必须设置超时；同一连接的读写放在两个协程，避免写阻塞时无人读取应答。",
    ),
    "unclosed-body": (
        "Run the `bodyclose` linter in CI: every unclosed body costs a connection and two goroutines.",
        "在 CI 中启用 `bodyclose`：每个未关闭的响应体占用一条连接和两个协程。",
    ),
    "exhausted-pool": (
        "Run the `sqlclosecheck` linter in CI. Alert on waits for the pool (`DB.Stats().WaitCount`), not on errors: an "
        "exhausted pool returns none.",
        "在 CI 中启用 `sqlclosecheck`；对池的等待次数（`DB.Stats().WaitCount`）告警，"
        "不能只看错误：池耗尽时没有错误返回。",
    ),
    "unbounded-spawn": (
        "Review: every go statement in a handler or loop has a limit (semaphore, pool, `errgroup.SetLimit`) and a "
        "policy for the excess.",
        "代码评审：handler 或循环里的每个 go 语句都要有并发上限（信号量、池、`errgroup.SetLimit`），"
        "并明确超出时如何处理。",
    ),
    "timer-loop": (
        "Review: every ticker loop also selects on `ctx.Done()`, and its starter holds the cancel.",
        "代码评审：每个定时循环同时 select `ctx.Done()`，由启动方持有 cancel。",
    ),
    "accumulating-registration": (
        "Review: no registration in loops, retries or handlers without its removal. Export the number of registered "
        "handlers as a metric.",
        "代码评审：循环、重试、handler 中不得只注册不注销；把已注册的 handler 数量做成指标。",
    ),
    "growing-container": (
        "Review: every map, slice or cache that outlives a request has a bound or an eviction. Export its length as "
        "a metric.",
        "代码评审：生命周期超过单次请求的 map、slice 或缓存必须有上限或淘汰；把长度做成指标。",
    ),
    "held-by-goroutine": (
        "When the heap grows, check the goroutines first: the heap profile shows who allocated the memory, not who "
        "holds it.",
        "堆内存增长时先查协程：heap profile 只显示谁分配，不显示谁持有。",
    ),
    "unstopped-timer": (
        "Review: every NewTimer, NewTicker and AfterFunc has a Stop on each path. No `time.After` in a loop.",
        "代码评审：每个 NewTimer、NewTicker、AfterFunc 在各条路径上都有 Stop；循环里不用 `time.After`。",
    ),
    "substring-pin": (
        "Review: long-lived pieces of a large buffer are copied (`strings.Clone`, `bytes.Clone`).",
        "代码评审：从大块缓冲中截取并长期保留的内容要复制（`strings.Clone`、`bytes.Clone`）。",
    ),
    "finalizer-backlog": (
        "No finalizer blocks, locks or makes calls. Owners close resources explicitly; a finalizer only reports "
        "that this was forgotten.",
        "finalizer 中不得阻塞、加锁或发起调用：资源由所有者显式关闭，finalizer 至多用来报告遗漏。",
    ),
    "off-heap": (
        "Export a metric for memory outside Go (C allocations, mappings, threads): no pprof profile shows it. "
        "Review: every C.malloc and mmap has its release.",
        "为 Go 之外的内存（C 分配、内存映射、线程）单独做指标，pprof 看不到它；评审时每个 C.malloc、mmap "
        "都要有对应的释放。",
    ),
    "growing-goroutines": (
        "Metrics showed growth, not which goroutines: let the alert trigger a goroutine dump while the process "
        "still runs.",
        "监控只能看到协程增长，看不到是哪些：告警触发时应自动采集协程 dump，趁进程还在运行。",
    ),
    "growing-memory": (
        "Metrics showed growth, not what holds the memory: let the alert trigger a heap profile and a goroutine "
        "dump while the process still runs.",
        "监控只能看到内存增长，看不到被谁持有：告警触发时应自动采集 heap profile 和协程，趁进程还在运行。",
    ),
}

WORDS: dict[str, tuple[str, str]] = {f"lesson.review.{name}": words for name, words in _REVIEW.items()} | {
    # Seen earlier.
    "lesson.alert.goroutines": (
        "Alert on growth: goroutines of {process:who} grew by {rate} per hour. This rule fires after {window:span}, "
        "whatever the size of the service (threshold: half the measured rate):",
        "针对增长告警：{process:who} 的协程每小时增长 {rate}。以下规则与服务规模无关，"
        "{window:span}内即可触发（阈值取实测速度的一半）：",
    ),
    "lesson.alert.memory": (
        "Alert on growth: memory of {process:who} grew by {rate} per hour. This rule fires after {window:span}, "
        "whatever the size of the service (threshold: half the measured rate):",
        "针对增长告警：{process:who} 的内存每小时增长 {rate}。以下规则与服务规模无关，"
        "{window:span}内即可触发（阈值取实测速度的一半）：",
    ),
    "lesson.alert.check": (
        "Replace JOB, and test the rule against a week of usual load before it pages anyone.",
        "请替换 JOB，并用一周的正常负载数据验证后再启用，以免误报。",
    ),
    "lesson.alert.summary.goroutines": (
        "Goroutines keep growing: capture two snapshots before a restart",
        "协程持续增长：重启前请先采集两次快照",
    ),
    "lesson.alert.summary.memory": (
        "Memory keeps growing: capture heap and goroutines before a restart",
        "内存持续增长：重启前请先采集 heap 和协程",
    ),
    # From what the evidence had or lacked.
    "lesson.released": (
        "The fix was available: {module} {fixed} has it, {running} was running. `oakum scan` in CI reports known "
        "bugs in the modules of a build.",
        "修复早已发布：{module} {fixed} 已修复，线上仍是 {running}。建议在 CI 中用 `oakum scan` 检查依赖的已知缺陷。",
    ),
    "lesson.unreported": (
        "The code belongs to a dependency (`{function}`) and is not a known bug: report it upstream with this stack.",
        "问题在依赖的代码（`{function}`），且不属于已知缺陷：请附调用栈上报上游。",
    ),
    "lesson.test": (
        "Prevent a regression: a test of this path that ends with `goleak.VerifyNone(t)` fails on the first "
        "goroutine leaked in `{function}`.",
        "防止复发：为该路径编写以 `goleak.VerifyNone(t)` 结尾的测试，`{function}` 泄漏一个协程即失败。",
    ),
    "lesson.test-go": (
        "Prevent a regression: a test of this path that ends with `goleak.VerifyNone(t)`, or reads the "
        "goroutineleak profile of this Go version (GOEXPERIMENT=goroutineleakprofile), fails on the first goroutine "
        "leaked in `{function}`.",
        "防止复发：为该路径编写以 `goleak.VerifyNone(t)` 结尾、或检查 goroutineleak "
        "profile（GOEXPERIMENT=goroutineleakprofile）的测试，`{function}` 泄漏一个协程即失败。",
    ),
    "lesson.pinned": (
        "The heap profile pointed at `{function}`, the allocator; the goroutines held the memory. Capture both "
        "profiles together.",
        "heap profile 指向的 `{function}` 只是分配者，真正持有内存的是协程。两种 profile 要一起采集。",
    ),
    "lesson.victims": (
        "The largest group is not always the root cause: {victims:,} goroutines queue behind {roots:,}. Look for "
        "the holder, not for the waiters.",
        "数量最多的不一定是根因：{victims:,} 个协程被 {roots:,} 个堵在后面。要找持有者，而不是等待者。",
    ),
    "lesson.peer": (
        "Symptom and root cause are in two processes: capture both ends of a blocked call.",
        "现象和根因在两个进程：调用阻塞时，两端都要采集。",
    ),
    "lesson.twin": (
        "The baseline was decisive. Keep captures of a healthy replica.",
        "基线起了关键作用，平时就应保存健康副本的采集数据。",
    ),
    "lesson.several": (
        "{count:,} root causes overlap: after the first fix, diagnose again before closing the incident.",
        "{count:,} 个根因叠加：修复第一个后要重新诊断，再结案。",
    ),
    "lesson.traffic": (
        "{count:#place} grew with the load: not a leak. A leak stays when the load is gone.",
        "另有 {count:,} 处随负载增长，不是泄漏：负载结束后仍不回落的才是。",
    ),
    "lesson.lack.second-moment": (
        "One snapshot shows no growth: take two, some minutes apart, before a restart destroys the evidence.",
        "单次快照看不出增长：重启毁掉现场之前，至少间隔几分钟采集两次。",
    ),
    "lesson.lack.after-load": (
        "A snapshot after the load separates a leak from traffic: take one when it is quiet.",
        "负载结束后的快照才能区分泄漏与流量：等负载下来后再采集一次。",
    ),
    "lesson.lack.goroutines": (
        "No goroutines were captured, and most leaks in Go services are goroutines: `oakum capture` takes them too.",
        "缺少协程数据，而 Go 服务的泄漏大多出在协程：`oakum capture` 会一并采集。",
    ),
    "lesson.lack.ages": (
        "No debug=2 dump was captured: only it has wait times and creators.",
        "缺少 debug=2 的 dump：只有它包含等待时长和创建者。",
    ),
    "lesson.lack.heap": (
        "No heap profile was captured, so what fills the memory is unknown: `oakum capture` takes it too.",
        "缺少 heap profile，内存构成未知：`oakum capture` 会一并采集。",
    ),
    "lesson.lack.rss": (
        "RSS was not recorded: export process_resident_memory_bytes, or keep /proc/PID/status with the captures.",
        "没有记录 RSS：请导出 process_resident_memory_bytes，或与采集数据一起保存 /proc/PID/status。",
    ),
    "lesson.lack.known-version": (
        "The version of {module} decides whether it is {id}, and it is unknown: keep `go version -m` of every "
        "deployment.",
        "是否为 {id} 取决于 {module} 的版本，而版本未知：请保存每次部署的 `go version -m` 输出。",
    ),
    "lesson.lack.known-peer": (
        "The peer process was not captured, and it decides: capture both ends of a blocked call.",
        "对端进程未采集，而关键在对端：调用阻塞时，两端都要采集。",
    ),
    "lesson.lack.source-missing": (
        "The source of the running version was not available: keep the commit in the build (`-buildvcs`) and "
        "diagnose with `--source`.",
        "没有运行版本的源码：构建时保留提交信息（`-buildvcs`），诊断时用 `--source` 指定。",
    ),
    "lesson.none": (
        "Keep these captures as the baseline of the next incident (`oakum diagnose --baseline`).",
        "请保留这批采集数据，作为下次故障的基线（`oakum diagnose --baseline`）。",
    ),
}  # fmt: skip
