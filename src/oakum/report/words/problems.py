"""Problems of inputs: key -> (English, Chinese). The key is problem.KEY, or problem.KEY.VARIANT where several have one.

{x:said} is a noun of NOUNS; words of others (an operating system, a server) stay as they came, in quotes.
One module, since it is one table: what stages say, in the order in which they read.
"""

_FETCH = (
    "save the profile itself, e.g. `curl -o heap.pb.gz http://HOST:PORT/debug/pprof/heap`",
    "请保存 profile 本身，例如 `curl -o heap.pb.gz http://HOST:PORT/debug/pprof/heap`",
)
_BEHIND = ("hand in the profile behind it", "请给出它所依据的 profile")
_PERF = (
    "turn it into a profile with `perf_to_profile -i FILE -o profile.pb.gz`",
    "请用 `perf_to_profile -i FILE -o profile.pb.gz` 转成 profile",
)
_DUMP = (
    "`curl -o goroutine.txt 'http://HOST:PORT/debug/pprof/goroutine?debug=2'` saves a goroutine dump",
    "可用 `curl -o goroutine.txt 'http://HOST:PORT/debug/pprof/goroutine?debug=2'` 保存 goroutine 转储",
)


def _advised(english: str, chinese: str, advice: tuple[str, str]) -> tuple[str, str]:
    return f"{english}: {advice[0]}", f"{chinese}：{advice[1]}"


_BAD_MANIFEST = (
    "{manifest} could not be read ({error}): times and digests of this bundle are unknown",
    "{manifest} 无法读取（“{error}”）：该采集包的时间和摘要未知",
)
_OTHER_SCHEMA = (
    "{manifest} has the schema {schema}, and this release reads {known}: what it knows was read; upgrade "
    "oakum for the rest",
    "{manifest} 的 schema 为 {schema}，本版本支持 {known}：已读取能识别的部分；升级 oakum 可读取其余部分",
)


def _of(what: tuple[str, str]) -> tuple[str, str]:
    return "{origin}: " + what[0], "{origin}：" + what[1]


