"""Why memory stays, as the source tells it: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "cause.heap.stored": (
        "What is allocated is put into {container} at {place} (`{code}`).",
        "所分配的内存在 {place} 被放入 {container}（`{code}`）。",
    ),
    "cause.heap.nothing": (
        "Nothing in the package takes anything out of {container} again, and nothing limits what goes in.",
        "包内没有任何代码再从 {container} 中取出内容，也没有任何限制约束放入的数量。",
    ),
    "cause.heap.copy": (
        "{function} ({place}) is meant to take the oldest out at {line}, but its receiver is a copy: {type}, not "
        "*{type}. What it cuts off is cut off the copy alone.",
        "{function}（{place}）本应在 {line} 去掉旧的内容，但它的接收者是一个副本：{type} 而不是 *{type}。"
        "去掉的只是副本中的内容。",
    ),
    "cause.heap.late": (
        "Its field {field} is set at {place} (`{code}`), after a copy of it was stored at {stored}: the stored "
        "one never "
        "gets it, so the check of {field} before the removal at {checks} always passes it over.",
        "它的字段 {field} 在 {place} 才设置（`{code}`），而副本已在 {stored} 存入：存入的那一份永远得不到该值，"
        "因此 {checks} 移除之前对 {field} 的检查总是跳过它。",
    ),
    "cause.heap.unused": (
        "Only {function} ({place}) takes something out, at {line}, and nothing calls it.",
        "只有 {function}（{place}）会在 {line} 取出内容，但没有任何代码调用它。",
    ),
    "cause.heap.labels": (
        "{place} takes the metric of these labels (`{code}`); each combination of labels that was never seen before "
        "is a new time series, which is kept for good.",
        "{place} 取出带有这些标签的指标（`{code}`）；每种从未出现过的标签组合都是一条新的时间序列，并永久保留。",
    ),
    "cause.heap.key": (
        "Its key comes from {place} (`{code}`), which can have any number of values.",
        "它的键来自 {place}（`{code}`），可以有任意多个取值。",
    ),
    "cause.heap.ends": (
        "So the container grows with every new entry for as long as the process runs.",
        "因此只要进程在运行，该容器就随着每个新条目增长。",
    ),
    "cause.heap.ends-keyed": (
        "So the container grows with every key that was not there before, for as long as the process runs; how many "
        "keys there can be, the code read does not say.",
        "因此只要进程在运行，该容器就随着每个新出现的键增长；键一共会有多少，所读的代码没有说明。",
    ),
    "cause.heap.foreign": (
        "Nothing in the package takes anything out of {container} again. Whether {type} limits itself, and how much "
        "that limit allows, its own code and the way it is made decide.",
        "包内没有任何代码再从 {container} 中取出内容。{type} 自身是否有上限、上限有多大，取决于它自己的代码和"
        "创建方式。",
    ),
    "cause.heap.kept": (
        "The source, read below, has nothing that takes it out again, and nothing that bounds how much goes in.",
        "源代码（见下文）中没有任何代码再把它取出，也没有任何限制约束放入的数量。",
    ),
    "cause.heap.bound.limit": (
        "The source bounds it: {place} puts into {container} only while there is room (`{code}`). It may be "
        "filling up.",
        "源代码对它设了上限：{place} 仅在 {container} 未满时放入（`{code}`）。它可能还在填充。",
    ),
    "cause.heap.bound.evicts": (
        "The source bounds it: when {container} has grown too large, {function} takes something out at {place} "
        "(`{code}`). It may be filling up.",
        "源代码对它设了上限：{container} 过大时，{function} 会在 {place} 取出内容（`{code}`）。它可能还在填充。",
    ),
    "cause.heap.bound.sweeps": (
        "The source lets go of it: {function} goes through {container} and takes out what is due, at {place} "
        "(`{code}`). Growth ends when as much goes as comes.",
        "源代码会释放它：{function} 遍历 {container}，在 {place} 取出到期的内容（`{code}`）。当取出与放入持平时，"
        "增长就会停止。",
    ),
    "cause.heap.bound.loads": (
        "The source ends it: {function} fills {container} at {place} (`{code}`) in a loop that ends by itself, in a "
        "goroutine of its own. It may still be loading.",
        "源代码会结束它：{function} 在自己的 goroutine 中用一个会自行结束的循环填充 {container}，位于 {place}"
        "（`{code}`）。它可能还在加载。",
    ),
    "cause.heap.bound.emptied": (
        "The source lets go of it: {function} empties {container} at {place} (`{code}`). It may not have come to that.",
        "源代码会释放它：{function} 在 {place} 清空 {container}（`{code}`）。可能只是还没到清空的时候。",
    ),
    "cause.heap.chain.context": (
        "{function} wraps {name} into a new context and puts that back into {name}, at {place} in a loop (`{code}`): "
        "the next turn wraps it again.",
        "{function} 在循环中的 {place} 把 {name} 包进新的 context，又赋回 {name}（`{code}`）：下一轮会再包一层。",
    ),
    "cause.heap.chain.before": (
        "What is made at {place} keeps {held}, the one before, in its field {field} (`{code}`), and takes its place at "
        "{where} (`{stored}`). Nothing in the package sets {field} again.",
        "{place} 新建的值用字段 {field} 保存了上一个 {held}（`{code}`），随后在 {where} 取代它（`{stored}`）。"
        "包内没有任何代码再设置 {field}。",
    ),
    "cause.heap.chain.ends": (
        "So each keeps the one before it, down to the first: none of them can be freed while the newest lives.",
        "因此每一个都引用着前一个，直到最早的那个：只要最新的还在，就一个也无法释放。",
    ),
    "cause.heap.deferred": (
        "{function} defers a call at {place} (`{code}`) inside the loop at {loop}. Deferred calls run when the "
        "function returns, not at the end of a turn, and this loop goes on until somebody ends it.",
        "{function} 在 {loop} 的循环内于 {place} 使用 defer（`{code}`）。defer 的调用在函数返回时才执行，"
        "而不是在每轮结束时，而这个循环要等有人结束它才会停止。",
    ),
    "cause.heap.deferred.ends": (
        "Until then every deferred call waits, and keeps all that it refers to.",
        "在此之前，每个 defer 的调用都在等待，并持有它所引用的一切。",
    ),
    "cause.heap.pin.made": (
        "{place} makes a large text or buffer (`{code}`).",
        "{place} 生成一大段文本或缓冲（`{code}`）。",
    ),
    "cause.heap.pin.cut": (
        "A small piece is cut out of it at {place} (`{code}`), which copies nothing: the piece points into the whole.",
        "在 {place} 从中截取一小段（`{code}`），并不复制：这一小段仍指向整体。",
    ),
    "cause.heap.pin.stored": (
        "The piece is kept in {container} at {place} (`{code}`).",
        "这一小段在 {place} 被保存到 {container}（`{code}`）。",
    ),
    "cause.heap.pin.ends": (
        "For as long as the piece is kept, the whole of it stays in memory; strings.Clone would keep the piece alone.",
        "只要这一小段还被保存，整体就留在内存中；用 strings.Clone 则只保留这一小段。",
    ),
    # Beside the heap.
    "cause.memory.made": (
        "{function} takes memory that Go does not manage at {place} ({call}); only an explicit call gives it back.",
        "{function} 在 {place}（{call}）取得不归 Go 管理的内存；只有显式调用才会归还。",
    ),
    "cause.memory.left": (
        "{function} gets it at {place} ({call}) and leaves at {exits} without giving it back.",
        "{function} 在 {place}（{call}）得到它，却在 {exits} 退出而没有归还。",
    ),
    "cause.memory.dropped": (
        "{function} throws the result of {call} at {place} away.",
        "{function} 在 {place} 丢弃了 {call} 的结果。",
    ),
    "cause.memory.replaced": (
        "{function} puts the new one into {field} at {place} (`{code}`) without giving back the one that was there.",
        "{function} 在 {place} 把新的放入 {field}（`{code}`），却没有归还原来的那一份。",
    ),
    "cause.memory.ends": (
        "What is not given back stays with the process; neither the heap profile nor the garbage collector sees it.",
        "未归还的内存一直留在进程中；堆 profile 和垃圾回收器都看不到它。",
    ),
}

__all__ = ["WORDS"]
