"""Each mechanism in words: its title, why it leaks (.why) and what to do (.do): key -> (English, Chinese)."""

from oakum.model import Mechanism

WORDS: dict[str, tuple[str, str]] = {
    "mechanism.abandoned-sender": (
        "Goroutines blocked on channel send, the receiver is gone",
        "协程阻塞在 channel 发送，接收方已退出",
    ),
    "mechanism.abandoned-sender.why": (
        "The receiver timed out, returned early or took only the first result. Every later send blocks forever.",
        "接收方超时、提前返回，或只取了第一个结果，此后的发送永远阻塞。",
    ),
    "mechanism.abandoned-sender.do": (
        "Make the channel large enough for every send, or send in a select with <-ctx.Done().",
        "把 channel 缓冲设为能容纳所有发送，或在 select 中与 <-ctx.Done() 一起发送。",
    ),
    "mechanism.abandoned-receiver": (
        "Goroutines blocked on channel receive, no sender is left",
        "协程阻塞在 channel 接收，已无发送方",
    ),
    "mechanism.abandoned-receiver.why": (
        "The sender returned without sending or closing the channel. The receive (or range) never ends.",
        "发送方既没有发送也没有 close 就返回了，接收（或 range）永远不会结束。",
    ),
    "mechanism.abandoned-receiver.do": (
        "Close the channel on every path of the sender (defer close), or receive in a select with <-ctx.Done().",
        "让发送方在每条路径上都 close（defer close），或在 select 中与 <-ctx.Done() 一起接收。",
    ),
    "mechanism.double-send": (
        "Goroutines blocked on a second send, only one value is received",
        "协程阻塞在第二次发送，接收方只取一个值",
    ),
    "mechanism.double-send.why": (
        "The receiver takes one value and returns. A path that sends twice blocks on the second send.",
        "接收方取走一个值就返回，发送两次的路径会阻塞在第二次发送上。",
    ),
    "mechanism.double-send.do": (
        "Return right after the first send, or make the channel large enough for both.",
        "第一次发送后立即 return，或把缓冲设为能容纳两个值。",
    ),
    "mechanism.unstopped-worker": ("Worker goroutines are started and never stopped", "后台协程只启动、不停止"),
    "mechanism.unstopped-worker.why": (
        "Each start leaves one goroutine waiting for work or for a stop signal. Its Stop, Close or cancel is never "
        "called.",
        "每次启动都留下一个等待任务或退出信号的协程，对应的 Stop、Close 或 cancel 从未调用。",
    ),
    "mechanism.unstopped-worker.do": (
        "Call Stop, Close or cancel (defer) when the owner ends, or start the worker once and share it.",
        "所有者退出时调用 Stop、Close 或 cancel（defer），或只启动一次并复用。",
    ),
    "mechanism.detached-wait": (
        "Goroutines blocked in a call that ignores their context",
        "协程阻塞在不响应 context 的调用中",
    ),
    "mechanism.detached-wait.why": (
        "The caller has given up, but the blocking call does not watch the context and keeps waiting.",
        "调用方已放弃，但被阻塞的调用不检查 context，一直等下去。",
    ),
    "mechanism.detached-wait.do": (
        "Pass the context to the blocking call, or set a timeout on that call.",
        "把 context 传给阻塞的调用，或给该调用单独设置超时。",
    ),
    "mechanism.lock-cycle": ("Deadlock: goroutines wait for each other's locks", "死锁：协程互相等待对方持有的锁"),
    "mechanism.lock-cycle.why": (
        "Two locks are taken in different orders. Neither side can proceed, and every goroutine that needs one of "
        "them queues up.",
        "两把锁的加锁顺序不一致，双方都无法继续，后续需要其中任一把锁的协程全部排队。",
    ),
    "mechanism.lock-cycle.do": (
        "Take the locks in one order everywhere, or release the first before taking the second. Restart to recover.",
        "统一加锁顺序，或先释放第一把再获取第二把。恢复服务需要重启。",
    ),
    "mechanism.double-lock": ("A lock is taken twice or never released", "重复加锁，或加锁后未释放"),
    "mechanism.double-lock.why": (
        "Go locks are not reentrant. A path that locks again, or returns without Unlock, blocks every later caller.",
        "Go 的锁不可重入：某条路径再次加锁，或未 Unlock 就返回，后来者全部阻塞。",
    ),
    "mechanism.double-lock.do": (
        "Unlock on every path (defer mu.Unlock() right after Lock). Call nothing that takes the lock while holding it.",
        "每条路径都要解锁（Lock 后立即 defer mu.Unlock()），持锁期间不要调用会再次加锁的函数。",
    ),
    "mechanism.lock-held-while-waiting": ("A lock is held across a blocking wait", "持锁期间发生阻塞等待"),
    "mechanism.lock-held-while-waiting.why": (
        "While the holder waits, every goroutine that needs the lock queues up behind it.",
        "持有者阻塞期间，所有需要这把锁的协程都在后面排队。",
    ),
    "mechanism.lock-held-while-waiting.do": (
        "Release the lock before the send, receive or call that can block, or bound that wait.",
        "在可能阻塞的发送、接收或调用之前释放锁，或给等待加超时。",
    ),
    "mechanism.waitgroup-never-done": ("WaitGroup never reaches zero", "WaitGroup 计数永远不归零"),
    "mechanism.waitgroup-never-done.why": (
        "Add was called more often than Done: a worker returned early, never started or never exits.",
        "Add 次数多于 Done：某个 worker 提前返回、没有启动，或不退出。",
    ),
    "mechanism.waitgroup-never-done.do": (
        "Call Add before the go statement and defer Done as the first line of the goroutine.",
        "在 go 语句之前调用 Add，协程第一行就 defer Done。",
    ),
    "mechanism.lost-signal": (
        "Lost wakeup: goroutines wait on a sync.Cond that nothing signals",
        "唤醒丢失：协程等待的 sync.Cond 收不到信号",
    ),
    "mechanism.lost-signal.why": (
        "A Signal without a waiter is lost, and one Signal wakes only one waiter.",
        "没有等待者时发出的 Signal 会丢失，且一次 Signal 只唤醒一个等待者。",
    ),
    "mechanism.lost-signal.do": (
        "Change the condition under the lock, re-check it in a loop around Wait, and use Broadcast for several "
        "waiters.",
        "持锁修改条件，在 Wait 外层循环检查条件，多个等待者时用 Broadcast。",
    ),
    "mechanism.nil-channel": ("Goroutines blocked on a nil channel", "协程阻塞在 nil channel 上"),
    "mechanism.nil-channel.why": (
        "A channel that was never made, or a select without cases, blocks forever.",
        "从未 make 的 channel 或没有 case 的 select 会永远阻塞。",
    ),
    "mechanism.nil-channel.do": (
        "Make the channel before its first use. Check the paths on which it stays nil.",
        "使用前先 make，并检查哪些路径会让它保持 nil。",
    ),
    "mechanism.missing-deadline": (
        "Goroutines blocked on the network without a timeout",
        "协程阻塞在网络等待，没有设置超时",
    ),
    "mechanism.missing-deadline.why": (
        "The peer neither answers nor closes the connection. Without a deadline the wait never ends.",
        "对端既不应答也不断开，没有超时就会一直等下去。",
    ),
    "mechanism.missing-deadline.do": (
        "Set a timeout (http.Client.Timeout, SetDeadline, context.WithTimeout) and keep-alives that detect a dead "
        "peer.",
        "设置超时（http.Client.Timeout、SetDeadline、context.WithTimeout），并启用 keep-alive 探测失联的对端。",
    ),
    "mechanism.peer-stopped-reading": (
        "Goroutines blocked on write, the peer stopped reading",
        "协程阻塞在写操作，对端已停止读取",
    ),
    "mechanism.peer-stopped-reading.why": (
        "The buffers between the two are full, and the write has no deadline.",
        "两端之间的缓冲已满，写操作又没有超时。",
    ),
    "mechanism.peer-stopped-reading.do": (
        "Set a write deadline and drop the peer when it expires. Check the peer's goroutines too.",
        "设置写超时，超时后断开对端；同时排查对端的协程。",
    ),
    "mechanism.unclosed-body": ("HTTP response bodies are not closed", "HTTP 响应体未关闭"),
    "mechanism.unclosed-body.why": (
        "Each unclosed body keeps its connection and the two goroutines of the transport.",
        "每个未关闭的响应体占住一个连接和 transport 的两个协程。",
    ),
    "mechanism.unclosed-body.do": (
        "defer resp.Body.Close() right after the error check, on every path, even when the body is not read.",
        "检查 err 之后立即 defer resp.Body.Close()，所有路径都要关闭，不读取响应体时也一样。",
    ),
    "mechanism.exhausted-pool": (
        "Connections or slots of a pool are taken and not given back",
        "池中的连接或名额取走后未归还",
    ),
    "mechanism.exhausted-pool.why": (
        "Each path that does not give back costs the pool one for good. A bounded pool runs dry and every caller "
        "waits; an unbounded one opens ever more connections.",
        "每条不归还的路径都让池永久少一个。有上限的池会耗尽，所有调用者都在等待；无上限的池则不断新建连接。",
    ),
    "mechanism.exhausted-pool.do": (
        "Give back on every path: defer rows.Close(), tx.Rollback() or Release right after the error check. Pass a "
        "context with a deadline to what waits for the pool.",
        "所有路径都要归还：检查 err 之后立即 defer rows.Close()、tx.Rollback() 或 Release；"
        "等待池的调用传入带截止时间的 context。",
    ),
    "mechanism.unbounded-spawn": (
        "Goroutines are started without a limit, faster than they finish",
        "协程启动不设上限，且快于结束",
    ),
    "mechanism.unbounded-spawn.why": (
        "Every event starts one goroutine, and nothing limits how many run at once.",
        "每个事件启动一个协程，并发数没有任何限制。",
    ),
    "mechanism.unbounded-spawn.do": (
        "Limit them with a fixed pool, a semaphore or errgroup.SetLimit. Reject work when it is full.",
        "限制并发：固定大小的池、信号量或 errgroup.SetLimit，满了就拒绝。",
    ),
    "mechanism.timer-loop": ("Timer loops that never exit", "定时循环的协程从不退出"),
    "mechanism.timer-loop.why": (
        "Each goroutine wakes on a timer or ticker, works and waits again. Nothing stops it.",
        "协程被定时器唤醒、执行、再次等待，没有任何退出信号。",
    ),
    "mechanism.timer-loop.do": (
        "Select on <-ctx.Done() or a stop channel next to the tick, and stop the ticker.",
        "等待定时器时同时 select <-ctx.Done() 或停止 channel，并停掉 ticker。",
    ),
    "mechanism.accumulating-registration": (
        "Handlers are registered again and again and never removed",
        "反复注册，从不注销",
    ),
    "mechanism.accumulating-registration.why": (
        "Each round adds a handler, listener or watcher to an object that lives as long as the process.",
        "每一轮都向常驻对象再添加一个 handler、listener 或 watcher。",
    ),
    "mechanism.accumulating-registration.do": (
        "Register once, outside the loop or handler, or unregister at the end of each round.",
        "在循环或 handler 之外只注册一次，或每轮结束时注销。",
    ),
    "mechanism.growing-container": ("A map, slice or cache only grows", "map、slice 或缓存只增不减"),
    "mechanism.growing-container.why": (
        "Entries are added under load, stay reachable and are never removed.",
        "条目随请求加入，一直可达，从不删除。",
    ),
    "mechanism.growing-container.do": (
        "Delete entries when they are done, or bound the container by size or age.",
        "用完即删，或按大小、时间设上限。",
    ),
    "mechanism.held-by-goroutine": ("Memory is held by goroutines that never exit", "内存被不退出的协程持有"),
    "mechanism.held-by-goroutine.why": (
        "Everything a blocked goroutine can reach stays in memory.",
        "阻塞的协程所引用的内存不会被 GC 回收。",
    ),
    "mechanism.held-by-goroutine.do": (
        "Fix the goroutines. The memory is freed when they exit.",
        "先解决协程泄漏，协程退出后内存随之释放。",
    ),
    "mechanism.unstopped-timer": (
        "Timers or tickers are created and never stopped",
        "timer 或 ticker 创建后没有停止",
    ),
    "mechanism.unstopped-timer.why": (
        "A running timer keeps everything its function and channel reach until it fires (a ticker before Go 1.23: "
        "forever).",
        "运行中的 timer 在触发前一直持有其函数和 channel 引用的内存（Go 1.23 之前的 ticker 永不释放）。",
    ),
    "mechanism.unstopped-timer.do": (
        "defer timer.Stop() or ticker.Stop(). No time.After in a loop. Stop the timer of AfterFunc once it is not "
        "needed.",
        "defer timer.Stop() 或 ticker.Stop()；循环里不要用 time.After；AfterFunc 返回的 timer 用完即停。",
    ),
    "mechanism.substring-pin": ("Small substrings or subslices keep large buffers alive", "小片段拖住大块内存"),
    "mechanism.substring-pin.why": (
        "A substring or subslice shares the memory of the whole, which stays as long as the piece does.",
        "子串、子切片与原数据共用底层内存，片段不释放，整块都释放不了。",
    ),
    "mechanism.substring-pin.do": (
        "Copy what you keep: strings.Clone, slices.Clone or bytes.Clone.",
        "需要长期保留的部分先复制：strings.Clone、slices.Clone 或 bytes.Clone。",
    ),
    "mechanism.finalizer-backlog": ("The finalizer queue is blocked", "finalizer 队列堵塞"),
    "mechanism.finalizer-backlog.why": (
        "One goroutine runs all finalizers. One that blocks stops them all, and the queued objects are not freed.",
        "所有 finalizer 在同一个协程里执行，一个阻塞则全部停住，排队的对象无法释放。",
    ),
    "mechanism.finalizer-backlog.do": (
        "Never block in a finalizer. Hand the work to a goroutine, and close resources explicitly.",
        "finalizer 里不要阻塞：把工作交给其他协程，资源要显式关闭。",
    ),
    "mechanism.off-heap": ("RSS grows outside the Go heap", "RSS 增长不在 Go 堆内"),
    "mechanism.off-heap.why": (
        "The memory belongs to C libraries (cgo), mmap or threads.",
        "内存来自 C 库（cgo）、mmap 或线程。",
    ),
    "mechanism.off-heap.do": (
        "Look for C.malloc without C.free, mmap without munmap, and a rising thread count. Heap profiles do not "
        "show them.",
        "排查没有 C.free 的 C.malloc、没有 munmap 的 mmap，以及线程数增长；heap profile 看不到这些。",
    ),
    # Known from numbers alone.
    "mechanism.growing-goroutines": (
        "Goroutine count keeps growing; metrics do not show which goroutines",
        "协程数持续增长，指标看不出是哪些协程",
    ),
    "mechanism.growing-goroutines.why": (
        "Metrics count goroutines and do not identify them.",
        "指标只有协程数量，没有调用栈。",
    ),
    "mechanism.growing-goroutines.do": (
        "Capture the goroutines of this process (goroutine?debug=2) twice, some minutes apart.",
        "采集该进程的协程（goroutine?debug=2），间隔几分钟采两次。",
    ),
    "mechanism.growing-memory": (
        "Memory keeps growing; metrics do not show what holds it",
        "内存持续增长，指标看不出被谁持有",
    ),
    "mechanism.growing-memory.why": (
        "Metrics show how much memory is in use, not what holds it.",
        "指标只有内存用量，没有持有者。",
    ),
    "mechanism.growing-memory.do": (
        "Capture heap profiles and goroutines of this process twice, some minutes apart.",
        "采集该进程的 heap profile 和协程，间隔几分钟采两次。",
    ),
    # Not a leak.
    "mechanism.warm-up": ("Warm-up: grew, then leveled off", "预热：增长后趋于平稳"),
    "mechanism.gc-headroom": (
        "GC headroom: the heap grows between GCs and shrinks again",
        "GC 余量：堆在两次 GC 之间增长，随后回落",
    ),
    "mechanism.not-returned-to-os": (
        "Not returned to the OS: Go keeps free memory for reuse",
        "未归还操作系统：Go 保留空闲内存以便复用",
    ),
    "mechanism.idle-pool": ("Idle pool: kept for reuse", "空闲池：留待复用"),
    "mechanism.burst": ("Burst: rose and went away", "突发：升高后已回落"),
    "mechanism.traffic": ("Traffic: follows the load", "流量：随负载变化"),
    "mechanism.benign": ("Waits by design", "按设计等待"),
}

