"""Sentences about the heap: key -> English, Chinese."""

WORDS: dict[str, tuple[str, str]] = {
    "heap.rises": (
        "Live memory allocated in {function} rose in {rises} of {steps} steps, from {first} to {last}, each time"
        " past a garbage collection and without slowing down ({samples:,} sampled objects).",
        "在 {function} 中分配的存活内存在 {steps} 个区间中有 {rises} 个上升，从 {first} 增至 {last}，每次都经过垃"
        "圾回收，且没有放缓（{samples:,} 个采样对象）。",
    ),
    "heap.ramp": (
        "Live memory allocated in {function} went from {first} to {last}; that it goes on growing does not show.",
        "在 {function} 中分配的存活内存从 {first} 变为 {last}；还看不出它会继续增长。",
    ),
    "heap.climbs": (
        "It rose in each of the {steps} steps, and for the same work no slower at the end than at the beginning.",
        "它在全部 {steps} 个区间中都在上升，且同样的工作量下，后期并不比前期增长得慢。",
    ),
    "heap.retains": (
        "{function} holds {last} of live memory, {percent} % of the heap, in {objects:,} objects; one profile"
        " cannot say whether it grows.",
        "{function} 持有 {last} 存活内存，占堆内存的 {percent}%，共 {objects:,} 个对象；仅凭一份 profile 无法判断它"
        "是否在增长。",
    ),
    "heap.retains-bytes": (
        "{function} holds {last} of live memory, {percent} % of the heap; one profile cannot say whether it grows.",
        "{function} 持有 {last} 存活内存，占堆内存的 {percent}%；仅凭一份 profile 无法判断它是否在增长。",
    ),
    "heap.level": (
        "Live memory allocated in {function} levelled off at {last} while work went on.",
        "负载仍在继续，而在 {function} 中分配的存活内存稳定在 {last}。",
    ),
    "heap.falls": (
        "Live memory allocated in {function} fell again, from {peak} to {last}.",
        "在 {function} 中分配的存活内存已回落，从 {peak} 降至 {last}。",
    ),
    "heap.wobbles": (
        "The profile shows {gained} more here, but the live heap as a whole grew by {heap} only: that is sampling.",
        "profile 显示此处多了 {gained}，但整个存活堆只增长了 {heap}：这是采样误差。",
    ),
    "heap.twin": (
        "The healthy twin holds {twin} at this place, this process {ours}.",
        "健康的对照进程在此处持有 {twin}，而本进程持有 {ours}。",
    ),
    "heap.like-twin": (
        "The healthy twin holds about as much at this place: {twin} against {ours}.",
        "健康的对照进程在此处持有的内存相近：{twin}，本进程为 {ours}。",
    ),
    "heap.shape.registration": (
        "It is held by what {caller} registers with {function}, which is undone by: {release}.",
        "它由 {caller} 通过 {function} 所做的注册持有，撤销方式是：{release:phrase}。",
    ),
    "heap.shape.container": (
        "It is put into a container: {function} is on the path.",
        "它被放入一个容器：路径上有 {function}。",
    ),
    "heap.shape.kept": (
        "{objects:,} more objects are alive than goroutines could hold ({goroutines:#goroutine} on this path): a map,"
        " slice, list or other variable that outlives the call holds them.",
        "多出的 {objects:,} 个对象仍然存活，而该路径上的 goroutine 为 {goroutines:,} 个：持有它们的不是"
        " goroutine，而是比调用活得更久的 map、slice、链表或其他变量。",
    ),
    "heap.pinned": (
        "These goroutines keep {bytes} of heap alive that {function} allocated, {each} each; that explains "
        "{percent} % of the heap's growth.",
        "这些 goroutine 使 {function} 分配的 {bytes} 堆内存保持存活，每个 {each}；这解释了堆增长的 {percent}%。",
    ),
    "heap.pinned-now": (
        "These goroutines keep {bytes} of heap alive that {function} allocated, {each} each: {percent} % of the heap.",
        "这些 goroutine 使 {function} 分配的 {bytes} 堆内存保持存活，每个 {each}；占堆内存的 {percent}%。",
    ),
    "heap.finalizer": (
        "The goroutine that runs all finalizers was inside {function} in {busy} of {of} moments, at {place} in"
        " state {state}: objects wait for their finalizer and cannot be freed.",
        "负责运行所有 finalizer 的 goroutine 在 {of} 个时刻中有 {busy} 个处于 {function} 内，位于 {place}，状态为"
        " {state}：对象在等待自己的 finalizer，无法释放。",
    ),
    "heap.timer": (
        "Timers started {function} in {busy} of {of} moments (now at {place}, {state}): timers that nobody"
        " stopped hold what they refer to.",
        "在 {of} 个时刻中有 {busy} 个能看到由定时器启动的 {function}（现位于 {place}，{state}）：没有停止的定时器"
        "会持有它们所引用的内存。",
    ),
    "heap.lags": (
        "The profile shows {gained} here, and the whole heap is {heap}: it lags behind the collector.",
        "profile 显示此处有 {gained}，而整个堆只有 {heap}：profile 落后于垃圾回收。",
    ),
    "heap.lags-behind": (
        "The profile holds {profile} in all, and the whole heap is {heap}: it lags behind the collector, and what it"
        " shows here may be gone.",
        "profile 中的内存共 {profile}，而整个堆只有 {heap}：profile 落后于垃圾回收，此处显示的内存可能已经释放。",
    ),
    "heap.beside": (
        "Goroutines leak in step with it ({count:,} stand in {function}) and may be what holds it: no frame says"
        " so, and none says otherwise.",
        "与它同步泄漏的还有 goroutine（{count:,} 个停在 {function}），它们可能正是持有者：没有栈帧能证明，也没有"
        "栈帧能否定。",
    ),
}

__all__ = ["WORDS"]
