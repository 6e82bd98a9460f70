"""What `oakum scan` says of itself: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "scan.found": ("{count:#leak} in this code", "代码中发现 {count:,} 处泄漏"),
    "scan.found-none": ("No leak found", "未发现泄漏"),
    "scan.read": (
        "{files:#file} in {packages:#package}, {seconds:.1f} s",
        "共 {packages:,} 个包、{files:,} 个文件，用时 {seconds:.1f} 秒",
    ),
    "scan.ignored": ("{count:,} ignored by source comments", "按源码注释忽略 {count:,} 处"),
    "scan.problems": ("{count:,} not fully read", "{count:,} 处未完整读取"),
}
