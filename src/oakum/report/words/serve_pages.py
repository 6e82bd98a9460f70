"""What the pages of incidents, comparisons, known bugs and uploads say: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "serve.crumbs": ("You are here", "当前位置"),
    "serve.tools": ("Search in this page", "页内搜索"),
    "serve.download": ("Download", "下载"),
    "serve.form.report.html": ("HTML", "HTML"),
    "serve.form.report.md": ("Markdown", "Markdown"),
    "serve.form.report.json": ("JSON", "JSON"),
    "serve.form.incident.md": ("incident report", "事件报告"),
    "serve.form.bundle.tar.gz": ("bundle", "证据包"),
    "serve.form.redacted.tar.gz": ("redacted bundle", "脱敏证据包"),
    "serve.written": ("Page as first written", "最初生成的页面"),
    # An incident, a diagnosis.
    "serve.incident": ("Incident {id}", "事件 {id}"),
    "serve.incident.between": ("between {low} and {high}", "介于 {low} 与 {high} 之间"),
    "serve.incident.timeline": ("time line of the service", "服务时间线"),
    "serve.incident.ends": ("First and last snapshot: differences, flame graphs", "首末快照：差异与火焰图"),
    "serve.incident.no-diagnosis": (
        "No diagnosis of this incident is kept (any more). From the captures that are kept:",
        "该事件没有（或已不再）保存诊断。可根据保存的采集内容重新诊断：",
    ),
    "serve.diagnosis.of": ("Diagnosis of {time}", "{time} 的诊断"),
    "serve.against": ("Since the earlier diagnosis", "与先前诊断相比"),
    "serve.against.what": (
        "Each finding in the diagnosis of {time} and in this one, the earlier one first.",
        "对比 {time} 的诊断与本次诊断中的每项发现，较早者在前。",
    ),
    "serve.against.open": ("Open the other one", "打开另一份诊断"),
    "serve.against.none": ("none", "无"),
    "serve.others": ("{count:,} diagnoses", "{count:,} 份诊断"),
    "serve.findings": ("{count:#finding}", "{count:,} 项发现"),
    "serve.finding.new": ("new", "新增"),
    "serve.finding.gone": ("gone", "已消失"),
    "serve.column.state": ("State", "状态"),
    "serve.column.finding": ("Finding", "发现"),
    "serve.column.where": ("Where", "位置"),
    "serve.column.before": ("Before", "之前"),
    "serve.column.after": ("After", "之后"),
    "serve.column.change": ("Change", "变化"),
    "serve.column.confidence": ("Confidence", "置信度"),
    "serve.column.replicas": ("Replicas", "副本"),
    "serve.column.replica": ("Replica", "副本"),
    "serve.column.version": ("Version", "版本"),
    "serve.column.go": ("Go", "Go"),
    "serve.column.time": ("Time", "时间"),
    "serve.column.rss": ("RSS", "RSS"),
    "serve.column.kind": ("Kind", "类别"),
    "serve.column.bug": ("Known bug", "已知缺陷"),
    "serve.column.runs": ("Runs", "运行版本"),
    "serve.column.fixed": ("Fixed", "修复"),
    # Evidence.
    "serve.evidence": ("Evidence: {name}", "证据：{name}"),
    "serve.evidence.raw": ("Download as received", "按原样下载"),
    "serve.evidence.binary": (
        "A binary profile. Its numbers are in the report; this shows what is in the downloaded file:",
        "二进制剖析文件。其中的数字见报告；下载后可用以下命令查看：",
    ),
    "serve.evidence.cut": ("Longer than 64 MiB: the rest is in the file.", "超过 64 MiB：其余部分见文件。"),
    "serve.evidence.lines": ("lines {first:,}–{last:,} of {total:,}", "第 {first:,}–{last:,} 行，共 {total:,} 行"),
    "serve.evidence.earlier": ("Earlier lines", "前面的行"),
    "serve.evidence.later": ("Later lines", "后面的行"),
    # Compare.
    "serve.compare": ("Compare", "对比"),
    "serve.compare.title": ("{before} → {after}", "{before} → {after}"),
    "serve.compare.what": (
        "Choose a service, then two of its snapshots; or a snapshot of each of two services or builds. Two runs also "
        "get the verdict of `oakum verify`: is the leak gone?",
        "先选择服务，再选择它的两个快照；或在两个服务、两个构建中各选一个快照。不同的运行还会得到 "
        "`oakum verify` 的结论：泄漏是否消失？",
    ),
    "serve.compare.before": ("Before", "之前"),
    "serve.compare.after": ("After", "之后"),
    "serve.compare.placeholder": ("service", "服务"),
    "serve.compare.do": ("Compare", "对比"),
    "serve.compare.other": ("Other services", "选择其他服务"),
    "serve.compare.swap": ("Swap", "交换"),
    "serve.compare.no-captures": ("no captures", "无采集内容"),
    "serve.compare.unknown": ("The store has no snapshot of `{word}`.", "存储中没有 `{word}` 的快照。"),
    "serve.compare.not-kept": (
        "Captures of one of these snapshots are not kept: compared are the largest places of both, without flame "
        "graphs.",
        "其中一个快照的采集内容未保存：仅对比两者占用最大的位置，没有火焰图。",
    ),
    "serve.compare.same-run": (
        "Both are of one run. A verdict on a fix needs a run before it and a run after it.",
        "两个快照属于同一次运行。要判断修复是否有效，需分别选择修复前后的运行。",
    ),
    "serve.compare.verdict": ("Is the leak gone?", "泄漏是否消失？"),
    "serve.compare.facts": ("Both snapshots", "两个快照"),
    "serve.compare.span": ("{seconds:span} apart", "相隔 {seconds:span}"),
    "serve.compare.goroutines": ("Goroutines", "协程"),
    "serve.compare.heap": ("Live heap", "存活堆"),
    "serve.compare.unchanged": ("No row changed.", "没有变化。"),
    "serve.compare.missing.goroutines": (
        "Goroutines were captured in one of the two only.",
        "只有其中一个快照采集了协程。",
    ),
    "serve.compare.missing.heap": ("The heap was captured in one of the two only.", "只有其中一个快照采集了堆。"),
    "serve.change.new": ("new", "新增"),
    "serve.change.gone": ("gone", "已消失"),
    "serve.change.grown": ("grown", "增长"),
    "serve.change.shrunk": ("shrunk", "减少"),
    # Known bugs.
    "serve.known": ("Known bugs", "已知缺陷"),
    "serve.known.search": ("Module, function, issue, symptom", "模块、函数、issue 编号或现象"),
    "serve.known.all": ("All", "全部"),
    "serve.known.carried": ("In your services", "你的服务中"),
    "serve.known.carried-one": ("Services with this bug", "含有该缺陷的服务"),
    "serve.known.entry": ("About this bug", "缺陷详情"),
    "serve.known.certain": ("version has it", "版本含有"),
    "serve.known.possible": ("possibly", "可能含有"),
    "serve.known.services": ("{count:#service}", "{count:,} 个服务"),
    "serve.known.none": (
        "None of the builds of {services:#service} has one of them.",
        "{services:,} 个服务的构建均不含这些缺陷。",
    ),
    "serve.known.none-one": (
        "None of the builds of {services:#service} has it.",
        "{services:,} 个服务的构建均不含该缺陷。",
    ),
    "serve.known.no-services": (
        "The store has no services yet. `oakum scan go.mod PROGRAM` looks at a build now.",
        "存储中还没有服务。`oakum scan go.mod PROGRAM` 可立即检查一份构建。",
    ),
    "serve.known.unknown": (
        "Build unknown of {services:#service}:",
        "{services:,} 个服务的构建未知：",
    ),
    # Upload.
    "serve.upload": ("Upload", "上传"),
    "serve.upload.what": (
        "Goroutine dumps, profiles, metrics, logs with stacks, bundles, archives, saved diagnoses: in any format, "
        "oldest first. They are diagnosed at once, on this machine, and nothing is kept unless you ask for it.",
        "协程转储、剖析文件、指标、含堆栈的日志、证据包、压缩包或已保存的诊断：格式不限，按时间从早到晚。"
        "上传后立即在本机诊断，除非你要求，否则不保存任何内容。",
    ),
    "serve.upload.files": ("Files: choose them, or drop them here", "文件：选择或拖放到此处"),
    "serve.upload.do": ("Diagnose", "诊断"),
    "serve.upload.limits": (
        "At most {files:#file}, {bytes:bytes} in all.",
        "最多 {files:,} 个文件，共 {bytes:bytes}。",
    ),
    "serve.upload.none": ("No file was chosen.", "未选择文件。"),
    "serve.upload.how": ("To capture two files of a service:", "采集某个服务的两份文件："),
    "serve.read-only": (
        "This server is read-only: it was started with `--read-only`.",
        "该服务为只读：启动时指定了 `--read-only`。",
    ),
    "serve.held": (
        "Not kept: this diagnosis and its files are gone in an hour, or when the server ends.",
        "未保存：该诊断及其文件将在一小时后或服务结束时消失。",
    ),
    "serve.held.lasting": (
        "Not kept: this page ends with the command that opened it.",
        "未保存：打开该页面的命令结束后，页面即失效。",
    ),
    "serve.held.left-out": ("{count:#note}", "{count:,} 条提示"),
    "serve.held.service": ("Service (empty: as found)", "服务（留空则自动识别）"),
    "serve.held.keep": ("Keep in the store", "保存到存储"),
    "serve.held.discard": ("Discard now", "立即丢弃"),
    "serve.held.kept": ("Kept in the store", "已保存到存储"),
    "open.at": ("In the browser: {address}", "在浏览器中打开：{address}"),
    "open.until": ("Ctrl-C ends it; nothing is kept.", "按 Ctrl-C 结束；不保存任何内容。"),
    # Work in a process of its own.
    "serve.work.late": (
        "Stopped after {seconds:span}: this takes longer than a server allows. On a terminal there is no such limit: "
        "`oakum diagnose FILE...`",
        "已在 {seconds:span}后停止：超出服务允许的时间。在终端中没有此限制：`oakum diagnose FILE...`",
    ),
    "serve.work.memory": (
        "Stopped: this needs more than {memory:bytes} of memory. On a terminal there is no such limit: "
        "`oakum diagnose FILE...`",
        "已停止：所需内存超过 {memory:bytes}。在终端中没有此限制：`oakum diagnose FILE...`",
    ),
    "serve.work.large": (
        "Stopped: its result is larger than a server sends. `oakum diagnose FILE... -o report.html`",
        "已停止：结果超出服务可发送的大小。`oakum diagnose FILE... -o report.html`",
    ),
    "serve.work.ended": (
        "The process that read this ended with code {code}; the server goes on.",
        "读取该内容的进程以代码 {code} 结束；服务不受影响。",
    ),
    "serve.work.closed": ("The server was ended meanwhile.", "服务已结束。"),
    "serve.work.said": ("{said}", "{said}"),
    "serve.error.422": ("Not diagnosed", "无法诊断"),
    "serve.error.422.do": ("What was sent could not be read.", "无法读取所发送的内容。"),
}  # fmt: skip
