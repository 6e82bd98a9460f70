"""Words of a flame graph: key -> English, Chinese. {names} in braces are filled in where it is drawn.

`oakum flame` speaks English, as pprof does; in a report the graph speaks the language of the page.
"""

LANGUAGES = ("en", "zh")
WORDS: dict[str, tuple[str, str]] = {
    "name": ("Flame graph", "火焰图"),
    "graph": (
        "Flame graph. Arrow keys move, Enter zooms, b goes back.",
        "火焰图。方向键移动，Enter 放大，b 返回。",
    ),
    "search": ("Search  /", "搜索  /"),
    "search-about": ("Search functions, by regular expression", "用正则表达式搜索函数"),
    "type": ("Sample type", "样本类型"),
    "back": ("Back", "返回"),
    "back-about": ("Back (b)", "返回 (b)"),
    "invert": ("Invert", "反转"),
    "invert-about": ("Start from the leaves (i)", "从叶子函数开始 (i)"),
    "crumbs": ("Zoomed into", "已放大到"),
    "colours": ("Colours", "颜色"),
    "all": ("all", "全部"),
    "own": ("own code", "自有代码"),
    "dependency": ("dependency", "依赖库"),
    "stdlib": ("standard library", "标准库"),
    "runtime": ("Go runtime", "Go 运行时"),
    "label": ("label", "标签"),
    "compared": ("{type}: {now} now, {before} before, {change}", "{type}：现在 {now}，之前 {before}，变化 {change}"),
    "now": ("now", "现在"),
    "before": ("before", "之前"),
    "change": ("change", "变化"),
    "cum": ("cum", "累计"),
    "flat": ("flat", "自身"),
    "of-zoomed": ("of zoomed", "占放大部分"),
    "new": ("new", "新增"),
    "gone": ("gone", "消失"),
    "grew": ("grew", "增长"),
    "shrank": ("shrank", "减少"),
    "same": ("same", "不变"),
    "how": (
        "width: the greater of now and before; colour: absolute change",
        "宽度：现在与之前的较大者；颜色：绝对变化",
    ),
    "small": ("({count} small)", "（{count} 个小帧）"),
    "small-about": ("frames too small to be drawn, together", "过小而未绘出的帧，合计"),
    "other-lines": (" and other lines", " 及其他行"),
    "match": ("1 frame matches", "1 帧匹配"),
    "matches": ("{count} frames match", "{count} 帧匹配"),
    "of": (": {sum} of {total} ({share})", "：{sum} / {total}（{share}）"),
    "since": (", {change} since the base", "，相对基准 {change}"),
    "nothing": ("nothing matches", "没有匹配"),
    "literal": (" (searched as plain text: it is no regular expression)", "（按普通文本搜索：不是正则表达式）"),
    "unseen": ("; {share} is in frames too small to be searched", "；另有 {share} 位于过小而无法搜索的帧中"),
    "copied": ("copied {count} frames", "已复制 {count} 帧"),
    "copy-failed": ("the browser does not let this page copy", "浏览器不允许此页面复制"),
}


def words(lang: str) -> dict[str, str]:
    return {key: both[LANGUAGES.index(lang)] for key, both in WORDS.items()}
