"""Why a lock is not released: sentences about lines of source."""

WORDS: dict[str, tuple[str, str]] = {
    "cause.lock.held-here": (
        "{function} locks `{lock}` at {locked} and still holds it at {line}.",
        "{function} 在 {locked} 对 `{lock}` 加锁，到 {line} 仍持有。",
    ),
    "cause.lock.held-calls": (
        "{function} locks `{lock}` at {locked} and calls `{code}` at {line} while holding it.",
        "{function} 在 {locked} 对 `{lock}` 加锁，持锁调用 `{code}`（{line}）。",
    ),
    "cause.lock.held-through": (
        "{function} locks `{lock}` at {locked} and calls `{code}` at {line} while holding it, which reaches {again}.",
        "{function} 在 {locked} 对 `{lock}` 加锁，持锁调用 `{code}`（{line}），进而走到 {again}。",
    ),
    "cause.lock.twice": (
        "{place} takes the same lock again (`{lock}`). Go locks are not reentrant: the goroutine waits for itself, "
        "and every other user of the lock queues behind it.",
        "{place} 对同一把锁再次加锁（`{lock}`）。Go 的锁不可重入：协程在等自己，其他使用者全部排队。",
    ),
    "cause.lock.upgrade": (
        "{place} requests the write lock of `{lock}` while holding its read lock: it waits for itself.",
        "{place} 在持有读锁时请求 `{lock}` 的写锁：协程在等自己。",
    ),
    "cause.lock.reads-again": (
        "{place} requests the read lock of `{lock}` a second time. With a writer waiting in between, the second "
        "RLock waits for the writer, the writer for the first RLock.",
        "{place} 第二次请求 `{lock}` 的读锁。中间若有写者等待，第二次 RLock 等写者，写者等第一次 RLock。",
    ),
    "cause.lock.writer": ("The writer is blocked at {place}.", "写者阻塞在 {place}。"),
    "cause.lock.any-writer": ("Any writer between the two causes the deadlock.", "两次之间只要有写者到来就会死锁。"),
    "cause.lock.once": (
        "{place} calls Do of the same sync.Once (`{lock}`) from inside the function it runs: it waits for itself.",
        "{place} 在 `{lock}`（sync.Once）正在执行的函数里再次调用 Do：协程在等自己。",
    ),
    "cause.lock.once-within": (
        "{function} runs {runs} with `{once}.Do` at {place}, and that function calls `{code}` at {again}, which "
        "calls Do of the same sync.Once: deadlock. Every other caller waits too.",
        "{function} 在 {place} 通过 `{once}.Do` 执行 {runs}，后者又在 {again} 调用 `{code}`，进入同一个 sync.Once "
        "的 Do：死锁，其他调用者也一起阻塞。",
    ),
    "cause.lock.select": (
        "The select at {line} proceeds only with {cases}.",
        "{line} 的 select 只有在 {cases} 时才继续。",
    ),
    "cause.lock.same-field": (
        "The code does not prove that both are the {lock} of one object; the stack suggests it.",
        "代码不能证明两处是同一对象的 {lock}，但调用栈显示如此。",
    ),
    "cause.lock.order": (
        "{function} locks {first} at {locked} and, holding it, locks {second} ({line}).",
        "{function} 在 {locked} 对 {first} 加锁，持锁再获取 {second}（{line}）。",
    ),
    "cause.lock.ring": (
        "Both are the {lock} of two objects, taken in no fixed order. Two goroutines doing this at once, or several "
        "in a ring, deadlock.",
        "两者是两个对象的 {lock}，加锁没有固定顺序；两个协程同时执行，或多个成环时就会死锁。",
    ),
    "cause.lock.cycle": (
        "The locks are taken in {count:,} orders that form a cycle: each goroutine holds the lock the next one needs.",
        "加锁顺序共 {count:,} 种，首尾成环：每个协程都持有下一个所需的锁。",
    ),
    "cause.lock.held-waits": (
        "{function} locks `{lock}` at {locked} and holds it while blocked [{state}] in `{code}` at {line}. Every "
        "other user of the lock waits.",
        "{function} 在 {locked} 对 `{lock}` 加锁，并在持锁状态下阻塞于 {line} 的 `{code}` [{state}]，"
        "其他使用者全部等待。",
    ),
    "cause.lock.held-waits-below": (
        "{function} locks `{lock}` at {locked} and holds it while calling `{code}` at {line}, which is blocked at "
        "{place} [{state}]. Every other user of the lock waits.",
        "{function} 在 {locked} 对 `{lock}` 加锁，持锁调用 `{code}`（{line}），后者阻塞在 {place} [{state}]，"
        "其他使用者全部等待。",
    ),
    "cause.lock.held-library": (
        "{user} calls `{code}` at {line}. Inside, {function} holds its own lock (`{lock}`, {locked}) while blocked "
        "[{state}]. Every other user waits.",
        "{user} 在 {line} 调用 `{code}`，其内部 {function} 持有自己的锁（`{lock}`，{locked}）并阻塞 [{state}]，"
        "其他使用者全部等待。",
    ),
    "cause.lock.ends.send": (
        "The send to `{channel}` ends only with a receive ({places}).",
        "向 `{channel}` 的发送要等接收（{places}）才结束。",
    ),
    "cause.lock.ends.receive": (
        "The receive from `{channel}` ends only with a send or close ({places}).",
        "`{channel}` 的接收要等发送或 close（{places}）才结束。",
    ),
    "cause.lock.ends.no-send": (
        "Nothing in the package receives from `{channel}` (created at {made}).",
        "包内没有代码从 `{channel}`（创建于 {made}）接收。",
    ),
    "cause.lock.ends.no-receive": (
        "Nothing in the package sends to `{channel}` (created at {made}) or closes it.",
        "包内没有代码向 `{channel}`（创建于 {made}）发送或将其 close。",
    ),
    "cause.lock.ends.cancel": (
        "The cancel function of the context created at {place} is never called.",
        "{place} 创建的 context，其 cancel 从未调用。",
    ),
    "cause.drained": (
        "{function} waits at {place} for the value of `{timer}` because Stop returned false ({stop}). Stop also "
        "returns false when the value was already received; then no other value comes.",
        "{function} 因 Stop 返回 false（{stop}）而在 {place} 等待 `{timer}` 的值；但值已被取走时 Stop 同样返回 "
        "false，此时不会再有值。",
    ),
    "cause.drained.taken": ("It is received at {places}.", "该值在 {places} 被取走。"),
    "cause.lock.queue": (
        "As a result {function} waits for {lock} at {place}.",
        "{function} 因此在 {place} 等待 {lock}。",
    ),
    "cause.lock.partner.never-received": (
        "The receiver is {function} ({ends}). It calls `{code}` at {line}, which needs {lock}: each waits for the "
        "other.",
        "接收方是 {function}（{ends}），它在 {line} 调用 `{code}` 时需要 {lock}：双方互相等待。",
    ),
    "cause.lock.partner.never-sent": (
        "The sender is {function} ({ends}). It is blocked at {line} (`{code}`), which needs {lock}: each waits for "
        "the other.",
        "发送方是 {function}（{ends}），它阻塞在 {line}（`{code}`），需要 {lock}：双方互相等待。",
    ),
    "cause.lock.partner.never-closed": (
        "{function} would close the channel ({ends}). It is blocked at {line} (`{code}`), which needs {lock}: each "
        "waits for the other.",
        "负责 close 的是 {function}（{ends}），它阻塞在 {line}（`{code}`），需要 {lock}：双方互相等待。",
    ),
    "cause.lock.partner.never-done": (
        "It waits for Done of {function} ({ends}), which is blocked at {line} (`{code}`) and needs {lock}: each "
        "waits for the other.",
        "它在等 {function} 的 Done（{ends}），后者阻塞在 {line}（`{code}`），需要 {lock}：双方互相等待。",
    ),
    "cause.turn.waits": (
        "It waits at {place} (`{code}`) for a semaphore slot; all slots are taken.",
        "它在 {place}（`{code}`）等待信号量名额，名额已被占满。",
    ),
    "cause.turn.left": (
        "{function} acquires a slot at {taken} (`{code}`) and releases it at {given} (`{back}`), but can return at "
        "{exit} without releasing it.",
        "{function} 在 {taken}（`{code}`）占用名额，在 {given}（`{back}`）释放，但可能未释放就在 {exit} 返回。",
    ),
    "cause.turn.left-when": (
        "{function} acquires a slot at {taken} (`{code}`) and releases it at {given} (`{back}`). On `{condition}` "
        "({case}) it returns at {exit} without releasing it.",
        "{function} 在 {taken}（`{code}`）占用名额，在 {given}（`{back}`）释放；走 `{condition}`（{case}）"
        "时未释放就在 {exit} 返回。",
    ),
    "cause.turn.ends": (
        "Each such return loses one slot. When none is left, every caller blocks forever.",
        "每次都丢失一个名额，耗尽后所有调用者永远阻塞。",
    ),
    "cause.turn.lock": (
        "`{channel}` at {place} is a one-slot channel used as a lock: a {take} acquires it, a {give} releases it.",
        "{place} 的 `{channel}` 是容量为 1、充当锁的 channel：{take} 加锁，{give} 解锁。",
    ),
    "cause.lock.left": (
        "{function} locks `{lock}` at {locked} and can return at {exit} without unlocking it.",
        "{function} 在 {locked} 对 `{lock}` 加锁，可能未解锁就在 {exit} 返回。",
    ),
    "cause.lock.left-when": (
        "{function} locks `{lock}` at {locked}. On `{condition}` ({case}) it returns at {exit} without unlocking it.",
        "{function} 在 {locked} 对 `{lock}` 加锁；走 `{condition}`（{case}）时未解锁就在 {exit} 返回。",
    ),
    "cause.lock.left-round": (
        "{function} locks `{lock}` at {locked}. On the path through {exit} the next iteration starts without "
        "Unlock, and the goroutine waits for its own lock.",
        "{function} 在 {locked} 对 `{lock}` 加锁；经过 {exit} 时未 Unlock 就进入下一轮循环，协程在等自己持有的锁。",
    ),
    "cause.lock.panic": (
        "{function} locks `{lock}` at {locked} and unlocks it at {unlock} without defer. {panics} (`{code}`) in "
        "between can panic; if the panic is recovered, Unlock is skipped.",
        "{function} 在 {locked} 对 `{lock}` 加锁，在 {unlock} 解锁但没有用 defer；其间 {panics}（`{code}`）可能 "
        "panic，被 recover 后 Unlock 就被跳过。",
    ),
    "cause.lock.left-waits": (
        "{lock} is never released; every later caller at {place} blocks forever.",
        "{lock} 再也不会释放，之后到达 {place} 的调用永远阻塞。",
    ),
}
