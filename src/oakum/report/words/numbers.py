"""Sentences about numbers of the process through its snapshots: key -> English, Chinese."""

_CALLED = {
    "goroutines": ("The goroutine count", "协程数"),
    "live-heap": ("The live heap", "存活堆"),
    "heap": ("The heap (minimum between GCs)", "堆内存（两次 GC 之间的最低值）"),
    "resident": ("RSS (minimum)", "RSS（最低值）"),
}
_DID = {
    "rise": ("rose from {first} to {last} in {moments} snapshots.", "在 {moments} 次快照中从 {first} 增至 {last}。"),
    "level": ("rose from {first} and leveled off at {last}.", "从 {first} 上升后稳定在 {last}。"),
    "fall": ("rose to {peak} and fell to {last}.", "升至 {peak} 后回落到 {last}。"),
    "stops": (
        "rose from {first} to {last}, and stopped growing only when the work stopped.",
        "从 {first} 增至 {last}，直到负载停止才不再增长。",
    ),
    "traffic": (
        "rose from {first} to {last}, in step with the request rate.",
        "从 {first} 增至 {last}，与同期请求量同步。",
    ),
}

WORDS: dict[str, tuple[str, str]] = {
    f"numbers.{name}.{what}": (f"{called[0]} {did[0]}", f"{called[1]}{did[1]}")
    for name, called in _CALLED.items()
    for what, did in _DID.items()
}
