"""Words of a page's own controls: key -> English, Chinese. {count} and {at} are filled in by the page."""

WORDS: dict[str, tuple[str, str]] = {
    "control.search": ("Search", "搜索"),
    "control.search-about": (
        "Search findings, tables and code (case-sensitive if the query has capitals)",
        "搜索问题、表格与代码（含大写字母时区分大小写）",
    ),
    "control.found": ("{at} of {count}", "第 {at} 处，共 {count} 处"),
    "control.found-none": ("no match", "没有匹配"),
    "control.theme": ("Dark or light theme", "深色或浅色"),
    "control.keys": ("Keyboard shortcuts", "快捷键"),
    "control.close": ("Close", "关闭"),
    "control.contents": ("Contents", "目录"),
    "control.skip": ("Skip to the verdict", "跳到结论"),
    "control.copy": ("Copy", "复制"),
    "control.copy-table": ("Copy as TSV", "复制为 TSV"),
    "control.copied": ("copied", "已复制"),
    "control.copy-failed": ("the browser blocked copying", "浏览器禁止复制"),
    "control.sort": ("Sort by this column", "按此列排序"),
    "control.link": ("Link to this section", "本节链接"),
    "control.evidence": ("evidence", "证据"),
    "control.against": ("against", "反面证据"),
    "control.rows": ("values", "数据表"),
    "control.moment": ("snapshot", "快照"),
    "control.time": ("time", "时间"),
    "control.unknown": ("unknown", "未知"),
    "control.derive": ("recompute these numbers", "重新计算这些数字"),
    "control.draw": ("draw this chart alone", "单独绘制此图"),
    "control.part": ("part", "组成"),
    "control.size": ("size", "大小"),
    "control.share": ("share", "占比"),
    "control.left-out": (
        "{count} more omitted to keep the page below 2 MB. For all: `-o report.json`.",
        "为使页面小于 2 MB，省略 {count} 项。完整内容：`-o report.json`。",
    ),
    "control.left-out-kept": (
        "{count} more omitted to keep the page below 2 MB. For all: `{file}`.",
        "为使页面小于 2 MB，省略 {count} 项。完整内容：`{file}`。",
    ),
    "control.no-document-kept": (
        "The JSON of this diagnosis is too large to embed; see `{file}`.",
        "诊断的 JSON 过大，未嵌入本页，见 `{file}`。",
    ),
    "control.no-document": (
        "The JSON of this diagnosis is too large to embed; write it with `-o report.json`.",
        "诊断的 JSON 过大，未嵌入本页，可用 `-o report.json` 输出。",
    ),
    "control.noscript": (
        "JavaScript is off. Search, sorting, copying and the flame graph need it; everything else is shown.",
        "JavaScript 已禁用：搜索、排序、复制和火焰图不可用，其余内容正常显示。",
    ),
    "control.key.search": ("search; Enter: first match, Esc: clear", "搜索；Enter 跳到首个匹配，Esc 清除"),
    "control.key.next": ("next and previous match", "下一个、上一个匹配"),
    "control.key.move": ("next and previous finding or section", "下一个、上一个问题或小节"),
    "control.key.open": ("expand or collapse", "展开或收起"),
    "control.key.copy": (
        "copy the focused command, table or code, else the section as Markdown",
        "复制获得焦点的命令、表格或代码，否则将本节复制为 Markdown",
    ),
    "control.key.theme": ("dark or light theme", "切换深色与浅色"),
    "control.key.top": ("back to the verdict", "回到结论"),
    "control.key.help": ("this list", "显示本列表"),
}

__all__ = ["WORDS"]
