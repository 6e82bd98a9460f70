"""Wait chains over several processes: what shows each hop, what the chain is, which process comes first."""

WORDS: dict[str, tuple[str, str]] = {
    # Evidence of a hop, strongest first.
    "chains.socket-pair": (
        "{waiter} and {server} have the same {kind} connection open: {local} to {peer}.",
        "{waiter} 与 {server} 之间有同一条 {kind} 连接：{local} 到 {peer}。",
    ),
    "chains.socket-full": (
        "Nothing moves in the connection between {waiter} and {server}: {sent:,} bytes unsent and {received:,} bytes "
        "unread, identical in {captures} captures.",
        "{waiter} 与 {server} 之间的连接没有进展：{sent:,} 字节未发出，{received:,} 字节未读取，"
        "{captures} 次采集完全相同。",
    ),
    "chains.service-pod": (
        "{waiter} is connected to {peer}, {via}, and {server} is a pod behind it.",
        "{waiter} 连接到 {peer}（{via}），{server} 是其后端 Pod。",
    ),
    "chains.via-service": ("the Service {name}", "Service {name}"),
    "chains.via-pod": ("the pod {name}", "Pod {name}"),
    "chains.same-method": (
        "{waiter} calls {method} ({protocol}) and {server} handles it: {stub}, {handler}.",
        "{waiter} 调用 {method}（{protocol}），由 {server} 处理：{stub}，{handler}。",
    ),
    "chains.same-protocol": (
        "{waiter} waits for a reply over {protocol} in {stub}; {server} handles such requests in {handler}.",
        "{waiter} 在 {stub} 等待 {protocol} 应答；{server} 在 {handler} 处理这类请求。",
    ),
    "chains.counts-agree": (
        "{waiting:,} goroutines wait in {waiter}, {serving:,} handle requests in {server}.",
        "{waiter} 有 {waiting:,} 个协程在等待，{server} 有 {serving:,} 个协程在处理请求。",
    ),
    "chains.ages-agree": (
        "The oldest has waited for {waiting} min in {waiter}, for {serving} min in {server}.",
        "等待最久的协程：{waiter} 中 {waiting} 分钟，{server} 中 {serving} 分钟。",
    ),
    "chains.shared-words": (
        "The calling code {stub} of {waiter} is named after {server}: {words}.",
        "{waiter} 的调用代码 {stub} 以 {server} 命名：{words}。",
    ),
    # Evidence of a finding.
    "chains.waited-for": (
        "{count:#goroutine} of {processes} wait for it and make no progress.",
        "{processes} 的 {count:,} 个协程在等待它，没有任何进展。",
    ),
    "chains.unanswered": (
        "None of {count:,} calls was answered, the earliest still wait and more come ({counts}).",
        "{count:,} 次调用都没有应答，最早的仍在等待，新的还在到来（{counts}）。",
    ),
    "chains.peer-blocked": (
        "{count:#goroutine} called {server} in {caller}, which is blocked in {function}. No deadline has ended the "
        "calls.",
        "{count:,} 个协程在 {caller} 调用 {server}，而后者阻塞在 {function}；没有超时结束这些调用。",
    ),
    "chains.process-cycle": (
        "The processes wait for one another in a cycle: {processes}. {count:#goroutine} of it cannot be answered.",
        "这些进程循环等待：{processes}。其中 {count:,} 个协程得不到应答。",
    ),
    # The chain on a page.
    "chains.label": ("wait chain", "等待链"),
    "chains.hop": ("{protocol}, {count:#goroutine}, {sure}", "{protocol}，{count:,} 个协程，{sure}"),
    "chains.blocker": ("terminal blocker", "最终阻塞点"),
    "chains.said": ("{names}: {last} blocks the others.", "{names}：{last} 阻塞了其余进程。"),
    "chains.said-cycle": ("{names}: a deadlock across processes.", "{names}：跨进程死锁。"),
    "chains.more": ("{count:#more chain} end at the same place or at others.", "另有 {count:,} 条等待链。"),
    "chains.first": (
        "Act on {last} first, restart it if need be; it unblocks {others}. Then set a deadline on the calls in "
        "{others}.",
        "先处理 {last}（必要时重启）：它恢复应答后，{others} 随之恢复；之后为 {others} 中的调用设置超时。",
    ),
    "chains.first-cycle": (
        "Restart {last} first: that breaks the cycle and unblocks {others}. Then do not hold the lock across the call.",
        "先重启 {last} 以打破循环，{others} 随之恢复；之后不要在持锁期间发起调用。",
    ),
    "chains.evidence": (
        "{waiter} waits for {server} ({protocol}, {sure}):",
        "{waiter} 等待 {server}（{protocol}，{sure}）：",
    ),
    "chains.hops": ("Evidence of {count:#hop} between processes", "进程间 {count:,} 处等待的依据"),
    "because.peer": ("waits for its reply", "等待其应答"),
    # A hop that was not captured.
    "gap.peer": (
        "{count:#goroutine} of {process:who} wait for {peers} ({protocol}, {function}), which was not captured.",
        "{process:who} 的 {count:,} 个协程在等待 {peers}（{protocol}，{function}），但没有采集该进程。",
    ),
    "gap.peer.why": (
        "The cause may be there: its goroutines show what it waits for.",
        "根因可能在那里：它的协程能显示它在等什么。",
    ),
    "gap.peer-unknown": (
        "{count:#goroutine} of {process:who} wait for a reply over {protocol} ({function}); the process that serves it "
        "was not captured.",
        "{process:who} 的 {count:,} 个协程在等待 {protocol} 应答（{function}），但没有采集提供该服务的进程。",
    ),
    "gap.peer-unknown.why": (
        "The cause may be there. The sockets show which process it is.",
        "根因可能在那里；从 socket 可以看出是哪个进程。",
    ),
    "gap.peer-foreign": (
        "{count:#goroutine} of {process:who} wait for {server} ({function}), which is not a Go process.",
        "{process:who} 的 {count:,} 个协程在等待 {server}（{function}），后者不是 Go 进程。",
    ),
    "gap.peer-foreign.why": (
        "Only {server} itself shows what its sessions wait for.",
        "只有 {server} 自己能显示各会话在等什么。",
    ),
}
