"""Why nobody meets a channel operation: sentences about lines of source."""

_LEFT = {
    "timeout": (
        "When the time-out `{condition}` ({case}) comes first, {function} leaves at {exit} {en}.",
        "如果超时 `{condition}`（{case}）先到，{function} 就在 {exit} 处离开，{zh}。",
    ),
    "context": (
        "When the context ends first (`{condition}`, {case}), {function} leaves at {exit} {en}.",
        "如果 context 先结束（`{condition}`，{case}），{function} 就在 {exit} 处离开，{zh}。",
    ),
    "case": (
        "When `{condition}` ({case}) is ready first, {function} leaves at {exit} {en}.",
        "如果 `{condition}`（{case}）先就绪，{function} 就在 {exit} 处离开，{zh}。",
    ),
    "default": (
        "When nothing is ready at {case}, {function} does not wait: it leaves at {exit} {en}.",
        "如果 {case} 处没有就绪的分支，{function} 不会等待，而是在 {exit} 处离开，{zh}。",
    ),
    "condition": (
        "When `{condition}` holds ({case}), {function} leaves at {exit} {en}.",
        "当 `{condition}` 成立时（{case}），{function} 在 {exit} 处离开，{zh}。",
    ),
    "plain": ("{function} can leave at {exit} {en}.", "{function} 可能在 {exit} 处离开，{zh}。"),
}
_UNDONE = {
    "receive": (
        "without receiving from `{channel}`: whoever sends to it then waits for ever",
        "没有从 `{channel}` 接收：此后向它发送的 goroutine 永远等待",
    ),
    "send": (
        "without sending to `{channel}`: whoever receives from it waits for ever",
        "没有向 `{channel}` 发送：从它接收的 goroutine 永远等待",
    ),
    "close": (
        "without closing `{channel}`: whoever ranges over it waits for ever",
        "没有关闭 `{channel}`：对它进行 range 的 goroutine 永远等待",
    ),
}

