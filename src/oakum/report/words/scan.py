"""What `oakum scan` says of itself: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "scan.found": ("{count:#place} where this code leaks", "{count:,} 处代码会造成泄漏"),
    "scan.found-none": ("Nothing found", "没有发现问题"),
    "scan.read": (
        "{files:#file} in {packages:#package}, {seconds:.1f} s",
        "共 {packages:,} 个包、{files:,} 个文件，用时 {seconds:.1f} 秒",
    ),
    "scan.ignored": ("{count:,} ignored as the source says", "按源码中的注释忽略 {count:,} 处"),
    "scan.problems": ("{count:,} not read whole", "{count:,} 处未能完整读取"),
}

__all__ = ["WORDS"]
