"""Sentences about the memory budget: key -> English, Chinese."""

WORDS: dict[str, tuple[str, str]] = {
    "memory.not-heap": (
        "Only {live} of {rss} RSS is live Go heap: not a heap leak.",
        "RSS {rss} 中存活的 Go 堆只有 {live}：不是堆内存泄漏。",
    ),
    "memory.not-heap-growth": (
        "RSS grew by {rss}, the live Go heap by {live}: not a heap leak.",
        "RSS 增长 {rss}，存活的 Go 堆只增长 {live}：不是堆内存泄漏。",
    ),
    "memory.gc-headroom": (
        "{size} of the heap is dead or new and waits for the next GC at {target} ({live} live): GC headroom.",
        "堆中有 {size} 是待回收或新分配的对象，下次 GC 目标 {target}（存活 {live}）：属于 GC 余量。",
    ),
    "memory.not-returned": (
        "{size} of {whole} is free heap that Go keeps for reuse and has not returned to the OS.",
        "{whole} 中有 {size} 是空闲堆内存，Go 留作复用，尚未归还操作系统。",
    ),
    "memory.stacks": (
        "{size} of {whole} is goroutine stacks ({live} live heap).",
        "{whole} 中有 {size} 是协程栈（存活堆 {live}）。",
    ),
    "memory.off-heap": (
        "{size} of {whole} is outside the Go runtime: mappings, C libraries or pages of the binary.",
        "{whole} 中有 {size} 不归 Go 管理：内存映射、C 库或程序文件的页面。",
    ),
    "memory.full-in": (
        "At this rate the limit of {limit} is reached in about {minutes:,} min.",
        "按当前速度，约 {minutes:,} 分钟后达到上限 {limit}。",
    ),
    "memory.off-heap-steady-growth": (
        "Memory outside the Go runtime rose in {rises} of {steps} intervals, from {first} to {last} of {rss} RSS "
        "(live heap {live}).",
        "Go 之外的内存在 {steps} 个区间中有 {rises} 个上升，{first} → {last}（RSS {rss}，存活堆 {live}）。",
    ),
    "memory.off-heap-single-step": (
        "Memory outside the Go runtime went from {first} to {last} of {rss} RSS. Continued growth is not shown.",
        "Go 之外的内存从 {first} 变为 {last}（RSS {rss}），尚不能说明会继续增长。",
    ),
    "memory.off-heap-steady-growth-peak": (
        "Peak RSS exceeds all memory the Go runtime ever obtained, by {first} at first and {last} now ({rss} peak, "
        "live heap {live}); it rose in {rises} of {steps} intervals.",
        "RSS 峰值超出 Go 运行时累计申请的全部内存，超出部分 {first} → {last}（峰值 {rss}，存活堆 {live}），"
        "{steps} 个区间中有 {rises} 个上升。",
    ),
    "memory.off-heap-single-step-peak": (
        "Peak RSS exceeds all memory the Go runtime ever obtained, by {first} at first and {last} now ({rss} peak). "
        "Continued growth is not shown.",
        "RSS 峰值超出 Go 运行时累计申请的全部内存，超出部分 {first} → {last}（峰值 {rss}），尚不能说明会继续增长。",
    ),
    "memory.off-heap-plateau": (
        "Memory outside the Go runtime leveled off at {last} under continued load.",
        "负载仍在，Go 之外的内存已稳定在 {last}。",
    ),
    "memory.off-heap-falls": (
        "Memory outside the Go runtime fell from {peak} to {last}.",
        "Go 之外的内存已从 {peak} 回落到 {last}。",
    ),
    "memory.off-heap-reserved": (
        "{virtual} of address space was already reserved; the process has since touched {gained} of it, as when an "
        "arena fills.",
        "{virtual} 地址空间此前已预留，其后只是实际用到其中 {gained}，如 arena 逐步填满。",
    ),
    "memory.memory-headroom": (
        "RSS grew by {rss}, of which {size} is dead objects waiting for the next GC at {target} ({live} live).",
        "RSS 增长 {rss}，其中 {size} 是等待下次 GC 的对象，GC 目标 {target}（存活 {live}）。",
    ),
    "memory.memory-idle": (
        "RSS grew by {rss}, of which {size} is free heap that Go keeps for reuse and returns to the OS slowly "
        "({live} live).",
        "RSS 增长 {rss}，其中 {size} 是空闲堆内存，Go 留作复用并逐步归还操作系统（存活 {live}）。",
    ),
}
