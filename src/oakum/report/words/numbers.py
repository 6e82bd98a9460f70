"""Sentences about numbers of the process through its moments: key -> English, Chinese."""

_CALLED = {
    "goroutines": ("The number of goroutines", "goroutine 数量"),
    "live-heap": ("The live heap", "存活堆"),
    "heap": ("The heap, at its lowest between collections,", "堆（取两次回收之间的最低值）"),
    "resident": ("Resident memory, at its lowest,", "常驻内存（取最低值）"),
}
_DID = {
    "rise": ("rose from {first} to {last} in {moments} moments.", "在 {moments} 个时刻中从 {first} 增至 {last}。"),
    "level": ("rose from {first} and levelled off at {last}.", "从 {first} 上升后稳定在 {last}。"),
    "fall": ("rose to {peak} and fell again to {last}.", "升至 {peak} 后回落到 {last}。"),
    "traffic": (
        "rose from {first} to {last}, as the requests did that came in the same time.",
        "从 {first} 增至 {last}，与同一时间的请求量同步。",
    ),
}

WORDS: dict[str, tuple[str, str]] = {
    f"numbers.{name}.{what}": (f"{called[0]} {did[0]}", f"{called[1]}{did[1]}")
    for name, called in _CALLED.items()
    for what, did in _DID.items()
}

__all__ = ["WORDS"]
