"""Why nobody stops it: workers, registrations, timers and finalizers. Key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # What would end a worker.
    "cause.worker.channel": (
        "{function} loops ({place}) until `{name}` is closed or receives a value ({case}).",
        "{function} 循环运行（{place}），直到 `{name}` 被 close 或收到值（{case}）。",
    ),
    "cause.ends.timer": (
        "{function} leaves by itself when `{name}` fires ({place}).",
        "`{name}` 到时后 {function} 会自行退出（{place}）。",
    ),
    "cause.ends.idle": (
        "{function} leaves by itself when nothing has come for a while: `{name}` fires ({place}).",
        "一段时间没有新数据后 `{name}` 到时，{function} 会自行退出（{place}）。",
    ),
    "cause.ends.deadline": (
        "{function} leaves by itself: the context of `{name}` has a deadline ({place}).",
        "{function} 会自行退出：`{name}` 的 context 有截止时间（{place}）。",
    ),
    "cause.worker.closed": (
        "{function} ranges over `{name}` ({place}) until it is closed.",
        "{function} 循环读取 `{name}`（{place}），直到它被 close。",
    ),
    "cause.worker.context": (
        "{function} loops ({place}) until its context `{name}` is cancelled ({case}).",
        "{function} 循环运行（{place}），直到 context `{name}` 被取消（{case}）。",
    ),
    "cause.worker.flag": (
        "{function} loops ({place}) until `{name}` ({case}).",
        "{function} 循环运行（{place}），只有 `{name}` 能使其结束（{case}）。",
    ),
    "cause.worker.condition": (
        "{function} loops ({place}) without a stop channel or context: only {exit} leaves the loop.",
        "{function} 循环运行（{place}），没有停止 channel 或 context，只能从 {exit} 退出。",
    ),
    "cause.worker.no-exit": (
        "{function} loops ({place}) without any exit: no stop channel, no context.",
        "{function} 循环运行（{place}），没有出口：既无停止 channel，也无 context。",
    ),
    "cause.worker.unheeded": (
        "{function} receives `{name}` at {case}, but `break` at {place} leaves only the select: the loop at line "
        "{loop} continues.",
        "{function} 在 {case} 收到 `{name}`，但 {place} 的 `break` 只跳出 select，第 {loop} 行的循环继续运行。",
    ),
    "cause.worker.started": (
        "Every call of {function} starts one more ({place}).",
        "每次调用 {function} 都会再启动一个（{place}）。",
    ),
    "cause.worker.starts": ("Started by {function} ({place}).", "由 {function} 启动（{place}）。"),
    "cause.worker.never-cancelled": (
        "The context is created at {place}; its cancel function is never called.",
        "该 context 创建于 {place}，cancel 从未调用。",
    ),
    "cause.worker.endless-context": (
        "The context comes from {place} and is never cancelled.",
        "该 context 来自 {place}，永远不会取消。",
    ),
    "cause.worker.closed-elsewhere": (
        "{function} waits at {place} until `{name}` is closed: {close} does so, for whoever calls {release}.",
        "{function} 在 {place} 等待 `{name}` 被 close：只有调用 {release} 时 {close} 才会 close 它。",
    ),
    "cause.worker.never-closed": (
        "`{name}` is created at {place}; nothing in the package closes it.",
        "`{name}` 创建于 {place}，包内没有代码 close 它。",
    ),
    "cause.worker.never-told": (
        "`{name}` is created at {place}; nothing in the package closes it or sends to it.",
        "`{name}` 创建于 {place}，包内没有代码 close 它或向它发送。",
    ),
    "cause.worker.nil": (
        "The {type} created at {place} has no `{field}`: a nil channel cannot be closed or sent to.",
        "{place} 创建的 {type} 没有设置 `{field}`：nil channel 无法 close，也无法发送。",
    ),
    "cause.worker.acquired": (
        "The program starts it at {place} with `{name}`. To stop it: {release}.",
        "程序在 {place} 通过 `{name}` 启动它，停止方式：{release:phrase}。",
    ),
    "cause.worker.of-module": (
        "These goroutines belong to {module} and serve what the program acquired from it.",
        "这些协程属于 {module}，服务于程序从中获取的资源。",
    ),
    "cause.worker.handed": (
        "{function} starts it ({place}) with `{name}` as its stop signal; {call} passes `{value}`.",
        "{function} 启动它（{place}），以 `{name}` 为停止信号，而 {call} 传入的是 `{value}`。",
    ),
    "cause.worker.never-ends": (
        "That signal never fires ({place}, `{code}`): the goroutines live as long as the process.",
        "该信号永远不会触发（{place}，`{code}`），这些协程会存活到进程退出。",
    ),
    # The other cases of a select.
    "cause.select.waits": (
        "The select at {place} waits until `{name}` accepts the value, or another case is ready.",
        "{place} 的 select 等待 `{name}` 接收，或其他 case 就绪。",
    ),
    "cause.select.context": (
        "Its context `{name}` comes from {place} and is never cancelled.",
        "其 context `{name}` 来自 {place}，永远不会取消。",
    ),
    "cause.select.outlives": (
        "`{name}` ends with its object, which is older than this call and outlives it.",
        "`{name}` 随其所属对象结束；该对象早于本次调用存在，也不随本次调用结束。",
    ),
    "cause.select.channel": (
        "Nothing in the package closes `{name}` (created at {place}) or sends to it.",
        "包内没有代码 close `{name}`（创建于 {place}）或向它发送。",
    ),
    # Registrations.
    "cause.retry": (
        "{function} tries again, by the clock, until it succeeds ({place}).",
        "{function} 按时间间隔不断重试，直到成功（{place}）。",
    ),
    "cause.retry.unlimited": (
        "The {type} made at {place} (`{code}`) leaves its limit at zero, which means none.",
        "{place} 创建的 {type}（`{code}`）没有设置上限，零值表示不限。",
    ),
    "cause.retry.context": (
        "`{name}` never comes: the context is from {place} (`{code}`), which nothing cancels. What keeps failing is "
        "tried for the life of the process.",
        "`{name}` 永远不会触发：该 context 来自 {place}（`{code}`），不会被取消。一直失败的任务会重试到进程结束。",
    ),
    "cause.context.kept": (
        "{function} gives {call} the context `{context}` at {place}, which outlives the call, although what it gets "
        "is used here alone: `{near}` would end it in time.",
        "{function} 在 {place} 把 context `{context}` 传给 {call}；它比本次调用活得久，而所得结果只在此处使用，"
        "应传 `{near}`，以便及时结束。",
    ),
    "cause.context.endless": (
        "{function} gives {call} `{context}` at {place}, which nothing ever cancels, although what it gets is used "
        "here alone: `{near}` would end it.",
        "{function} 在 {place} 把永不取消的 `{context}` 传给 {call}，而所得结果只在此处使用，应传 `{near}`。",
    ),
    "cause.context.group": (
        "{function}, a member of a group, gives {call} the outer context `{context}` at {place}: when another member "
        "fails, only the group's own `{near}` is cancelled.",
        "{function} 是组的成员，却在 {place} 把外层 context `{context}` 传给 {call}；"
        "其他成员出错时只会取消组的 `{near}`。",
    ),
    "cause.context.stream": (
        "{function} opens a stream of a gRPC client and leaves it before its end: only the end of its context "
        "closes it.",
        "{function} 打开 gRPC 客户端流，未读到结束就离开；此后只有其 context 结束才会关闭该流。",
    ),
    "cause.registration.registers": (
        "{function} calls `{name}` at {place} repeatedly (from {driver}) and registers one more each time.",
        "{function} 反复调用 {place} 的 `{name}`（来自 {driver}），每次多注册一个。",
    ),
    "cause.registration.lasting": (
        "The registration at {place} lasts as long as its context `{context}` ({from}), which outlives the round.",
        "{place} 的注册与 context `{context}`（{from}）同寿命，长于这一轮。",
    ),
    "cause.registration.again": (
        "The next round at {place} finds no record and registers again.",
        "{place} 的下一轮找不到已有记录，再次注册。",
    ),
    "cause.registration.own": (
        "It is kept in {container} at {place} (`{code}`).",
        "它保存在 {container} 中（{place}，`{code}`）。",
    ),
    "cause.registration.undo": (
        "{place} registers it with `{name}` (`{code}`), which returns the function that takes it out again.",
        "{place} 用 `{name}` 注册（`{code}`），其返回的函数用于撤销注册。",
    ),
    "cause.registration.nothing": (
        "Nothing in the program takes it out again, and {function} is called more than once (from {driver}).",
        "程序中没有代码再将其取出，而 {function} 会被多次调用（来自 {driver}）。",
    ),
    "cause.derived.kept": (
        "{function} derives a context from `{context}` at {place}. Until its cancel function is called, the parent "
        "keeps it and its values.",
        "{function} 在 {place} 从 `{context}` 派生 context；调用其 cancel 之前，父 context 一直持有它和其中的值。",
    ),
    # Timers.
    "cause.timer.set": (
        "{function} sets a timer at {place} (`{name}`). The runtime keeps it, and everything its function refers "
        "to, until it is stopped or fires for the last time.",
        "{function} 在 {place} 设置 timer（`{name}`）；停止或最后一次触发之前，运行时会一直持有它及其函数引用的内存。",
    ),
    "cause.timer.again": (
        "Its own function re-arms it at {place} (`{code}`), so it never fires for the last time.",
        "它的回调又在 {place} 重新设置（`{code}`），因此没有最后一次触发。",
    ),
    "cause.timer.holds": (
        "It fires only after `{delay}`, even if the work ends earlier.",
        "即使工作提前结束，它也要到 `{delay}` 之后才触发。",
    ),
    # Finalizers.
    "cause.finalizer.registered": (
        "{place} registers {function} as a finalizer. One goroutine runs all finalizers of the process in sequence.",
        "{place} 将 {function} 注册为 finalizer；全进程的 finalizer 由同一个协程依次执行。",
    ),
    "cause.finalizer.waits": (
        "It is blocked at {waits} (`{code}`). Every object queued behind it stays in memory.",
        "它阻塞在 {waits}（`{code}`），排在后面的对象全部留在内存中。",
    ),
    "cause.finalizer.receiver": (
        "{function}, the receiver of `{channel}`, returns at {place} (`{code}`); nothing receives afterwards.",
        "`{channel}` 的接收方 {function} 在 {place}（`{code}`）返回，此后无人接收。",
    ),
    # What the code alone shows.
    "cause.scan.left": (
        "{function} acquires it at {place} (`{code}`), never calls `{release}` and returns at {exit}; nothing else "
        "has a reference.",
        "{function} 在 {place}（`{code}`）获取资源，未调用 `{release}` 就在 {exit} 返回，此外无人持有它。",
    ),
    "cause.scan.ticker": (
        "Before Go 1.23 a ticker that is not stopped is never collected.",
        "Go 1.23 之前，未停止的 ticker 永远不会被回收。",
    ),
    # How the means to stop or release something are lost.
    "cause.lost.would": ("`{code}` at {place} would end it.", "{place} 的 `{code}` 本可使其结束。"),
    "cause.lost.deleted": (
        "{function} deletes it from `{holder}` at {place} without ending it; nothing can reach it afterwards.",
        "{function} 在 {place} 将其从 `{holder}` 删除，却没有使其结束，此后再也无法访问到它。",
    ),
    "cause.lost.replaced": (
        "{function} puts a new one into `{holder}` at {place} without ending the old one, which nothing can reach "
        "afterwards.",
        "{function} 在 {place} 将新的放入 `{holder}`，没有结束旧的，旧的此后无法访问。",
    ),
    "cause.lost.emptied": (
        "{function} clears `{holder}` at {place} without ending it; nothing can reach it afterwards.",
        "{function} 在 {place} 清空 `{holder}`，没有使其结束，此后再也无法访问到它。",
    ),
    "cause.lost.left": (
        "{function} gets it at {acquire} and returns at {place} (`{code}`) without releasing or storing it.",
        "{function} 在 {acquire} 得到它，既未释放也未保存就在 {place}（`{code}`）返回。",
    ),
    "cause.lost.unused": (
        "{place} (`{code}`) discards the return value, so nothing can release it.",
        "{place}（`{code}`）丢弃了返回值，此后无法释放。",
    ),
    "cause.lost.skipped": (
        "`{code}` at {place} releases it only if `{condition}`; on the other path of {function} it leaks.",
        "{place} 的 `{code}` 仅在 `{condition}` 时释放，{function} 的另一条路径会泄漏。",
    ),
    "cause.lost.passed": (
        "{function} releases it by `{release}` at {line}, but on `{condition}` it returns at {place} before that.",
        "{function} 在 {line} 通过 `{release}` 释放，但在 `{condition}` 时先从 {place} 返回了。",
    ),
    "cause.lost.kept": (
        "Nothing in this package calls {release} on the value kept at {place} (`{code}`).",
        "包内没有代码对 {place}（`{code}`）保存的对象调用 {release}。",
    ),
}
