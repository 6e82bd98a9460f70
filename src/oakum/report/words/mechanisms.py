"""Each mechanism in words: its title, why it leaks (.why) and what to do (.do): key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "mechanism.abandoned-sender": (
        "Goroutines wait to send on a channel that nobody receives from any more",
        "goroutine 阻塞在 channel 发送上，而接收方已经离开",
    ),
    "mechanism.abandoned-sender.why": (
        "The receiver has gone (a time-out, an early return, the first answer won), so the send blocks for ever.",
        "接收方已经离开（超时、提前返回，或只取第一个结果），发送便永远阻塞。",
    ),
    "mechanism.abandoned-sender.do": (
        "Give the channel a buffer with room for every send, or send in a select with <-ctx.Done().",
        "给 channel 足够容纳每次发送的缓冲，或在 select 中与 <-ctx.Done() 一起发送。",
    ),
    "mechanism.abandoned-receiver": (
        "Goroutines wait to receive from a channel on which nobody sends and which nobody closes",
        "goroutine 阻塞在 channel 接收上，而没有人发送或关闭该 channel",
    ),
    "mechanism.abandoned-receiver.why": (
        "The sender returned without sending or closing, so the receive (or the range) never ends.",
        "发送方没有发送或关闭就返回了，因此接收（或 range）永远不会结束。",
    ),
    "mechanism.abandoned-receiver.do": (
        "Close the channel on every path of the sender (defer close), or receive in a select with <-ctx.Done().",
        "让发送方在每条路径上都关闭 channel（defer close），或在 select 中与 <-ctx.Done() 一起接收。",
    ),
    "mechanism.double-send": (
        "Goroutines send a second value where only one is received",
        "goroutine 发送了第二个值，而接收方只取一个",
    ),
    "mechanism.double-send.why": (
        "The receiver takes one value and goes; a path that sends twice blocks on the second send.",
        "接收方取走一个值就离开；发送两次的路径会阻塞在第二次发送上。",
    ),
    "mechanism.double-send.do": (
        "Return right after the first send, or give the channel room for both.",
        "在第一次发送后立即返回，或让 channel 容纳两个值。",
    ),
    "mechanism.unstopped-worker": (
        "Workers are started and never stopped",
        "后台 goroutine 不断启动却从不停止",
    ),
    "mechanism.unstopped-worker.why": (
        "Each start leaves a goroutine that waits for work or for a signal to end; its Stop, Close or cancel is "
        "not called.",
        "每次启动都会留下一个等待任务或退出信号的 goroutine，而对应的 Stop、Close 或 cancel 没有被调用。",
    ),
    "mechanism.unstopped-worker.do": (
        "Call Stop, Close or cancel where what started it ends (defer), or start it once and share it.",
        "在启动者结束之处调用 Stop、Close 或 cancel（defer），或只启动一次并共用。",
    ),
    "mechanism.detached-wait": (
        "Goroutines block in a call that their context cannot interrupt",
        "goroutine 阻塞在其 context 无法中断的调用中",
    ),
    "mechanism.detached-wait.why": (
        "The caller has given up, but what it waits for does not look at the context and goes on waiting.",
        "调用方已经放弃，但所等待的操作不检查 context，仍在继续等待。",
    ),
    "mechanism.detached-wait.do": (
        "Pass the context down to the blocking call, or give that call a deadline of its own.",
        "把 context 传到阻塞的调用里，或给该调用单独设置超时。",
    ),
    "mechanism.lock-cycle": (
        "Goroutines hold one lock each and wait for the other's: a deadlock",
        "goroutine 各持一把锁又等待对方的锁，形成死锁",
    ),
    "mechanism.lock-cycle.why": (
        "Two locks are taken in different orders, so neither side can go on, and whoever needs one of them queues up.",
        "两把锁的加锁顺序不一致，双方都无法继续，之后需要其中任何一把锁的 goroutine 都会排队。",
    ),
    "mechanism.lock-cycle.do": (
        "Take the locks in the same order everywhere, or release one before taking the next. Restart to recover.",
        "在所有地方按同一顺序加锁，或在获取第二把锁之前释放第一把。重启可以恢复。",
    ),
    "mechanism.double-lock": (
        "A lock is taken that is already held, and is never released",
        "对已经持有的锁再次加锁，或加锁后从未释放",
    ),
    "mechanism.double-lock.why": (
        "Go's locks cannot be taken twice by one goroutine; a path that locks again or returns without Unlock stops "
        "everybody.",
        "Go 的锁不可重入；再次加锁或没有 Unlock 就返回的路径会使所有人停住。",
    ),
    "mechanism.double-lock.do": (
        "Unlock on every path (defer mu.Unlock() right after Lock), and do not call what locks while holding the lock.",
        "在每条路径上解锁（Lock 后立即 defer mu.Unlock()），持锁时不要调用会再次加锁的函数。",
    ),
    "mechanism.lock-held-while-waiting": (
        "A lock is held by a goroutine that waits for something else",
        "持有锁的 goroutine 正在等待别的事情",
    ),
    "mechanism.lock-held-while-waiting.why": (
        "While the holder waits, everybody who needs the lock queues up behind it.",
        "持有者等待期间，所有需要这把锁的 goroutine 都排在它后面。",
    ),
    "mechanism.lock-held-while-waiting.do": (
        "Release the lock before the send, receive or call that may wait, or bound that wait.",
        "在可能等待的发送、接收或调用之前释放锁，或限制等待的时间。",
    ),
    "mechanism.waitgroup-never-done": (
        "A WaitGroup is waited for that never reaches zero",
        "等待的 WaitGroup 永远不会归零",
    ),
    "mechanism.waitgroup-never-done.why": (
        "Add was called more often than Done: a worker returned early, never started or does not end.",
        "Add 的次数多于 Done：某个 worker 提前返回、没有启动，或不会结束。",
    ),
    "mechanism.waitgroup-never-done.do": (
        "Call Add before the go statement and defer Done as the first line of the goroutine.",
        "在 go 语句之前调用 Add，并在 goroutine 的第一行 defer Done。",
    ),
    "mechanism.lost-signal": (
        "Goroutines wait for a sync.Cond whose signal came too early or never",
        "goroutine 等待 sync.Cond，而信号来得太早或根本没有来",
    ),
    "mechanism.lost-signal.why": (
        "A Signal without a waiter is lost, and one Signal wakes one waiter only; the others sleep on.",
        "没有等待者时的 Signal 会丢失，而一次 Signal 只唤醒一个等待者，其余的继续等待。",
    ),
    "mechanism.lost-signal.do": (
        "Change the condition under the lock, check it in a loop around Wait, and Broadcast when several wait.",
        "在持锁时修改条件，在 Wait 外用循环检查条件，有多个等待者时使用 Broadcast。",
    ),
    "mechanism.nil-channel": (
        "Goroutines wait on a nil channel, which never becomes ready",
        "goroutine 等待 nil channel，它永远不会就绪",
    ),
    "mechanism.nil-channel.why": (
        "A channel that was never made, or a select without cases, blocks for ever.",
        "从未 make 的 channel，或没有分支的 select，会永远阻塞。",
    ),
    "mechanism.nil-channel.do": (
        "Make the channel before it is used, and check the paths on which the field stays nil.",
        "在使用之前 make 该 channel，并检查哪些路径会让它保持 nil。",
    ),
    "mechanism.missing-deadline": (
        "Goroutines wait for the network without a time-out",
        "goroutine 等待网络时没有设置超时",
    ),
    "mechanism.missing-deadline.why": (
        "The other side does not answer and does not close; without a deadline the wait has no end.",
        "对端既不回应也不关闭连接；没有超时，等待就没有尽头。",
    ),
    "mechanism.missing-deadline.do": (
        "Set a time-out (http.Client.Timeout, SetDeadline, context.WithTimeout) and keep-alives that find a dead peer.",
        "设置超时（http.Client.Timeout、SetDeadline、context.WithTimeout），并启用能发现对端失联的 keep-alive。",
    ),
    "mechanism.peer-stopped-reading": (
        "Goroutines wait to write to a peer that has stopped reading",
        "goroutine 等待写入，而对端已经停止读取",
    ),
    "mechanism.peer-stopped-reading.why": (
        "The buffers between the two are full, and the write has no deadline.",
        "双方之间的缓冲已满，而写操作没有设置超时。",
    ),
    "mechanism.peer-stopped-reading.do": (
        "Set a write deadline and drop the peer when it passes; look at the peer's own goroutines too.",
        "设置写超时，超时后断开对端；也要检查对端的 goroutine。",
    ),
    "mechanism.unclosed-body": (
        "Response bodies are not closed, so connections stay open",
        "响应体没有关闭，连接因此一直保留",
    ),
    "mechanism.unclosed-body.why": (
        "Each unclosed body keeps its connection and the two goroutines of the transport.",
        "每个未关闭的响应体都会占住一个连接以及 transport 的两个 goroutine。",
    ),
    "mechanism.unclosed-body.do": (
        "defer resp.Body.Close() right after the error check, on every path, also when the body is not read.",
        "在检查错误之后立即 defer resp.Body.Close()，每条路径都要做，不读取响应体时也一样。",
    ),
    "mechanism.unbounded-spawn": (
        "Goroutines are started faster than they end, without a bound",
        "goroutine 的启动快于结束，且没有上限",
    ),
    "mechanism.unbounded-spawn.why": (
        "Every event starts one, and nothing limits how many are under way.",
        "每来一个事件就启动一个，同时进行的数量没有限制。",
    ),
    "mechanism.unbounded-spawn.do": (
        "Bound them: a fixed pool, a semaphore, or errgroup.SetLimit; refuse work when it is full.",
        "加以限制：固定大小的池、信号量或 errgroup.SetLimit；满了就拒绝新任务。",
    ),
    "mechanism.timer-loop": (
        "Goroutines loop on a timer or ticker and never end",
        "goroutine 随定时器循环，从不结束",
    ),
    "mechanism.timer-loop.why": (
        "Each one wakes, works a little and sleeps again; nothing tells it to stop.",
        "每个 goroutine 醒来、做一点事、再睡去；没有任何东西让它停止。",
    ),
    "mechanism.timer-loop.do": (
        "Select on <-ctx.Done() or a stop channel beside the tick, and stop the ticker.",
        "在等待定时器的同时 select <-ctx.Done() 或停止用的 channel，并停止 ticker。",
    ),
    "mechanism.accumulating-registration": (
        "Something is registered again and again and never removed",
        "同样的东西被反复注册，却从不注销",
    ),
    "mechanism.accumulating-registration.why": (
        "Each round adds a handler, listener or watcher to what lives as long as the process.",
        "每一轮都向与进程同寿命的对象添加一个 handler、listener 或 watcher。",
    ),
    "mechanism.accumulating-registration.do": (
        "Register once, outside the loop or handler, or remove it when the round ends.",
        "在循环或 handler 之外只注册一次，或在每轮结束时注销。",
    ),
    "mechanism.growing-container": (
        "A map, slice or cache grows and nothing is taken out of it",
        "某个 map、slice 或缓存只增不减",
    ),
    "mechanism.growing-container.why": (
        "Entries are added with the work and stay reachable for ever.",
        "条目随请求不断加入，并一直可达。",
    ),
    "mechanism.growing-container.do": (
        "Delete entries when they are done, or bound the container by size or age.",
        "用完即删除条目，或按大小或时间限制容器。",
    ),
    "mechanism.held-by-goroutine": (
        "Memory is held by goroutines that do not end",
        "内存被不结束的 goroutine 持有",
    ),
    "mechanism.held-by-goroutine.why": (
        "What a waiting goroutine can reach is never collected.",
        "等待中的 goroutine 所能到达的内存永远不会被回收。",
    ),
    "mechanism.held-by-goroutine.do": (
        "Let the goroutines end; the memory goes with them.",
        "让这些 goroutine 结束，内存会随之释放。",
    ),
    "mechanism.unstopped-timer": (
        "Timers or tickers are made and not stopped",
        "定时器或 ticker 创建后没有停止",
    ),
    "mechanism.unstopped-timer.why": (
        "A running timer keeps what its function and channel reach until it fires (a ticker before Go 1.23: for ever).",
        "运行中的定时器在触发之前一直持有其函数和 channel 所能到达的内存（Go 1.23 之前的 ticker 则永远持有）。",
    ),
    "mechanism.unstopped-timer.do": (
        "defer timer.Stop() or ticker.Stop(); no time.After in a loop; stop what AfterFunc returned once it is void.",
        "defer timer.Stop() 或 ticker.Stop()；循环中不要用 time.After；不再需要时停止 AfterFunc 返回的定时器。",
    ),
    "mechanism.substring-pin": (
        "Small pieces keep large buffers alive",
        "小片段使大块内存无法回收",
    ),
    "mechanism.substring-pin.why": (
        "A substring or subslice shares the memory of the whole, which stays as long as the piece is kept.",
        "子串或子切片与整体共用内存，只要片段还在，整体就留着。",
    ),
    "mechanism.substring-pin.do": (
        "Copy what is kept: strings.Clone, slices.Clone or bytes.Clone.",
        "复制需要保留的部分：strings.Clone、slices.Clone 或 bytes.Clone。",
    ),
    "mechanism.finalizer-backlog": (
        "Finalizers are stuck or too slow, and what waits for them stays",
        "finalizer 卡住或太慢，等待它们的对象无法释放",
    ),
    "mechanism.finalizer-backlog.why": (
        "All finalizers run in one goroutine; one that blocks stops them all.",
        "所有 finalizer 在同一个 goroutine 中运行；其中一个阻塞，全部停住。",
    ),
    "mechanism.finalizer-backlog.do": (
        "Never block in a finalizer: hand the work to a goroutine, and close resources explicitly.",
        "不要在 finalizer 中阻塞：把工作交给别的 goroutine，并显式关闭资源。",
    ),
    "mechanism.off-heap": (
        "Resident memory grows, but the Go heap does not",
        "常驻内存在增长，而 Go 堆没有",
    ),
    "mechanism.off-heap.why": (
        "The memory is outside Go: C libraries (cgo), mmap, or threads.",
        "内存在 Go 之外：C 库（cgo）、mmap 或线程。",
    ),
    "mechanism.off-heap.do": (
        "Look for C.malloc without C.free, mmap without munmap, and threads that pile up; no heap profile shows them.",
        "查找没有 C.free 的 C.malloc、没有 munmap 的 mmap，以及增长的线程数；堆 profile 看不到这些。",
    ),
    # Known from numbers alone.
    "mechanism.growing-goroutines": (
        "The number of goroutines keeps growing; which ones, nothing here says",
        "goroutine 数量持续增长；现有证据说不出是哪些",
    ),
    "mechanism.growing-goroutines.why": (
        "Metrics count goroutines and do not name them.",
        "指标只统计 goroutine 的数量，不说明它们是谁。",
    ),
    "mechanism.growing-goroutines.do": (
        "Capture the goroutines of this process (goroutine?debug=2), at two moments some minutes apart.",
        "采集该进程的 goroutine（goroutine?debug=2），相隔几分钟采集两次。",
    ),
    "mechanism.growing-memory": (
        "The memory of the process keeps growing; what holds it, nothing here says",
        "进程的内存持续增长；现有证据说不出被什么持有",
    ),
    "mechanism.growing-memory.why": (
        "Metrics tell how much memory is in use, and not who holds it.",
        "指标只说明用了多少内存，不说明由谁持有。",
    ),
    "mechanism.growing-memory.do": (
        "Capture heap profiles and goroutines of this process, at two moments some minutes apart.",
        "采集该进程的堆 profile 和 goroutine，相隔几分钟采集两次。",
    ),
    # Not a leak.
    "mechanism.warm-up": ("Warm-up: it grew and then stayed level", "预热：增长之后保持平稳"),
    "mechanism.gc-headroom": (
        "GC headroom: the heap grows between collections and shrinks again",
        "GC 余量：堆在两次 GC 之间增长，随后回落",
    ),
    "mechanism.not-returned-to-os": (
        "Not returned to the system: Go keeps free memory for reuse",
        "尚未归还系统：Go 保留空闲内存以备再用",
    ),
    "mechanism.idle-pool": ("Idle pool: kept for the next use", "空闲池：留待下次使用"),
    "mechanism.burst": ("Burst: it came and went", "突发：来过又消失了"),
    "mechanism.traffic": ("Traffic: it follows the load", "流量：随负载变化"),
    "mechanism.benign": ("Waits by design", "按设计等待"),
}

GOROUTINES = (
    "abandoned-sender", "abandoned-receiver", "double-send", "unstopped-worker", "detached-wait", "lock-cycle",
    "double-lock", "lock-held-while-waiting", "waitgroup-never-done", "lost-signal", "nil-channel", "missing-deadline",
    "peer-stopped-reading", "unclosed-body", "unbounded-spawn", "timer-loop",
)  # fmt: skip
MEMORY = (
    "accumulating-registration", "growing-container", "held-by-goroutine", "unstopped-timer", "substring-pin",
    "finalizer-backlog", "off-heap",
)  # fmt: skip
NUMBERS = ("growing-goroutines", "growing-memory")
HARMLESS = ("warm-up", "gc-headroom", "not-returned-to-os", "idle-pool", "burst", "traffic", "benign")

# The title of a finding, to be read alone: what, and where.
for _id in GOROUTINES:
    _en, _zh = WORDS[f"mechanism.{_id}"]
    WORDS[f"title.{_id}"] = (
        f"{_en}: {{count:#goroutine}} in {{function}}",
        f"{_zh}：{{count:,}} 个 goroutine 在 {{function}}",
    )
for _id in MEMORY:
    _en, _zh = WORDS[f"mechanism.{_id}"]
    WORDS[f"title.{_id}"] = (f"{_en}: {{function}}", f"{_zh}：{{function}}")
for _id in NUMBERS:
    WORDS[f"title.{_id}"] = WORDS[f"mechanism.{_id}"]

__all__ = ["GOROUTINES", "HARMLESS", "MEMORY", "NUMBERS", "WORDS"]
