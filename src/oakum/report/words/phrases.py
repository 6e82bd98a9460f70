"""English phrases that arrive inside arguments -> Chinese: how a release undoes a pair, how a source file was found.

A template asks for it with {x:phrase}. What is not listed here stays as it is: names, versions, paths.
"""

import re

from oakum.regex import regex

_PHRASES: tuple[tuple[str, str], ...] = (
    # What undoes a registration (knowledge/pairs).
    ("the function it returns", "它返回的函数"),
    ("the stop function it returns", "它返回的停止函数"),
    ("the CancelFunc it returns", "它返回的 CancelFunc"),
    ("cancel of its context, or RecvMsg until an error", "取消其 context，或调用 RecvMsg 直到出错"),
    ("cancel of its context", "取消其 context"),
    ("close of the stop channel", "关闭停止用的 channel"),
    ("the end of the context that it was added with", "添加时所用的 context 结束"),
    (r"none: it fires once, or ends with (\S+)", r"无需撤销，只触发一次，或随 \1 结束"),
    ("none: call it once", "无法撤销，只应调用一次"),
    (r"(client-go \S+) and later", r"\1 及更高版本"),
    # Where credentials of a cluster come from (collect/kubernetes).
    ("the service account of this pod", "此 pod 的 service account"),
    (r"context (\S+) of (\S+)", r"\2 的 context \1"),
    # How source was found, and what is to be known of it (collect/code).
    ("as the profile names it", "按 profile 中的路径"),
    ("end of the path", "按路径末尾匹配"),
    ("source path", "源码搜索路径"),
    (r"source in (\S+?)(?=[;)]|$)", r"\1 中的源码"),
    (r"checkout of (\S+?)(?=[;)]|$)", r"\1 的检出目录"),
    ("module cache, as it was built", "模块缓存，与构建时一致"),
    ("module cache, as go.mod says", "模块缓存，按 go.mod"),
    ("module cache, replaced in go.mod", "模块缓存，按 go.mod 中的 replace"),
    ("module cache", "模块缓存"),
    ("replaced in go.mod", "按 go.mod 中的 replace"),
    ("fetched, ", "已下载，"),
    ("the Windows drive, mounted here", "挂载到本机的 Windows 盘"),
    (r"this file is of another version, perhaps, the profile names ", "此文件可能属于另一版本，而 profile 中为 "),
    (r"this file is of (\S+), the profile names ", r"此文件属于 \1，而 profile 中为 "),
    (r"this file is (\S+)'s, the profile comes from ", r"此文件属于 \1，而 profile 来自 "),
    (r"(\S+) asks for (\S+); the program may run a later one", r"\1 要求 \2，实际运行的版本可能更新"),
    ("this is a checkout, the profile names ", "这是检出目录，而 profile 中为 "),
    (r"this checkout is at (\S+), the program was built from ", r"此检出目录位于 \1，而程序构建自 "),
    ("the program was built from a changed copy of this release", "程序由该版本修改后的代码构建"),
)
# A phrase stands where an item of a list begins; the longest that fits is meant.
_BEGINS = r"(?:(?<=^)|(?<=[(;,] )|(?<=\())"
_RULES = tuple(
    (regex(_BEGINS + (english if re.search(r"[\\(]", english) else re.escape(english))), chinese)
    for english, chinese in _PHRASES
)
_ASIDE = regex(r" \(([^()]*[\u4e00-\u9fff][^()]*)\)")


def in_chinese(text: str) -> str:
    """Return the text with the phrases in Chinese, with brackets and commas of its width."""
    for english, chinese in _RULES:
        text = english.sub(chinese, text)
    return _ASIDE.sub(lambda found: f"（{found[1].replace('; ', '；')}）", text).replace(", ", "、")
