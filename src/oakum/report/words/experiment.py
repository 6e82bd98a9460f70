"""What is said about experiments: key -> (English, Chinese)."""

# Units of work: one, several, and in Chinese with its measure word: {x:unit}, {x:units}.
UNITS = {
    "request": ("request", "requests", "次请求"),
    "run": ("run", "runs", "次执行"),
    "second": ("second", "seconds", "秒"),
    "iteration": ("iteration", "iterations", "次迭代"),
}

WORDS: dict[str, tuple[str, str]] = {
    "experiment.reproduced": (
        "Reproduced: {value} [{low}, {high}] goroutines per {unit:unit} stay here, batch by batch and after draining "
        "({units:,} {unit:units}: {counts}).",
        "已复现：每{unit:unit}残留 {value} [{low}, {high}] 个协程，逐批增长，排空后仍在"
        "（共 {units:,} {unit:unit}：{counts}）。",
    ),
    "experiment.level-under-load": (
        "{units:,} {unit:units} left nothing here ({counts}); {smallest} per {unit:unit} would have been seen.",
        "{units:,} {unit:unit}在此没有残留（{counts}）；每{unit:unit}残留达到 {smallest} 即可检出。",
    ),
    "experiment.heap-reproduced": (
        "Reproduced: {value} [{low}, {high}] of live heap per {unit:unit} stay, batch by batch and after draining "
        "({units:,} {unit:units}).",
        "已复现：每{unit:unit}残留 {value} [{low}, {high}] 存活堆内存，逐批增长，排空后仍在"
        "（共 {units:,} {unit:unit}）。",
    ),
    "experiment.heap-level-under-load": (
        "{units:,} {unit:units} left nothing here beyond sampling: {value} [{low}, {high}] per {unit:unit}.",
        "{units:,} {unit:unit}之后，此处没有超出采样误差的残留：每{unit:unit} {value} [{low}, {high}]。",
    ),
}
