"""What `oakum known` and `oakum scan` say of known leaks: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # A build that carries them (oakum scan).
    "known.carries": ("{count:#known leak} in what is built", "构建中带有 {count:,} 个已知泄漏"),
    "known.uncertain": ("{count:,} not certain", "{count:,} 个尚不能确定"),
    "known.unmendable": ("{count:,} that no release mends", "{count:,} 个尚无发布版修复"),
    "known.no-release": ("no release", "尚无版本"),
    "known.besides": ("besides these, {what}", "另有 {what}"),
    "known.nothing-sure": ("Nothing to mend for certain", "没有可以确定需要修复的问题"),
    "known.unlinked": (
        "{count:#other} whose leaking code is not linked in",
        "还有 {count:,} 个所在模块虽被引用，但会泄漏的代码并未链接进来",
    ),
    "known.passed-over": ("{count:,} ignored as go.mod says", "按 go.mod 中的注释忽略 {count:,} 个"),
    "known.looked-up": (
        "{builds:#build} against {leaks:#known leak}",
        "{builds:,} 份构建，对照 {leaks:,} 个已知泄漏",
    ),
    "known.hint-program": (
        "Whether the leaking code is linked in, a program tells better than a list of modules: oakum scan PROGRAM",
        "会泄漏的代码是否真的链接了进来，程序文件比模块列表更清楚：oakum scan PROGRAM",
    ),
    "known.seconds": ("{seconds:.1f} s", "用时 {seconds:.1f} 秒"),
    "known.mended-in": ("mended in {version}", "{version} 已修复"),
    "known.not-mended": ("no release mends it", "尚无发布版修复"),
    "known.line": ("line {line}", "第 {line} 行"),
    "known.unmended-heading": ("Mended by no release", "尚无发布版修复"),
    "known.not-certain": ("Not certain", "尚不能确定"),
    "known.doubt.fork": (
        "{fork} is built in its place, and a fork's version does not tell whether it has the fix",
        "构建时用 {fork} 代替了它，从 fork 的版本号看不出是否已有修复",
    ),
    "known.doubt.directory": (
        "built from a directory ({fork}), whose version nobody knows",
        "由目录 {fork} 中的代码构建，版本不详",
    ),
    "known.doubt.checkout": ("built from a checkout, whose version nobody knows", "由本地代码构建，版本不详"),
    "known.doubt.no-version": ("its version is not told", "没有写明版本"),
    "known.doubt.commit": (
        "a commit between releases, not before the day of the fix",
        "介于发布版之间的提交，且不早于修复之日",
    ),
    "known.doubt.pre-release": (
        "a pre-release of the release that has the fix",
        "含有修复的那个版本的预发布版",
    ),
    "known.doubt.go.sum": (
        "named by go.sum alone: downloaded, perhaps not built",
        "只有 go.sum 提到它：下载过，未必参与构建",
    ),
    "known.doubt.unreviewed": (
        "nobody has checked this entry of the catalogue against the source",
        "目录中的这一条尚未对照源码核实",
    ),
    "known.get": ("mends {ids}", "修复 {ids}"),
    "known.get-all": ("mends all of these", "以上全部修复"),
    "known.product": ("{module} {version} mends {ids}", "{module} {version} 修复 {ids}"),
    "known.product-all": ("{module} {version} mends all {count:,}", "{module} {version} 修复全部 {count:,} 个"),
    "known.go": ("Build it with {version} or later: mends {ids}", "请用 {version} 或更高版本构建：修复 {ids}"),
    "known.sarif": ("{module} has the known leak {id}: {summary}.", "{module} 带有已知泄漏 {id}：{summary}。"),
    "known.sarif-unknown": (
        "{module} may have the known leak {id} ({why}): {summary}.",
        "{module} 可能带有已知泄漏 {id}（{why}）：{summary}。",
    ),
    "known.sarif-upgrade": ("Upgrade to {version}.", "请升级到 {version}。"),
    "known.sarif-mended": ("{version} has the fix.", "{version} 已有修复。"),
    # The catalogue (oakum known).
    "known.count": ("{count:#known leak}", "{count:,} 个已知泄漏"),
    "known.of": ("{count:,} of {all:#known leak}", "{all:,} 个已知泄漏中的 {count:,} 个"),
    "known.projects": ("in {count:#project}", "涉及 {count:,} 个项目"),
    "known.none": ("Nothing in the catalogue speaks of {words}", "目录中没有提到 {words} 的条目"),
    "known.none-filtered": ("No entry of the catalogue is like that", "目录中没有符合条件的条目"),
    "known.near": ("Perhaps: {names}", "是不是要找：{names}"),
    "known.more": ("oakum known show ID tells the rest", "oakum known show ID 查看详情"),
    "known.unreviewed": ("not checked against the source", "未对照源码核实"),
    "known.reviewed.yes": (
        "Signature and versions were checked against the source of the releases.",
        "特征与版本均已对照各发布版的源码核实。",
    ),
    "known.reviewed.no": (
        "Nobody has checked this entry against the source: a lead, never a proof.",
        "此条尚未对照源码核实：只能当作线索，不能当作证明。",
    ),
    "known.usage": (
        "No release mends it: whoever calls the library has to.",
        "没有版本可以修复：须由调用方改正用法。",
    ),
    "known.upgrade-first": ("Upgrade: {versions}, or a later release.", "升级到 {versions} 或更高版本。"),
    # Labels of one entry.
    "known.label.looks": ("looks like", "现象"),
    "known.label.trigger": ("when", "触发条件"),
    "known.label.cause": ("why", "原因"),
    "known.label.fix": ("the fix", "上游修复"),
    "known.label.risk": ("its cost", "修复的代价"),
    "known.label.versions": ("versions", "版本"),
    "known.label.do": ("what to do", "怎么办"),
    "known.label.reproduce": ("try it at", "复现版本"),
    "known.label.see": ("see", "参见"),
    "known.label.checked": ("checked", "核实"),
    "known.label.next": ("next", "下一步"),
    "known.label.where": ("where", "位置"),
    "known.label.by": ("found by", "依据"),
    "known.label.upgrade": ("what to do", "怎么办"),
    # What it looks like.
    "known.looks.goroutine": ("Goroutines in [{states}] that pile up", "goroutine 堆积，状态为 [{states}]"),
    "known.looks.any-state": ("Goroutines that pile up", "goroutine 堆积"),
    "known.looks.heap": ("Memory that is allocated here and stays", "在此分配的内存只增不减"),
    "known.looks.at": ("at {function}", "停在 {function}"),
    "known.looks.by": ("allocated by {function}", "由 {function} 分配"),
    "known.looks.in": ("in {function}", "位于 {function}"),
    "known.looks.called": ("called from {function}", "由 {function} 调用"),
    "known.looks.more": (" or {count:,} more like them", " 等，另有 {count:,} 个"),
    "known.looks.created": ("started by {function}", "由 {function} 启动"),
    "known.looks.without": ("without {function}", "栈中没有 {function}"),
    "known.looks.or": (" or ", " 或 "),
    "known.looks.peer": (
        "Seen here, but what has to be mended runs in the process at the other end.",
        "现象出现在这里，需要修复的却是对端的进程。",
    ),
    "known.looks.symptom": (
        "A consequence that other faults have too: it names nothing by itself, capture the peer.",
        "这是后果，其他故障也会引起：单凭它不能断定，请采集对端进程。",
    ),
    # Versions.
    "known.table.module": ("module", "模块"),
    "known.table.has": ("has it", "受影响的版本"),
    "known.table.mended": ("mended in", "已修复的版本"),
    "known.range.all": ("every release", "所有版本"),
    "known.range.below": ("below {end}", "{end} 之前"),
    "known.range.from": ("{begin} and later", "{begin} 及之后"),
    "known.range.between": ("{begin} to {end}", "{begin} 至 {end}"),
    "known.range.before": ("{begin} to before {end}", "{begin} 起、{end} 之前"),
    "known.range.kubernetes": ("releases of Kubernetes", "按 Kubernetes 的版本号"),
    "known.go-itself": ("Go itself", "Go 自身"),
    # Which known leaks a version has.
    "known.has": (
        "{module} {version} has {count:#known leak}",
        "{module} {version} 带有 {count:,} 个已知泄漏",
    ),
    "known.no-module": (
        "The catalogue has no known leak of {module}, whatever its version",
        "目录中没有 {module} 的已知泄漏，无论哪个版本",
    ),
    "known.may-have": (
        "{module} {version} has no known leak for certain; {count:,} cannot be ruled out",
        "{module} {version} 没有可以确定的已知泄漏，另有 {count:,} 个不能排除",
    ),
    "known.has-none": ("{module} {version} has no known leak", "{module} {version} 没有已知泄漏"),
    "known.rid-of": (
        "{count:#other} of this module it does not have: {ids}",
        "该模块的另外 {count:,} 个此版本没有：{ids}",
    ),
    # Evidence against the catalogue (oakum known match).
    "known.badge.matched": ("MATCHED", "匹配"),
    "known.badge.none": ("NO MATCH", "未匹配"),
    "known.verdict.matched": ("{count:#known leak} in this evidence.", "在这些证据中认出 {count:,} 个已知泄漏。"),
    "known.verdict.none": (
        "None of the {leaks:#known leak} is in this evidence.",
        "这些证据与 {leaks:,} 个已知泄漏都不相符。",
    ),
    "known.verdict.looked": (
        "Looked at {stacks:#stack} of {processes:#process}.",
        "检查了 {processes:,} 个进程的 {stacks:,} 种调用栈。",
    ),
    "known.affected": ("this version has it", "此版本受影响"),
    "known.not-affected": ("this version has the fix", "此版本已有修复"),
    "known.may-be-affected": ("the version is not certain", "版本不能确定"),
    "known.by-usage": ("no release mends it, its callers have to", "没有版本可以修复，须由调用方改正"),
    "known.goroutines": ("{count:#goroutine}", "{count:,} 个 goroutine"),
    "known.waited": ("waiting up to {seconds:span}", "最长已等待 {seconds:span}"),
    "known.bytes": ("{bytes:bytes} in use, {share:.0%} of the heap", "占用 {bytes:bytes}，堆内存的 {share:.0%}"),
    "known.created": ("started by {function}", "由 {function} 启动"),
    "known.upgrade-yes": ("{module} {version} or later", "升级到 {module} {version} 或更高版本"),
    "known.upgrade-unknown": (
        "{module} has the fix since {version}; see whether the code that runs here has it",
        "{module} 自 {version} 起已有修复；请确认这里运行的代码是否已包含",
    ),
    "known.upgrade-peer": (
        "{module} {version} or later, in the process at the other end",
        "把对端进程中的 {module} 升级到 {version} 或更高版本",
    ),
    "known.also": ("looks like {id} too", "也与 {id} 相符"),
    "known.heading.not": ("Looks like it, but does not count", "看似相符，但不计入"),
    "known.heading.symptoms": (
        "Known leaks look like this, and other causes too",
        "已知泄漏是这个样子，别的原因也会如此",
    ),
    "known.lone": (
        "the code is there; one goroutine is no pile-up",
        "这段代码确实在运行，但只有一个 goroutine，谈不上堆积",
    ),
    "known.normal": (
        "healthy processes have some of these too, and here they do not grow",
        "健康的进程里也有一些，而这里没有增长",
    ),
    "known.normal-once": (
        "healthy processes have some of these too: capture it again later and hand in both",
        "健康的进程里也有一些：请过一段时间再采集一次，两次一起交来",
    ),
    "known.little": (
        "{share:.1%} of the heap: the code is there, it is no pile-up",
        "只占堆内存的 {share:.1%}：这段代码确实在运行，谈不上堆积",
    ),
    "known.has-fix": (
        "{module} {version} has the fix: it is something else",
        "{module} {version} 已有修复：应是别的原因",
    ),
}  # fmt: skip

__all__ = ["WORDS"]
