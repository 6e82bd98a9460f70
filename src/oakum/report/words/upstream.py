"""Words of the upstream bug that a finding is: by what it was recognised, which version runs, what to do."""

WORDS: dict[str, tuple[str, str]] = {
    "known.words": ("{en}", "{zh}"),  # a sentence of the catalogue, which brings its own words
    "upstream.affects.yes": ("{module} is affected", "{module} 受影响"),
    "upstream.affects.no": (
        "{module} has the fix: another cause, or the fix is incomplete",
        "{module} 已修复：应为其他原因，或修复不完整",
    ),
    "upstream.affects.unknown": (
        "unknown whether this build of {module} is affected",
        "该构建的 {module} 是否受影响未知",
    ),
    "upstream.affects.peer": ("unknown whether {module} in the peer is affected", "对端的 {module} 是否受影响未知"),
    "upstream.mended": ("fixed in {versions}", "修复于 {versions}"),
    "upstream.usage": ("a usage error: fix the code that calls {module}", "用法问题：应修改调用 {module} 的代码"),
    "upstream.unmended": ("not fixed in any release", "尚无修复版本"),
    "upstream.known": (
        "Known upstream bug {id}: {module} {version}, running here, is affected.",
        "已知上游缺陷 {id}：当前运行的 {module} {version} 受影响。",
    ),
    "upstream.known-peer": (
        "Known upstream bug {id}: {module} {version}, running in the peer {process}, is affected.",
        "已知上游缺陷 {id}：对端 {process} 运行的 {module} {version} 受影响。",
    ),
    "upstream.stands": ("Matched by the stack at {function}.", "依据：{function} 处的调用栈。"),
    "upstream.allocated": (
        "Matched by the allocation path through {function}.",
        "依据：经过 {function} 的分配路径。",
    ),
    "upstream.fork": (
        "The code is in {fork}, a fork of {module}: its version does not show whether it has the fix.",
        "代码位于 {fork}，是 {module} 的 fork，版本号看不出是否已修复。",
    ),
    "upstream.moved": (
        "The same functions, in packages outside {module}: copied code, no version shows whether it has the fix.",
        "函数与 {module} 相同，但位于其他包：属于拷贝的代码，没有版本号可判断是否已修复。",
    ),
    "upstream.replaced": (
        "{fork} is built instead of {module}: its version does not show whether it has the fix.",
        "实际构建的是替换 {module} 的 {fork}，版本号看不出是否已修复。",
    ),
    "upstream.runs.path": (
        "Running {module} {version} (from the file paths).",
        "运行版本：{module} {version}（取自文件路径）。",
    ),
    "upstream.runs.build": (
        "Running {module} {version} (from the build info).",
        "运行版本：{module} {version}（取自构建信息）。",
    ),
    "upstream.runs.release": (
        "Running {module} {version} (from the Kubernetes release that the program reports).",
        "运行版本：{module} {version}（对应程序上报的 Kubernetes 版本）。",
    ),
    "upstream.runs.go": ("Built with Go {version}.", "由 Go {version} 构建。"),
    "upstream.brought-back": (
        "Built with GODEBUG {setting}, which restores the old behavior.",
        "构建时设置了 GODEBUG {setting}，恢复了旧行为。",
    ),
    "upstream.between": (
        "{version} is between the last affected and the first fixed release, or outside the release line: the "
        "version alone does not show whether it is affected.",
        "{version} 介于最后一个受影响版本与首个修复版本之间，或不在发布线上：仅凭版本号无法判断。",
    ),
    "upstream.unversioned": ("The running version of {module} is unknown.", "{module} 的运行版本未知。"),
    "upstream.peer": (
        "The bug is in {module} of the peer {process}, not in this process.",
        "缺陷在对端 {process} 的 {module}，不在本进程。",
    ),
    "upstream.peer-unseen": (
        "The bug is in {module} of the peer process, which was not captured.",
        "缺陷在对端进程的 {module}，而对端未采集。",
    ),
    "upstream.unsaid.state": ("This capture does not contain the wait state.", "该采集不含等待状态。"),
    "upstream.unsaid.created": ("This capture does not contain the creator.", "该采集不含创建者。"),
    "upstream.unreviewed": (
        "This catalogue entry was not checked against the source: a lead, not proof.",
        "该条目尚未对照源码核实：仅为线索，不是证据。",
    ),
    "upstream.upgrade.yes": ("{module} {version} or later. {en}", "将 {module} 升级到 {version} 或更高版本。{zh}"),
    "upstream.upgrade.unknown": (
        "Fixed in {module} {version}; check whether the running code has it. {en}",
        "{module} {version:phrase} 已修复，请确认运行的代码是否已包含。{zh}",
    ),
    "upstream.upgrade.peer": (
        "{module} {version} or later in the peer {process}. {en}",
        "将对端 {process} 的 {module} 升级到 {version} 或更高版本。{zh}",
    ),
    "upstream.upgrade.peer-unseen": (
        "{module} {version} or later in the peer process. {en}",
        "将对端进程的 {module} 升级到 {version} 或更高版本。{zh}",
    ),
    "gap.known-symptom": (
        "{function} waits for another process. Known bug {id} ({module}) in that process would cause this.",
        "{function} 在等待另一个进程；对端若有已知缺陷 {id}（{module}），会出现此现象。",
    ),
    "gap.known-symptom.why": (
        "Other faults of the peer look the same. Only a capture of the peer decides.",
        "对端的其他故障也是同样现象，需采集对端才能区分。",
    ),
    "gap.known-alike": (
        "Known bug {id} of {module} looks like this at {function}, and so do other causes.",
        "{module} 的已知缺陷 {id} 在 {function} 处是这种现象，其他原因也可能如此。",
    ),
    "gap.known-alike.why": (
        "The catalogue entry lists its trigger and fixed versions.",
        "条目中列有触发条件和修复版本。",
    ),
    "gap.known-peer": (
        "The peer process was not captured; its version of {module} decides whether it is {id}.",
        "对端进程未采集；是否为 {id} 取决于对端的 {module} 版本。",
    ),
    "gap.known-peer.why": (
        "Its dump shows the other half of the wait, its build info the version.",
        "对端的 dump 能看到等待链的另一半，构建信息能确定版本。",
    ),
    "gap.known-version": (
        "The stack matches {id}, but the running version of {module} is unknown.",
        "调用栈与 {id} 匹配，但 {module} 的运行版本未知。",
    ),
    "gap.known-version.why": (
        "The version decides whether it is this bug: pass the binary, its go version -m output or its /version "
        "response.",
        "是否为该缺陷取决于版本：请提供二进制、go version -m 的输出或 /version 的响应。",
    ),
}
