"""Words of a page's own controls: key -> English, Chinese. {count} and {at} are filled in by the page."""

WORDS: dict[str, tuple[str, str]] = {
    "control.search": ("Search", "搜索"),
    "control.search-about": (
        "Search findings, tables and code; capitals count when there are any",
        "搜索可疑点、表格与代码；含大写字母时区分大小写",
    ),
    "control.found": ("{at} of {count}", "第 {at} 处，共 {count} 处"),
    "control.found-none": ("nothing found", "没有找到"),
    "control.theme": ("Dark or light", "深色或浅色"),
    "control.keys": ("Keys", "快捷键"),
    "control.close": ("Close", "关闭"),
    "control.contents": ("Contents", "目录"),
    "control.skip": ("Skip to the verdict", "跳到结论"),
    "control.copy": ("Copy", "复制"),
    "control.copy-table": ("Copy as TSV", "复制为 TSV"),
    "control.copied": ("copied", "已复制"),
    "control.copy-failed": ("the browser does not let this page copy", "浏览器不允许此页面复制"),
    "control.sort": ("Sort by this column", "按此列排序"),
    "control.link": ("Link to this part", "本节链接"),
    "control.evidence": ("evidence", "证据"),
    "control.against": ("speaks against it", "反面证据"),
    "control.rows": ("the numbers", "数据表"),
    "control.moment": ("moment", "时刻"),
    "control.time": ("time", "时间"),
    "control.unknown": ("not known", "未知"),
    "control.derive": ("derives these numbers again", "重新得出这些数字"),
    "control.draw": ("draws this picture alone", "单独绘制此图"),
    "control.part": ("part", "组成"),
    "control.size": ("size", "大小"),
    "control.share": ("share", "占比"),
    "control.left-out": (
        "{count} more are left out here to keep the page below 2 MB. The JSON has them all: add `-o report.json`.",
        "为使页面小于 2 MB，此处略去其余 {count} 项。JSON 中保留全部内容：加上 `-o report.json`。",
    ),
    "control.left-out-kept": (
        "{count} more are left out here to keep the page below 2 MB. `{file}` has them all.",
        "为使页面小于 2 MB，此处略去其余 {count} 项，`{file}` 中保留全部内容。",
    ),
    "control.no-document-kept": (
        "The diagnosis as JSON is too long to be carried in this page; `{file}` has it.",
        "JSON 形式的诊断过长，未随本页附带，见 `{file}`。",
    ),
    "control.no-document": (
        "The diagnosis as JSON is too long to be carried in this page; `-o report.json` writes it beside it.",
        "JSON 形式的诊断过长，未随本页附带；可用 `-o report.json` 另行写出。",
    ),
    "control.noscript": (
        "Scripts are off: everything is here to be read; search, sorting, copying and the flame graph need them.",
        "脚本已停用：内容均可阅读；搜索、排序、复制和火焰图需要启用脚本。",
    ),
    "control.key.search": ("search; Enter goes to the first match, Esc clears", "搜索；Enter 跳到第一处，Esc 清除"),
    "control.key.next": ("next and previous match", "下一处与上一处"),
    "control.key.move": ("next and previous suspect or section", "下一个与上一个可疑点或小节"),
    "control.key.open": ("open or close what is folded in it", "展开或收起其中折叠的内容"),
    "control.key.copy": (
        "copy what is current: the command, table or code in focus, else the section as Markdown",
        "复制当前内容：获得焦点的命令、表格或代码，否则将本节复制为 Markdown",
    ),
    "control.key.theme": ("dark or light", "切换深色与浅色"),
    "control.key.top": ("back to the verdict", "回到结论"),
    "control.key.help": ("this list", "显示本列表"),
}

__all__ = ["WORDS"]
