"""Problems of checkouts and of `oakum scan`: key -> (English, Chinese), as in words/problems.py."""

_PROBLEMS: dict[str, tuple[str, str]] = {
    # What a checkout, or the user's settings, would have Go or git do.
    "cgo.fix": (
        "{package} has no Go files without cgo, which is not run: the drafted fix was not compiled",
        "{package} 不用 cgo 就没有 Go 文件，而此处不运行 cgo：拟好的修改没有编译验证",
    ),
    "cgo.modules": (
        "{package} has no Go files without cgo, which is not run: modules are taken from go.mod",
        "{package} 不用 cgo 就没有 Go 文件，而此处不运行 cgo：模块以 go.mod 为准",
    ),
    "git-config": (
        "{settings} would have git run a program or read other settings: git is not run here",
        "{settings} 会让 git 运行程序或读取其他配置：此处不运行 git",
    ),
    "git-hooks": ("{hooks}: git is not run here, so no hook is", "{hooks}：此处不运行 git，因此不会触发任何 hook"),
    "go-flags": ("GOFLAGS has {flags}: Go is called without it", "GOFLAGS 中有 {flags}：调用 Go 时不使用"),
    "go-programs": ("{names} names a program: Go is called without it", "{names} 指定了程序：调用 Go 时不使用"),
    "go-work": (
        "it uses {paths}, outside of {checkout}: Go is called without go.work",
        "其中使用了 {checkout} 之外的 {paths}：调用 Go 时不使用 go.work",
    ),
    "linked-vendor": (
        "a link to {to}, outside of the checkout: it is not read, and Go is not called for this module",
        "这是指向检出目录之外 {to} 的链接：不读取，也不为该模块调用 Go",
    ),
    "path": (
        "the PATH leads to {programs} in the checkout or the current directory: not run",
        "PATH 中的 {programs} 位于检出目录或当前目录：不运行",
    ),
    "replaced-outside": (
        "replace leads to {paths}, outside of {checkout}: Go is not called for this module",
        "replace 指向 {checkout} 之外的 {paths}：不为该模块调用 Go",
    ),
    "toolchain.none": (
        "it asks for the toolchain {asked}, which is neither downloaded nor run: there is no Go here",
        "其中要求工具链 {asked}，此处既不下载也不运行：本机没有 Go",
    ),
    "toolchain": (
        "it asks for the toolchain {asked}, which is neither downloaded nor run: Go here is {here}",
        "其中要求工具链 {asked}，此处既不下载也不运行：本机的 Go 为 {here}",
    ),
    # Source that could not be read.
    "internal.scan": (
        "not read, internal error: {error}; please report it",
        "未读取，程序内部错误：“{error}”；请反馈",
    ),
    "no-go": (
        "not all of it could be parsed as Go; what could not is left out",
        "部分内容无法按 Go 语法解析，已跳过",
    ),
    "too-deep.function": ("nested too deeply: this function is not scanned", "嵌套过深：未扫描该函数"),
    "too-deep.package": ("nested too deeply: the package is scanned in part", "嵌套过深：该包只扫描了一部分"),
    "too-large.memory": ("not read: out of memory", "未读取：内存不足"),
    "too-large.source": ("only the first {most} MB were read", "只读取了前 {most} MB"),
    "too-long": (
        "not read to the end: more than {seconds} s for one package",
        "未读完：单个包超过 {seconds} 秒",
    ),
    "too-many.files": (
        "only the first {most:,} files were read; name a smaller directory",
        "只读取了前 {most:,} 个文件；请给出更小的目录",
    ),
    "too-many.programs": (
        "{more:,} more programs were not read; name them, or the directory they are in",
        "另有 {more:,} 个程序未读取；请直接给出程序，或其所在目录",
    ),
    "unread.file-too-large": ("larger than {most} MB: not read", "超过 {most} MB：未读取"),
    "unread.linked": ("a link to something that is not source: not read", "是指向非源码文件的链接：未读取"),
    "unread.missing": ("no such file", "文件不存在"),
    "unread.no-build": (
        "scan reads directories, .go files, go.mod, Go programs, `go version -m` output and captures with versions",
        "scan 读取目录、.go 文件、go.mod、Go 程序、`go version -m` 的输出，以及带版本信息的采集",
    ),
    "unread.no-package": ("no Go: it has no package clause", "不是 Go 源码：没有 package 子句"),
    "unread.not-regular": ("not a regular file: not read", "不是普通文件：未读取"),
    "unread.os": ("not read: {error}", "未读取：“{error}”"),
    "unread.package-full": ("more than is read of one package: not read", "超过单个包的读取上限：未读取"),
    # Comments and versions.
    "bare-ignore": ("//oakum:ignore needs a reason", "//oakum:ignore 需要写明原因"),
    "bare-ignore.known": ("//oakum:ignore {id} needs a reason", "//oakum:ignore {id} 需要写明原因"),
    "bare-ignore.no-bug": (
        "//oakum:ignore needs the id of a known bug and a reason; {id} is none",
        "//oakum:ignore 需要已知缺陷的编号和原因；{id} 不是编号",
    ),
    "bare-ignore.no-id": (
        "//oakum:ignore needs the id of a known bug and a reason",
        "//oakum:ignore 需要已知缺陷的编号和原因",
    ),
    "direct-only": (
        "before Go 1.17 a go.mod names direct requirements only, and what those require is not looked up; "
        "`oakum scan PROGRAM` is exact",
        "Go 1.17 之前的 go.mod 只列出直接依赖，间接依赖没有查询；`oakum scan PROGRAM` 是准确的",
    ),
    "direct-only.sums": (
        "before Go 1.17 a go.mod names direct requirements only, and the rest is taken from go.sum, where not all is "
        "built; `oakum scan PROGRAM` is exact",
        "Go 1.17 之前的 go.mod 只列出直接依赖，其余取自 go.sum，其中不是都会编译进程序；`oakum scan PROGRAM` 是准确的",
    ),
    "no-modules": (
        "{program} names no modules (built without them, as Debian and Bazel do): only Go was looked up",
        "{program} 没有模块信息（如 Debian 和 Bazel 那样不带模块构建）：只查询了 Go 自身",
    ),
    "no-versions": (
        "its stacks name no versions (no module@version in the paths of files); hand in the program beside it",
        "栈中没有版本信息（文件路径中没有 module@version）；请一并给出程序",
    ),
    "replaced": (
        "a replace directive, which `go get` does not change, sets the version of {modules}",
        "{modules} 的版本由 replace 指定，`go get` 不会改动它",
    ),
}
WORDS: dict[str, tuple[str, str]] = {f"problem.{key}": words for key, words in _PROBLEMS.items()}
