"""Drafted fixes: what a diff does, and what could go wrong with it. Key -> (English, Chinese)."""

_FIXES: dict[str, tuple[str, str, str, str]] = {  # what it does, its risk; then both in Chinese
    "buffer-of-one": (
        "Give the channel made at {place} room for one value: the sender is then done even when nobody receives "
        "any more.",
        "It helps when at most one value is sent while nobody receives. That value is lost, and the sender no longer "
        "notices that nobody wanted it.",
        "让 {place} 处创建的 channel 能存放一个值：即使不再有人接收，发送方也能结束。",
        "仅当无人接收时最多只发送一个值才有效。该值会丢失，发送方也不再察觉无人需要它。",
    ),
    "buffer-for": (
        "Give the channel made at {place} room for one value of each sender ({count}): all of them are then "
        "done even when nobody receives any more.",
        "It helps when each of them sends at most once. The values nobody receives are lost, and the buffer "
        "takes memory for all of them.",
        "让 {place} 处创建的 channel 能为每个发送方存放一个值（{count}）：即使不再有人接收，它们也都能结束。",
        "仅当每个发送方最多发送一次才有效。无人接收的值会丢失，缓冲区会占用全部值的内存。",
    ),
    "drain-one": (
        "Before the function is left at {place}, receive the value that is still to come from {channel}.",
        "The function now waits for that value: it is left as late as the sender sends, and never when the "
        "sender does not.",
        "在 {place} 处离开函数之前，先接收 {channel} 上尚未收到的值。",
        "函数会等待该值：发送方何时发送，函数才何时返回；若发送方不发送，则永不返回。",
    ),
    "drain-rest": (
        "When the function is left at {place}, let a goroutine receive what is still sent to {channel}, until "
        "it is closed.",
        "The senders do all their work for nobody, and the goroutine ends only when {channel} is closed.",
        "在 {place} 处离开函数时，用一个 goroutine 继续接收 {channel} 上的值，直到它被关闭。",
        "发送方的工作全部白做；只有 {channel} 被关闭后该 goroutine 才会结束。",
    ),
    "drain-after-stop": (
        "Take out of {channel} what is left once it was stopped at {place}: what is deferred first runs last, so the "
        "loop ends when the sender closes it.",
        "It waits until the sender has noticed the stop and closed the channel; with a sender that never does, this "
        "function never returns.",
        "在 {place} 停止之后取出 {channel} 中剩余的值：先 defer 的后执行，因此发送方关闭它时循环结束。",
        "它会等到发送方察觉停止并关闭 channel；如果发送方始终不关闭，这个函数也不会返回。",
    ),
    "select-with-done": (
        "Let the wait at {place} end with {done}.",
        "What would have been sent or received is dropped then; check that nobody relies on it, and that {done} "
        "is done when the work is over and not earlier.",
        "让 {place} 处的等待随 {done} 一起结束。",
        "此时本应发送或接收的值会被丢弃；请确认无人依赖它，并且 {done} 恰在工作结束时触发而不会更早。",
    ),
    "defer-close": (
        "Close {channel} when the function around {place} is left, so that whoever receives from it ends.",
        "A channel must be closed once, and by the only sender: a second close, or a send after it, panics.",
        "在离开 {place} 所在函数时关闭 {channel}，使接收方得以结束。",
        "channel 只能关闭一次，且只能由唯一的发送方关闭：重复关闭或关闭后再发送会 panic。",
    ),
    "close-before": (
        "Close {channel} before the function is left at {place}, so that whoever receives from it ends.",
        "Whoever receives gets the zero value, which must not read as success. A channel must be closed once, and "
        "by the only sender: a second close, or a send after it, panics.",
        "在 {place} 处离开函数之前关闭 {channel}，使接收方得以结束。",
        "接收方会得到零值，不能把它当作成功。channel 只能关闭一次，且只能由唯一的发送方关闭："
        "重复关闭或关闭后再发送会 panic。",
    ),
    "return-after": (
        "Leave the function behind the send at {place}, so that nothing is sent a second time.",
        "What the function did behind this line is no longer done on this way.",
        "在 {place} 处发送之后离开函数，避免第二次发送。",
        "此行之后的工作在这条路径上不再执行。",
    ),
    "leave-loop": (
        "Leave the loop of line {loop} at {place}, where break leaves only the select or switch inside it.",
        "Whatever relied on the loop going on after this line now has to live without it.",
        "在 {place} 处离开第 {loop} 行的循环；此处的 break 只离开其中的 select 或 switch。",
        "依赖该循环在此之后继续运行的代码将受到影响。",
    ),
    "make-field": (
        "Make {field} when the {type} is made at {place}: until then it is nil, and a send or receive on nil "
        "waits forever.",
        "Other places that make a {type} need it too, and whoever tests {field} for nil now finds it set.",
        "在 {place} 处创建 {type} 时一并创建 {field}：否则它为 nil，对 nil 的收发会永远等待。",
        "其他创建 {type} 的地方也需要同样处理；以 nil 判断 {field} 的代码将看到它已设置。",
    ),
    "defer-call": (
        "Defer {call} behind {place}, so that it is called however the function is left.",
        "If something that outlives the function still uses it, or if it is called elsewhere too, it is now "
        "ended early or twice.",
        "在 {place} 之后 defer {call}，使其无论函数如何返回都会被调用。",
        "如果函数返回后仍有代码使用它，或别处也会调用，则它会被过早结束或结束两次。",
    ),
    "defer-at-start": (
        "Defer {call} as the first statement of the function at {place}: it is then called on every way out, a panic "
        "included.",
        "It is now called last, after everything else the function does; whoever waits for it waits that long.",
        "把 defer {call} 作为 {place} 处函数的第一条语句：无论如何返回（包括 panic）都会被调用。",
        "它现在在函数其他工作全部完成之后才被调用；等待它的一方也要等到那时。",
    ),
    "take-if-there": (
        "At {place} take the value only if there is one (`{code}` in a select with default).",
        "Where another goroutine receives from the timer too, either of them may get the value.",
        "在 {place} 处仅在有值时才取走它（把 `{code}` 放进带 default 的 select）。",
        "如果另一个 goroutine 也从该定时器接收，则其中任何一个都可能取到该值。",
    ),
    "call-later": (
        "Do not call {call} ({place}) from within what is called while the lock is held ({holder}): remember it and do "
        "it after that has returned, or in a goroutine of its own.",
        "It is then done later, when things may have changed.",
        "不要在持锁期间（{holder}）被调用的代码里调用 {call}（{place}）：先记下来，等它返回之后再做，或放到单独的 "
        "goroutine 中。",
        "届时执行较晚，情况可能已变化。",
    ),
    "give-back": (
        "Do `{call}` before {place} too, as the other ways out do.",
        "If it is done elsewhere on this way, it is now done twice.",
        "在 {place} 之前也执行 `{call}`，与其他退出路径一致。",
        "如果这条路径的别处也会执行它，则会执行两次。",
    ),
    "wait-bounded": (
        "Let the wait at {place} end by itself (a context, a time limit, or a case that gives up), and do not hold "
        "{lock} meanwhile. Unlocking alone lets the others go on; this goroutine would still wait.",
        "Whoever called must be able to do without what was waited for.",
        "让 {place} 处的等待能够自行结束（context、时限，或放弃的分支），并且期间不要持有 {lock}。"
        "仅仅解锁只能让其他 goroutine 继续，这个 goroutine 仍会等待。",
        "调用方必须能够在得不到所等之物时继续。",
    ),
    "call-before": (
        "Call {call} before {place}.",
        "If it is called elsewhere on this way too, it is now called twice.",
        "在 {place} 之前调用 {call}。",
        "如果这条路径的别处也会调用它，则会被调用两次。",
    ),
    "call-after": (
        "Call {call} behind {place}.",
        "If it is called elsewhere on this way too, it is now called twice.",
        "在 {place} 之后调用 {call}。",
        "如果这条路径的别处也会调用它，则会被调用两次。",
    ),
    "close-unkept": (
        "Close what {call} returns at {place}, which nobody keeps.",
        "It is closed without being read: when the connection is to be used again, read the rest first.",
        "关闭 {place} 处 {call} 返回而无人保留的内容。",
        "它未经读取就被关闭：若要复用连接，请先读完剩余内容。",
    ),
    "clone-piece": (
        "Copy the piece that is cut out at {place} ({piece}), so that the whole it was cut from need not be kept.",
        "Each copy is an allocation; where pieces are as large as the whole, nothing is saved.",
        "复制 {place} 处截取的片段（{piece}），从而不必保留被截取的整体。",
        "每次复制都会分配内存；若片段与整体一样大，则没有收益。",
    ),
    "pointer-receiver": (
        "Let {function} at {place} work on the {type} itself: with a value receiver it changes a copy.",
        "Values of {type} no longer have this method where an interface asks for it, only pointers do.",
        "让 {place} 处的 {function} 作用于 {type} 本身：值接收者只会修改副本。",
        "在接口要求该方法的地方，{type} 的值不再具有此方法，只有指针具有。",
    ),
    "keep-cancel": (
        "Keep the cancel function of the context made at {place}, and defer it.",
        "Work that goes on with {context} after the function returned is cancelled then.",
        "保留 {place} 处所建 context 的 cancel 函数，并 defer 调用。",
        "函数返回后仍使用 {context} 的工作会被取消。",
    ),
    "stop-old": (
        "Before {held} is given another value at {place}, end the old one with {call}.",
        "Whoever else still uses the old one finds it ended; check that {call} takes no lock that is held here.",
        "在 {place} 处为 {held} 赋新值之前，先用 {call} 结束旧的。",
        "仍在使用旧值的一方会发现它已结束；请确认 {call} 不会获取此处已持有的锁。",
    ),
    "stop-deleted": (
        "Before {held} is deleted at {place}, end what it holds with {call}.",
        "Whoever else still uses it finds it ended; check that {call} takes no lock that is held here.",
        "在 {place} 处删除 {held} 之前，先用 {call} 结束其中的对象。",
        "仍在使用它的一方会发现它已结束；请确认 {call} 不会获取此处已持有的锁。",
    ),
    "close-deleted": (
        "Before {held} is deleted at {place}, call {call}, so that whoever waits for it ends.",
        "Whoever receives gets the zero value, which must not read as success; a send after the close panics.",
        "在 {place} 处删除 {held} 之前调用 {call}，使等待它的一方得以结束。",
        "接收方会得到零值，不能把它当作成功；关闭后再发送会 panic。",
    ),
    "unlock-before": (
        "Call {call} before the function is left at {place}.",
        "If the lock is not held on every way to this line, the unlock is a fatal error; a deferred unlock "
        "behind the lock is safer where the whole function may hold it.",
        "在 {place} 处离开函数之前调用 {call}。",
        "若到达此行的某条路径并未持有该锁，解锁会导致致命错误；若整个函数都可持锁，在加锁后 defer 解锁更安全。",
    ),
    "defer-unlock": (
        "Defer {call} right behind the lock at {place}, so that it is unlocked on every way out, a panic included.",
        "The lock is now held until the function returns; anything slow behind this line makes others wait longer.",
        "在 {place} 加锁之后立即 defer {call}，使任何返回路径（包括 panic）都会解锁。",
        "锁会一直持有到函数返回；此行之后的慢操作会让其他 goroutine 等待更久。",
    ),
    "locked-variant": (
        "Call {variant} instead of {function} at {place}: it expects the lock to be held, and does not take it again.",
        "Check that {variant} does all that {function} does.",
        "在 {place} 处用 {variant} 代替 {function}：前者要求已持有锁，不会再次加锁。",
        "请确认 {variant} 完成了 {function} 的全部工作。",
    ),
    "unlock-first": (
        "Call {call} before the call at {place}, which takes the same lock again.",
        "Between the unlock and the call another goroutine may change what the lock guards.",
        "在 {place} 处的调用之前先执行 {call}，因为该调用会再次加同一把锁。",
        "在解锁与该调用之间，其他 goroutine 可能修改受锁保护的数据。",
    ),
    "lock-order": (
        "Take {first} and {second} in the same order everywhere; the line that does it the other way round is {place}.",
        "What is read under the first lock has to be read again when the order changes.",
        "在所有地方按相同顺序获取 {first} 和 {second}；顺序相反的一行在 {place}。",
        "改变顺序后，在第一把锁下读到的内容需要重新读取。",
    ),
    "lock-circle": (
        "Take {locks} in one order everywhere; {place} is one of the lines that do not.",
        "What is read under the first lock has to be read again when the order changes.",
        "在所有地方按同一顺序获取 {locks}；{place} 是未遵守顺序的行之一。",
        "改变顺序后，在第一把锁下读到的内容需要重新读取。",
    ),
    "nested-group": (
        "Start what is nested at {place} in a group of its own; or ask `{group}`.TryGo, and do the work on the spot "
        "when it says no.",
        "With a group for each level the limit counts for each level alone: more run at once.",
        "在 {place} 处为嵌套的工作使用单独的组；或调用 `{group}`.TryGo，返回 false 时就地执行。",
        "若每层各用一个组，上限只对各层单独生效：同时运行的会更多。",
    ),
    "keep-receiving": (
        "Do not leave the loop at {exit}: tell the one who asked and go on with the next (continue). Or close a "
        "channel when {function} ends, which every sender selects on.",
        "Going on after an error needs a state that can still be used; whoever counted on the end has to be told in "
        "another way.",
        "不要在 {exit} 处退出循环：把结果告诉请求方，然后继续处理下一个（continue）。或在 {function} 结束时关闭一个 "
        "channel，让每个发送方都在 select 中监听它。",
        "出错后继续运行，要求状态仍然可用；依赖其结束的代码需要以其他方式得知。",
    ),
    "lock-pair": (
        "Where {place} takes the {lock} of a second object, take both in an order that the objects themselves "
        "decide, by a number or a name; or unlock the first one before.",
        "When the first is unlocked in between, another goroutine may change what it guards.",
        "在 {place} 处获取第二个对象的 {lock} 时，按对象自身决定的顺序（编号或名称）获取两把锁；或先解开第一把。",
        "若中途解开第一把锁，其他 goroutine 可能修改受其保护的数据。",
    ),
    "call-unlocked": (
        "Unlock {lock} before the call at {place}, or split the function called into one that locks and one "
        "that expects the lock to be held.",
        "When it is unlocked in between, another goroutine may change what the lock guards.",
        "在 {place} 处的调用之前解锁 {lock}，或把被调函数拆成加锁版本和要求已持锁的版本。",
        "若中途解锁，其他 goroutine 可能修改受锁保护的数据。",
    ),
    "wait-unlocked": (
        "Unlock {lock} before the wait at {place}: copy what it guards, and wait without it.",
        "What was copied may be out of date when the wait is over.",
        "在 {place} 处等待之前解锁 {lock}：先复制受其保护的数据，再在不持锁的情况下等待。",
        "等待结束时，复制的数据可能已过时。",
    ),
    "set-timeout": (
        "Give the {type} made at {place} a time limit: {field}: {value}.",
        "Requests that rightly take longer fail from now on; choose the limit by what the service promises.",
        "为 {place} 处创建的 {type} 设置时限：{field}: {value}。",
        "确实需要更长时间的请求从此会失败；请按服务承诺选择时限。",
    ),
    "client-timeout": (
        "Replace {function} at {place}, which waits without end, by a client with a timeout ({value}).",
        "Requests that rightly take longer, the reading of the body included, fail from now on.",
        "把 {place} 处会无限等待的 {function} 换成带超时（{value}）的 client。",
        "确实需要更长时间的请求（包括读取 body）从此会失败。",
    ),
    "with-timeout": (
        "Hand {function} at {place} a context that ends after {value}.",
        "Calls that rightly take longer fail from now on; what the call returned must not be read after the "
        "function is left.",
        "为 {place} 处的 {function} 传入 {value} 后结束的 context。",
        "确实需要更长时间的调用从此会失败；离开函数后不得再读取该调用返回的内容。",
    ),
    "set-deadline": (
        "Set a deadline on {conn} before {place} ({value}), so that a peer that says nothing does not keep it forever.",
        "A peer that is rightly silent for longer is cut off; with such peers send keep-alive messages, or "
        "choose a longer limit.",
        "在 {place} 之前为 {conn} 设置截止时间（{value}），使沉默的对端不会永久占用它。",
        "正常情况下沉默更久的对端会被断开；对这类对端请发送 keep-alive 消息，或选择更长的时限。",
    ),
}

WORDS: dict[str, tuple[str, str]] = {
    key: words
    for kind, (what, risk, what_zh, risk_zh) in _FIXES.items()
    for key, words in ((f"fix.{kind}", (what, what_zh)), (f"fix.{kind}.risk", (risk, risk_zh)))
}
