"""Why a wait on the network does not end, as the source tells it: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # Calls without a deadline.
    "cause.transport.each": (
        "Every call of {function} creates its own http.Transport at {place}. Its idle connections, each with two "
        "goroutines, are never reused.",
        "{function} 每次调用都在 {place} 新建 http.Transport，其空闲连接（每条两个协程）再也不会被复用。",
    ),
    "cause.transport.endless": (
        "It has no IdleConnTimeout, and nothing calls CloseIdleConnections: the connections stay until the server "
        "closes them.",
        "没有设置 IdleConnTimeout，也没有调用 CloseIdleConnections：连接一直保留到对端关闭。",
    ),
    "cause.network.http.waits": (
        "{function} waits at {place} for the response to {call}.",
        "{function} 在 {place} 等待 {call} 的响应。",
    ),
    "cause.network.http.default": (
        "{place} uses http.DefaultClient, which has no Timeout.",
        "{place} 使用 http.DefaultClient，没有 Timeout。",
    ),
    "cause.network.http.client": (
        "Its client is created at {place} without a Timeout (`{code}`).",
        "client 创建于 {place}，没有设置 Timeout（`{code}`）。",
    ),
    "cause.network.http.zero": (
        "Its client {client} is a zero http.Client without a Timeout.",
        "client（{client}）是零值 http.Client，没有 Timeout。",
    ),
    "cause.network.http.cancel": (
        "The request uses the context of {place}, which has no deadline: only the inbound client disconnecting ends "
        "the wait.",
        "请求使用 {place} 的 context，没有截止时间：只有入站客户端断开，等待才会结束。",
    ),
    "cause.network.http.ends": (
        "The request context has no deadline either. A server that never responds blocks the goroutine until the "
        "connection breaks.",
        "请求的 context 也没有截止时间，服务端一直不响应时，协程会阻塞到连接断开。",
    ),
    "cause.network.rpc.waits": (
        "{function} waits at {place} for the response to {call}.",
        "{function} 在 {place} 等待 {call} 的响应。",
    ),
    "cause.network.rpc.context": (
        "Its context is created at {place} (`{code}`) without a deadline.",
        "所用 context 创建于 {place}（`{code}`），没有截止时间。",
    ),
    "cause.network.rpc.no-context": (
        "{call} at {place} takes no context: a peer that never answers blocks it forever.",
        "{place} 的 {call} 不接收 context：对端一直不响应，就一直阻塞。",
    ),
    "cause.network.rpc.ends": (
        "The code that could cancel it waits for this call: a peer that never answers blocks it forever.",
        "能取消它的代码正在等这次调用返回：对端一直不响应，就一直阻塞。",
    ),
    "cause.network.read.waits": (
        "{function} waits at {place} ({call}) for data from the peer.",
        "{function} 在 {place}（{call}）等待对端数据。",
    ),
    "cause.network.read.made": ("The connection comes from {place} (`{code}`).", "连接来自 {place}（`{code}`）。"),
    "cause.network.read.ends": (
        "No read deadline is set: a peer that stays connected and sends nothing blocks it forever.",
        "没有设置读超时：对端保持连接却不发数据，就一直阻塞。",
    ),
    "cause.network.write.waits": (
        "{function} waits at {place} ({call}) for the peer to read.",
        "{function} 在 {place}（{call}）等待对端读取。",
    ),
    "cause.network.write.made": ("The connection comes from {place} (`{code}`).", "连接来自 {place}（`{code}`）。"),
    "cause.network.write.ends": (
        "No write deadline is set: a peer that stays connected and stops reading blocks it forever.",
        "没有设置写超时：对端保持连接却停止读取，就一直阻塞。",
    ),
    "cause.network.write.answer": (
        "It writes an HTTP response, obtained at {place} (`{code}`).",
        "写入的是 HTTP 响应，取自 {place}（`{code}`）。",
    ),
    "cause.network.write.answer-ends": (
        "Neither this code nor the server (WriteTimeout) sets a write deadline: a client that stays connected and "
        "stops reading blocks it forever.",
        "代码和服务器（WriteTimeout）都没有设置写超时：客户端保持连接却停止读取，就一直阻塞。",
    ),
    "cause.network.asked.waits": (
        "{function} waits at {place} ({call}) for the rest of a request body.",
        "{function} 在 {place}（{call}）等待请求体的剩余部分。",
    ),
    "cause.network.asked.ends": (
        "Neither this code nor the server (ReadTimeout) sets a read deadline: a client that stays connected and "
        "stops sending blocks it forever.",
        "代码和服务器（ReadTimeout）都没有设置读超时：客户端保持连接却不再发送，就一直阻塞。",
    ),
    "cause.network.locked": (
        "{lock}, locked at {place}, is held across the call at {call}: every other user of the lock waits.",
        "在 {place} 加的锁 {lock} 在 {call} 调用期间一直持有，其他使用者全部等待。",
    ),
    # Goroutines without a limit.
    "cause.spawn.loop": (
        "{place} starts one goroutine per loop iteration (`{code}`), without a limit.",
        "{place} 在循环中每轮启动一个协程（`{code}`），没有上限。",
    ),
    "cause.spawn.handler": (
        "{place} starts one goroutine per handled call (`{code}`), without a limit.",
        "{place} 每处理一次调用启动一个协程（`{code}`），没有上限。",
    ),
    "cause.spawn.started": (
        "{place} starts one goroutine each time (`{code}`), without a limit.",
        "{place} 每次启动一个协程（`{code}`），没有上限。",
    ),
    "cause.spawn.bound": (
        "They queue for the limit at {place} (`{code}`).",
        "它们在 {place} 的并发上限处排队（`{code}`）。",
    ),
    "cause.spawn.endless": (
        "The call at {place} has no timeout, so a slot may never be released.",
        "{place} 的调用没有超时，名额可能永不释放。",
    ),
    "cause.spawn.ends": (
        "{place} starts the next one without waiting or rejecting. When work arrives faster than it completes, the "
        "queue of goroutines grows without bound.",
        "{place} 启动前既不等待也不拒绝，任务到达快于完成时，排队的协程无限增长。",
    ),
    # Response bodies.
    "cause.body.waits": (
        "Each goroutine keeps one net/http connection whose response was neither read to the end nor closed.",
        "每个协程占用一条 net/http 连接，其响应既未读完也未关闭。",
    ),
    "cause.body.left": (
        "{function} gets a response at {place} ({call}) and returns at {exits} without closing its body.",
        "{function} 在 {place}（{call}）得到响应，未关闭 body 就在 {exits} 返回。",
    ),
    "cause.body.left-if": (
        "{function} gets a response at {place} ({call}). If `{condition}`, it returns at {exits} without closing "
        "the body.",
        "{function} 在 {place}（{call}）得到响应；`{condition}` 时，未关闭 body 就在 {exits} 返回。",
    ),
    "cause.body.handed": (
        "{function} gets a response at {place} ({call}) and passes the body to {to} at {handed}, which should "
        "return it, but returns at {exits} without returning or closing it.",
        "{function} 在 {place}（{call}）得到响应，在 {handed} 把 body 交给 {to}；{to} 本应返还，却在 {exits} "
        "返回时既未返还也未关闭。",
    ),
    "cause.body.dropped": (
        "{function} discards the response of {call} at {place} without closing its body.",
        "{function} 在 {place} 丢弃 {call} 的响应，没有关闭 body。",
    ),
    "cause.body.limited": (
        "Until the body is closed or read to the end, or the request times out, the connection and its two "
        "goroutines stay.",
        "body 关闭、读完或请求超时之前，该连接及其两个协程一直保留。",
    ),
    "cause.body.ends": (
        "Until the body is closed or read to the end, the connection and its two goroutines stay.",
        "body 关闭或读完之前，该连接及其两个协程一直保留。",
    ),
    # Rows and pipes.
    "cause.rows.waits": (
        "The goroutines wait for a free database connection. Each unclosed result and each open transaction keeps one.",
        "协程在等待空闲的数据库连接；每个未关闭的结果集、每个未结束的事务都占用一条。",
    ),
    "cause.rows.left": (
        "{function} gets rows at {place} ({call}) and returns at {exits} without closing them or reading to the end.",
        "{function} 在 {place}（{call}）得到 rows，未关闭也未读完就在 {exits} 返回。",
    ),
    "cause.rows.ends": (
        "The connection never returns to the pool. When none is left, every caller blocks.",
        "连接不会归还连接池，耗尽后所有调用者阻塞。",
    ),
    "cause.transaction.left": (
        "{function} begins a transaction at {place} ({call}) and returns at {exits} without Commit or Rollback.",
        "{function} 在 {place}（{call}）开启事务，未 Commit 也未 Rollback 就在 {exits} 返回。",
    ),
    "cause.connection.left": (
        "{function} takes a connection at {place} ({call}) and returns at {exits} without closing it.",
        "{function} 在 {place}（{call}）取得连接，未关闭就在 {exits} 返回。",
    ),
    "cause.lent.waits": ("The goroutines wait for an exhausted pool.", "协程在等待已耗尽的池。"),
    "cause.lent.left": (
        "{function} takes one from the pool at {place} ({call}) and returns at {exits} without putting it back.",
        "{function} 在 {place}（{call}）从池中取出一个，未归还就在 {exits} 返回。",
    ),
    "cause.lent.ends": (
        "Each such return shrinks the pool by one. When it is empty, every caller blocks forever.",
        "每次都让池中少一个，耗尽后所有调用者永远阻塞。",
    ),
    "cause.command.waits": (
        "The goroutine copies the output of a command (os/exec) until every process that holds the pipe has closed it.",
        "协程在复制命令的输出（os/exec），要等持有该管道的所有进程都关闭才结束。",
    ),
    "cause.command.copied": (
        "{function} creates the command at {place}, copies its output ({output}: `{code}`) and waits for it at {runs}.",
        "{function} 在 {place} 创建命令，复制其输出（{output}：`{code}`），并在 {runs} 等待它结束。",
    ),
    "cause.command.ends": (
        "A background process that inherited the pipe keeps it open after the command exits. Nothing limits the "
        "wait: no WaitDelay (since Go 1.20) is set, and the output does not go to a file.",
        "命令退出后，继承了管道的后台进程仍会占用它；此处没有任何限制：未设置 WaitDelay（Go 1.20 起），"
        "输出也没有写到文件。",
    ),
    "cause.pipe.waits": (
        "The goroutine is blocked writing to a pipe ({kind}) until the other end is read or closed.",
        "协程阻塞在写管道（{kind}），要等另一端读取或关闭。",
    ),
    "cause.pipe.left": (
        "{function} creates the pipe at {place} ({call}). Its reader {reader} ({read}) returns at {exit} without "
        "reading to the end or closing it.",
        "{function} 在 {place}（{call}）创建管道，读取方 {reader}（{read}）未读完也未关闭就在 {exit} 返回。",
    ),
    "cause.pipe.left-when": (
        "{function} creates the pipe at {place} ({call}). Its reader {reader} ({read}) returns at {exit} on "
        "`{condition}` ({case}) without reading to the end or closing it.",
        "{function} 在 {place}（{call}）创建管道，读取方 {reader}（{read}）在 `{condition}`（{case}）"
        "时未读完也未关闭就在 {exit} 返回。",
    ),
    "cause.pipe.nobody": (
        "{function} creates the pipe at {place} ({call}); nothing reads or closes the other end.",
        "{function} 在 {place}（{call}）创建管道，另一端没有读取也没有关闭。",
    ),
    "cause.pipe.ends": (
        "If every return path closed the read end, the writer would get an error and continue.",
        "若每条返回路径都关闭读端，写入方就会得到错误并继续。",
    ),
}
