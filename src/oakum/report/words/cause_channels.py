"""Why nobody meets a channel operation: sentences about lines of source."""

_LEFT = {
    "timeout": (
        "On timeout `{condition}` ({case}) {function} returns at {exit} {en}.",
        "超时 `{condition}`（{case}）时，{function} 在 {exit} 返回，{zh}。",
    ),
    "context": (
        "When the context ends (`{condition}`, {case}), {function} returns at {exit} {en}.",
        "context 结束（`{condition}`，{case}）时，{function} 在 {exit} 返回，{zh}。",
    ),
    "case": (
        "On `{condition}` ({case}) {function} returns at {exit} {en}.",
        "走 `{condition}`（{case}）时，{function} 在 {exit} 返回，{zh}。",
    ),
    "default": (
        "When no case is ready at {case}, {function} does not wait: it returns at {exit} {en}.",
        "{case} 没有 case 就绪时，{function} 不等待，直接在 {exit} 返回，{zh}。",
    ),
    "condition": (
        "If `{condition}` ({case}), {function} returns at {exit} {en}.",
        "`{condition}` 成立（{case}）时，{function} 在 {exit} 返回，{zh}。",
    ),
    "plain": ("{function} can return at {exit} {en}.", "{function} 可能在 {exit} 返回，{zh}。"),
}
_UNDONE = {
    "receive": (
        "without receiving from `{channel}`. The sender then blocks forever",
        "不再接收 `{channel}`，发送方永远阻塞",
    ),
    "send": (
        "without sending to `{channel}`. The receiver then blocks forever",
        "没有向 `{channel}` 发送，接收方永远阻塞",
    ),
    "close": (
        "without closing `{channel}`. Its range loop then blocks forever",
        "没有 close `{channel}`，range 它的协程永远阻塞",
    ),
}

