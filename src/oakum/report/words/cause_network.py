"""Why a wait on the network does not end, as the source tells it: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # Calls without a deadline.
    "cause.transport.each": (
        "Each call of {function} makes an http.Transport of its own at {place}. A transport keeps its idle "
        "connections, each with two goroutines, for whoever uses it next; of this one nobody ever does.",
        "{function} 每次被调用都会在 {place} 新建一个 http.Transport。Transport 会为后续请求保留空闲连接，"
        "每个连接两个 goroutine；而这个 Transport 再也没有人使用。",
    ),
    "cause.transport.endless": (
        "It has no IdleConnTimeout, and nothing calls CloseIdleConnections: the connections stay until the far end "
        "closes them.",
        "它没有设置 IdleConnTimeout，也没有任何代码调用 CloseIdleConnections：连接会一直保留，直到对端关闭。",
    ),
    "cause.network.http.waits": (
        "{function} waits at {place} for the answer to {call}.",
        "{function} 在 {place} 等待 {call} 的应答。",
    ),
    "cause.network.http.default": (
        "The call at {place} uses http.DefaultClient, which has no Timeout.",
        "{place} 处的调用使用 http.DefaultClient，它没有 Timeout。",
    ),
    "cause.network.http.client": (
        "Its client is made at {place} without a Timeout (`{code}`).",
        "所用的 client 在 {place} 创建，未设置 Timeout（`{code}`）。",
    ),
    "cause.network.http.zero": (
        "Its client, {client}, is an http.Client that nothing was assigned to: it has no Timeout.",
        "所用的 client（{client}）是从未赋值的 http.Client：它没有 Timeout。",
    ),
    "cause.network.http.cancel": (
        "The request carries the context of {place}, which has no deadline either: only whoever made that request can "
        "end the wait, by going away.",
        "请求携带 {place} 处的 context，它也没有截止时间：只有发起该请求的一方离开，等待才会结束。",
    ),
    "cause.network.http.ends": (
        "The request has no context with a deadline either, so a server that accepts it and never answers holds the "
        "goroutine for as long as the connection lives.",
        "请求也没有带截止时间的 context，因此服务端接受请求却始终不应答时，goroutine 会一直等到连接断开为止。",
    ),
    "cause.network.rpc.waits": (
        "{function} waits at {place} for the answer to {call}.",
        "{function} 在 {place} 等待 {call} 的应答。",
    ),
    "cause.network.rpc.context": (
        "The context that it passes is made at {place} (`{code}`) and has no deadline.",
        "它传入的 context 在 {place} 创建（`{code}`），没有截止时间。",
    ),
    "cause.network.rpc.no-context": (
        "{call} at {place} takes no context, so nothing limits how long it waits: a peer that never answers is waited "
        "for without end.",
        "{place} 处的 {call} 不接受 context，因此没有任何东西限制它等待多久：对端始终不应答时，等待永不结束。",
    ),
    "cause.network.rpc.ends": (
        "Whoever could cancel it waits for this call to return, so a peer that never answers is waited for "
        "without end.",
        "能取消它的代码正等着这个调用返回，因此对端始终不应答时，等待永不结束。",
    ),
    "cause.network.read.waits": (
        "{function} waits at {place} ({call}) for bytes from the peer.",
        "{function} 在 {place}（{call}）等待对端发来字节。",
    ),
    "cause.network.read.made": (
        "The connection comes from {place} (`{code}`).",
        "该连接来自 {place}（`{code}`）。",
    ),
    "cause.network.read.ends": (
        "Nothing sets a read deadline on it before the read; a peer that stays connected and says nothing is "
        "waited for "
        "without end.",
        "读取之前没有任何代码为它设置读截止时间；对端保持连接却不发数据时，等待永不结束。",
    ),
    "cause.network.write.waits": (
        "{function} waits at {place} ({call}) for the peer to read what was written before.",
        "{function} 在 {place}（{call}）等待对端读走先前写出的数据。",
    ),
    "cause.network.write.made": (
        "The connection comes from {place} (`{code}`).",
        "该连接来自 {place}（`{code}`）。",
    ),
    "cause.network.write.ends": (
        "Nothing sets a write deadline on it; a peer that stays connected and stops reading is waited for without end.",
        "没有任何代码为它设置写截止时间；对端保持连接却停止读取时，等待永不结束。",
    ),
    "cause.network.write.answer": (
        "What it writes to is the answer to a request, taken at {place} (`{code}`).",
        "它写入的是某个请求的应答，取自 {place}（`{code}`）。",
    ),
    "cause.network.write.answer-ends": (
        "Neither this code nor the server (WriteTimeout) sets a write deadline, and the request's context does not end "
        "while the client stays connected: a client that stops reading is waited for without end.",
        "这段代码和服务器（WriteTimeout）都没有设置写截止时间，而客户端保持连接时请求的 context 不会结束："
        "客户端停止读取后，等待永不结束。",
    ),
    "cause.network.asked.waits": (
        "{function} waits at {place} ({call}) for the rest of a request's body.",
        "{function} 在 {place}（{call}）等待请求 body 的其余部分。",
    ),
    "cause.network.asked.ends": (
        "Neither this code nor the server (ReadTimeout) sets a read deadline: a client that stays connected and sends "
        "no more is waited for without end.",
        "这段代码和服务器（ReadTimeout）都没有设置读截止时间：客户端保持连接却不再发送时，等待永不结束。",
    ),
    "cause.network.locked": (
        "Meanwhile {lock}, locked at {place}, is held over the call at {call}: everybody who wants the lock waits too.",
        "与此同时，在 {place} 加上的锁 {lock} 在 {call} 的调用期间一直被持有：所有想要该锁的 goroutine 都在等待。",
    ),
    # Goroutines without a limit.
    "cause.spawn.loop": (
        "{place} starts a goroutine in every round of a loop (`{code}`), however many are still waiting.",
        "{place} 在循环的每一轮启动一个 goroutine（`{code}`），不管还有多少在等待。",
    ),
    "cause.spawn.handler": (
        "{place} starts a goroutine for every call that it handles (`{code}`), however many are still waiting.",
        "{place} 为处理的每个调用启动一个 goroutine（`{code}`），不管还有多少在等待。",
    ),
    "cause.spawn.started": (
        "{place} starts a goroutine each time (`{code}`), however many are still waiting.",
        "{place} 每次都启动一个 goroutine（`{code}`），不管还有多少在等待。",
    ),
    "cause.spawn.bound": (
        "They queue for what {place} limits (`{code}`): only so many go on at a time.",
        "它们排队等待 {place} 所限制的资源（`{code}`）：同一时刻只有这么多能继续。",
    ),
    "cause.spawn.endless": (
        "The call at {place} has no time-out, so a turn that is taken may never come free.",
        "{place} 处的调用没有超时，因此被占用的名额可能永远不会释放。",
    ),
    "cause.spawn.ends": (
        "Nothing at {place} waits for a turn, or refuses, before it starts the next one; when work comes faster "
        "than it "
        "is done, the queue of goroutines grows without end.",
        "{place} 在启动下一个之前既不等待名额也不拒绝；任务到来的速度超过完成的速度时，排队的 goroutine 会无限增长。",
    ),
    # Response bodies.
    "cause.body.waits": (
        "Each of these goroutines keeps a connection of net/http whose response was not read to its end and not "
        "closed.",
        "这些 goroutine 各自占着 net/http 的一个连接，其响应既未读完也未关闭。",
    ),
    "cause.body.left": (
        "{function} gets a response at {place} ({call}) and leaves at {exits} without closing its body.",
        "{function} 在 {place}（{call}）得到响应，却在 {exits} 退出而未关闭 body。",
    ),
    "cause.body.left-if": (
        "{function} gets a response at {place} ({call}); when `{condition}`, it leaves at {exits} without closing the "
        "body.",
        "{function} 在 {place}（{call}）得到响应；当 `{condition}` 时，它在 {exits} 退出而未关闭 body。",
    ),
    "cause.body.handed": (
        "{function} gets a response at {place} ({call}) and hands the body to {to} at {handed}, which is to "
        "give it back "
        "to be closed, but leaves at {exits} without giving it back or closing it.",
        "{function} 在 {place}（{call}）得到响应，并在 {handed} 把 body 交给 {to}；{to} 本应交还以便关闭，"
        "却在 {exits} 退出，既未交还也未关闭。",
    ),
    "cause.body.dropped": (
        "{function} throws the response of {call} at {place} away without closing its body.",
        "{function} 在 {place} 丢弃了 {call} 的响应，没有关闭 body。",
    ),
    "cause.body.limited": (
        "Until the body is closed, read to its end, or the time limit of the request has passed, the connection and "
        "its two goroutines stay.",
        "在 body 被关闭、读完，或请求的时限到期之前，该连接及其两个 goroutine 都会留下。",
    ),
    "cause.body.ends": (
        "Until the body is closed or read to its end, the connection and its two goroutines stay.",
        "在 body 被关闭或读完之前，该连接及其两个 goroutine 都会留下。",
    ),
    # Rows and pipes.
    "cause.rows.waits": (
        "The goroutines wait for a free connection of the database; each result that is not closed, and each "
        "transaction that is not ended, keeps one.",
        "这些 goroutine 在等待数据库的空闲连接；每个未关闭的结果集、每个未结束的事务都占着一个连接。",
    ),
    "cause.rows.left": (
        "{function} gets rows at {place} ({call}) and leaves at {exits} without closing them or reading them to "
        "the end.",
        "{function} 在 {place}（{call}）得到 rows，却在 {exits} 退出，既未关闭也未读完。",
    ),
    "cause.rows.ends": (
        "Until then the connection does not go back to the pool; when none is left, everybody waits.",
        "在此之前连接不会回到连接池；用尽之后，所有人都在等待。",
    ),
    "cause.transaction.left": (
        "{function} begins a transaction at {place} ({call}) and leaves at {exits} without Commit or Rollback.",
        "{function} 在 {place}（{call}）开始事务，却在 {exits} 退出，既未 Commit 也未 Rollback。",
    ),
    "cause.connection.left": (
        "{function} takes a connection at {place} ({call}) and leaves at {exits} without closing it.",
        "{function} 在 {place}（{call}）取得连接，却在 {exits} 退出而未关闭。",
    ),
    "cause.lent.waits": (
        "The goroutines wait for a pool to lend them something; it has lent everything.",
        "这些 goroutine 在等待某个池借出对象；池中的已全部借出。",
    ),
    "cause.lent.left": (
        "{function} is lent one at {place} ({call}) and leaves at {exits} without giving it back.",
        "{function} 在 {place}（{call}）借得一个，却在 {exits} 退出而未归还。",
    ),
    "cause.lent.ends": (
        "Each time that happens the pool has one less; when none is left, everybody waits for ever.",
        "每发生一次，池中就少一个；用尽之后，所有人都永远等待。",
    ),
    "cause.command.waits": (
        "The goroutine copies the output of a command (os/exec), until everybody who has the other end of the pipe has "
        "closed it.",
        "该 goroutine 在复制某个命令的输出（os/exec），直到持有管道另一端的所有进程都关闭它为止。",
    ),
    "cause.command.copied": (
        "{function} makes the command at {place}, has its output copied ({output}: `{code}`) and waits for it at "
        "{runs}.",
        "{function} 在 {place} 创建命令，让其输出被复制（{output}：`{code}`），并在 {runs} 等待它。",
    ),
    "cause.command.ends": (
        "That lasts as long as the command runs, and longer when a process that it left in the background has "
        "inherited the pipe. Nothing limits it here: no WaitDelay (since Go 1.20), and no file in place of the copy.",
        "命令运行多久，等待就持续多久；若它留在后台的进程继承了管道，则更久。此处没有任何限制：未设置 WaitDelay"
        "（Go 1.20 起），也未用文件代替复制。",
    ),
    "cause.pipe.waits": (
        "The goroutine waits in a write into a pipe ({kind}), which ends only when the other end is read, or closed.",
        "该 goroutine 停在向管道（{kind}）的写入中，只有另一端被读取或关闭时才会结束。",
    ),
    "cause.pipe.left": (
        "{function} makes the pipe at {place} ({call}). {reader}, which reads it ({read}), is done with it at {exit} "
        "without reading to the end or closing its end.",
        "{function} 在 {place}（{call}）创建管道。读取它的 {reader}（{read}）在 {exit} 就此罢手，"
        "既未读完也未关闭读取端。",
    ),
    "cause.pipe.left-when": (
        "{function} makes the pipe at {place} ({call}). {reader}, which reads it ({read}), leaves at {exit} by "
        "`{condition}` ({case}) without reading to the end or closing its end.",
        "{function} 在 {place}（{call}）创建管道。读取它的 {reader}（{read}）因 `{condition}`（{case}）在 {exit} 离开，"
        "既未读完也未关闭读取端。",
    ),
    "cause.pipe.nobody": (
        "{function} makes the pipe at {place} ({call}), and nobody reads the other end or closes it.",
        "{function} 在 {place}（{call}）创建管道，而没有谁读取或关闭另一端。",
    ),
    "cause.pipe.ends": (
        "Closing the reading end on every way out would let the writer go on with an error.",
        "在每条退出路径上关闭读取端，写入方就会得到错误而继续。",
    ),
}

__all__ = ["WORDS"]
