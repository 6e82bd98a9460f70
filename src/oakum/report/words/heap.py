"""Sentences about the heap: key -> English, Chinese."""

WORDS: dict[str, tuple[str, str]] = {
    "heap.steady-growth": (
        "Live memory allocated in {function} rose in {rises} of {steps} intervals, {first} to {last}, after a GC "
        "each time and without slowing down ({samples:,} sampled objects).",
        "{function} 分配的存活内存在 {steps} 个区间中有 {rises} 个上升，{first} → {last}，每次均已经过 GC，"
        "且没有放缓（采样对象 {samples:,} 个）。",
    ),
    "heap.single-step": (
        "Live memory allocated in {function} went from {first} to {last}. Continued growth is not shown.",
        "{function} 分配的存活内存从 {first} 变为 {last}，尚不能说明会继续增长。",
    ),
    "heap.retained": (
        "{percent}% of the {allocated} allocated there since the first snapshot is still live after the load stopped.",
        "首次快照以来在此分配的 {allocated} 中，{percent}% 至今仍存活，负载停止后也未释放。",
    ),
    "heap.goes-on": (
        "It grew in {rises} of {steps} intervals, also in the last one under load, but less evenly than steady growth.",
        "在 {steps} 个间隔中的 {rises} 个里增长，有负载的最后一个间隔也在增长，只是不如稳定增长那样均匀。",
    ),
    "heap.even-growth": (
        "It rose in all {steps} intervals, and per unit of work no slower at the end than at the start.",
        "{steps} 个区间全部上升，同等负载下后期增速不低于前期。",
    ),
    "heap.largest": (
        "{function} holds {last} of live memory, {percent}% of the heap, in {objects:,} objects. One profile does "
        "not show growth.",
        "{function} 持有 {last} 存活内存，占堆内存 {percent}%，共 {objects:,} 个对象；单份 profile 看不出是否增长。",
    ),
    "heap.largest-bytes": (
        "{function} holds {last} of live memory, {percent}% of the heap. One profile does not show growth.",
        "{function} 持有 {last} 存活内存，占堆内存 {percent}%；单份 profile 看不出是否增长。",
    ),
    "heap.plateau": (
        "Live memory allocated in {function} leveled off at {last} under continued load.",
        "负载仍在，{function} 分配的存活内存已稳定在 {last}。",
    ),
    "heap.falls": (
        "Live memory allocated in {function} fell from {peak} to {last}.",
        "{function} 分配的存活内存已从 {peak} 回落到 {last}。",
    ),
    "heap.sampling-noise": (
        "The profile shows {gained} more here, but the whole live heap grew by only {heap}: sampling noise.",
        "profile 显示此处增加 {gained}，但整个存活堆只增长了 {heap}，属于采样误差。",
    ),
    "heap.baseline": ("{ours} here, {twin} in the baseline.", "此处 {ours}，基线 {twin}。"),
    "heap.like-baseline": (
        "The baseline holds about as much here: {twin}, against {ours}.",
        "基线在此处持有的内存相近：基线 {twin}，本进程 {ours}。",
    ),
    "heap.owner.registration": (
        "It is held by what {caller} registers with {function}. To unregister: {release}.",
        "由 {caller} 通过 {function} 的注册所持有，注销方式：{release:phrase}。",
    ),
    "heap.owner.container": (
        "It is stored in a container: {function} is on the call path.",
        "它被存入容器：调用路径上有 {function}。",
    ),
    "heap.owner.kept": (
        "{objects:,} more objects are alive, and this path has only {goroutines:#goroutine}: a map, slice, list or "
        "other long-lived variable holds them.",
        "存活对象多出 {objects:,} 个，而该路径上只有 {goroutines:,} 个协程：持有者是 map、slice、链表或其他"
        "长生命周期的变量。",
    ),
    "heap.pinned": (
        "These goroutines keep {bytes} of heap alive, allocated by {function}, {each} each: {percent}% of the heap "
        "growth.",
        "这些协程持有 {function} 分配的 {bytes} 堆内存，平均每个 {each}，占堆内存增长的 {percent}%。",
    ),
    "heap.pinned-now": (
        "These goroutines keep {bytes} of heap alive, allocated by {function}, {each} each: {percent}% of the heap.",
        "这些协程持有 {function} 分配的 {bytes} 堆内存，平均每个 {each}，占堆内存的 {percent}%。",
    ),
    "heap.finalizer": (
        "The finalizer goroutine was inside {function} in {busy} of {of} snapshots, blocked at {place} [{state}]. "
        "Objects queued behind it cannot be freed.",
        "{of} 次快照中有 {busy} 次，finalizer 协程处于 {function} 内，位于 {place} [{state}]；排在后面的对象无法释放。",
    ),
    "heap.timer": (
        "A timer was running {function} in {busy} of {of} snapshots (now at {place}, {state}). Timers that are "
        "never stopped hold what they refer to.",
        "{of} 次快照中有 {busy} 次可见由 timer 触发的 {function}（当前位于 {place}，{state}）；未停止的 timer "
        "会一直持有所引用的内存。",
    ),
    "heap.lags": (
        "The profile shows {gained} here, but the whole heap is {heap}: the profile lags behind the GC.",
        "profile 显示此处 {gained}，而整个堆只有 {heap}：profile 滞后于 GC。",
    ),
    "heap.lags-behind": (
        "The profile holds {profile} in total, but the whole heap is {heap}: it lags behind the GC, and what it "
        "shows here may already be freed.",
        "profile 合计 {profile}，而整个堆只有 {heap}：profile 滞后于 GC，此处内存可能已释放。",
    ),
    "heap.with-goroutines": (
        "{count:,} goroutines leak in step with it (blocked in {function}) and may hold it. The stacks neither "
        "confirm nor rule it out.",
        "有 {count:,} 个协程与之同步泄漏（阻塞在 {function}），可能就是持有者；调用栈既不能证实也不能排除。",
    ),
}
