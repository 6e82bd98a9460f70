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