WORDS: dict[str, tuple[str, str]] = {
    f"cause.left.{what}.{why}": (en.replace("{en}", undone_en), zh.replace("{zh}", undone_zh))
    for what, (undone_en, undone_zh) in _UNDONE.items()
    for why, (en, zh) in _LEFT.items()
} | {
    "cause.shown": (
        "The source, read below, leaves nobody who could end the wait.",
        "源代码（见下文）表明，已经没有谁能结束这一等待。",
    ),
    "cause.channel.made-bare": (
        "`{channel}` is made at {made} without a buffer: a send waits until somebody receives.",
        "`{channel}` 在 {made} 处创建，没有缓冲：发送要等到有人接收。",
    ),
    "cause.channel.made-room": (
        "`{channel}` is made at {made} with room for {room}: once it is full, a send waits until somebody receives.",
        "`{channel}` 在 {made} 处创建，缓冲为 {room}：满了之后，发送要等到有人接收。",
    ),
    "cause.channel.received-once": ("The only receive stands at {places}.", "唯一的接收在 {places}。"),
    "cause.channel.received": ("It is received from at {places}.", "接收在 {places}。"),
    "cause.sender.first-wins": (
        "What is started at {start} sends more than one value, but {function} takes one at {receive} and leaves at "
        "{exit}: for the others there is nobody, and their sends wait for ever.",
        "在 {start} 启动的 goroutine 会发送不止一个值，但 {function} 在 {receive} 只取一个，然后在 {exit} 离开："
        "其余的发送没有接收者，永远等待。",
    ),
    "cause.sender.loop-left": (
        "{function} receives in a loop at {receive} and leaves it early at {exit}: what is sent after that is received "
        "by nobody.",
        "{function} 在 {receive} 的循环中接收，却在 {exit} 提前离开：此后发送的值没有人接收。",
    ),
    "cause.sender.receiver-ended": (
        "{function}, which receives from `{channel}` at {receive}, ends at {exit}: from then on every sender waits for "
        "ever.",
        "从 `{channel}` 接收的 {function}（{receive}）在 {exit} 处结束：从此每个发送者都永远等待。",
    ),
    "cause.sender.nested": (
        "At {place} {function}, itself run by the group `{group}`, starts another member of the same group. The group "
        "has a limit: Go waits for a free place, and a place becomes free only when a member ends. When all members "
        "wait so, none ever ends.",
        "{function} 本身由组 `{group}` 运行，又在 {place} 启动同一个组的新成员。该组设有上限：Go 要等到有空位，"
        "而只有成员结束才会空出位置。当所有成员都这样等待时，谁也不会结束。",
    ),
    "cause.sender.nobody": ("Nothing receives from `{channel}`.", "没有任何代码从 `{channel}` 接收。"),
    "cause.sender.busy": (
        "{function}, which should receive from `{channel}` at {receive}, stands at {place} itself and does not come "
        "back to it.",
        "应当在 {receive} 从 `{channel}` 接收的 {function} 自己停在 {place}，没有再回到那里。",
    ),
    "cause.sender.twice": (
        "{second} sends a second time after {first} on the same way, but only one value is received, at {receive}.",
        "{second} 在 {first} 之后沿同一路径再次发送，但只在 {receive} 接收一个值。",
    ),
    "cause.consumer.left": (
        "{getter} hands the channel out; {function} receives from it at {receive} and leaves at {exit} before it is "
        "empty: the next send at {send} waits for ever.",
        "{getter} 把该 channel 交给调用者；{function} 在 {receive} 从中接收，却在取空之前于 {exit} 离开："
        "{send} 处的下一次发送永远等待。",
    ),
    "cause.consumer.stopped": (
        "`{stop}` ({place}) does not help: it takes nothing out of the channel, and the send at {send} waits for a "
        "receiver only.",
        "`{stop}`（{place}）无济于事：它不会从 channel 中取出任何值，而 {send} 处的发送只等待接收者。",
    ),
    "cause.consumer.not-released": (
        "{function} never calls {release}, which would take out what is left.",
        "{function} 从未调用 {release}，而它会取出剩余的值。",
    ),
    "cause.starved": (
        "{function} writes to its peer at {place} (`{code}`) and receives in the same loop: while the write waits, "
        "nothing is taken at {unserved}.",
        "{function} 在 {place}（`{code}`）向对端写入，又在同一个循环里接收：写入等待期间，{unserved} 处什么也收不到。",
    ),
    "cause.starved.both": (
        "When the buffers between the two ends are full, each waits for the other to read: neither goes on.",
        "当两端之间的缓冲都满时，双方都在等对方读取：谁也无法继续。",
    ),
    "cause.receiver.waits.send": (
        "The goroutine waits at {place} for a value from `{channel}`, made at {made}.",
        "goroutine 在 {place} 等待来自 `{channel}` 的值，该 channel 在 {made} 创建。",
    ),
    "cause.receiver.waits.send.unmade": (
        "The goroutine waits at {place} for a value from `{channel}`.",
        "goroutine 在 {place} 等待来自 `{channel}` 的值。",
    ),
    "cause.receiver.waits.close": (
        "The loop at {place} ends only when `{channel}`, made at {made}, is closed.",
        "{place} 处的循环只有在 `{channel}`（在 {made} 创建）被关闭后才会结束。",
    ),
    "cause.receiver.waits.close.unmade": (
        "The loop at {place} ends only when `{channel}` is closed.",
        "{place} 处的循环只有在 `{channel}` 被关闭后才会结束。",
    ),
    "cause.receiver.done.send": ("A value is sent, or it is closed, at {places}.", "发送或关闭在 {places}。"),
    "cause.receiver.done.close": ("It is closed at {places}.", "关闭在 {places}。"),
    "cause.receiver.dropped.send": (
        "But {function} forgets the waiting side at {drop} (`{code}`) and sends it nothing: nobody knows it any more.",
        "但 {function} 在 {drop}（`{code}`）丢弃了等待的一方，却什么也没有发送：再也没有人知道它。",
    ),
    "cause.receiver.dropped.close": (
        "But {function} lets go of its owner at {drop} (`{code}`) without closing it: nobody can close it any more.",
        "但 {function} 在 {drop}（`{code}`）放弃了它的所有者而没有关闭它：再也没有人能关闭它。",
    ),
    "cause.receiver.forgotten.send": (
        "Of several that are made side by side, the one made at {places} gets nothing: all that is sent goes to the "
        "others.",
        "在并排创建的几个对象中，{places} 处创建的那个什么也得不到：发送的值都给了其他对象。",
    ),
    "cause.receiver.forgotten.close": (
        "Of several that are made side by side, the one made at {places} is never closed: only the others are.",
        "在并排创建的几个对象中，{places} 处创建的那个从未关闭：关闭的只是其他对象。",
    ),
    "cause.receiver.nobody.send": (
        "Nothing sends to `{channel}` and nothing closes it.",
        "没有任何代码向 `{channel}` 发送，也没有代码关闭它。",
    ),
    "cause.receiver.nobody.close": ("Nothing closes `{channel}`.", "没有任何代码关闭 `{channel}`。"),
}

__all__ = ["WORDS"]
