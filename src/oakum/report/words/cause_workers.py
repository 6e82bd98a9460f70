"""Why nobody stops it: workers, registrations, timers and finalizers. Key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # What would end a worker.
    "cause.worker.channel": (
        "{function} is a loop ({place}) that ends only when `{name}` is closed or gets a value ({case}).",
        "{function} 是一个循环（{place}），只有当 `{name}` 被关闭或收到值时才会结束（{case}）。",
    ),
    "cause.worker.closed": (
        "{function} is a loop over the channel `{name}` ({place}): it ends only when that is closed.",
        "{function} 循环读取 channel `{name}`（{place}）：只有该 channel 被关闭时才会结束。",
    ),
    "cause.worker.context": (
        "{function} is a loop ({place}) that ends only when its context `{name}` is cancelled ({case}).",
        "{function} 是一个循环（{place}），只有当其 context `{name}` 被取消时才会结束（{case}）。",
    ),
    "cause.worker.flag": (
        "{function} is a loop ({place}) that only the condition `{name}` ends ({case}).",
        "{function} 是一个循环（{place}），只有条件 `{name}` 能使其结束（{case}）。",
    ),
    "cause.worker.condition": (
        "{function} is a loop ({place}) that listens to no stop channel and no context: only {exit} leads out of it.",
        "{function} 是一个循环（{place}），既不监听停止 channel 也不监听 context：只有 {exit} 能使其退出。",
    ),
    "cause.worker.no-exit": (
        "{function} is a loop without a way out ({place}): it listens to no stop channel and no context.",
        "{function} 是一个没有出口的循环（{place}）：既不监听停止 channel，也不监听 context。",
    ),
    "cause.worker.unheeded": (
        "{function} hears `{name}` at {case}, but `break` at {place} leaves only the select: the loop of line {loop} "
        "goes on.",
        "{function} 在 {case} 收到 `{name}`，但 {place} 的 `break` 只跳出 select：第 {loop} 行的循环会继续运行。",
    ),
    "cause.worker.started": (
        "Every call of {function} starts one more of them ({place}).",
        "每次调用 {function} 都会再启动一个（{place}）。",
    ),
    "cause.worker.starts": (
        "{function} starts them ({place}).",
        "它们由 {function} 启动（{place}）。",
    ),
    "cause.worker.never-cancelled": (
        "That context is made at {place}, and nothing calls its cancel function.",
        "该 context 在 {place} 创建，而其 cancel 函数从未被调用。",
    ),
    "cause.worker.endless-context": (
        "That context comes from {place}, where it is one that is never cancelled.",
        "该 context 来自 {place}，是一个永远不会被取消的 context。",
    ),
    "cause.worker.never-closed": (
        "`{name}` is made at {place}; nothing in the package closes it.",
        "`{name}` 在 {place} 创建；该包中没有任何代码关闭它。",
    ),
    "cause.worker.never-told": (
        "`{name}` is made at {place}; nothing in the package closes it or sends to it.",
        "`{name}` 在 {place} 创建；该包中没有任何代码关闭它或向它发送。",
    ),
    "cause.worker.nil": (
        "The {type} made at {place} leaves `{field}` out: nobody can close or send to a channel that is nil.",
        "{place} 创建的 {type} 没有设置 `{field}`：nil channel 无法被关闭，也无法向其发送。",
    ),
    "cause.worker.acquired": (
        "The program's own code has it started at {place} by `{name}`, and would stop it with {release}.",
        "程序自身的代码在 {place} 通过 `{name}` 启动它，应以 {release:phrase} 停止。",
    ),
    "cause.worker.of-module": (
        "These goroutines are {module}'s own and work for what the program has acquired of it.",
        "这些 goroutine 属于 {module}，为程序从它那里获取的资源工作。",
    ),
    "cause.worker.handed": (
        "{function} starts it ({place}) and hands it `{name}` as what stops it; {call} gives `{value}` for that.",
        "{function} 启动它（{place}），并以 `{name}` 作为停止信号；{call} 传入的是 `{value}`。",
    ),
    "cause.worker.never-ends": (
        "By {place} (`{code}`) that is a signal that never comes: the goroutines stay for as long as the process runs.",
        "按 {place}（`{code}`），该信号永远不会到来，因此这些 goroutine 会一直存在到进程结束。",
    ),
    # The other cases of a select.
    "cause.select.waits": (
        "At {place} it waits in a select until `{name}` takes what it sends, or another case comes.",
        "它在 {place} 的 select 中等待：要么 `{name}` 接收它发送的值，要么其他 case 就绪。",
    ),
    "cause.select.context": (
        "Its context `{name}` does not end the wait either: it comes from {place}, and is one that is never cancelled.",
        "其 context `{name}` 也不会结束等待：它来自 {place}，是一个永远不会被取消的 context。",
    ),
    "cause.select.channel": (
        "Nor does `{name}`, made at {place}: nothing in the package closes it or sends to it.",
        "`{name}`（在 {place} 创建）同样不会：该包中没有任何代码关闭它或向它发送。",
    ),
    # Registrations.
    "cause.registration.registers": (
        "{function} comes to `{name}` at {place} again and again (by {driver}); every time one more is registered.",
        "{function} 会反复走到 {place} 的 `{name}`（经由 {driver}）；每次都会多注册一个。",
    ),
    "cause.registration.lasting": (
        "What {place} registers stays until its context ends; that is `{context}` ({from}), which outlives the round.",
        "{place} 注册的内容会一直保留到其 context 结束；该 context 是 `{context}`（{from}），其寿命长于这一轮。",
    ),
    "cause.registration.again": (
        "The next round at {place} finds nothing in place and registers once more.",
        "{place} 的下一轮找不到已有的，于是再次注册。",
    ),
    # Timers.
    "cause.timer.set": (
        "{function} sets a timer at {place} (`{name}`); until it is stopped or has fired for the last time, the runtime"
        " keeps it and everything that its function refers to.",
        "{function} 在 {place} 设置定时器（`{name}`）；在被停止或最后一次触发之前，"
        "运行时会一直保留它以及其函数所引用的一切。",
    ),
    "cause.timer.again": (
        "It never fires for the last time: its own function sets it again at {place} (`{code}`).",
        "它永远不会最后一次触发：它自己的函数在 {place} 又重新设置了它（`{code}`）。",
    ),
    "cause.timer.holds": (
        "It fires only after `{delay}`, however early its work is over.",
        "无论相关工作多早结束，它都要等到 `{delay}` 之后才触发。",
    ),
    # Finalizers.
    "cause.finalizer.registered": (
        "{place} has {function} run as a finalizer. One goroutine runs all finalizers of the process, one after the"
        " other.",
        "{place} 将 {function} 注册为 finalizer。整个进程的 finalizer 都由同一个 goroutine 逐个执行。",
    ),
    "cause.finalizer.waits": (
        "It waits at {waits} (`{code}`); meanwhile every object behind it, and all that it refers to, stays in memory.",
        "它在 {waits}（`{code}`）等待；此间排在其后的所有对象及其引用的一切都留在内存中。",
    ),
    "cause.finalizer.receiver": (
        "{function} used to receive from `{channel}`, but it leaves at {place} (`{code}`), and nobody comes after it.",
        "{function} 原本从 `{channel}` 接收，但它在 {place}（`{code}`）退出，此后无人接收。",
    ),
    # What the code alone shows.
    "cause.scan.left": (
        "{function} acquires at {place} (`{code}`) what only `{release}` gives back, and leaves at {exit} without it;"
        " nobody else has it.",
        "{function} 在 {place}（`{code}`）获取的资源只有 `{release}` 才能归还，却在 {exit} 未调用就退出；"
        "此外无人持有它。",
    ),
    "cause.scan.ticker": (
        "Before Go 1.23 the runtime keeps a ticker for ever unless it is stopped; since then it is collected.",
        "在 Go 1.23 之前，未停止的 ticker 会被运行时永远保留；此后则会被回收。",
    ),
    # How the means to stop or release something are lost.
    "cause.lost.would": (
        "`{code}` at {place} would end it.",
        "{place} 的 `{code}` 本可使其结束。",
    ),
    "cause.lost.deleted": (
        "{place} in {function} deletes it from `{holder}`; on that way nothing ends it, and afterwards nobody can"
        " reach it any more.",
        "{function} 中的 {place} 将其从 `{holder}` 中删除；该路径上没有使其结束，而此后再也没有人能访问到它。",
    ),
    "cause.lost.replaced": (
        "{place} in {function} puts a new one into `{holder}`; on that way nothing ends the old one, which nobody can"
        " reach any more.",
        "{function} 中的 {place} 将新的放入 `{holder}`；该路径上没有停止旧的，而旧的此后再也无法访问。",
    ),
    "cause.lost.emptied": (
        "{place} in {function} clears `{holder}`; on that way nothing ends it, and afterwards nobody can reach it"
        " any more.",
        "{function} 中的 {place} 清空 `{holder}`；该路径上没有使其结束，而此后再也没有人能访问到它。",
    ),
    "cause.lost.left": (
        "{function} gets it at {acquire} and leaves at {place} (`{code}`) without releasing it and without having put"
        " it where somebody else could.",
        "{function} 在 {acquire} 得到它，却在 {place}（`{code}`）返回，既没有释放，也没有存放到他人可以释放的地方。",
    ),
    "cause.lost.unused": (
        "{place} (`{code}`) does not keep what the call returns, so nobody can ever release it.",
        "{place}（`{code}`）没有保留调用的返回值，因此再也没有人能释放它。",
    ),
    "cause.lost.skipped": (
        "`{code}` at {place} releases it only if `{condition}`: on the other way out of {function} it stays.",
        "{place} 的 `{code}` 仅在 `{condition}` 时才释放它：{function} 的另一条路径会将其遗留。",
    ),
    "cause.lost.kept": (
        "Nothing in this package calls {release} on what {place} (`{code}`) keeps.",
        "该包中没有任何代码对 {place}（`{code}`）所保留的对象调用 {release}。",
    ),
}

__all__ = ["WORDS"]
