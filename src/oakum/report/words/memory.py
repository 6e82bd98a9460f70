"""Sentences about the memory budget: key -> English, Chinese."""

WORDS: dict[str, tuple[str, str]] = {
    "memory.not-heap": (
        "Of {rss} resident memory only {live} is live Go heap: this is not a heap leak.",
        "在 {rss} 常驻内存中，只有 {live} 是存活的 Go 堆：这不是堆泄漏。",
    ),
    "memory.not-heap-growth": (
        "Resident memory grew by {rss}, the live Go heap by {live}: this is not a heap leak.",
        "常驻内存增长了 {rss}，存活的 Go 堆只增长了 {live}：这不是堆泄漏。",
    ),
    "memory.gc-headroom": (
        "{size} of the heap are dead or new and wait for the next collection, which is due at {target} ({live}"
        " are alive): GC headroom.",
        "堆中有 {size} 是已死或新分配的对象，等待下一次回收，目标为 {target}（存活 {live}）：这是 GC 余量。",
    ),
    "memory.not-returned": (
        "{size} of {whole} are free heap that Go keeps for reuse and has not returned to the system yet.",
        "{whole} 中有 {size} 是 Go 留作复用、尚未归还给操作系统的空闲堆内存。",
    ),
    "memory.stacks": (
        "{size} of {whole} are goroutine stacks, beside {live} of live heap.",
        "{whole} 中有 {size} 是 goroutine 的栈，存活堆为 {live}。",
    ),
    "memory.off-heap": (
        "{size} of {whole} are outside of what Go accounts for: mappings, C libraries, or pages of the program file.",
        "{whole} 中有 {size} 不在 Go 的账目之内：内存映射、C 库，或程序文件本身的页面。",
    ),
    "memory.full-in": (
        "At the present rate the limit of {limit} is reached in about {minutes:,} minutes.",
        "按目前的速度，大约 {minutes:,} 分钟后达到 {limit} 的上限。",
    ),
    "memory.off-heap-rises": (
        "Memory that Go does not account for rose in {rises} of {steps} steps, from {first} to {last} of {rss}"
        " resident; the live heap is {live}.",
        "Go 账目之外的内存在 {steps} 个区间中有 {rises} 个上升，从 {first} 增至 {last}（常驻内存 {rss}）；存活堆"
        "为 {live}。",
    ),
    "memory.off-heap-ramp": (
        "Memory that Go does not account for went from {first} to {last} of {rss} resident; that it goes on"
        " growing does not show.",
        "Go 账目之外的内存从 {first} 变为 {last}（常驻内存 {rss}）；还看不出它会继续增长。",
    ),
    "memory.off-heap-level": (
        "Memory that Go does not account for levelled off at {last} while work went on.",
        "负载仍在继续，而 Go 账目之外的内存稳定在 {last}。",
    ),
    "memory.off-heap-falls": (
        "Memory that Go does not account for fell again, from {peak} to {last}.",
        "Go 账目之外的内存已回落，从 {peak} 降至 {last}。",
    ),
    "memory.off-heap-reserved": (
        "The address space of {virtual} was taken before: {gained} of it were only touched since, as an arena fills.",
        "{virtual} 的地址空间此前已经保留：其后只是其中 {gained} 被实际使用，如同一块 arena 逐渐填满。",
    ),
    "memory.memory-headroom": (
        "Resident memory grew by {rss}; {size} of it are dead objects that wait for the next collection, due at "
        "{target} ({live} are alive).",
        "常驻内存增长了 {rss}；其中 {size} 是等待下一次回收的已死对象，回收目标为 {target}（存活 {live}）。",
    ),
    "memory.memory-idle": (
        "Resident memory grew by {rss}; {size} of it are free heap that Go keeps for reuse and returns to the"
        " system slowly ({live} are alive).",
        "常驻内存增长了 {rss}；其中 {size} 是 Go 留作复用、会慢慢归还给操作系统的空闲堆内存（存活 {live}）。",
    ),
}

__all__ = ["WORDS"]
