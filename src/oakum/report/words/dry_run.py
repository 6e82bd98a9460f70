"""Words of `oakum diagnose --dry-run`: key -> English, Chinese."""

WORDS: dict[str, tuple[str, str]] = {
    "dry.nothing": ("Nothing was captured, run or written.", "没有采集、运行或写入任何内容。"),
    "dry.read": ("would read", "将读取"),
    "dry.baseline": ("as the baseline", "作为基线"),
    "dry.files": ("{files:#file}, {bytes:bytes}", "{files:,} 个文件，{bytes:bytes}"),
    "dry.stdin": ("standard input", "标准输入"),
    "dry.source": ("would read source", "将读取源码"),
    "dry.source-given": (
        "{folders}, the module cache and GOROOT, only where findings point",
        "{folders}、模块缓存与 GOROOT，仅限问题涉及的代码",
    ),
    "dry.source-here": (
        "the paths named in the captures, the module cache and GOROOT, only where findings point",
        "采集中出现的路径、模块缓存与 GOROOT，仅限问题涉及的代码",
    ),
    "dry.run": ("would run", "将运行"),
    "dry.compile": (
        "`go build` on a copy, for draft patches (skip: --no-compile)",
        "在副本上 `go build`，用于编译补丁草稿（--no-compile 可跳过）",
    ),
    "dry.prove": (
        "drafted Go tests of the code in --source, without and with the drafted fix, in overlays (--prove)",
        "以 overlay 方式运行针对 --source 代码草拟的 Go 测试，分别在打补丁前后（--prove）",
    ),
    "dry.fetch": (
        "`go mod download`, for source missing here, from the Go module proxy",
        "`go mod download`，从 Go 模块代理下载本机缺少的源码",
    ),
    "dry.write": ("would write", "将写入"),
    "dry.stdout": ("the report to standard output", "报告输出到标准输出"),
}
