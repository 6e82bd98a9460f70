"""Words of the upstream bug that a finding is: by what it was recognised, which version runs, what to do."""

WORDS: dict[str, tuple[str, str]] = {
    "known.words": ("{en}", "{zh}"),  # a sentence of the catalogue, which brings its own words
    "upstream.affects.yes": ("{module} has it", "{module} 包含此缺陷"),
    "upstream.affects.no": (
        "{module} has the fix: it is something else, or the fix is not enough",
        "{module} 已有修复：要么是别的原因，要么修复还不够",
    ),
    "upstream.affects.unknown": (
        "whether this build of {module} has it is not known",
        "此构建中的 {module} 是否包含它，尚不清楚",
    ),
    "upstream.affects.peer": (
        "whether {module} at the other end has it is not known",
        "对端的 {module} 是否包含它，尚不清楚",
    ),
    "upstream.mended": ("mended in {versions}", "已在 {versions} 修复"),
    "upstream.usage": (
        "no release of {module} mends it: the code that uses it has to",
        "没有哪个版本会修复：要改的是使用 {module} 的代码",
    ),
    "upstream.unmended": ("no release mends it", "尚无发布版修复"),
    "upstream.known": (
        "Upstream knows this leak as {id}, and {module} {version}, which runs here, has it.",
        "上游已知的泄漏 {id}：这里运行的 {module} {version} 包含此缺陷。",
    ),
    "upstream.known-peer": (
        "Upstream knows this leak as {id}, and {module} {version}, which runs in {process} at the other end, has it.",
        "上游已知的泄漏 {id}：对端 {process} 中运行的 {module} {version} 包含此缺陷。",
    ),
    "upstream.stands": (
        "Recognised by its stack at {function}.",
        "由停在 {function} 的调用栈识别。",
    ),
    "upstream.allocated": (
        "Recognised by the path that allocates, at {function}.",
        "由分配路径上的 {function} 识别。",
    ),
    "upstream.fork": (
        "The code stands under {fork}, not {module}: a fork, whose version does not tell whether it has the fix.",
        "代码位于 {fork} 而不是 {module}：这是 fork 出来的版本，从版本号看不出是否已有修复。",
    ),
    "upstream.moved": (
        "The same functions call each other in other packages than those of {module}: code that was taken over, "
        "so no version tells whether it has the fix.",
        "同样的函数以同样的次序相互调用，但不在 {module} 的包里：这是搬用的代码，没有版本号能说明是否已有修复。",
    ),
    "upstream.replaced": (
        "{fork} is built in the place of {module}: its version does not tell whether it has the fix.",
        "构建时用 {fork} 替代了 {module}：从版本号看不出是否已有修复。",
    ),
    "upstream.runs.path": (
        "{module} {version} runs, as the paths of its files say.",
        "文件路径表明运行的是 {module} {version}。",
    ),
    "upstream.runs.build": (
        "{module} {version} runs, as the build information says.",
        "构建信息表明运行的是 {module} {version}。",
    ),
    "upstream.runs.release": (
        "{module} {version} runs: it belongs to the release of Kubernetes that the program tells of itself.",
        "程序自报的 Kubernetes 版本对应 {module} {version}。",
    ),
    "upstream.runs.go": (
        "It was built with Go {version}.",
        "程序用 Go {version} 构建。",
    ),
    "upstream.brought-back": (
        "The program is built with GODEBUG {setting}, which brings the old behaviour back.",
        "程序构建时设置了 GODEBUG {setting}，恢复了旧行为。",
    ),
    "upstream.between": (
        "{version} lies between the last release with the leak and the first with the fix, or beside the releases: "
        "the version alone does not decide.",
        "{version} 介于最后一个有泄漏的发布版与第一个已修复的发布版之间，或不在发布序列上：单凭版本号不能断定。",
    ),
    "upstream.unversioned": (
        "Nothing here tells which version of {module} runs.",
        "现有证据没有说明运行的是哪个版本的 {module}。",
    ),
    "upstream.peer": (
        "What has to be mended is {module} in {process}, at the other end, not in this process.",
        "需要修复的是对端 {process} 里的 {module}，不是本进程。",
    ),
    "upstream.peer-unseen": (
        "What has to be mended is {module} in the process at the other end, which is not among the evidence.",
        "需要修复的是对端进程里的 {module}，而对端不在现有证据之中。",
    ),
    "upstream.unsaid.state": (
        "This capture does not tell in which state they wait.",
        "这份采集没有说明它们处于何种等待状态。",
    ),
    "upstream.unsaid.created": (
        "This capture does not tell who started them.",
        "这份采集没有说明它们由谁启动。",
    ),
    "upstream.unreviewed": (
        "Nobody has checked this entry of the catalogue against the source: a lead, not a proof.",
        "目录中的这一条尚未对照源码核实：只是线索，不是证明。",
    ),
    "upstream.upgrade.yes": (
        "{module} {version} or later. {en}",
        "把 {module} 升级到 {version} 或更高版本。{zh}",
    ),
    "upstream.upgrade.unknown": (
        "{module} has the fix since {version}; see whether the code that runs here has it. {en}",
        "{module} 自 {version:phrase} 起已有修复；请确认这里运行的代码是否已包含。{zh}",
    ),
    "upstream.upgrade.peer": (
        "{module} {version} or later in {process}, the process at the other end. {en}",
        "把对端 {process} 中的 {module} 升级到 {version} 或更高版本。{zh}",
    ),
    "upstream.upgrade.peer-unseen": (
        "{module} {version} or later, in the process at the other end. {en}",
        "把对端进程中的 {module} 升级到 {version} 或更高版本。{zh}",
    ),
    "gap.known-symptom": (
        "{function} waits for another process, as it does when that one has the known leak {id} ({module}).",
        "{function} 在等待另一个进程；对端若有已知泄漏 {id}（{module}），现象正是如此。",
    ),
    "gap.known-symptom.why": (
        "Other faults of the peer look the same from here: only a capture of the peer tells them apart.",
        "对端的其他故障从这里看也是一样：只有采集对端才能区分。",
    ),
    "gap.known-alike": (
        "The known leak {id} of {module} looks like this at {function}, and so do other causes.",
        "{module} 的已知泄漏 {id} 在 {function} 处就是这个样子，但别的原因也会如此。",
    ),
    "gap.known-alike.why": (
        "The catalogue tells when it happens, and from which version on it no longer does.",
        "目录说明了它在什么情况下发生，以及从哪个版本起不再发生。",
    ),
    "gap.known-peer": (
        "The process at the other end, whose {module} decides whether it is {id}, was not captured.",
        "对端进程没有采集，而是否为 {id} 要看对端的 {module}。",
    ),
    "gap.known-peer.why": (
        "Its dump shows the other half of the wait, and its build tells whether it has the fix.",
        "对端的转储会显示等待的另一半，它的构建信息会说明是否已有修复。",
    ),
    "gap.known-version": (
        "The stack is that of {id}, but nothing tells which version of {module} runs.",
        "调用栈与 {id} 相符，但没有信息说明运行的是哪个版本的 {module}。",
    ),
    "gap.known-version.why": (
        "The version decides whether it is this bug; the program itself, its go version -m or its /version tell it.",
        "是不是这个缺陷由版本决定；程序文件本身、go version -m 的输出或 /version 接口都能说明版本。",
    ),
}

__all__ = ["WORDS"]
