"""Why memory stays, as the source tells it: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "cause.heap.stored": (
        "The allocation is stored in {container} at {place} (`{code}`).",
        "分配的对象在 {place} 存入 {container}（`{code}`）。",
    ),
    "cause.heap.nothing": (
        "Nothing in the package removes entries from {container} or limits its size.",
        "包内没有代码从 {container} 删除条目，也没有大小上限。",
    ),
    "cause.heap.put-back": (
        "{function} takes entries out at {place} (`{code}`) and puts them back at {back} (`{again}`) when "
        "`{condition}`.",
        "{function} 在 {place} 取出条目（`{code}`），当 `{condition}` 时又在 {back} 放回（`{again}`）。",
    ),
    "cause.heap.put-back.ends": (
        "Nothing limits the attempts, the age or the number of entries: while it keeps failing, what comes in stays.",
        "尝试次数、保留时间和条目数都没有上限：只要持续失败，进来的条目就一直留着。",
    ),
    "cause.heap.copy": (
        "{function} ({place}) should trim it at {line}, but its receiver is {type}, not *{type}: it trims a copy.",
        "{function}（{place}）本应在 {line} 裁剪，但接收者是 {type} 而非 *{type}，裁剪的只是副本。",
    ),
    "cause.heap.late": (
        "Its field {field} is set at {place} (`{code}`), after a copy was stored at {stored}. The stored copy never "
        "gets the value, so the check of {field} before the removal at {checks} always skips it.",
        "字段 {field} 在 {place} 才设置（`{code}`），而副本已在 {stored} 存入，存入的副本没有该值，{checks} "
        "删除前对 {field} 的检查总会跳过它。",
    ),
    "cause.heap.unused": (
        "Only {function} ({place}) removes entries, at {line}, and nothing calls it.",
        "只有 {function}（{place}）会在 {line} 删除条目，但没有代码调用它。",
    ),
    "cause.heap.labels": (
        "{place} looks up the metric for these labels (`{code}`). Every new label combination creates a time series "
        "that is never removed.",
        "{place} 按这些标签取指标（`{code}`），每出现一种新的标签组合就新增一条时间序列，且永不删除。",
    ),
    "cause.heap.key": (
        "Its key comes from {place} (`{code}`) and is unbounded.",
        "键来自 {place}（`{code}`），取值没有上限。",
    ),
    "cause.heap.key-decoded": (
        "{value} is whatever the sender puts there: it is decoded at {place} (`{code}`).",
        "{value} 由发送方决定：它在 {place} 解码得到（`{code}`）。",
    ),
    "cause.heap.ends": (
        "It grows with every new entry for the life of the process.",
        "进程存续期间，每新增一个条目就增长一点。",
    ),
    "cause.heap.ends-keyed": (
        "It grows with every new key for the life of the process. The code does not show how many distinct keys "
        "there can be.",
        "进程存续期间，每出现一个新键就增长一点；从代码看不出键的总数。",
    ),
    "cause.heap.foreign": (
        "Nothing in the package removes entries from {container}. Whether {type} limits itself depends on its own "
        "code and configuration.",
        "包内没有代码从 {container} 删除条目；{type} 是否自带上限取决于其实现和配置。",
    ),
    "cause.heap.registered": (
        "{place} registers a function that refers to it (`{code}`). The program never takes a registration back: "
        "`{name}` keeps every one.",
        "{place} 注册了引用它的函数（`{code}`）；程序从不撤销注册，`{name}` 会保留每一次注册。",
    ),
    "cause.heap.after": (
        "{place} registers a function with `{context}` (context.AfterFunc) that refers to it, and drops the stop "
        "function. `{context}` outlives the call, and keeps the function and all that it refers to.",
        "{place} 用 context.AfterFunc 在 `{context}` 上注册了引用它的函数，返回的 stop 函数被丢弃。`{context}` "
        "的存续期长于本次调用，会一直保留该函数及其引用的对象。",
    ),
    "cause.heap.after-kept": (
        "{place} registers a function with `{context}` (context.AfterFunc) that refers to it. `{context}` outlives it, "
        "and keeps the function and all that it refers to until the stop function is called.",
        "{place} 用 context.AfterFunc 在 `{context}` 上注册了引用它的函数。`{context}` 的存续期更长，"
        "在调用 stop 函数之前会一直保留该函数及其引用的对象。",
    ),
    "cause.heap.finalizer": (
        "{place} gives `{object}` a finalizer whose function refers to `{object}` (`{code}`): {name} keeps the "
        "function for as long as the object lives, and the function keeps the object. It is never collected.",
        "{place} 给 `{object}` 设置的终结函数引用了 `{object}` 本身（`{code}`）：对象存活期间 {name} 保留该函数，"
        "而该函数又保留对象，因此永远不会被回收。",
    ),
    "cause.heap.reused": (
        "{place} puts the object back into `{holder}` for the next use (`{code}`), with what its {buffer} holds.",
        "{place} 将对象连同其 {buffer} 中的内容放回 `{holder}` 供下次使用（`{code}`）。",
    ),
    "cause.heap.reused.ends": (
        "Nothing in the source empties {buffer}: each use adds to what all earlier ones have left.",
        "源码中没有清空 {buffer} 的代码，每次使用都在之前的内容后继续追加。",
    ),
    "cause.heap.kept": (
        "The source (below) shows no removal and no size limit.",
        "源码（见下文）没有删除逻辑，也没有大小上限。",
    ),
    "cause.heap.bound.limit": (
        "The source limits it: {place} adds to {container} only while there is room (`{code}`). It may still be "
        "filling.",
        "源码设有上限：{place} 只在 {container} 未满时存入（`{code}`），可能仍在填充。",
    ),
    "cause.heap.bound.library": (
        "{container} at {place} is a {type}, which never holds more than the bound it was made with. It may still be "
        "filling.",
        "{place} 存入的 {container} 是 {type}，不会超过创建时设定的上限，可能仍在填充。",
    ),
    "cause.heap.bound.evicts": (
        "The source limits it: {function} evicts from {container} at {place} when it is too large (`{code}`). It "
        "may still be filling.",
        "源码设有上限：{container} 过大时 {function} 会在 {place} 淘汰（`{code}`），可能仍在填充。",
    ),
    "cause.heap.bound.sweeps": (
        "The source expires it: {function} sweeps {container} at {place} (`{code}`). Growth stops when entries "
        "expire as fast as they arrive.",
        "源码会定期清理：{function} 在 {place} 扫描 {container} 并删除到期条目（`{code}`），进出持平后不再增长。",
    ),
    "cause.heap.bound.loads": (
        "{function} fills {container} at {place} (`{code}`) in a finite loop in its own goroutine. It may still be "
        "loading.",
        "{function} 在独立协程中用有限循环填充 {container}（{place}，`{code}`），可能仍在加载。",
    ),
    "cause.heap.bound.emptied": (
        "{function} clears {container} at {place} (`{code}`), which may not have run yet.",
        "{function} 会在 {place} 清空 {container}（`{code}`），可能尚未执行到。",
    ),
    "cause.heap.chain.context": (
        "{function} wraps {name} in a new context and assigns it back to {name}, in a loop at {place} (`{code}`). "
        "Every iteration adds a layer.",
        "{function} 在循环中（{place}）用新 context 包裹 {name} 再赋回 {name}（`{code}`），每轮多套一层。",
    ),
    "cause.heap.chain.before": (
        "The object created at {place} keeps the previous {held} in its field {field} (`{code}`) and replaces it at "
        "{where} (`{stored}`). Nothing in the package resets {field}.",
        "{place} 创建的对象用字段 {field} 引用上一个 {held}（`{code}`），并在 {where} 取代它（`{stored}`）；"
        "包内没有代码重置 {field}。",
    ),
    "cause.heap.chain.ends": (
        "Each keeps the previous one: none is freed while the newest is in use.",
        "每个都引用前一个，只要最新的还在用，整条链都无法释放。",
    ),
    "cause.heap.deferred": (
        "{function} defers a call at {place} (`{code}`) inside the loop at {loop}. Deferred calls run when the "
        "function returns, and this loop runs indefinitely.",
        "{function} 在 {loop} 的循环内 defer（{place}，`{code}`）；defer 在函数返回时才执行，而该循环一直不结束。",
    ),
    "cause.heap.deferred.ends": (
        "Until then every deferred call keeps what it refers to.",
        "在此之前，每个 defer 都持有它引用的内存。",
    ),
    "cause.heap.pin.made": (
        "{place} creates a large string or buffer (`{code}`).",
        "{place} 生成大块字符串或缓冲（`{code}`）。",
    ),
    "cause.heap.pin.cut": (
        "{place} slices a small piece from it (`{code}`) without copying.",
        "{place} 从中截取一小段（`{code}`），没有复制。",
    ),
    "cause.heap.pin.stored": (
        "The piece is stored in {container} at {place} (`{code}`).",
        "该片段在 {place} 存入 {container}（`{code}`）。",
    ),
    "cause.heap.pin.ends": (
        "The piece keeps the whole buffer in memory; strings.Clone would keep only the piece.",
        "片段不释放，整块缓冲就留在内存；用 strings.Clone 可只保留片段。",
    ),
    # Beside the heap.
    "cause.memory.made": (
        "{function} allocates memory outside Go at {place} ({call}), which needs an explicit release.",
        "{function} 在 {place}（{call}）分配 Go 之外的内存，必须显式释放。",
    ),
    "cause.memory.left": (
        "{function} gets it at {place} ({call}) and returns at {exits} without releasing it.",
        "{function} 在 {place}（{call}）获得它，未释放就在 {exits} 返回。",
    ),
    "cause.memory.dropped": (
        "{function} discards the result of {call} at {place}.",
        "{function} 在 {place} 丢弃了 {call} 的返回值。",
    ),
    "cause.memory.replaced": (
        "{function} overwrites {field} at {place} (`{code}`) without releasing the previous value.",
        "{function} 在 {place} 覆盖 {field}（`{code}`），没有释放原值。",
    ),
    "cause.memory.ends": (
        "Unreleased memory stays with the process; neither the GC nor the heap profile sees it.",
        "未释放的内存一直留在进程中，GC 和 heap profile 都看不到。",
    ),
}
