"""Drafted fixes: what a diff does, and what could go wrong with it. Key -> (English, Chinese)."""

_FIXES: dict[str, tuple[str, str, str, str]] = {  # what it does, its risk; then both in Chinese
    "buffer-of-one": (
        "Make the channel at {place} buffered (1): the sender then exits even without a receiver.",
        "Works if at most one value is sent without a receiver. That value is lost.",
        "将 {place} 的 channel 缓冲设为 1：没有接收方时发送方也能退出。",
        "仅适用于无接收方时最多发送一个值的情况，该值会丢失。",
    ),
    "buffer-for": (
        "Make the channel at {place} buffered for every sender ({count}): all of them then exit even without a "
        "receiver.",
        "Works if each sender sends at most once. Values without a receiver are lost, and the buffer holds them all.",
        "将 {place} 的 channel 缓冲设为发送方数量（{count}）：没有接收方时也都能退出。",
        "仅适用于每个发送方最多发送一次的情况；无人接收的值会丢失，并占用缓冲内存。",
    ),
    "drain-one": (
        "Before the return at {place}, receive the outstanding value from {channel}.",
        "The function now waits for that value, forever if it is never sent.",
        "在 {place} 返回之前，先接收 {channel} 上尚未收到的值。",
        "函数会等待该值；若一直不发送，则永不返回。",
    ),
    "drain-rest": (
        "On the return at {place}, start a goroutine that drains {channel} until it is closed.",
        "The senders finish unused work, and the goroutine exits only when {channel} is closed.",
        "在 {place} 返回时，启动一个协程持续排空 {channel}，直到它被 close。",
        "发送方仍会做完无用的工作；{channel} 被 close 后该协程才退出。",
    ),
    "drain-after-stop": (
        "Drain {channel} after the stop at {place}: deferred calls run last in, first out, so the drain ends when "
        "the sender closes the channel.",
        "It waits until the sender closes the channel. If the sender never does, this function never returns.",
        "在 {place} 停止之后排空 {channel}：defer 后进先出，发送方 close 后排空即结束。",
        "会等待发送方 close；若发送方一直不 close，函数不会返回。",
    ),
    "select-with-done": (
        "Also select on {done} at {place}, so that the wait can end.",
        "The value is then dropped. Check that nothing relies on it, and that {done} fires when the work ends, not "
        "earlier.",
        "让 {place} 的等待同时响应 {done}。",
        "此时的值会被丢弃；请确认没有代码依赖它，且 {done} 在工作结束时才触发。",
    ),
    "defer-close": (
        "Close {channel} when the function at {place} returns, so that its receivers exit.",
        "Only the single sender may close a channel, once: a second close, or a send after it, panics.",
        "在 {place} 所在函数返回时 close {channel}，让接收方退出。",
        "channel 只能由唯一的发送方 close 一次：重复 close 或之后再发送会 panic。",
    ),
    "close-before": (
        "Close {channel} before the return at {place}, so that its receivers exit.",
        "Receivers get the zero value, which must not read as success. Only the single sender may close a channel, "
        "once: a second close, or a send after it, panics.",
        "在 {place} 返回之前 close {channel}，让接收方退出。",
        "接收方会得到零值，不能当作成功处理。channel 只能由唯一的发送方 close 一次：重复 close 或之后再发送会 panic。",
    ),
    "return-after": (
        "Return right after the send at {place}, so that nothing is sent twice.",
        "Code after this line no longer runs on this path.",
        "在 {place} 发送后立即返回，避免二次发送。",
        "该路径上，此行之后的代码不再执行。",
    ),
    "leave-loop": (
        "Leave the loop at line {loop} at {place}, where break leaves only the inner select or switch.",
        "Code that relied on the loop continuing is affected.",
        "在 {place} 退出第 {loop} 行的循环；此处的 break 只跳出内层 select 或 switch。",
        "依赖该循环继续运行的代码会受影响。",
    ),
    "pass-context": (
        "Pass {value} to {function} at {place}: what it starts then ends with the caller.",
        "Work that was meant to go on after the caller has returned is cancelled, too.",
        "在 {place} 把 {value} 传给 {function}，它启动的内容就会随调用方结束。",
        "原本打算在调用方返回后继续的工作也会被取消。",
    ),
    "make-field": (
        "Make {field} when the {type} is created at {place}: a send or receive on a nil channel blocks forever.",
        "Other places that create a {type} need it too, and code that checks {field} for nil behaves differently.",
        "在 {place} 创建 {type} 时一并创建 {field}：nil channel 的收发会永远阻塞。",
        "其他创建 {type} 的地方也要同样处理；以 nil 判断 {field} 的代码会受影响。",
    ),
    "defer-call": (
        "Defer {call} after {place}, so that every return path calls it.",
        "If code still uses it after the return, or calls it elsewhere too, it ends too early or twice.",
        "在 {place} 之后 defer {call}，确保每条返回路径都会调用。",
        "若返回后仍有代码使用它，或别处也会调用，会过早结束或重复调用。",
    ),
    "defer-at-start": (
        "Defer {call} as the first statement of the function at {place}: it then runs on every return path, "
        "including panics.",
        "It now runs after everything else in the function; its waiters wait that long.",
        "把 defer {call} 放在 {place} 处函数的第一行：任何返回路径（包括 panic）都会执行。",
        "它会在函数其余工作完成后才执行，等待方也要等到那时。",
    ),
    "take-if-there": (
        "At {place} receive the value only if there is one (`{code}` in a select with default).",
        "If another goroutine receives from the timer too, either may get the value.",
        "在 {place} 仅当有值时才接收（把 `{code}` 放进带 default 的 select）。",
        "若另有协程接收该 timer，值可能被任一方取走。",
    ),
    "call-later": (
        "Do not call {call} ({place}) while the lock is held ({holder}): call it after the lock is released, or in "
        "its own goroutine.",
        "It then runs later, on possibly changed state.",
        "不要在持锁期间（{holder}）调用 {call}（{place}）：释放锁之后再调用，或放到独立协程。",
        "执行时间推后，状态可能已变化。",
    ),
    "give-back": (
        "Call `{call}` before {place} too, as the other return paths do.",
        "If this path calls it elsewhere, it now runs twice.",
        "在 {place} 之前也执行 `{call}`，与其他返回路径一致。",
        "若该路径别处也会执行，则会执行两次。",
    ),
    "wait-bounded": (
        "Bound the wait at {place} (context, timeout or a default case), and do not hold {lock} during it. "
        "Unlocking alone frees the others; this goroutine would still block.",
        "The caller has to handle the case that the wait fails.",
        "给 {place} 的等待设上限（context、超时或 default 分支），并且期间不要持有 {lock}。只解锁能放行其他协程，"
        "但这个协程仍会阻塞。",
        "调用方必须能处理等待失败的情况。",
    ),
    "call-before": (
        "Call {call} before {place}.",
        "If this path calls it elsewhere too, it now runs twice.",
        "在 {place} 之前调用 {call}。",
        "若该路径别处也会调用，则会调用两次。",
    ),
    "call-after": (
        "Call {call} after {place}.",
        "If this path calls it elsewhere too, it now runs twice.",
        "在 {place} 之后调用 {call}。",
        "若该路径别处也会调用，则会调用两次。",
    ),
    "close-unkept": (
        "Close the discarded result of {call} at {place}.",
        "It is closed unread: to reuse the connection, read the rest first.",
        "关闭 {place} 处被丢弃的 {call} 返回值。",
        "未读取就关闭：若要复用连接，请先读完。",
    ),
    "clone-piece": (
        "Copy the piece sliced at {place} ({piece}), so that the whole buffer is freed.",
        "Each copy allocates; where pieces are as large as the whole, nothing is saved.",
        "复制 {place} 截取的片段（{piece}），使整块缓冲得以释放。",
        "每次复制都会分配内存；片段与整体同样大时没有收益。",
    ),
    "pointer-receiver": (
        "Use a pointer receiver for {function} at {place}: a value receiver changes a copy of {type}.",
        "Interfaces that need this method are then satisfied only by pointers to {type}.",
        "{place} 的 {function} 改用指针接收者：值接收者修改的只是 {type} 的副本。",
        "此后只有 {type} 的指针实现需要该方法的接口。",
    ),
    "keep-cancel": (
        "Keep the cancel function of the context created at {place}, and defer it.",
        "Work that still uses {context} after the return is cancelled.",
        "保留 {place} 所建 context 的 cancel 函数并 defer。",
        "函数返回后仍使用 {context} 的工作会被取消。",
    ),
    "stop-old": (
        "Before {held} is overwritten at {place}, end the old value with {call}.",
        "Code that still uses the old value sees it stopped. Check that {call} takes no lock that is held here.",
        "在 {place} 覆盖 {held} 之前，先用 {call} 结束旧值。",
        "仍在使用旧值的代码会发现它已结束；请确认 {call} 不会获取此处已持有的锁。",
    ),
    "stop-deleted": (
        "Before {held} is deleted at {place}, end its value with {call}.",
        "Code that still uses it sees it stopped. Check that {call} takes no lock that is held here.",
        "在 {place} 删除 {held} 之前，先用 {call} 结束其中的对象。",
        "仍在使用它的代码会发现它已结束；请确认 {call} 不会获取此处已持有的锁。",
    ),
    "close-deleted": (
        "Before {held} is deleted at {place}, call {call}, so that its waiters exit.",
        "Receivers get the zero value, which must not read as success; a send after the close panics.",
        "在 {place} 删除 {held} 之前调用 {call}，让等待方退出。",
        "接收方会得到零值，不能当作成功处理；close 后再发送会 panic。",
    ),
    "unlock-before": (
        "Call {call} before the return at {place}.",
        "If some path reaches this line without the lock, unlocking is fatal. A deferred unlock after the lock is "
        "safer if the whole function may hold it.",
        "在 {place} 返回之前调用 {call}。",
        "若某条路径到达此行时并未持锁，解锁会导致进程崩溃；若整个函数都可持锁，加锁后 defer 解锁更安全。",
    ),
    "defer-unlock": (
        "Defer {call} right after the lock at {place}: every return path, including panics, then unlocks.",
        "The lock is held until the function returns; slow code after this line makes others wait longer.",
        "在 {place} 加锁后立即 defer {call}，任何返回路径（包括 panic）都会解锁。",
        "锁会持有到函数返回，其后的慢操作会让其他协程等更久。",
    ),
    "locked-variant": (
        "Call {variant} instead of {function} at {place}: it expects the lock to be held.",
        "Check that {variant} does everything {function} does.",
        "在 {place} 用 {variant} 代替 {function}：前者要求已持锁，不会再次加锁。",
        "请确认 {variant} 覆盖 {function} 的全部功能。",
    ),
    "unlock-first": (
        "Call {call} before the call at {place}, which takes the same lock.",
        "Between the unlock and the call, other goroutines may change the guarded data.",
        "在 {place} 的调用之前先 {call}，因为它会获取同一把锁。",
        "解锁到调用之间，其他协程可能修改受保护的数据。",
    ),
    "lock-order": (
        "Take {first} and {second} in one order everywhere; {place} takes them the other way round.",
        "With the order changed, data read under the first lock has to be read again.",
        "统一 {first} 和 {second} 的加锁顺序；{place} 的顺序相反。",
        "改变顺序后，在第一把锁下读到的数据需要重新读取。",
    ),
    "lock-circle": (
        "Take {locks} in one order everywhere; {place} is one of the lines that do not.",
        "With the order changed, data read under the first lock has to be read again.",
        "统一 {locks} 的加锁顺序；{place} 是违反顺序的位置之一。",
        "改变顺序后，在第一把锁下读到的数据需要重新读取。",
    ),
    "nested-group": (
        "Start the nested work at {place} in its own group, or use `{group}`.TryGo and run the work inline when it "
        "returns false.",
        "With one group per level the limit applies per level: more run at once.",
        "{place} 的嵌套任务改用独立的组，或用 `{group}`.TryGo，返回 false 时就地执行。",
        "每层一个组时，上限按层生效，总并发会更高。",
    ),
    "keep-receiving": (
        "Do not leave the loop at {exit}: report the error to the requester and continue. Or close a channel when "
        "{function} returns, and let every sender select on it.",
        "Continuing after an error needs a usable state; code that relied on the exit needs another signal.",
        "不要在 {exit} 退出循环：把错误返回给请求方并 continue。或在 {function} 返回时 close 一个 channel，"
        "让每个发送方在 select 中监听。",
        "出错后继续运行要求状态仍可用；依赖其退出的代码需要改用其他信号。",
    ),
    "lock-pair": (
        "Where {place} takes the {lock} of a second object, order the two by an id or name, or unlock the first "
        "before.",
        "If the first is unlocked in between, other goroutines may change its data.",
        "{place} 获取第二个对象的 {lock} 时，按 id 或名称固定顺序加锁，或先解开第一把。",
        "若中途解开第一把锁，其他协程可能修改其数据。",
    ),
    "call-unlocked": (
        "Unlock {lock} before the call at {place}, or split the callee into a locking variant and one that expects "
        "the lock to be held.",
        "If it is unlocked in between, other goroutines may change the guarded data.",
        "在 {place} 的调用之前解锁 {lock}，或把被调函数拆成加锁版和要求已持锁版。",
        "若中途解锁，其他协程可能修改受保护的数据。",
    ),
    "wait-unlocked": (
        "Unlock {lock} before the wait at {place}: copy the guarded data, then wait without the lock.",
        "The copy may be stale after the wait.",
        "在 {place} 等待之前解锁 {lock}：先复制受保护的数据，再不持锁等待。",
        "等待结束时，复制的数据可能已过期。",
    ),
    "set-timeout": (
        "Set a timeout on the {type} created at {place}: {field}: {value}.",
        "Requests that legitimately take longer fail; choose the value by the service's SLO.",
        "为 {place} 创建的 {type} 设置超时：{field}: {value}。",
        "确实需要更长时间的请求会失败，请按服务 SLO 取值。",
    ),
    "client-timeout": (
        "Replace {function} at {place}, which has no timeout, by a client with a timeout ({value}).",
        "Requests that legitimately take longer, including reading the body, fail.",
        "将 {place} 处没有超时的 {function} 换成带超时（{value}）的 client。",
        "确实需要更长时间的请求（包括读取 body）会失败。",
    ),
    "with-timeout": (
        "Pass {function} at {place} a context with a timeout of {value}.",
        "Calls that legitimately take longer fail; the result must not be read after the function returns.",
        "为 {place} 的 {function} 传入超时为 {value} 的 context。",
        "确实需要更长时间的调用会失败；函数返回后不能再读取其结果。",
    ),
    "set-deadline": (
        "Set a deadline on {conn} before {place} ({value}), so that a silent peer cannot block it forever.",
        "Peers that are legitimately silent for longer are cut off: send keep-alives, or choose a longer deadline.",
        "在 {place} 之前为 {conn} 设置截止时间（{value}），避免被沉默的对端永久阻塞。",
        "确实会沉默更久的对端会被断开：请发送 keep-alive，或放宽时限。",
    ),
}

WORDS: dict[str, tuple[str, str]] = {
    key: words
    for kind, (what, risk, what_zh, risk_zh) in _FIXES.items()
    for key, words in ((f"fix.{kind}", (what, what_zh)), (f"fix.{kind}.risk", (risk, risk_zh)))
}
