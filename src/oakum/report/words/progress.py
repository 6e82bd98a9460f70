"""What is said beside a report while it is made, and behind a command after its #: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "progress.capturing": ("capturing: ", "正在采集："),
    "progress.deriving": ("deriving it again: ", "正在重新推导："),
    "progress.diagnosing": ("diagnosing: ", "正在诊断："),
    "progress.looking": ("looking: ", "正在查看："),
    "progress.looking-at": ("looking at ", "正在查看 "),
    "progress.matching": ("matching: ", "正在匹配："),
    "progress.reading": ("reading ", "正在读取 "),
    "progress.scanning": ("scanning: ", "正在扫描："),
    "progress.next": ("next snapshot in {seconds:.0f} s", "{seconds:.0f} 秒后采集下一个快照"),
    "progress.slow": ("{seconds:.0f} s for {name}", "{name} 已用 {seconds:.0f} 秒"),
    "progress.targets": ("{count:,} of {total:,} targets", "{total:,} 个目标中的 {count:,} 个"),
    "progress.snapshot": ("snapshot {number} of {total}", "第 {number} 个快照，共 {total} 个"),
    "progress.snapshot-most": ("snapshot {number} of at most {total}", "第 {number} 个快照，最多 {total} 个"),
    "progress.interrupt": ("Ctrl-C ends it and keeps everything", "按 Ctrl-C 结束，已采集的内容会保留"),
    "progress.directories": ("{done:,} of {total:,} directories", "{total:,} 个目录中的 {done:,} 个"),
    "progress.looking-into": ("looking into {place}", "查看 {place}"),
    "progress.comparing": (
        "comparing {snapshots} snapshots of {process}",
        "对比 {process} 的 {snapshots} 个快照",
    ),
    "progress.source": ("reading the source", "阅读源码"),
    "progress.upstream": ("{module}: what changed since {version}", "查找 {module} 自 {version} 以来的改动"),
    "progress.compiling": ("compiling the drafted fix", "编译拟好的修改"),
    "kept.at": ("what was captured is kept in {place}", "采集到的内容保存在 {place}"),
    "kept.interrupted": (
        "interrupted; what was captured is kept in {place}",
        "已中断；采集到的内容保存在 {place}",
    ),
    "kept.one": ("{asked}, kept in {place}", "{asked}，保存在 {place}"),
    "kept.more": (
        "... and {count:,} more; {place}/manifest.json has them all",
        "……另有 {count:,} 条；全部记录在 {place}/manifest.json",
    ),
    "kept.nothing": ("nothing was captured:", "没有采集到任何内容："),
    "kept.helps": (
        "What would help (oakum does not change the target):",
        "以下做法会有帮助（oakum 不会改动目标）：",
    ),
    "kept.others": ("... and {count:,} more", "……另有 {count:,} 条"),
    "pictures.none": ("without flame graphs: {why}", "没有火焰图：{why}"),
    "command.after-load": ("some minutes after the load has gone", "负载退去几分钟之后"),
}

__all__ = ["WORDS"]
