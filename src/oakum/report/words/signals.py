"""Sentences about metrics, logs and events on the time line: key -> English, Chinese."""

_LINES = {
    "time-out": ("log lines report a time-out", "行日志报告超时"),
    "server-error": ("log lines report a server error (5xx)", "行日志报告服务端错误（5xx）"),
    "panic": ("log lines report a panic", "行日志报告 panic"),
    "fatal-error": ("log lines report a fatal error", "行日志报告致命错误"),
    "oom-kill": ("log lines report an OOM kill", "行日志报告 OOM 被杀"),
    "restart": ("log lines report a restart", "行日志报告重启"),
    "deploy": ("log lines report a rollout", "行日志报告发布"),
    "eviction": ("log lines report an eviction", "行日志报告驱逐"),
    "throttling": ("log lines report throttling", "行日志报告限流"),
}
_NAMED = {"agent": ("user agent", "user-agent"), "client": ("client", "客户端"), "user": ("user", "用户")}
_SINGLE = {
    "fatal-error": ("Fatal error", "致命错误"),
    "oom-kill": ("OOM kill", "OOM 被杀"),
    "restart": ("Restart", "重启"),
    "deploy": ("Rollout", "发布"),
    "eviction": ("Eviction", "驱逐"),
    "throttling": ("Throttling", "限流"),
    "time-out": ("Time-out", "超时"),
    "server-error": ("Server error", "服务端错误"),
    "panic": ("Panic", "panic"),
}
_MEASURES = {
    "goroutines": ("goroutines", "协程数"),
    "heap": ("the heap", "堆内存"),
    "rss": ("resident memory", "常驻内存"),
}

WORDS: dict[str, tuple[str, str]] = {
    "signals.title": ("Events", "事件"),
    "signals.kind.growth-began": ("growth", "增长"),
    "signals.kind.load-changed": ("load", "负载"),
    "signals.kind.time-out": ("time-outs", "超时"),
    "signals.kind.server-error": ("server errors", "服务端错误"),
    "signals.kind.panic": ("panics", "panic"),
    "signals.kind.fatal-error": ("fatal error", "致命错误"),
    "signals.kind.oom-kill": ("OOM kill", "OOM 被杀"),
    "signals.kind.restart": ("restart", "重启"),
    "signals.kind.deploy": ("rollout", "发布"),
    "signals.kind.eviction": ("eviction", "驱逐"),
    "signals.kind.throttling": ("throttling", "限流"),
    "signals.kind.capture": ("capture", "采集"),
    "signals.idle.driver": (
        "It stopped growing when `{driver}` stopped ({busy:g} per second while it grew, {after:g} since).",
        "`{driver}` 停止后它才不再增长（增长期间每秒 {busy:g} 次，之后每秒 {after:g} 次）。",
    ),
    "signals.idle.requests": (
        "It stopped growing when the requests stopped ({busy:g} per second while it grew, {after:g} since).",
        "请求停止后它才不再增长（增长期间每秒 {busy:g} 个，之后每秒 {after:g} 个）。",
    ),
    "signals.idle.cpu": (
        "It stopped growing when the process was idle ({busy:g} CPU seconds a second while it grew, {after:g} since).",
        "进程空闲后它才不再增长（增长期间每秒 {busy:g} 秒 CPU，之后每秒 {after:g} 秒）。",
    ),
    "signals.shape.steps": ("It grew in {steps:#step}.", "分 {steps} 段增长。"),
    "signals.shape.saw-tooth": (
        "It grew again after each of {steps:#restart}.", "{steps} 次重启后每次都重新增长。",
    ),
    "signals.onset": (
        "Metrics: growth began at {at} (between {low} and {high}).", "指标显示增长始于 {at}（{low} 至 {high} 之间）。",
    ),
    "signals.onset-before": (
        "Metrics: it grows from the first sample on.", "指标显示从第一个采样点起就在增长。",
    ),
    "signals.log-place": (
        "At least {stacks:#panic stack} in the log name `{place}`, which is part of this finding.",
        "日志中至少有 {stacks} 个 panic 栈包含 `{place}`，正是本问题涉及的代码。",
    ),
    "event.load-changed": (
        "The load changed from {before:g} to {after:g} requests per second.",
        "负载从每秒 {before:g} 个请求变为 {after:g} 个。",
    ),
    "event.restart.seen": ("Restarted: run {run} begins.", "重启：第 {run} 次运行开始。"),
    "event.capture": ("Captured: {label}.", "采集：{label}。"),
} | {
    f"event.growth-began.{measure}": (
        f"Growth of {told[0]} began (between {{low}} and {{high}}).",
        f"{told[1]}开始增长（{{low}} 至 {{high}} 之间）。",
    )
    for measure, told in _MEASURES.items()
} | {
    f"signals.follows.{measure}": (
        f"Metrics: {told[0]} {'grow' if measure == 'goroutines' else 'grows'} by {{value}} [{{low}}, {{high}}] per "
        "`{event}`; that explains {explains:.0%} of the variation beyond time itself.",
        f"指标显示：每 1 次 `{{event}}`，{told[1]}增加 {{value}} [{{low}}, {{high}}]；"
        "除去时间本身，它解释了 {explains:.0%} 的变化。",
    )
    for measure, told in _MEASURES.items()
} | {
    f"event.{kind}.lines": (f"{{lines:,}} {told[0]}.", f"{{lines:,}} {told[1]}。") for kind, told in _LINES.items()
} | {
    f"event.{kind}.lines-{field}": (
        f"{{lines:,}} {told[0]}; {{share:.0%}} of those that name a {name[0]} name {{name}}.",
        f"{{lines:,}} {told[1]}；其中 {{share:.0%}} 来自{name[1]} {{name}}。",
    )
    for kind, told in _LINES.items()
    for field, name in _NAMED.items()
} | {
    f"signals.named.{kind}.{field}": (
        f"{{of:,}} {told[0]} and name a {name[0]}; {{share:.0%}} of them name {{name}}.",
        f"{{of:,}} {told[1]}并带有{name[1]}，其中 {{share:.0%}} 来自 {{name}}。",
    )
    for kind, told in _LINES.items()
    for field, name in _NAMED.items()
} | {
    f"event.{kind}": (f"{told[0]}: {{object}}. {{said}}", f"{told[1]}：{{object}}。{{said}}")
    for kind, told in _SINGLE.items()
} | {
    f"event.{kind}.nobody": (f"{told[0]}. {{said}}", f"{told[1]}。{{said}}") for kind, told in _SINGLE.items()
} | {
    f"event.{kind}.times": (
        f"{told[0]}: {{object}}, {{count:,}} times. {{said}}", f"{told[1]}：{{object}}，共 {{count:,}} 次。{{said}}",
    )
    for kind, told in _SINGLE.items()
} | {
    f"event.{kind}.nobody.times": (
        f"{told[0]}, {{count:,}} times. {{said}}", f"{told[1]}，共 {{count:,}} 次。{{said}}",
    )
    for kind, told in _SINGLE.items()
}  # fmt: skip
