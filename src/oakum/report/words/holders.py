"""What `oakum holders` says: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "holders.head": (
        "{bytes:bytes} in {objects:#object} are held",
        "持有中的对象共 {objects:,} 个，{bytes:bytes}",
    ),
    "holders.unreferenced": (
        "{bytes:bytes} are garbage that the next collection frees",
        "另有 {bytes:bytes} 是垃圾，下次 GC 会回收",
    ),
    "holders.exact": (
        "retained: what would be free without this holder",
        "保留量：没有该持有者时可释放的内存",
    ),
    "holders.first-path": (
        "reached: each object counts once, to the first path that goref found to it",
        "可达量：每个对象只计一次，计入 goref 最先找到的路径",
    ),
    "holders.columns.retained": ("retained", "保留"),
    "holders.columns.reached": ("reached", "可达"),
    "holders.columns.objects": ("objects", "对象"),
    "holders.columns.change": ("change", "变化"),
    "holders.columns.before": ("before", "之前"),
    "holders.columns.after": ("after", "之后"),
    "holders.columns.holder": ("holder", "持有者"),
    "holders.top": ("Top holders", "主要持有者"),
    "holders.grown": ("Changes from {before} to {after}", "从 {before} 到 {after} 的变化"),
    "holders.same": ("No holder changed.", "持有者没有变化。"),
    "holders.empty": ("Nothing is held.", "没有持有中的对象。"),
    "holders.more": ("{count:#holder} more; -n 0 shows all", "另有 {count:,} 个持有者；`-n 0` 显示全部"),
    "holders.allocated": ("allocated in {function} ({place})", "分配于 {function}（{place}）"),
    "holders.kind.global": ("{name}", "{name}"),
    "holders.kind.goroutine": (
        "{count:#goroutine} in {name} [{state}]",
        "{name} 中的 {count:,} 个协程 [{state}]",
    ),
    "holders.kind.timers": ("timers of the runtime", "运行时的定时器"),
    "holders.kind.finalizer-queue": (
        "finalizer queue: {count:#object} wait for their finalizer",
        "终结器队列：{count:,} 个对象等待终结器",
    ),
    "holders.kind.finalizers": ("functions of {count:#finalizer}", "{count:,} 个终结器的函数"),
    "holders.kind.runtime": ("Go runtime", "Go 运行时"),
    "holders.kind.several": ("{name} (held by all of these)", "{name}（由它们共同持有）"),
    "holders.kind.other": ("{name}", "{name}"),
    "holders.kind.field": ("{name}", "{name}"),
    "holders.kind.frame": ("frame of {name}", "{name} 的栈帧"),
    "holders.kind.entries": ("{name}", "{name}"),
    "holders.kind.objects": ("objects of {name}", "{name} 的对象"),
    "holders.kind.data": ("data of {name}", "{name} 的数据"),
    "held.global": (
        "{name} keeps {bytes} alive in {objects:#object}, {percent}% of the heap.",
        "{name} 持有 {objects:,} 个对象，共 {bytes}，占堆的 {percent}%。",
    ),
    "held.global.entries": (
        "{name} keeps {bytes} alive in {entries:,} entries, {percent}% of the heap.",
        "{name} 持有 {entries:,} 项，共 {bytes}，占堆的 {percent}%。",
    ),
    "held.global.typed": (
        "{name} ({type}) keeps {bytes} alive in {objects:#object}, {percent}% of the heap.",
        "{name}（{type}）持有 {objects:,} 个对象，共 {bytes}，占堆的 {percent}%。",
    ),
    "held.global.typed.entries": (
        "{name} ({type}) keeps {bytes} alive in {entries:,} entries, {percent}% of the heap.",
        "{name}（{type}）持有 {entries:,} 项，共 {bytes}，占堆的 {percent}%。",
    ),
    "held.several": (
        "{name} keep {bytes} alive together, {percent}% of the heap: it is free only when none of them has it.",
        "{name} 共同持有 {bytes}，占堆的 {percent}%：全部放手后才会释放。",
    ),
    "held.goroutine": (
        "{count:#goroutine} in {name} [{state}] keep {bytes} alive, {percent}% of the heap.",
        "{name} 中的 {count:,} 个协程 [{state}] 持有 {bytes}，占堆的 {percent}%。",
    ),
    "held.timers": (
        "Timers that have not gone off or been stopped keep {bytes} alive, {percent}% of the heap.",
        "未触发也未停止的定时器持有 {bytes}，占堆的 {percent}%。",
    ),
    "held.finalizer-queue": (
        "{count:#object} in the finalizer queue keep {bytes} alive, {percent}% of the heap: no finalizer has run for "
        "them.",
        "终结器队列中的 {count:,} 个对象持有 {bytes}，占堆的 {percent}%：终结器尚未运行。",
    ),
    "held.growth": (
        "Memory kept by {name} grew from {first} to {last} between the heap dumps, {percent}% of the growth of the "
        "heap.",
        "两次堆转储之间，{name} 持有的内存从 {first} 增至 {last}，占堆增长的 {percent}%。",
    ),
    "held.steady-growth": (
        "Memory kept by {name} grew in each of {dumps:,} heap dumps, from {first} to {last}, {percent}% of the growth "
        "of the heap.",
        "在 {dumps:,} 次堆转储中，{name} 持有的内存逐次增长，从 {first} 增至 {last}，占堆增长的 {percent}%。",
    ),
    "holders.entries": ("{entries:,} entries", "{entries:,} 项"),
}
