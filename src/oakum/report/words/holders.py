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
    "holders.entries": ("{entries:,} entries", "{entries:,} 项"),
}
