"""What `oakum report --recheck` says: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "recheck.badge.identical": ("IDENTICAL", "一致"),
    "recheck.badge.differs": ("DIFFERS", "不一致"),
    "recheck.badge.unsettled": ("NOT CHECKED", "无法核对"),
    "recheck.identical": (
        "{numbers:#number} and {sentences:#sentence} were derived again from {captures:#capture}: all as the report "
        "has them.",
        "从 {captures:,} 份采集重新推导出 {numbers:,} 个数字、{sentences:,} 句话，与报告完全相同。",
    ),
    "recheck.identical-page": (
        "The page shows what it carries, to the letter.",
        "页面所显示的与其携带的数据逐字相同。",
    ),
    "recheck.differs": (
        "{count:#difference} between the report and its evidence.",
        "报告与其证据之间有 {count:,} 处不同。",
    ),
    "recheck.unsettled": (
        "The report could not be derived again as a whole.",
        "无法完整地重新推导这份报告。",
    ),
    "recheck.derived": (
        "Derived again: {numbers:#number} and {sentences:#sentence} from {captures:#capture}.",
        "已从 {captures:,} 份采集重新推导 {numbers:,} 个数字、{sentences:,} 句话。",
    ),
    "recheck.version": (
        "The report was made by oakum {report}, this is {tool}: some differences may be between the versions.",
        "报告由 oakum {report} 生成，当前版本为 {tool}：部分差异可能来自版本不同。",
    ),
    # Headings.
    "recheck.heading.missing": ("Captures that are not there", "找不到的采集"),
    "recheck.heading.changed": ("Captures that are not what they were", "内容已改变的采集"),
    "recheck.heading.extra": ("Evidence beside them that the report does not know", "报告未涉及、后来出现在旁边的证据"),
    "recheck.heading.values": ("What the report says, and what its evidence gives", "报告所写与证据所得"),
    "recheck.heading.page": (
        "What the page shows, and what follows from the diagnosis in it",
        "页面所显示的与其诊断所得",
    ),
    "recheck.heading.open": ("Not derived again", "未能重新推导"),
    # One difference.
    "recheck.both": ("{report} in the report, {evidence} from the evidence", "报告为 {report}，证据得出 {evidence}"),
    "recheck.only-report": (
        "{report} is in the report, and does not follow from the evidence",
        "报告中有 {report}，但证据得不出",
    ),
    "recheck.only-evidence": (
        "{evidence} follows from the evidence, and is not in the report",
        "证据得出 {evidence}，但报告中没有",
    ),
    "recheck.digest": ("{report} in the report, {evidence} now", "报告中为 {report}，现为 {evidence}"),
    "recheck.page-markup": (
        "Its text is right, but its markup or scripts are not as this version writes them: scripts can change what is "
        "shown. Write it again with oakum report.",
        "文字无误，但标记或脚本与本版本所写不同：脚本可以改变所显示的内容。请用 oakum report 重新生成。",
    ),
    "recheck.more": ("... and {count:,} more; --json lists them all", "……另有 {count:,} 处；--json 列出全部"),
    "recheck.page-line": ("line {line} of its text", "文字第 {line} 行"),
    # What to do.
    "recheck.gone": ("{word}: {count:#capture}", "{word}：{count:,} 份采集"),
    "recheck.do.missing": (
        "Looked for from here and from the folder of the report. Say where they are now:",
        "已从当前目录和报告所在目录查找。请指明它们现在的位置：",
    ),
    "recheck.do.source": (
        "It was read in source that is not here, or is another version's: --source DIR names a checkout of what ran.",
        "这些结论出自源代码，而本机没有这份源代码或版本不同：请用 --source DIR 指定当时运行版本的检出目录。",
    ),
    "recheck.do.found": (
        "The report was made without this source, which is here now: diagnose again for what it tells.",
        "生成报告时没有这份源代码，而本机现在有：请重新诊断，看它说明了什么。",
    ),
    "recheck.do.go": (
        "Go is not installed here, so drafted fixes were not compiled.",
        "本机没有安装 Go，因此没有编译修复草稿。",
    ),
}  # fmt: skip

__all__ = ["WORDS"]
