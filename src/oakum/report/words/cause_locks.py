"""Why a lock is not released: sentences about lines of source."""

WORDS: dict[str, tuple[str, str]] = {
    "cause.lock.held-here": (
        "{function} locks `{lock}` at {locked} and still holds it at {line}.",
        "{function} 在 {locked} 处锁住 `{lock}`，到 {line} 处仍持有它。",
    ),
    "cause.lock.held-calls": (
        "{function} locks `{lock}` at {locked} and, still holding it, calls `{code}` at {line}.",
        "{function} 在 {locked} 处锁住 `{lock}`，仍持有它时在 {line} 处调用 `{code}`。",
    ),
    "cause.lock.held-through": (
        "{function} locks `{lock}` at {locked} and, still holding it, calls `{code}` at {line}, which leads on "
        "to {again}.",
        "{function} 在 {locked} 处锁住 `{lock}`，仍持有它时在 {line} 处调用 `{code}`，由此走到 {again}。",
    ),
    "cause.lock.twice": (
        "At {place} the same lock is taken again (`{lock}`). Go's locks do not know who holds them: the "
        "goroutine waits for itself, and everybody else who needs the lock waits behind it.",
        "{place} 处又去锁同一把锁（`{lock}`）。Go 的锁不记录持有者：这个 goroutine 在等它自己，"
        "其他需要这把锁的都排在它后面。",
    ),
    "cause.lock.upgrade": (
        "At {place} it asks for the write lock of `{lock}`, which is granted only when all readers have gone; it "
        "is itself one of them, so it waits for itself.",
        "{place} 处请求 `{lock}` 的写锁，要等所有读者离开才能得到；它自己就是读者之一，于是在等它自己。",
    ),
    "cause.lock.reads-again": (
        "At {place} it asks for the read lock of `{lock}` a second time. As soon as a writer waits, no new "
        "reader gets in: the second RLock waits for the writer, the writer for the first RLock.",
        "{place} 处第二次请求 `{lock}` 的读锁。只要有写者在等，新的读者就进不来：第二次 RLock 等写者，"
        "写者等第一次的 RLock。",
    ),
    "cause.lock.writer": (
        "That writer stands at {place}.",
        "这个写者停在 {place}。",
    ),
    "cause.lock.any-writer": (
        "Any writer that comes between the two does it.",
        "任何在两次之间到来的写者都会造成这种情况。",
    ),
    "cause.lock.once": (
        "At {place} the same sync.Once (`{lock}`) is asked again from within the function that it is running: Do "
        "returns only when that function has, so it waits for itself.",
        "{place} 处在 `{lock}`（sync.Once）正在运行的函数里再次调用了它的 Do：Do 要等那个函数返回，于是在等它自己。",
    ),
    "cause.lock.once-within": (
        "{function} runs {runs} by `{once}.Do` at {place}, and that function calls `{code}` at {again}, which "
        "asks the same sync.Once: Do returns only when the function has, the function only when Do has. "
        "Everybody else who asks waits too.",
        "{function} 在 {place} 处通过 `{once}.Do` 运行 {runs}，而这个函数在 {again} 处调用 `{code}`，"
        "又去问同一个 sync.Once：Do 要等函数返回，函数要等 Do 返回。其他调用者也都得等。",
    ),
    "cause.lock.select": (
        "The select at {line} goes on only with {cases}.",
        "{line} 处的 select 只有在 {cases} 时才会继续。",
    ),
    "cause.lock.same-field": (
        "The calls in between do not show that both are the {lock} of one object; the stack suggests it.",
        "中间的调用没有表明两处是同一个对象的 {lock}；调用栈提示如此。",
    ),
    "cause.lock.order": (
        "{function} locks {first} at {locked} and, holding it, goes on to lock {second} ({line}).",
        "{function} 在 {locked} 处锁住 {first}，持有它时又去锁 {second}（{line}）。",
    ),
    "cause.lock.ring": (
        "Both are the {lock} of two objects, and nothing says whose comes first: when two goroutines do this at "
        "the same time, or several in a ring, each holds the lock that another one wants.",
        "两者是两个对象的 {lock}，而没有规定谁先谁后：两个 goroutine 同时这样做，或者几个连成环时，"
        "每一个都持有另一个想要的锁。",
    ),
    "cause.lock.cycle": (
        "The locks are taken in {count:,} orders that form a circle: when they meet, each goroutine holds what "
        "the next one wants, and none can go on.",
        "这些锁按 {count:,} 种互相成环的顺序获取：一旦相遇，每个 goroutine 都持有下一个想要的锁，谁也无法继续。",
    ),
    "cause.lock.held-waits": (
        "{function} locks `{lock}` at {locked} and holds it while it waits [{state}] in `{code}` at {line}: "
        "until that ends, everybody who needs the lock waits too.",
        "{function} 在 {locked} 处锁住 `{lock}`，并在 {line} 处的 `{code}` 中等待 [{state}] 时一直持有它："
        "在它结束之前，需要这把锁的都得等。",
    ),
    "cause.lock.held-waits-below": (
        "{function} locks `{lock}` at {locked} and holds it while it calls `{code}` at {line}, which waits at "
        "{place} [{state}]: until that ends, everybody who needs the lock waits too.",
        "{function} 在 {locked} 处锁住 `{lock}`，并在 {line} 处调用 `{code}` 时一直持有它，"
        "而后者停在 {place} 等待 [{state}]：在它结束之前，需要这把锁的都得等。",
    ),
    "cause.lock.held-library": (
        "{user} calls `{code}` at {line}. Inside, {function} holds a lock of its own (`{lock}`, {locked}) while it "
        "waits [{state}]: until that ends, everybody else who uses it waits too.",
        "{user} 在 {line} 处调用 `{code}`。其内部的 {function} 在等待 [{state}] 期间持有自己的锁"
        "（`{lock}`，{locked}）：在它结束之前，其他使用者都得等。",
    ),
    "cause.lock.ends.send": (
        "A send to `{channel}` ends only when somebody receives ({places}).",
        "向 `{channel}` 的发送只有在有人接收（{places}）时才会结束。",
    ),
    "cause.lock.ends.receive": (
        "A receive from `{channel}` ends only when somebody sends or closes ({places}).",
        "从 `{channel}` 的接收只有在有人发送或关闭（{places}）时才会结束。",
    ),
    "cause.lock.ends.no-send": (
        "Nothing in the package receives from `{channel}`, made at {made}.",
        "包内没有任何代码从 {made} 处创建的 `{channel}` 接收。",
    ),
    "cause.lock.ends.no-receive": (
        "Nothing in the package sends to `{channel}`, made at {made}, or closes it.",
        "包内没有任何代码向 {made} 处创建的 `{channel}` 发送或将其关闭。",
    ),
    "cause.lock.ends.cancel": (
        "The cancel function of the context, made at {place}, is never called.",
        "{place} 处创建的 context，其 cancel 函数从未被调用。",
    ),
    "cause.drained": (
        "{function} waits at {place} for the value of `{timer}`, because Stop returned false ({stop}). Stop also "
        "returns false when that value has been taken already: then none comes any more.",
        "{function} 因 Stop 返回 false（{stop}）而在 {place} 等待 `{timer}` 的值。该值已被取走时 Stop 也返回 false："
        "此时再不会有值到来。",
    ),
    "cause.drained.taken": (
        "It is taken at {places}.",
        "它在 {places} 被取走。",
    ),
    "cause.lock.queue": (
        "{function} waits for {lock} at {place} because of that.",
        "{function} 因此在 {place} 处等待 {lock}。",
    ),
    "cause.lock.partner.never-received": (
        "The receiver ({ends}) is {function}; it calls `{code}` at {line}, needs {lock} there, and so never "
        "comes back to receive: each waits for the other.",
        "接收者（{ends}）是 {function}；它在 {line} 处调用 `{code}`，那里需要 {lock}，因此再也回不去接收："
        "两者互相等待。",
    ),
    "cause.lock.partner.never-sent": (
        "The value would be sent by {function} ({ends}); it stands at {line} (`{code}`), needs {lock} there, and "
        "so never sends: each waits for the other.",
        "这个值应由 {function} 发送（{ends}）；它停在 {line}（`{code}`），那里需要 {lock}，因此永远不会发送："
        "两者互相等待。",
    ),
    "cause.lock.partner.never-closed": (
        "The channel would be closed by {function} ({ends}); it stands at {line} (`{code}`), needs {lock} there, "
        "and so never closes it: each waits for the other.",
        "这个 channel 应由 {function} 关闭（{ends}）；它停在 {line}（`{code}`），那里需要 {lock}，"
        "因此永远不会关闭：两者互相等待。",
    ),
    "cause.lock.partner.never-done": (
        "It waits for {function}, whose Done ({ends}) does not come: that goroutine stands at {line} (`{code}`) "
        "and needs {lock} there: each waits for the other.",
        "它在等 {function}，而那里的 Done（{ends}）不会到来：那个 goroutine 停在 {line}（`{code}`），"
        "需要 {lock}：两者互相等待。",
    ),
    "cause.turn.waits": (
        "At {place} (`{code}`) it waits for a turn that others have taken: it goes on when one of them gives it back.",
        "它在 {place}（`{code}`）等待被别人占用的名额：有人归还时才会继续。",
    ),
    "cause.turn.left": (
        "{function} takes one at {taken} (`{code}`) and gives it back at {given} (`{back}`), but can leave at {exit} "
        "without doing so.",
        "{function} 在 {taken}（`{code}`）取走一个，并在 {given}（`{back}`）归还，但可能在 {exit} 离开而没有归还。",
    ),
    "cause.turn.left-when": (
        "{function} takes one at {taken} (`{code}`) and gives it back at {given} (`{back}`); when `{condition}` "
        "decides so ({case}), it leaves at {exit} without doing so.",
        "{function} 在 {taken}（`{code}`）取走一个，并在 {given}（`{back}`）归还；当 `{condition}`（{case}）"
        "决定如此时，它在 {exit} 离开而没有归还。",
    ),
    "cause.turn.ends": (
        "Each time that happens there is one less; when none is left, everybody waits for ever.",
        "每发生一次就少一个；用尽之后，所有人都永远等待。",
    ),
    "cause.turn.lock": (
        "`{channel}`, waited for at {place}, is a channel with room for one value that serves as a lock: a {take} "
        "takes it, a {give} gives it back.",
        "在 {place} 等待的 `{channel}` 是只能存放一个值、充当锁的 channel：{take} 取得它，{give} 归还它。",
    ),
    "cause.lock.left": (
        "{function} locks `{lock}` at {locked} and can return at {exit} without unlocking it.",
        "{function} 在 {locked} 处锁住 `{lock}`，却可能在 {exit} 处返回而没有解锁。",
    ),
    "cause.lock.left-when": (
        "{function} locks `{lock}` at {locked}; when `{condition}` decides so ({case}), it returns at {exit} "
        "without unlocking it.",
        "{function} 在 {locked} 处锁住 `{lock}`；当 `{condition}`（{case}）决定如此时，它在 {exit} 处返回而没有解锁。",
    ),
    "cause.lock.left-round": (
        "{function} locks `{lock}` at {locked}; on the way by {exit} the next round of the loop begins without "
        "an Unlock, and the goroutine waits for the lock that it holds itself.",
        "{function} 在 {locked} 处锁住 `{lock}`；经过 {exit} 时没有 Unlock 就开始了循环的下一轮，"
        "于是 goroutine 在等自己持有的锁。",
    ),
    "cause.lock.panic": (
        "{function} locks `{lock}` at {locked} and unlocks it at {unlock}, without defer. {panics} (`{code}`) between "
        "may panic; where the panic is recovered, the process goes on and the Unlock was passed over.",
        "{function} 在 {locked} 处锁住 `{lock}`，并在 {unlock} 处解锁，但没有用 defer。其间的 {panics}"
        "（`{code}`）可能 panic；panic 被 recover 后进程继续运行，而解锁被跳过了。",
    ),
    "cause.lock.left-waits": (
        "Nobody holds {lock} any more, nobody can release it, and whoever comes to {place} waits for ever.",
        "再也没有谁持有 {lock}，也就没有谁能释放它，到达 {place} 的都永远等待。",
    ),
}

__all__ = ["WORDS"]