WORDS: dict[str, tuple[str, str]] = {
    f"cause.left.{what}.{why}": (en.replace("{en}", undone_en), zh.replace("{zh}", undone_zh))
    for what, (undone_en, undone_zh) in _UNDONE.items()
    for why, (en, zh) in _LEFT.items()
} | {
    "cause.shown": ("The source (below) shows that nothing can unblock it.", "源码（见下文）表明它无法被唤醒。"),
    "cause.channel.made-bare": ("`{channel}` is unbuffered ({made}).", "`{channel}` 无缓冲（{made}）。"),
    "cause.channel.made-room": (
        "`{channel}` has a buffer of {room} ({made}); when it is full, sends block.",
        "`{channel}` 缓冲为 {room}（{made}），满后发送阻塞。",
    ),
    "cause.channel.received-once": ("The only receive is at {places}.", "唯一的接收在 {places}。"),
    "cause.channel.received": ("Receives: {places}.", "接收位置：{places}。"),
    "cause.sender.first-wins": (
        "The goroutines started at {start} send more than one value, but {function} receives one at {receive} and "
        "returns at {exit}. The other sends block forever.",
        "{start} 启动的协程会发送多个值，但 {function} 在 {receive} 只接收一个就在 {exit} 返回，其余发送永远阻塞。",
    ),
    "cause.sender.loop-left": (
        "{function} receives in a loop at {receive} and leaves it early at {exit}. Later sends block forever.",
        "{function} 在 {receive} 循环接收，却在 {exit} 提前退出循环，此后的发送永远阻塞。",
    ),
    "cause.sender.receiver-ended": (
        "{function} receives from `{channel}` at {receive} and returns at {exit}. Every later send blocks forever.",
        "{function} 在 {receive} 接收 `{channel}`，在 {exit} 返回，此后的发送永远阻塞。",
    ),
    "cause.sender.nested": (
        "{function} runs in the group `{group}` and starts another member of the same group at {place}. The group "
        "has a limit, so Go blocks until a member exits. When all members block there, none exits.",
        "{function} 本身运行在组 `{group}` 中，又在 {place} 向同一个组启动新成员。组设有上限，Go 要等有成员退出；"
        "所有成员都这样等待时，谁也退不出。",
    ),
    "cause.sender.nobody": ("Nothing receives from `{channel}`.", "没有代码从 `{channel}` 接收。"),
    "cause.sender.busy": (
        "{function}, the receiver of `{channel}` ({receive}), is itself blocked at {place}.",
        "`{channel}` 的接收方 {function}（{receive}）自身阻塞在 {place}。",
    ),
    "cause.sender.twice": (
        "{second} sends again after {first} on the same path, but only one value is received ({receive}).",
        "{second} 在 {first} 之后沿同一路径再次发送，但只接收一个值（{receive}）。",
    ),
    "cause.consumer.left": (
        "{getter} returns the channel. {function} receives from it at {receive} and returns at {exit} before it is "
        "drained. The next send at {send} blocks forever.",
        "{getter} 返回该 channel；{function} 在 {receive} 接收，未排空就在 {exit} 返回，{send} "
        "处的下一次发送永远阻塞。",
    ),
    "cause.consumer.stopped": (
        "`{stop}` ({place}) does not unblock the send at {send}: it does not drain the channel.",
        "`{stop}`（{place}）不会排空 channel，因此不能解除 {send} 处的发送阻塞。",
    ),
    "cause.consumer.not-released": (
        "{function} never calls {release}, which would drain the channel.",
        "{function} 从未调用 {release}，而它会排空 channel。",
    ),
    "cause.starved": (
        "{function} writes to its peer at {place} (`{code}`) and receives in the same loop. While the write blocks, "
        "nothing receives at {unserved}.",
        "{function} 在同一个循环里向对端写入（{place}，`{code}`）和接收；写阻塞期间，{unserved} 不再接收。",
    ),
    "cause.starved.both": (
        "When the buffers in both directions are full, each side waits for the other to read: deadlock.",
        "两个方向的缓冲都满时，双方互等对方读取，形成死锁。",
    ),
    "cause.receiver.waits.send": (
        "The goroutine waits at {place} for a value from `{channel}` (created at {made}).",
        "协程在 {place} 等待 `{channel}`（创建于 {made}）的值。",
    ),
    "cause.receiver.waits.send.unmade": (
        "The goroutine waits at {place} for a value from `{channel}`.",
        "协程在 {place} 等待 `{channel}` 的值。",
    ),
    "cause.receiver.waits.close": (
        "The loop at {place} ends only when `{channel}` (created at {made}) is closed.",
        "{place} 的循环要等 `{channel}`（创建于 {made}）被 close 才结束。",
    ),
    "cause.receiver.waits.close.unmade": (
        "The loop at {place} ends only when `{channel}` is closed.",
        "{place} 的循环要等 `{channel}` 被 close 才结束。",
    ),
    "cause.receiver.done.send": ("Sends and closes: {places}.", "发送或 close 的位置：{places}。"),
    "cause.receiver.done.close": ("Closes: {places}.", "close 的位置：{places}。"),
    "cause.receiver.dropped.send": (
        "{function} drops the waiter at {drop} (`{code}`) without sending. Nothing can reach it afterwards.",
        "{function} 在 {drop}（`{code}`）丢弃了等待方且没有发送，此后再也无法唤醒它。",
    ),
    "cause.receiver.dropped.close": (
        "{function} drops its owner at {drop} (`{code}`) without closing it. Nothing can close it afterwards.",
        "{function} 在 {drop}（`{code}`）丢弃了它的所有者且没有 close，此后再也无法 close。",
    ),
    "cause.receiver.forgotten.send": (
        "Several are created side by side; the one from {places} never gets a value.",
        "同时创建了几个，其中 {places} 处创建的那个从未收到值。",
    ),
    "cause.receiver.forgotten.close": (
        "Several are created side by side; the one from {places} is never closed.",
        "同时创建了几个，其中 {places} 处创建的那个从未 close。",
    ),
    "cause.receiver.nobody.send": (
        "Nothing sends to `{channel}` or closes it.",
        "没有代码向 `{channel}` 发送或将其 close。",
    ),
    "cause.receiver.nobody.close": ("Nothing closes `{channel}`.", "没有代码 close `{channel}`。"),
}
