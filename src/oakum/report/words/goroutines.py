"""What is said about goroutines: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "goroutines.steady-growth": (
        "{counts} goroutines in {moments:,} snapshots: grows under load and never drops.",
        "{moments:,} 次快照的协程数：{counts}，随负载增长，只增不减。",
    ),
    "goroutines.more": (
        "{counts} goroutines in {moments:,} snapshots: rising.",
        "{moments:,} 次快照的协程数：{counts}，持续上升。",
    ),
    "goroutines.growth-at-constant-load": (
        "Rose in every interval under similar load: {counts}.",
        "每个区间负载相近，协程数仍逐次上升：{counts}。",
    ),
    "goroutines.single-step": (
        "{counts} goroutines in {moments:,} snapshots.",
        "{moments:,} 次快照的协程数：{counts}。",
    ),
    "goroutines.outlives-load": (
        "{count:,} remained after the load stopped ({counts}).",
        "负载结束后仍有 {count:,} 个未退出（{counts}）。",
    ),
    "goroutines.same-goroutines": (
        "The same {count:,} goroutines are blocked there in all {moments:,} snapshots.",
        "{moments:,} 次快照中阻塞的是同一批协程，共 {count:,} 个。",
    ),
    "goroutines.queue-growth": (
        "The queue moves, but grows in every snapshot: {counts}. Arrivals outpace completions.",
        "队列有进展，但每次快照都更长：{counts}，进入快于完成。",
    ),
    "goroutines.stuck": (
        "Blocked for up to {minutes:,} min in [{state}], abnormal for this wait state.",
        "处于 [{state}] 状态，最长已阻塞 {minutes:,} 分钟，该状态不应持续这么久。",
    ),
    "goroutines.reported-wait": (
        "The dump shows {minutes:,} min in [{state}]. Go may overstate a wait by up to two minutes.",
        "dump 显示在 [{state}] 状态等待了 {minutes:,} 分钟；Go 记录的等待时长最多可能偏大两分钟。",
    ),
    "goroutines.never-wakes": ("[{state}]: nothing can unblock them.", "[{state}]：无法被唤醒。"),
    "goroutines.nil-stop-channel": (
        "[{state}]: nothing can unblock it. It is a single library goroutine whose stop channel is nil. That is "
        "intended if it should run for the life of the process (context.Background().Done() is nil).",
        "[{state}]：无法被唤醒。这是某个库的单个协程，传入的停止 channel 为 nil；"
        "若本就要求它常驻（context.Background().Done() 即为 nil），属于正常。",
    ),
    "goroutines.pile-up": (
        "{count:,} of {total:,} goroutines are blocked at this one place.",
        "{total:,} 个协程中有 {count:,} 个阻塞在同一处。",
    ),
    "goroutines.nobody-at-work": (
        "No goroutine is running, sleeping or in a call (idle connections excluded): nothing can move this queue.",
        "没有协程在运行、休眠或对外调用（空闲连接不计）：队列不会再前进。",
    ),
    "goroutines.pool-unused": (
        "No goroutine uses anything of this pool: what it has lent is held by code that has returned.",
        "没有协程在使用该池借出的资源：借出方已返回，但未归还。",
    ),
    "goroutines.clients-left": (
        "All {count:,} handle streams, and no connection is left that carries any: their clients have disconnected.",
        "这 {count:,} 个协程都在处理流，但已没有承载流的连接：客户端均已断开。",
    ),
    "goroutines.not-reused": (
        "As many came again for the same work and none left: {counts}. A pool would have reused the idle ones.",
        "相同的工作量又新增同样多的协程，且无一退出：{counts}。若是协程池，应复用已空闲的协程。",
    ),
    "goroutines.mid-operation": (
        "They are inside an operation that `{caller}` began, not waiting for their next job.",
        "它们正处于 `{caller}` 发起的操作之中，而不是在等待下一个任务。",
    ),
    "goroutines.orphaned": (
        "Nearly every one of the {count:,} was started by another goroutine, which has exited since.",
        "{count:,} 个几乎各由不同的协程启动，而启动它们的协程已经退出。",
    ),
    "goroutines.never-woken": (
        "By their wait times, those of the {count:,} that came first have not woken up while others came: nothing uses "
        "them.",
        "按等待时长，这 {count:,} 个中先到的在后来者到达期间从未被唤醒：无人使用它们。",
    ),
    "goroutines.evenly-started": (
        "The ids of these {count:,} are spread evenly over all goroutines started so far: as many came for the same "
        "work, and none left.",
        "这 {count:,} 个的 id 均匀分布在迄今启动的全部协程中：相同的工作量新增同样多，且无一退出。",
    ),
    "goroutines.never-drops": (
        "Rises and never drops: {counts}. A queue that moves goes up and down.",
        "只升不降：{counts}。有进展的队列会有升有降。",
    ),
    "goroutines.departures": (
        "Some of the {before:,} in the snapshot before have left: the wait can end.",
        "上一快照的 {before:,} 个中已有一部分离开：该等待可以结束。",
    ),
    "goroutines.head-at-work": (
        "A goroutine is at work in the code that all {count:,} wait for: they may go on when it is done.",
        "这 {count:,} 个所等待的代码中有协程正在执行：它完成后，等待可能随之结束。",
    ),
    "goroutines.whole-process": (
        "{count:,} of {total:,} goroutines have waited here for up to {minutes} min: little else is going on.",
        "{total:,} 个协程中有 {count:,} 个已在此等待，最长 {minutes} 分钟：进程中几乎没有其他活动。",
    ),
    "goroutines.majority": (
        "{count:,} of {total:,} goroutines, the majority of the process.",
        "{total:,} 个协程中占 {count:,} 个，超过半数。",
    ),
    "goroutines.baseline": ("{count:,} here, {twin:,} in the baseline.", "此处 {count:,} 个，基线 {twin:,} 个。"),
    "goroutines.leak-profile": (
        "Go's goroutineleak profile lists {count:,} of them: the GC proved that nothing can unblock them.",
        "Go 的 goroutineleak profile 列出其中 {count:,} 个：GC 已证明它们无法被唤醒。",
    ),
    "goroutines.goleak": (
        "goleak reports {count:,} of them as unexpected at the end of a test.",
        "goleak 在测试结束时报出其中 {count:,} 个。",
    ),
    # When they came, by their ages.
    "goroutines.steady-arrivals": (
        "By wait time, {count:,} of them arrived at a steady rate of about {rate:,} per hour, from {oldest:,} to "
        "{youngest:,} min ago.",
        "按等待时长推算，其中 {count:,} 个在 {oldest:,} 至 {youngest:,} 分钟前陆续出现，每小时约 {rate:,} 个，"
        "速率平稳。",
    ),
    "goroutines.uneven-arrivals": (
        "By wait time, {count:,} of them arrived from {oldest:,} to {youngest:,} min ago, about {rate:,} per hour, "
        "unevenly.",
        "按等待时长推算，其中 {count:,} 个在 {oldest:,} 至 {youngest:,} 分钟前出现，每小时约 {rate:,} 个，时多时少。",
    ),
    "goroutines.arrival-burst": (
        "By wait time, {count:,} of them arrived together, about {oldest:,} min ago.",
        "按等待时长推算，其中 {count:,} 个在约 {oldest:,} 分钟前同时出现。",
    ),
    # Against a leak.
    "goroutines.turnover": ("The count rises and falls with the load: {counts}.", "数量随负载起落：{counts}。"),
    "goroutines.plateau": (
        "The count leveled off under continued load: {counts}.",
        "负载仍在，数量已稳定：{counts}。",
    ),
    "goroutines.progress": (
        "{count:,} of {total:,} made progress (woke up at least once).",
        "{total:,} 个中有 {count:,} 个有过唤醒。",
    ),
    "goroutines.open-connections": (
        "The count follows open connections ({companion}): {counts}.",
        "数量与未关闭的连接（{companion}）一致：{counts}。",
    ),
    "goroutines.idle-by-design": (
        "Waits here by design: {what} ({relation}).",
        "按设计在此等待：{what_zh}（{relation_zh}）。",
    ),
    "goroutines.counts-only": (
        "Only counts are known in {moments:,} snapshots: this format has no goroutine ids.",
        "{moments:,} 次快照只有数量：该格式不含协程 id，无法判断是否同一批。",
    ),
    "goroutines.client-connected": (
        "They serve requests whose clients are still connected.",
        "它们在处理请求，客户端仍保持连接。",
    ),
    "goroutines.shared-streams": (
        "They serve streams, several per connection: a dump does not show whether the clients of these {count:,} "
        "are still connected.",
        "它们各处理一个流，多个流共用一条连接：从 dump 看不出这 {count:,} 个流的客户端是否还在。",
    ),
    "goroutines.beyond-a-pool": (
        "{count:,} idle connections, as many more for the same work from early on: net/http's default transport "
        "keeps 100, and far fewer clients could ask at the same time. Each call makes its own http.Transport.",
        "{count:,} 条空闲连接，相同的工作量新增同样多：net/http 默认 Transport 最多保留 100 条，"
        "而能同时发起请求的客户端远少于此。每次调用都新建了自己的 http.Transport。",
    ),
    "goroutines.idle-connections": (
        "{count:,} idle connections, none ever closed, with hardly any call in flight. One shared pool does not "
        "need that many: either each call creates its own http.Transport, or it calls ever more hosts.",
        "{count:,} 条空闲连接从未关闭，而几乎没有进行中的调用。共用一个连接池用不了这么多：要么每次调用都新建 "
        "http.Transport，要么访问的主机越来越多。",
    ),
    "goroutines.startup-goroutine": (
        "Started with the process (id {first:,}), it waits for goroutines that run as long as the process.",
        "随进程启动（id {first:,}），等待的是与进程同生命周期的协程。",
    ),
    "goroutines.startup-pool": (
        "Started together with the process (ids {first:,} to {last:,}): possibly an idle worker pool.",
        "随进程一起启动（id {first:,} 至 {last:,}）：可能是空闲的 worker 池。",
    ),
    "goroutines.supervisor": (
        "It waits for {count:,} goroutines it started, which are all running or idle as intended.",
        "它在等待自己启动的 {count:,} 个协程，这些协程均正常工作或空闲。",
    ),
}