# What cannot be opened (collect): each names the file or the archive.
_UNREAD = {
    "closed": (
        "-: standard input is closed; pipe a dump or profile into it, or name a file",
        "-：标准输入已关闭；请用管道传入转储或 profile，或给出文件名",
    ),
    "not-there": (
        "{origin}: no such file or directory (looked from {here})",
        "{origin}：文件或目录不存在（当前目录：{here:said}）",
    ),
    "not-there-near": (
        "{origin}: no such file or directory (looked from {here}); there is {near}",
        "{origin}：文件或目录不存在（当前目录：{here:said}）；有一个名称相近的 {near}",
    ),
    "forbidden": (
        "{origin}: permission denied; run as a user who can read it, or copy it",
        "{origin}：没有读取权限；请换用有权限的用户运行，或复制一份再读",
    ),
    "failed": ("{origin}: {error}", "{origin}：“{error}”"),
    "error": ("{error}", "无法读取：{error}"),
    "empty": (
        "{origin}: the directory is empty; capture into it: oakum capture TARGET -o DIR",
        "{origin}：目录是空的；可以用 `oakum capture TARGET -o DIR` 采集",
    ),
    "not-in-archive": (
        "{origin}: no such file in {archive}; oakum inspect {archive} lists its files",
        "{origin}：{archive} 中没有这个名称；`oakum inspect {archive}` 可列出其内容",
    ),
    "archive-empty": (
        "{origin}: no file of this archive could be read; unpack it and pass the files",
        "{origin}：归档里没有能读取的文件；请解压后直接给出其中的文件",
    ),
    "too-large": (
        "{origin}: more than {most} GiB; save it to a file, which is mapped, not held",
        "{origin}：超过 {most} GiB；请先存成文件，文件以映射方式读取，不会全部放进内存",
    ),
    "listed": (
        "{origin}: listed in {manifest}, but missing: the bundle is not complete",
        "{origin}：{manifest} 中列出，但文件缺失：采集包不完整",
    ),
    "listed-more": (
        "{origin} and {more} more: listed in {manifest}, but missing: the bundle is not complete",
        "{origin} 及另外 {more} 个文件：{manifest} 中列出，但文件缺失：采集包不完整",
    ),
    "bad-manifest": _of(_BAD_MANIFEST),
    "other-schema": _of(_OTHER_SCHEMA),
    "files-left-out": (
        "{origin}: {count:#file} of the archive left out: {why}",
        "{origin}：归档中有 {count:,} 个文件被跳过：{why:said}",
    ),
    "archive-too-large": (
        "{origin}: refused: the archive unpacks to more than an archive of its size should; unpack it yourself first",
        "{origin}：已拒绝：解开后的大小与归档自身极不相称；请先自行解开",
    ),
    "things-left-out": (
        "{origin}: {count} {what} in the archive left out: only plain files are read",
        "{origin}：归档中有 {count} 个{what:said}被跳过：只读取普通文件",
    ),
    "archive-cut": ("{origin}: the archive is cut; what came before is read", "{origin}：归档不完整；此前的内容已读取"),
    "archive-cut.why": (
        "{origin}: the archive is cut ({error}); what came before is read",
        "{origin}：归档不完整（“{error}”）；此前的内容已读取",
    ),
    "archive-broken": (
        "{origin}: the archive is broken; what came before is read",
        "{origin}：归档已损坏；此前的内容已读取",
    ),
    "archive-broken.why": (
        "{origin}: the archive is broken ({error}); what came before is read",
        "{origin}：归档已损坏（“{error}”）；此前的内容已读取",
    ),
    "archive-header": (
        "{origin}: the archive is broken: a header in it is too long; what came before is read",
        "{origin}：归档已损坏：其中某个文件头过长；此前的内容已读取",
    ),
    "archive-cut-within": (
        "{origin}: the archive is cut within {path}; what came before is read",
        "{origin}：归档在 {path} 处中断；此前的内容已读取",
    ),
    "archive-cut-within.why": (
        "{origin}: the archive is cut within {path} ({error}); what came before is read",
        "{origin}：归档在 {path} 处中断（“{error}”）；此前的内容已读取",
    ),
    "archive-too-many": (
        "{origin}: only the first {most:,} files of the archive are read",
        "{origin}：归档中只读取前 {most:,} 个文件",
    ),
    "zip-index": (
        "{origin}: the zip is cut or broken: its index is missing, or too large; copy it again, or unpack it first",
        "{origin}：zip 不完整或已损坏：索引缺失或过大；请重新复制，或先解开",
    ),
    "zip-not-plain": (
        "{origin}: {name}: left out: only plain files of an archive are read",
        "{origin}：{name}：已跳过：归档中只读取普通文件",
    ),
    "zip-encrypted": (
        "{origin}: {name}: left out: it is encrypted; unpack the zip with its password first",
        "{origin}：{name}：已跳过：文件已加密；请先用密码解开 zip",
    ),
    "zip-broken-there": (
        "{origin}: {name}: left out: the zip is broken there ({error})",
        "{origin}：{name}：已跳过：zip 在此处损坏（“{error}”）",
    ),
    "zip-broken": (
        "{origin}: the zip is broken ({error}); copy it again",
        "{origin}：zip 已损坏（“{error}”）；请重新复制",
    ),
}
# What is no capture of a Go program, and what to do.
_NOT_A_PROFILE = {
    "tar-whole": (
        "This is a tar archive of {size} bytes: unpack it first with `tar -xf FILE`, and hand in its files or the "
        "directory",
        "这是 {size} 字节的 tar 归档：请先用 `tar -xf FILE` 解开，再给出其中的文件或目录",
    ),
    "packed": (
        "This is {system} {kind} ({machine}), packed with UPX: `upx -d FILE` unpacks it",
        "这是 {system:said} {kind:said}（{machine}），用 UPX 压缩过：请用 `upx -d FILE` 解开",
    ),
    "not-go": (
        "This is {system} {kind} ({machine}), not built by Go: a profile or a goroutine dump of the process is needed",
        "这是 {system:said} {kind:said}（{machine}），不是由 Go 构建的：需要该进程的 profile 或 goroutine 转储",
    ),
    "jfr": (
        "This is a Java Flight Recorder file, not a pprof profile: read it with `jfr print FILE`",
        "这是 Java Flight Recorder 文件，不是 pprof profile：请用 `jfr print FILE` 读取",
    ),
    "hprof": (
        "This is a Java heap dump (hprof): open it with Eclipse MAT or VisualVM",
        "这是 Java 堆转储（hprof）：请用 Eclipse MAT 或 VisualVM 打开",
    ),
    "perf-data": _advised("This is a Linux perf recording", "这是 Linux perf 的记录", _PERF),
    "png": _advised(
        "This is a picture (PNG), perhaps drawn by `pprof -png`", "这是图片（PNG），可能由 `pprof -png` 生成", _BEHIND
    ),
    "svg": _advised(
        "This is a picture (SVG), perhaps drawn by `pprof -svg`", "这是图片（SVG），可能由 `pprof -svg` 生成", _BEHIND
    ),
    "pdf": _advised("This is a PDF, perhaps drawn by `pprof -pdf`", "这是 PDF，可能由 `pprof -pdf` 生成", _BEHIND),
    "dot": _advised("This is a graph drawn by `pprof -dot`", "这是由 `pprof -dot` 生成的图", _BEHIND),
    "executable-windows": _advised(
        "This is a Windows program, not a profile", "这是 Windows 程序，不是 profile", _FETCH
    ),
    "executable-macos": _advised("This is a macOS program, not a profile", "这是 macOS 程序，不是 profile", _FETCH),
    "executable-elf": _advised("This is a program (ELF), not a profile", "这是程序（ELF），不是 profile", _FETCH),
    "coverage": (
        "This is a Go coverage profile: look at it with `go tool cover -html=FILE`",
        "这是 Go 的覆盖率 profile：请用 `go tool cover -html=FILE` 查看",
    ),
    "tar": (
        "This is a tar archive: unpack it with `tar xf FILE` and hand in what it holds",
        "这是 tar 归档：请用 `tar xf FILE` 解开，再给出其中的内容",
    ),
    "core": (
        "This is a core dump: `dlv core PROGRAM FILE`, then `goroutines -t`, prints its goroutines",
        "这是 core dump：先运行 `dlv core PROGRAM FILE`，再用 `goroutines -t` 打印其中的 goroutine",
    ),
    "heap-dump": _advised(
        "This is a heap dump of Go 1.6 or earlier, which is not read",
        "这是 Go 1.6 或更早版本的堆转储，不支持读取",
        _FETCH,
    ),
    "http-answer": (
        "This is an HTTP answer with its headers (status {status}): save the body only, `curl -f -o FILE URL`",
        "这是带头部的 HTTP 应答（状态码 {status}）：请只保存 body，`curl -f -o FILE URL`",
    ),
    "html": _advised("This is a web page, not a profile", "这是网页，不是 profile", _FETCH),
    "html-titled": _advised(
        'This is a web page ("{title}"), not a profile', "这是网页（标题为“{title}”），不是 profile", _FETCH
    ),
    "pprof-report": _advised(
        "This is a text report of `pprof` (-top, -tree, -list, -traces), not a profile",
        "这是 `pprof` 的文本报告（`-top`、`-tree`、`-list`、`-traces`），不是 profile",
        _BEHIND,
    ),
    "pprof-raw": (
        "This is the text form of a profile (`pprof -raw`): write protobuf with `pprof -proto` instead",
        "这是 profile 的文本形式（`pprof -raw`）：请改用 `pprof -proto` 写成 protobuf",
    ),
    "speedscope": (
        "This is a speedscope profile: open it at speedscope.app, or hand in the pprof profile behind it",
        "这是 speedscope profile：请在 speedscope.app 中打开，或给出它所依据的 pprof profile",
    ),
    "chrome-trace": (
        "This is a Chrome trace (JSON): open it in Perfetto; a pprof profile is needed here",
        "这是 Chrome trace（JSON）：请在 Perfetto 中打开；此处需要 pprof profile",
    ),
    "cpuprofile": (
        "This is a V8 CPU profile (JSON): open it in the browser's developer tools",
        "这是 V8 的 CPU profile（JSON）：请在浏览器的开发者工具中打开",
    ),
    "json-error": _advised(
        'This is an error in JSON ("{message}"), not a profile',
        "这是 JSON 格式的报错（“{message}”），不是 profile",
        _FETCH,
    ),
    "http-error": _advised(
        'This is an error message ("{message}"), not a profile', "这是一条报错（“{message}”），不是 profile", _FETCH
    ),
    "folded-stacks": _advised(
        "This is folded stacks (as flamegraph.pl reads them), not a profile",
        "这是折叠后的栈（flamegraph.pl 读取的格式），不是 profile",
        _BEHIND,
    ),
    "short-text": _advised(
        'This is a line of text ("{line}"), neither a profile nor a dump',
        "这只是一行文字（“{line}”），既不是 profile 也不是转储",
        _FETCH,
    ),
}
_PROBLEMS = {
    # Of a report that another version wrote, in its words.
    "stored": ("{text}", "原文：“{text}”"),
    # Which captures a diagnosis takes (assemble).
    "other-program": (
        "Not used: none of the captures is of a process that runs this program.",
        "未使用：没有任何采集来自运行该程序的进程",
    ),
    "versions-differ": (
        "Not used: it names several versions, and not which of them runs; hand in the program that runs.",
        "未使用：其中有多个版本，看不出实际运行的是哪一个；请给出正在运行的程序",
    ),
    "which-process": (
        "Not used: it does not show which of the processes it is of; put it into the directory of that process.",
        "未使用：看不出它属于哪个进程；请放进该进程的目录",
    ),
    "which-process.beside": (
        "Not used: it does not show which of the processes beside it it is of; put it into the directory of "
        "that process.",
        "未使用：看不出它属于同目录下的哪个进程；请放进该进程的目录",
    ),
    "which-moment": (
        "Not used: it does not show which of the snapshots beside it it belongs to; put it into the directory of "
        "that snapshot.",
        "未使用：看不出它属于同目录下的哪个快照；请放进该快照的目录",
    ),
    "log-beside-moments": (
        "Not used: the snapshots beside this log have their own goroutines.",
        "未使用：与该日志放在一起的各个快照已有自己的 goroutine 转储",
    ),
    "stacks": (
        "Not used: {stacks:,} printed stacks of one goroutine each.",
        "未使用：打印出来的 {stacks:,} 份栈，每份都只有一个 goroutine",
    ),
    "one-stack": (
        "Not used: this is the stack of one goroutine, not what the process was doing.",
        "未使用：这只是单个 goroutine 的栈，看不出整个进程当时在做什么",
    ),
    "quoted": (
        "Not used: the page quotes {count:#goroutine}, not the dump of a process; hand in the whole dump",
        "未使用：该页面只是引用了 {count:,} 个 goroutine，不是进程的转储；请提供完整的转储",
    ),
    "cut-beside-whole": (
        "Not used: it is cut, and {missing:,} of {total:,} goroutines are missing in it; {origin} has them all.",
        "未使用：内容不完整，{total:,} 个 goroutine 中缺少 {missing:,} 个；{origin} 是完整的",
    ),
    # Files, archives and bundles (collect).
    "changed": (
        "This file was changed after the capture: its digest differs from the one in {manifest}. It is read as it is.",
        "该文件在采集之后被改动过：摘要与 {manifest} 中记录的不一致；按现有内容读取",
    ),
    "bad-manifest": _BAD_MANIFEST,
    "bad-experiment": (
        "{stages:,} stages of this experiment could not be read or contradict one another: the work done before those "
        "snapshots is unknown",
        "该实验中有 {stages:,} 个阶段无法读取或互相矛盾：相应快照之前完成的工作量未知",
    ),
    "other-schema": _OTHER_SCHEMA,
    "cut-archive": (
        "The archive ends here: {missing:,} bytes of this file are missing.",
        "归档到此中断：该文件缺少 {missing:,} 字节",
    ),
    # Compression.
    "corrupt-compression": (
        "the {name} stream is corrupt here or before ({error}); what came before was read",
        "{name} 数据流在此处或之前损坏（“{error}”）；此前的内容已读取",
    ),
    "cut-compression": ("the {name} stream is cut: download it again", "{name} 数据流不完整：请重新下载"),
    "trailing-bytes": (
        "bytes that are no {name} stream follow the end of the {name} stream; they were not read",
        "{name} 数据流结束之后还有不属于它的字节，未读取",
    ),
    "slow.unpacking": (
        "unpacking took longer than the limit: what follows was not read; unpack it first",
        "解压超过了时限：后面的内容未读取；请先自行解压",
    ),
    "compressed": (
        "the capture is compressed with {name}; unpack it first: {command}",
        "该采集以 {name} 压缩；请先解压：`{command}`",
    ),
    "too-much.stream": (
        "refused: this {name} stream unpacks to more than {most} bytes, which no capture of its size does",
        "已拒绝：{name} 数据流解压后超过 {most} 字节，这样大小的采集不会如此",
    ),
    # Logs around a dump.
    "field-left-out": (
        "journalctl left out long messages: export again with --all",
        "journalctl 省略了过长的消息：请加 `--all` 重新导出",
    ),
    "out-of-time.log": (
        "taking the dump out of the log took too long: the rest was not read; hand in the part of the log with the "
        "dump",
        "从日志中提取转储耗时过长：其余部分未读取；请只给出包含转储的那段日志",
    ),
    "more-sources": (
        "{sources} more sources of this log were not read; hand in one source at a time",
        "该日志另有 {sources} 个来源未读取；请每次只给出一个来源",
    ),
    "field-cut": (
        "A log line ends inside the dump: the logger limits the length of a line, and later goroutines are missing",
        "日志行在转储中途结束：日志库限制了行长，后面的 goroutine 缺失",
    ),
    "write-cut": (
        "strace left out the rest of a write, and goroutines are missing: record again with -s 1000000",
        "strace 省略了写入内容的其余部分，goroutine 不全：请加 `-s 1000000` 重新记录",
    ),
    # Goroutine dumps and profiles as text.
    "cut-mid-stack": (
        "The text ends in the middle of a stack; later goroutines may be missing: save it again",
        "文本在某个栈的中间结束；后面的 goroutine 可能缺失：请重新保存",
    ),
    "cut-mid-stack.net-http-pprof": (
        "The text ends after {size} bytes: net/http/pprof cuts debug=2 at 64 MiB; later goroutines are missing",
        "文本在 {size} 字节处结束：net/http/pprof 会在 64 MiB 处截断 debug=2 的输出；后面的 goroutine 缺失",
    ),
    "cut-mid-stack.buffer": (
        "The text ends after {size} bytes: a fixed buffer of 64 KiB is too small; later goroutines are missing",
        "文本在 {size} 字节处结束：固定的 64 KiB 缓冲区太小；后面的 goroutine 缺失",
    ),
    "cut-mid-stack.record": (
        "The text ends in the middle of a record: its last frames are missing",
        "文本在某条记录中间结束：其最后几个栈帧缺失",
    ),
    "not-read-to-the-end.slow": (
        "Reading took longer than {seconds:g} s; what follows may contain more goroutines",
        "读取超过 {seconds:g} 秒；后面可能还有 goroutine",
    ),
    "not-read-to-the-end.large": (
        "Only the first {size} bytes are read; what follows may contain more goroutines",
        "只读取前 {size} 字节；后面可能还有 goroutine",
    ),
    "more-dumps": (
        "{dumps} more dumps follow that were not read; split the file",
        "后面另有 {dumps} 份转储未读取；请拆分文件",
    ),
    "more-problems": ("{lines} more lines could not be read", "另有 {lines} 行无法读取"),
    "bad-header": ("No header could be read: {line}", "没有读到 goroutine 的头部：`{line}`"),
    "bad-frame": ("No function could be read before a position: {line}", "位置之前没有读到函数名：`{line}`"),
    "no-position": (
        "No file and line follow {function}: this frame has no position",
        "`{function}` 之后没有文件和行号：该栈帧没有位置",
    ),
    "out-of-time": (
        "Reading took too long and was stopped; the rest is missing",
        "读取耗时过长，已停止；其余部分缺失",
    ),
    "too-many-profiles": (
        "The capture contains more than {most:,} profiles; the rest was not read: split the file",
        "该采集中的 profile 超过 {most:,} 个；其余未读取：请拆分文件",
    ),
    "bad-records": (
        "{records:,} records could not be understood and were left out",
        "有 {records:,} 条记录无法识别，已跳过",
    ),
    "records-missing": (
        "The profile announces {declared:,} {noun}, {read:,} were read: {missing:,} missing",
        "profile 声明有 {declared:,} {noun:said}，实际读到 {read:,}，缺少 {missing:,}",
    ),
    "records-missing.none": (
        "The profile announces {declared:,} {noun}, {read:,} were read",
        "profile 声明有 {declared:,} {noun:said}，实际读到 {read:,}",
    ),
    "records-missing.space": (
        "The header announces more than was read: {objects:,} objects ({bytes:,} bytes) in use and "
        "{allocated_objects:,} allocated ({allocated_bytes:,} bytes) are missing",
        "头部声明的多于实际读到的：缺少在用对象 {objects:,} 个（{bytes:,} 字节）、累计分配对象 "
        "{allocated_objects:,} 个（{allocated_bytes:,} 字节）",
    ),
    "foreign-lines": (
        "{lines:,} lines between the records are not part of the profile and were passed over",
        "记录之间有 {lines:,} 行不属于 profile，已跳过",
    ),
    "unknown-heap-form": (
        "Heap profiles of the form {form} are unknown: their values are not scaled",
        "不认识 {form} 形式的堆 profile：其数值未按采样率换算",
    ),
    "cut-mid-memstats": (
        "The text ends inside runtime.MemStats: its last figures are missing",
        "文本在 runtime.MemStats 中间结束：最后几项数值缺失",
    ),
    "cut-mid-samples": (
        "The profile ends without its end mark after {read:,} samples: later ones are missing",
        "profile 在 {read:,} 个样本之后中断，没有结束标记：后面的样本缺失",
    ),
    "stack-too-deep": (
        "{stacks:,} stacks are deeper than {depth:,} frames and were cut there",
        "有 {stacks:,} 个栈深度超过 {depth:,} 帧，已在该处截断",
    ),
    # Profiles as protobuf.
    "cut.profile": (
        "the profile is cut: what follows is missing; fetch it again",
        "profile 不完整：后面的内容缺失；请重新获取",
    ),
    "corrupt.profile": (
        "these bytes start no field: what follows was not read",
        "此处字节不是字段开头：后面的内容未读取",
    ),
    "many.profile": (
        "the profile contains more messages than the limit: what follows was not read",
        "profile 中的消息数超过上限：后面的内容未读取",
    ),
    "slow.profile": (
        "reading took longer than the limit: what follows was not read",
        "读取超过时限：后面的内容未读取",
    ),
    "slow.heap-dump": (
        "reading took longer than the limit: objects after this place were not read, and what holds them is unknown",
        "读取超过时限：此处之后的对象未读取，其持有者未知",
    ),
    "slow.holders": (
        "what holds the objects was not known after {seconds} seconds: the heap is too large, or too entangled",
        "{seconds} 秒内未能确定对象的持有者：堆过大，或引用关系过于复杂",
    ),
    "cut-heap-dump": (
        "the heap dump of {size} bytes is cut or damaged: what follows was not read, and what it holds is missing",
        "堆转储（{size} 字节）被截断或损坏：后面的内容未读取，其中的持有者缺失",
    ),
    "no-program": (
        "without the program globals have no names: oakum holders --binary PROGRAM FILE",
        "没有对应的程序，全局变量没有名称：`oakum holders --binary PROGRAM FILE`",
    ),
    "no-program.stripped": (
        "the program has no symbol table (-ldflags=-s): globals have no names; hand in the unstripped program",
        "程序没有符号表（-ldflags=-s）：全局变量没有名称；请给出未剥离的程序",
    ),
    "many.things": (
        "the profile has {count} {things}; {most} were read",
        "profile 有 {count} 个{things:said}，只读取了 {most} 个",
    ),
    "broken-message": (
        "{things} that break off in the middle, whose rest is not read: {count}",
        "中途断开、其余部分未读取的{things:said}：{count} 个",
    ),
    "duplicate-id": ("{things} that have the id of another: {count}", "编号与其他重复的{things:said}：{count} 个"),
    "no-ids": (
        "{things} without ids, numbered as they stand: {count}",
        "没有编号、按出现顺序编号的{things:said}：{count} 个",
    ),
    "string-out-of-range": (
        "string numbers beyond the string table, read as empty: {count}",
        "超出字符串表、按空字符串处理的编号：{count} 个",
    ),
    "missing-mapping": (
        "locations that name mappings which the profile lacks: {count}",
        "引用了不存在的 mapping 的 location：{count} 个",
    ),
    "missing-function": (
        "lines that name functions which the profile lacks: {count}",
        "引用了不存在的函数的 line：{count} 个",
    ),
    "missing-location": (
        "frames of stacks that name locations which the profile lacks: {count}",
        "引用了不存在的 location 的栈帧：{count} 个",
    ),
    "no-sample-types": (
        "the profile names no sample types; values of a sample: {count}",
        "profile 没有说明样本类型；每个样本有 {count} 个值",
    ),
    "wrong-value-count": (
        "samples with more or fewer values than there are sample types: {count}",
        "值的个数与样本类型不符的样本：{count} 个",
    ),
    "many-sample-types": (
        "the profile names {count} sample types, more than it has values",
        "profile 声明了 {count} 种样本类型，多于实际的值",
    ),
    "deep-stack": (
        "stacks deeper than {most} frames, whose roots are left out: {count}",
        "深度超过 {most} 帧、略去了根部的栈：{count} 个",
    ),
    # Metrics, sockets, builds.
    "unread-metrics": (
        "{lines} lines of this scrape could not be read as metrics and were left out",
        "其中有 {lines} 行无法作为指标读取，已跳过",
    ),
    "unread-sockets": (
        "{lines} lines of this list of sockets could not be read and were left out",
        "socket 列表中有 {lines} 行无法读取，已跳过",
    ),
    "unread-lines": (
        "{lines:#line} of this go.mod could not be read: a version may be missing",
        "go.mod 中有 {lines:,} 行无法读取：可能缺少某个版本",
    ),
    "too-much.series": (
        "{series:,} series are more than is read of one file; ask for fewer metrics, or a longer step",
        "{series:,} 条时间序列超过了单个文件的读取上限；请减少指标，或加大 step",
    ),
    "too-many.processes": (
        "{more} more processes were left out; ask for fewer at a time",
        "另有 {more} 个进程未读取；请分批查询",
    ),
    "empty-answer": (
        "Prometheus has no data for this query: no series matches it",
        "Prometheus 对该查询没有数据：没有匹配的时间序列",
    ),
    "refused.query": ("Prometheus did not answer a query: {why}", "Prometheus 没有应答查询：“{why}”"),
    "warning.prometheus": ("Prometheus warns about its answer: {said}", "Prometheus 对该应答的警告：“{said}”"),
    "warning.partial": (
        "The answer is partial: not every store could be queried, and samples may be missing",
        "应答不完整：部分存储没有查到，可能缺少样本",
    ),
    "nameless": (
        "No series in this answer has a name: an expression drops it, such as rate(); ask for the metric itself",
        "应答中的时间序列都没有名称：`rate()` 之类的表达式会去掉名称；请直接查询指标本身",
    ),
    "restarted": (
        "The process was restarted {restarts} times in this range (last {when} UTC): of {runs} runs {read} were read, "
        "the last ones and the longest",
        "这段时间内进程重启了 {restarts} 次（最近：{when} UTC）：{runs} 次运行中读取了最近的和最长的，共 {read} 次",
    ),
    "thinned": (
        "Of {moments:,} snapshots {read} were read, evenly spread",
        "共 {moments:,} 个快照，从中均匀选取了 {read} 个",
    ),
    "damaged-program": (
        "The list of modules in this program is damaged or was stripped: versions are unknown; hand in its go.mod",
        "程序中的模块列表已损坏或已被去除：版本未知；请给出其 go.mod",
    ),
    "no-build-information": (
        "Built by Go, but without version and modules, as plugins and programs built with garble are: versions are "
        "unknown; hand in its go.mod",
        "该程序由 Go 构建，但没有版本和模块信息（插件和 garble 处理过的程序都是如此）：版本未知；请给出其 go.mod",
    ),
    "cut-program": (
        "This is {system} {kind} ({machine}), cut off after {read:,} bytes ({missing:,} are missing): what is there "
        "was read",
        "这是 {system:said} {kind:said}（{machine}），在 {read:,} 字节处中断（缺少 {missing:,} 字节）："
        "已读取现有的部分",
    ),
    "cut-program.nothing": (
        "This is {system} {kind} ({machine}), cut off after {read:,} bytes ({missing:,} are missing): no build "
        "information of Go was found in what is there; copy it again",
        "这是 {system:said} {kind:said}（{machine}），在 {read:,} 字节处中断（缺少 {missing:,} 字节）："
        "现有部分中没有 Go 的构建信息；请重新复制",
    ),
    "internal": (
        "A reader failed ({error}); please report this with the file",
        "读取时程序出错（“{error}”）；请连同该文件一起反馈",
    ),
    "not-analysed": (
        "This is a Go execution trace; it is not analysed here: look at it with `go tool trace FILE`",
        "这是 Go 的 execution trace，此处不作分析：请用 `go tool trace FILE` 查看",
    ),
    "unrecognised.text": _advised(
        "Neither a profile nor a goroutine dump was found in {size} bytes of text",
        "在 {size} 字节的文本中没有找到 profile 或 goroutine 转储",
        _DUMP,
    ),
    "unrecognised.binary": _advised(
        "Neither a profile nor a goroutine dump was found in {size} bytes of binary data",
        "在 {size} 字节的二进制数据中没有找到 profile 或 goroutine 转储",
        _DUMP,
    ),
    "empty": (
        "The file is empty: nothing was saved; fetch it again and look at the answer's status",
        "文件为空，没有存下任何内容；请重新获取，并查看应答的状态码",
    ),
    **{f"not-a-profile.{what}": words for what, words in _NOT_A_PROFILE.items()},
    **{f"unread.{why}": words for why, words in _UNREAD.items()},
}
WORDS: dict[str, tuple[str, str]] = {
    "input.left-out": ("left out: {text}", "已跳过：{text}"),
    "input.more": ("... and {count:,} more; --json lists them", "……另有 {count:,} 条；--json 可全部列出"),
    "input.no-source": ("{said}", "没有可用的源码：{said}"),
    "input.of": ("{origin}: {text}", "{origin}：{text}"),
    # Where in a capture: the kind that a place begins with.
    "place.line": ("line {at}", "第 {at} 行"),
    "place.lines": ("lines {at}", "第 {at} 行"),
    "place.byte": ("byte {at}", "第 {at} 字节"),
    "place.word": ("word {at}", "第 {at} 个字"),
    "place.stack": ("stack {at}", "栈 {at}"),
    **{f"problem.{key}": words for key, words in _PROBLEMS.items()},
}
# What may stand in {x:said}.
NOUNS: dict[str, str] = {
    "a directory that is gone": "已不存在的目录",
    "names that lead out of the archive": "名称指向归档之外",
    "names that were there before": "名称与前面的重复",
    "link": "链接",
    "links": "链接",
    "state": "运行状态",
    "work": "工作量",
    "container": "容器内存",
    "a web page": "网页",
    "the index of pprof": " pprof 的索引页",
    "an empty answer": "空应答",
    "another profile": "另一种 profile",
    "a dump of goroutines": " goroutine 转储",
    "a heap profile": "堆 profile",
    "device": "设备文件",
    "devices": "设备文件",
    "pipe": "管道",
    "pipes": "管道",
    "sparse file": "稀疏文件",
    "sparse files": "稀疏文件",
    "thing": "特殊文件",
    "things": "特殊文件",
    "goroutines": "个 goroutine",
    "threads": "个线程",
    "entries": "个条目",
    "strings": "字符串",
    "samples": "样本",
    "value types": "值类型",
    "mappings": " mapping ",
    "functions": "函数",
    "locations": " location ",
    "lines": " line ",
    "labels": "标签",
    "an ELF": "ELF",
    "a macOS": "macOS",
    "a Windows": "Windows",
    "object file": "目标文件",
    "program": "程序",
    "program or library": "程序或动态库",
    "library": "动态库",
}