GOROUTINES: tuple[Mechanism, ...] = (
    "abandoned-sender", "abandoned-receiver", "double-send", "unstopped-worker", "detached-wait", "lock-cycle",
    "double-lock", "lock-held-while-waiting", "waitgroup-never-done", "lost-signal", "nil-channel", "missing-deadline",
    "peer-stopped-reading", "unclosed-body", "exhausted-pool", "unbounded-spawn", "timer-loop",
)  # fmt: skip
MEMORY: tuple[Mechanism, ...] = (
    "accumulating-registration", "growing-container", "held-by-goroutine", "unstopped-timer", "substring-pin",
    "finalizer-backlog", "off-heap",
)  # fmt: skip
NUMBERS: tuple[Mechanism, ...] = ("growing-goroutines", "growing-memory")

# The title of a finding, to be read alone: what, and where.
for _id in GOROUTINES:
    _en, _zh = WORDS[f"mechanism.{_id}"]
    WORDS[f"title.{_id}"] = (
        f"{_en}: {{count:#goroutine}} in {{function}}",
        f"{_zh}：{{function}} 共 {{count:,}} 个协程",
    )
for _id in MEMORY:
    _en, _zh = WORDS[f"mechanism.{_id}"]
    WORDS[f"title.{_id}"] = (f"{_en}: {{function}}", f"{_zh}：{{function}}")
for _id in NUMBERS:
    WORDS[f"title.{_id}"] = WORDS[f"mechanism.{_id}"]
