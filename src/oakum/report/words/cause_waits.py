"""Why a wait does not end: WaitGroup, condition variable, nil channel, timer, context: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "cause.waits.wg.waits": (
        "At {wait} it waits until every member of the WaitGroup {group} has called Done.",
        "在 {wait} 处，它等待 WaitGroup {group} 的所有成员都调用 Done。",
    ),
    "cause.waits.wg.itself": (
        "But it is such a member itself: its own Done ({done}) comes only after the call at {call} in {function}"
        " has returned, and that call is the one that waits.",
        "但它自己就是其中一个成员：它自己的 Done（{done}）要等 {function} 中 {call} 处的调用返回之后才执行，"
        "而正在等待的正是这次调用。",
    ),
    "cause.waits.wg.copy": (
        "The Done at {done} counts off a copy: {function} ({place}) takes the WaitGroup by value, not by pointer,"
        " so the one that is waited for keeps its count.",
        "{done} 处的 Done 减的是副本的计数：{function}（{place}）按值而不是按指针接收 WaitGroup，"
        "被等待的那个计数并没有减少。",
    ),
    "cause.waits.wg.round": (
        "Add at {add} counts {count} members in advance, but a round of the loop at {loop} that comes to {skip}"
        " ({condition}) starts none, so nobody calls Done for it.",
        "{add} 处的 Add 预先计入了 {count} 个成员，"
        "但 {loop} 处的循环在走到 {skip}（{condition}）的那一轮不会启动任何成员，因此没有人为它调用 Done。",
    ),
    "cause.waits.wg.round-one": (
        "Add at {add} counts one member up, but a round of the loop at {loop} that comes to {skip} ({condition})"
        " starts none, so nobody calls Done for it.",
        "{add} 处的 Add 计入一个成员，但 {loop} 处的循环在走到 {skip}（{condition}）的那一轮不会启动任何成员，"
        "因此没有人为它调用 Done。",
    ),
    "cause.waits.wg.path": (
        "{function} calls Done at {done}, which is not deferred: when it leaves at {left} ({condition}), Done is"
        " never called for that member and the count stays above zero.",
        "{function} 在 {done} 处调用 Done，但没有用 defer：当它从 {left} 退出时（{condition}），"
        "该成员的 Done 永远不会被调用，计数始终大于零。",
    ),
    "cause.waits.wg.late": (
        "{function} defers Done only at {done}: when it leaves before, at {left} ({condition}), Done is never called"
        " for that member and the count stays above zero.",
        "{function} 到 {done} 才用 defer 登记 Done：当它在此之前从 {left} 退出时（{condition}），"
        "该成员的 Done 永远不会被调用，计数始终大于零。",
    ),
    "cause.waits.wg.end": (
        "{function} calls Done at {done} on one of its paths only: when it comes to its end at {left} by another,"
        " Done is never called for that member and the count stays above zero.",
        "{function} 只在其中一条路径上调用 Done（{done}）：当它经另一条路径走到结尾 {left} 时，"
        "该成员的 Done 永远不会被调用，计数始终大于零。",
    ),
    "cause.waits.wg.panic": (
        "In {function} the Done at {done} is not deferred: when the call at {call} panics and somebody further up"
        " recovers, Done is passed over, and everybody who waits for that result waits for ever.",
        "{function} 中 {done} 处的 Done 没有用 defer：当 {call} 处的调用发生 panic 并被上层 recover 时，"
        "Done 会被跳过，所有等待该结果的 goroutine 将永远等下去。",
    ),
    "cause.waits.wg.panics": (
        "What is called there can panic at {place} ({code}).",
        "被调用的代码可能在 {place}（{code}）处 panic。",
    ),
    "cause.waits.cond.waits": (
        "At {wait} it waits at the condition variable {cond} as long as {condition}; it looks again only when"
        " somebody calls Signal or Broadcast.",
        "在 {wait} 处，只要 {condition} 成立，它就在条件变量 {cond} 上等待；"
        "只有有人调用 Signal 或 Broadcast 时它才会重新检查。",
    ),
    "cause.waits.cond.bare": (
        "At {wait} it waits at the condition variable {cond} until somebody calls Signal or Broadcast.",
        "在 {wait} 处，它在条件变量 {cond} 上等待，直到有人调用 Signal 或 Broadcast。",
    ),
    "cause.waits.cond.silent": (
        "{function} changes just that at {change} ({code}) and leaves at {left} without waking anybody, so the"
        " waiter does not notice.",
        "{function} 在 {change}（{code}）处恰好改变了这一状态，却在 {left} 处退出而没有唤醒任何人，等待者无从得知。",
    ),
    "cause.waits.cond.elsewhere": (
        "Only another path wakes a waiter: {call} at {wake}.",
        "只有另一条路径会唤醒等待者：{wake} 处的 {call}。",
    ),
    "cause.waits.cond.nobody": (
        "Nothing in this package calls Signal or Broadcast on {cond}.",
        "本包中没有任何代码对 {cond} 调用 Signal 或 Broadcast。",
    ),
    "cause.waits.cond.dropped": (
        "{function} forgets what is waited at ({drop}: {code}) on a path that neither changes that state nor wakes"
        " anybody; nobody can find it afterwards to do so.",
        "{function} 在 {drop}（{code}）处丢弃了被等待的对象，这条路径既不改变该状态也不唤醒任何人；"
        "此后再也没有人能找到它来唤醒等待者。",
    ),
    "cause.waits.cond.one": (
        "At {change} the state changes for good, for everybody who waits; but Signal at {signal} wakes only one of"
        " them, and that one wakes no other. It has to be Broadcast.",
        "{change} 处的状态改变对所有等待者都永久有效；但 {signal} 处的 Signal 只唤醒其中一个，"
        "而被唤醒者不会再唤醒别人。此处应使用 Broadcast。",
    ),
    "cause.waits.cond.not-asked": (
        "{function} sets {flag} at {set} and wakes the waiter at {wake}, but the condition at {loop} does not ask for"
        " {flag}: it finds nothing changed and waits on.",
        "{function} 在 {set} 处设置 {flag} 并在 {wake} 处唤醒等待者，但 {loop} 处的条件并不检查 {flag}："
        "它发现没有变化，于是继续等待。",
    ),
    "cause.waits.nil.send": (
        "At {wait} it sends on {channel}, which is nil: a send on a nil channel blocks for ever.",
        "在 {wait} 处，它向 {channel} 发送，而该 channel 为 nil：向 nil channel 发送会永远阻塞。",
    ),
    "cause.waits.nil.receive": (
        "At {wait} it receives from {channel}, which is nil: a receive from a nil channel blocks for ever.",
        "在 {wait} 处，它从 {channel} 接收，而该 channel 为 nil：从 nil channel 接收会永远阻塞。",
    ),
    "cause.waits.nil.unset": (
        "{function} builds the object at {place} ({code}) without giving it a channel.",
        "{function} 在 {place}（{code}）处构造对象时没有为它创建 channel。",
    ),
    "cause.waits.nil.branch": (
        "{function} makes the channel only on one branch, which {place} ({code}) decides; on the other it stays nil.",
        "{function} 只在由 {place}（{code}）决定的一个分支中创建 channel；在另一分支中它一直为 nil。",
    ),
    "cause.waits.nil.declared": (
        "It is declared at {place} ({code}) and has no value there.",
        "它在 {place}（{code}）处声明，但没有赋值。",
    ),
    "cause.waits.nil.passed": (
        "{function} passes nil in its place at {place} ({code}).",
        "{function} 在 {place}（{code}）处传入的就是 nil。",
    ),
    "cause.waits.nil.returned": (
        "{function} returns nil for it at {place} ({code}).",
        "{function} 在 {place}（{code}）处返回的就是 nil。",
    ),
    "cause.waits.nil.missing": (
        "It is looked up in a map at {place} ({code}), which gives nil for a key that is not there.",
        "它在 {place}（{code}）处从 map 中取出；键不存在时得到的是 nil。",
    ),
    "cause.waits.nil.emptied": (
        "{function} sets it to nil at {place} ({code}).",
        "{function} 在 {place}（{code}）处把它设为 nil。",
    ),
    "cause.waits.nil.only": (
        "The only place that makes it is {place} ({code}), and not everybody comes there.",
        "唯一创建它的地方是 {place}（{code}），而并非每次都会执行到那里。",
    ),
    "cause.waits.nil.nowhere": (
        "Nothing in this package ever makes a channel for {channel}.",
        "本包中没有任何代码为 {channel} 创建 channel。",
    ),
    "cause.waits.timer.sleeps": (
        "{function} sleeps at {wait}, again and again, in the loop at {loop}.",
        "{function} 在 {loop} 处的循环中，一再于 {wait} 处休眠。",
    ),
    "cause.waits.timer.ticks": (
        "{function} waits for the next tick at {wait}, again and again, in the loop at {loop}.",
        "{function} 在 {loop} 处的循环中，一再于 {wait} 处等待下一次定时。",
    ),
    "cause.waits.timer.endless": (
        "That loop has no way out: no return, no break, no channel or context that could stop it.",
        "该循环没有出口：没有 return、没有 break，也没有可以让它停下的 channel 或 context。",
    ),
    "cause.waits.timer.unless": (
        "That loop is left only at {left}, when {condition}; no channel or context can stop it before.",
        "该循环只在 {left} 处、当 {condition} 时才会退出；在此之前没有任何 channel 或 context 能让它停下。",
    ),
    "cause.waits.timer.deleted": (
        "What it works for is forgotten at {place} ({code}) in {function}; the goroutine is not told and goes on.",
        "它为之工作的对象在 {function} 的 {place}（{code}）处被丢弃；该 goroutine 并未得到通知，仍在继续。",
    ),
    "cause.waits.timer.emptied": (
        "What it works for is let go of at {place} ({code}) in {function}; the goroutine is not told and goes on.",
        "它为之工作的对象在 {function} 的 {place}（{code}）处被释放；该 goroutine 并未得到通知，仍在继续。",
    ),
    "cause.waits.timer.replaced": (
        "At {place} ({code}) {function} puts a new one in the place of the one before; the goroutine of the one before"
        " is not told and goes on.",
        "{function} 在 {place}（{code}）处用新的对象取代了原来的；原来那个对象的 goroutine 并未得到通知，仍在继续。",
    ),
    "cause.waits.timer.started": (
        "Each pass of {start} starts one more.",
        "每执行一次 {start} 就会多启动一个。",
    ),
    "cause.waits.context.deaf": (
        "{function} waits at {wait} in {call}, which is not given the context {context}: when the context ends, the"
        " wait goes on.",
        "{function} 在 {wait} 等待 {call} 返回，而这个调用没有传入 context {context}：context 结束后，等待仍在继续。",
    ),
    "cause.waits.context.left": (
        "{function}, which started it at {start}, gives up at {case} and returns at {left}; the goroutine stays"
        " behind in its wait.",
        "在 {start} 处启动它的 {function} 于 {case} 处放弃，并在 {left} 处返回；该 goroutine 则留在原处继续等待。",
    ),
    "cause.waits.context.behind": (
        "{close} at {place} would end the wait, but {function} comes there only after the call at {call} has"
        " returned, and that call is the one that waits.",
        "{place} 处的 {close} 可以结束等待，但 {function} 只有在 {call} 处的调用返回之后才会执行到那里，"
        "而正在等待的正是这次调用。",
    ),
    "cause.waits.context.dropped": (
        "At {place} ({code}) {function} lets go of it without closing {object}, which would have ended the wait.",
        "{function} 在 {place}（{code}）处将其丢弃，却没有关闭 {object}，而关闭它本可以结束等待。",
    ),
    "cause.waits.context.cancelled": (
        "{call} at {place} ends the context, but nobody looks at it during the wait.",
        "{place} 处的 {call} 结束了 context，但等待期间没有人查看它。",
    ),
    "cause.waits.context.child": (
        "The goroutine ties a derived context to a parent that is not of the context package, and ends only when one"
        " of them does.",
        "该 goroutine 把派生出的 context 与一个并非 context 包自身类型的父 context 连接起来，"
        "只有其中之一结束时它才会结束。",
    ),
    "cause.waits.context.blank": (
        "{function} derives a context at {place} and throws its cancel function away, so nobody can end it before its"
        " parent ends.",
        "{function} 在 {place} 处派生 context 却丢弃了它的 cancel 函数，因此在父 context 结束之前没有人能结束它。",
    ),
    "cause.waits.context.lost": (
        "{function} derives a context at {place}, and on the way out at {left} {cancel} is neither called nor handed"
        " on: the context lives until its parent ends.",
        "{function} 在 {place} 处派生 context，但从 {left} 退出时既没有调用 {cancel} 也没有把它交出去："
        "该 context 会一直存活到父 context 结束。",
    ),
    "fix.broadcast": (
        "Call Broadcast instead of Signal on {cond} at {place}: everybody who waits may go on.",
        "在 {place} 处对 {cond} 用 Broadcast 代替 Signal：所有等待者都可以继续。",
    ),
    "fix.broadcast.risk": (
        "All waiters wake at once and contend for the lock for a moment.",
        "所有等待者会同时醒来，短时间内争用同一把锁。",
    ),
    "fix.close-when-done": (
        "Call {close} when {context} ends, beside the wait at {place} and not behind it.",
        "在 {context} 结束时就调用 {close}，与 {place} 处的等待并行，而不是放在它之后。",
    ),
    "fix.close-when-done.risk": (
        "The close may now come while an item is being worked on; one more goroutine lives until {context} ends, so"
        " {context} has to end.",
        "关闭现在可能发生在处理某一项的过程中；另外多出一个 goroutine，"
        "直到 {context} 结束为止，因此 {context} 必须会结束。",
    ),
}

__all__ = ["WORDS"]
