"""Why a wait does not end: WaitGroup, condition variable, nil channel, timer, context: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "cause.waits.wg.waits": (
        "{wait} waits for WaitGroup {group} to reach zero.",
        "{wait} 等待 WaitGroup {group} 归零。",
    ),
    "cause.waits.wg.itself": (
        "The waiter is itself a member: its own Done ({done}) runs only after the call at {call} in {function} "
        "returns, and that call is the one that waits.",
        "但等待者自己也是成员：它的 Done（{done}）要等 {function} 中 {call} 的调用返回后才执行，而阻塞的正是这次调用。",
    ),
    "cause.waits.wg.copy": (
        "Done at {done} decrements a copy: {function} ({place}) takes the WaitGroup by value.",
        "{done} 的 Done 减的是副本：{function}（{place}）按值接收了 WaitGroup。",
    ),
    "cause.waits.wg.round": (
        "Add at {add} counts {count} members in advance, but an iteration of the loop at {loop} that reaches {skip} "
        "({condition}) starts none, so its Done is never called.",
        "{add} 的 Add 预先计入 {count} 个成员，但 {loop} 的循环走到 {skip}（{condition}）的那一轮没有启动成员，"
        "少一次 Done。",
    ),
    "cause.waits.wg.round-one": (
        "Add at {add} counts one member, but an iteration of the loop at {loop} that reaches {skip} ({condition}) "
        "starts none, so its Done is never called.",
        "{add} 的 Add 计入一个成员，但 {loop} 的循环走到 {skip}（{condition}）的那一轮没有启动成员，少一次 Done。",
    ),
    "cause.waits.wg.path": (
        "{function} calls Done at {done} without defer. When it returns at {left} ({condition}), Done is skipped.",
        "{function} 在 {done} 调用 Done 但没有用 defer；从 {left} 返回时（{condition}）Done 被跳过。",
    ),
    "cause.waits.wg.late": (
        "{function} defers Done only at {done}. When it returns earlier, at {left} ({condition}), Done is skipped.",
        "{function} 到 {done} 才 defer Done；提前从 {left} 返回时（{condition}）Done 被跳过。",
    ),
    "cause.waits.wg.end": (
        "{function} calls Done at {done} on one path only. When it ends at {left} by another path, Done is skipped.",
        "{function} 只在一条路径上调用 Done（{done}）；经其他路径到 {left} 结束时 Done 被跳过。",
    ),
    "cause.waits.wg.member": (
        "{wait} waits for a member that is itself blocked in the send at {send}.",
        "{wait} 等待的成员自己阻塞在 {send} 的发送上。",
    ),
    "cause.waits.wg.handed": (
        "{code} at {call} is handed the function that calls Done ({done}).",
        "{call} 的 {code} 接收了负责调用 Done 的函数（{done}）。",
    ),
    "cause.waits.wg.dropped": (
        "{function} leaves at {left} ({condition}) without calling it or passing it on, so that Done is never called.",
        "{function} 从 {left}（{condition}）离开时既没有调用它，也没有传递出去，少一次 Done。",
    ),
    "cause.waits.wg.panic": (
        "Done at {done} in {function} is not deferred. When the call at {call} panics and the panic is recovered "
        "further up, Done is skipped, and every waiter blocks forever.",
        "{function} 中 {done} 的 Done 没有用 defer；{call} 的调用 panic 并被上层 recover 时 Done 被跳过，"
        "等待者永远阻塞。",
    ),
    "cause.waits.wg.panics": (
        "The called code can panic at {place} ({code}).",
        "被调代码可能在 {place}（{code}）panic。",
    ),
    "cause.waits.cond.waits": (
        "{wait} waits on {cond} while {condition}; it re-checks only after Signal or Broadcast.",
        "{wait} 在 {condition} 时等待 {cond}，只有 Signal 或 Broadcast 之后才会重新检查。",
    ),
    "cause.waits.cond.bare": (
        "{wait} waits on {cond} until Signal or Broadcast.",
        "{wait} 等待 {cond} 的 Signal 或 Broadcast。",
    ),
    "cause.waits.cond.silent": (
        "{function} changes that state at {change} ({code}) and returns at {left} without a Signal or Broadcast.",
        "{function} 在 {change}（{code}）改变了该状态，却没有 Signal 或 Broadcast 就在 {left} 返回。",
    ),
    "cause.waits.cond.elsewhere": (
        "Only another path wakes the waiter: {call} at {wake}.",
        "只有另一条路径会唤醒等待者：{wake} 的 {call}。",
    ),
    "cause.waits.cond.nobody": (
        "Nothing in this package calls Signal or Broadcast on {cond}.",
        "包内没有代码对 {cond} 调用 Signal 或 Broadcast。",
    ),
    "cause.waits.cond.dropped": (
        "{function} drops the object with the waiter ({drop}: {code}) without waking it. Nothing can reach it "
        "afterwards.",
        "{function} 在 {drop}（{code}）丢弃了被等待的对象且没有唤醒等待者，此后再也无法唤醒。",
    ),
    "cause.waits.cond.one": (
        "The state change at {change} concerns every waiter, but Signal at {signal} wakes only one. It has to be "
        "Broadcast.",
        "{change} 的状态改变与所有等待者有关，但 {signal} 的 Signal 只唤醒一个，应改用 Broadcast。",
    ),
    "cause.waits.cond.not-asked": (
        "{function} sets {flag} at {set} and wakes the waiter at {wake}, but the condition at {loop} does not check "
        "{flag}: the waiter waits again.",
        "{function} 在 {set} 设置 {flag} 并在 {wake} 唤醒等待者，但 {loop} 的条件不检查 {flag}，等待者继续等待。",
    ),
    "cause.waits.nil.send": (
        "{wait} sends on {channel}, which is nil: it blocks forever.",
        "{wait} 向 {channel} 发送，而它为 nil，永远阻塞。",
    ),
    "cause.waits.nil.receive": (
        "{wait} receives from {channel}, which is nil: it blocks forever.",
        "{wait} 从 {channel} 接收，而它为 nil，永远阻塞。",
    ),
    "cause.waits.nil.unset": (
        "{function} creates the object at {place} ({code}) without a channel.",
        "{function} 在 {place}（{code}）创建对象时没有创建 channel。",
    ),
    "cause.waits.nil.branch": (
        "{function} creates the channel only on one branch of {place} ({code}); on the other it stays nil.",
        "{function} 只在 {place}（{code}）的一个分支创建 channel，另一分支保持 nil。",
    ),
    "cause.waits.nil.declared": (
        "It is declared at {place} ({code}) without a value.",
        "它在 {place}（{code}）声明，没有赋值。",
    ),
    "cause.waits.nil.passed": (
        "{function} passes nil for it at {place} ({code}).",
        "{function} 在 {place}（{code}）传入 nil。",
    ),
    "cause.waits.nil.returned": (
        "{function} returns nil for it at {place} ({code}).",
        "{function} 在 {place}（{code}）返回 nil。",
    ),
    "cause.waits.nil.missing": (
        "It is read from a map at {place} ({code}), which returns nil for a missing key.",
        "它在 {place}（{code}）从 map 读取，键不存在时得到 nil。",
    ),
    "cause.waits.nil.emptied": (
        "{function} sets it to nil at {place} ({code}).",
        "{function} 在 {place}（{code}）将它设为 nil。",
    ),
    "cause.waits.nil.only": (
        "It is created only at {place} ({code}), which is not on every path.",
        "它只在 {place}（{code}）创建，并非每条路径都经过。",
    ),
    "cause.waits.nil.nowhere": ("Nothing in this package creates {channel}.", "包内没有代码创建 {channel}。"),
    "cause.waits.timer.sleeps": (
        "{function} sleeps at {wait} in the loop at {loop}.",
        "{function} 在 {loop} 的循环中反复休眠（{wait}）。",
    ),
    "cause.waits.timer.ticks": (
        "{function} waits for the next tick at {wait} in the loop at {loop}.",
        "{function} 在 {loop} 的循环中反复等待定时（{wait}）。",
    ),
    "cause.waits.timer.endless": (
        "The loop has no exit: no return, break, stop channel or context.",
        "循环没有出口：没有 return、break、停止 channel 或 context。",
    ),
    "cause.waits.timer.unless": (
        "The loop exits only at {left}, when {condition}; no stop channel or context ends it earlier.",
        "循环只在 {condition} 时从 {left} 退出，没有停止 channel 或 context 可以提前结束。",
    ),
    "cause.waits.timer.deleted": (
        "{function} deletes the object it serves at {place} ({code}) without stopping the goroutine.",
        "{function} 在 {place}（{code}）删除了它所服务的对象，但没有停止协程。",
    ),
    "cause.waits.timer.emptied": (
        "{function} drops the object it serves at {place} ({code}) without stopping the goroutine.",
        "{function} 在 {place}（{code}）释放了它所服务的对象，但没有停止协程。",
    ),
    "cause.waits.timer.replaced": (
        "{function} replaces the object at {place} ({code}) without stopping the goroutine of the old one.",
        "{function} 在 {place}（{code}）用新对象替换旧对象，没有停止旧对象的协程。",
    ),
    "cause.waits.timer.started": ("Every pass through {start} starts one more.", "每执行一次 {start} 就多启动一个。"),
    "cause.waits.context.deaf": (
        "{function} is blocked at {wait} in {call}, which does not take the context {context}: cancelling it does "
        "not end the wait.",
        "{function} 阻塞在 {wait} 的 {call}，该调用没有传入 context {context}，取消 context 不起作用。",
    ),
    "cause.waits.context.unwatched": (
        "{function} waits at {wait} for what others send and does not watch {context}: after its client has left, "
        "the request goes on waiting.",
        "{function} 在 {wait} 等待其他方发送，但没有监听 {context}：客户端离开后，该请求仍继续等待。",
    ),
    "cause.waits.context.not-given": (
        "{function}, which has the context, does not pass it on at {call}.",
        "持有该 context 的 {function} 在 {call} 没有把它传下去。",
    ),
    "cause.waits.context.left": (
        "{function} started it at {start}, gives up at {case} and returns at {left}. The goroutine stays blocked.",
        "{function} 在 {start} 启动它，于 {case} 放弃并在 {left} 返回，协程则一直阻塞。",
    ),
    "cause.waits.context.behind": (
        "{close} at {place} would end the wait, but {function} reaches it only after the call at {call} returns, "
        "and that call is the one that waits.",
        "{place} 的 {close} 可以结束等待，但 {function} 要等 {call} 的调用返回后才执行到，而阻塞的正是这次调用。",
    ),
    "cause.waits.context.dropped": (
        "{function} drops it at {place} ({code}) without closing {object}, which would have ended the wait.",
        "{function} 在 {place}（{code}）丢弃它时没有关闭 {object}，而关闭本可结束等待。",
    ),
    "cause.waits.context.cancelled": (
        "{call} at {place} cancels the context, but the wait does not watch it.",
        "{place} 的 {call} 取消了 context，但等待处并不检查它。",
    ),
    "cause.waits.context.child": (
        "The goroutine links a derived context to a parent of a custom type, and exits only when one of them is done.",
        "协程用于关联派生 context 与自定义类型的父 context，其中之一结束时才退出。",
    ),
    "cause.waits.context.blank": (
        "{function} derives a context at {place} and discards its cancel function: it lives as long as its parent.",
        "{function} 在 {place} 派生 context 却丢弃了 cancel 函数，只能等父 context 结束。",
    ),
    "cause.waits.context.lost": (
        "{function} derives a context at {place}, and on the path through {left} {cancel} is neither called nor "
        "passed on: the context lives as long as its parent.",
        "{function} 在 {place} 派生 context，经 {left} 返回时既没有调用 {cancel} 也没有传递出去，只能等父 context "
        "结束。",
    ),
    "fix.broadcast": (
        "Call Broadcast instead of Signal on {cond} at {place}.",
        "{place} 处对 {cond} 改用 Broadcast 代替 Signal。",
    ),
    "fix.broadcast.risk": (
        "All waiters wake at once and briefly contend for the lock.",
        "所有等待者同时醒来，短时间内争抢锁。",
    ),
    "fix.close-when-done": (
        "Call {close} when {context} is done, in parallel with the wait at {place}, not after it.",
        "{context} 结束时即调用 {close}，与 {place} 的等待并行，而不是放在其后。",
    ),
    "fix.close-when-done.risk": (
        "Close may now run while an item is processed. One more goroutine lives until {context} is done.",
        "close 可能发生在处理过程中；另有一个协程存活到 {context} 结束。",
    ),
}
