"""What `oakum history` and `oakum store` say: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "history.head": (
        "{services:#service}, {leaking:,} leaking (times are UTC)",
        "{services:,} 个服务，{leaking:,} 个泄漏（时间为 UTC）",
    ),
    "history.badge.none": ("NO DIAGNOSIS", "未诊断"),
    "history.goroutines": ("goroutines {value}", "协程 {value}"),
    "history.heap": ("live heap {value}", "存活堆 {value}"),
    "history.unknown": ("unknown", "未知"),
    "history.rss": ("RSS {rss}", "RSS {rss}"),
    "history.limit": ("limit {limit}", "上限 {limit}"),
    "history.since": ("grows since {time} ({ago} ago)", "自 {time} 起增长（{ago}前）"),
    "history.after": ("before it, {time}: {what}", "在此之前，{time}：{what}"),
    "history.between": (", begin between {low} and {high}", "，起点在 {low} 与 {high} 之间"),
    "history.reaches": (
        "limit reached not before {low}, at the latest {high}",
        "最早 {low}、最晚 {high} 达到上限",
    ),
    "history.reaches-open": ("limit reached not before {low}", "最早 {low} 达到上限"),
    "history.in": ("{time} (in {span})", "{time}（{span}后）"),
    "history.seen": ("{snapshots:#snapshot} of {runs:#run}", "{runs:,} 次运行的 {snapshots:,} 个快照"),
    "history.last": ("last {time} ({ago} ago)", "最近 {time}（{ago}前）"),
    "history.incidents": ("Incidents", "事件"),
    "history.state.open": ("OPEN", "进行中"),
    "history.state.resolved": ("RESOLVED", "已解决"),
    "history.state.flapping": ("FLAPPING", "反复"),
    "history.opened": ("opened {time}", "开始于 {time}"),
    "history.closed": ("closed {time}", "结束于 {time}"),
    "history.replicas": ("{count:#replica}", "{count:,} 个副本"),
    "history.id": ("incident {id}", "事件 {id}"),
    "history.places.goroutines": ("Goroutines by place, fastest growth first", "各位置的协程，增长最快的在前"),
    "history.places.heap": ("Live heap by place, fastest growth first", "各位置的存活堆，增长最快的在前"),
    "history.events": ("Events", "时间线"),
    "history.earlier": ("{count:#earlier event}", "更早的 {count:,} 条"),
    "history.empty": (
        "{path} holds no snapshot yet. `oakum watch TARGET --store {path}` takes them; "
        "`oakum store add {path} FILE...` adds what was captured.",
        "{path} 中还没有快照。`oakum watch TARGET --store {path}` 采集快照；"
        "`oakum store add {path} FILE...` 添加已采集的内容。",
    ),
    "history.no-service": (
        "{path} has no service {service}. It has: {names}.",
        "{path} 中没有服务 {service}。现有：{names}。",
    ),
    "history.no-captures": (
        "{path} keeps no capture of {service} {when}: captures are kept for snapshots that a finding cites. oakum "
        "history {service} --store {path} shows what is known.",
        "{path} 未保存 {service} {when}的采集内容：仅为被发现引用的快照保存。oakum history {service} --store {path} "
        "可查看已知信息。",
    ),
    "history.nearest": (
        "{service}: nearest snapshot with captures is of {time}.",
        "{service}：最近的含采集内容的快照为 {time}。",
    ),
    "history.at": ("at {time}", "在 {time} "),
    "history.any": ("so far", "目前"),
    "history.range": ("between {start} and {end}", "在 {start} 至 {end} 之间"),
    "store.checked": (
        "{path}: version {version}, {batches:,} batches, {parts:#part} with {rows:#row}, {captures:#capture}, "
        "{bytes:bytes}",
        "{path}：版本 {version}，{batches:,} 个批次，{parts:,} 个数据文件共 {rows:,} 行，{captures:,} 份采集，"
        "{bytes:bytes}",
    ),
    "store.torn": (
        "{bytes:bytes} of a batch that was not finished when its writer ended; never acknowledged, no loss.",
        "{bytes:bytes} 属于写入进程结束时未完成的批次；从未确认，无损失。",
    ),
    "store.whole": ("No problem found.", "未发现问题。"),
    "store.problems": ("{count:#problem} found.", "发现 {count:,} 个问题。"),
    "store.compacted": (
        "{path}: {before:bytes} in {parts_before:#part}, now {after:bytes} in {parts_after:#part}",
        "{path}：{parts_before:,} 个数据文件 {before:bytes}，现为 {parts_after:,} 个 {after:bytes}",
    ),
    "store.exported": (
        "{file}: {parts:#part} with {rows:#row}; batches in the log: {batches:,}",
        "{file}：{parts:,} 个数据文件共 {rows:,} 行，日志中 {batches:,} 个批次",
    ),
    "store.imported": (
        "{path}: {parts:#part} with {rows:#row} imported",
        "{path}：已导入 {parts:,} 个数据文件共 {rows:,} 行",
    ),
    "store.added": (
        "{services}: {snapshots:#snapshot} and {findings:#finding} added",
        "{services}：已添加 {snapshots:,} 个快照和 {findings:,} 项发现",
    ),
    "store.known": (
        "{services}: {known:#snapshot} already in the store",
        "{services}：{known:,} 个快照已在存储中",
    ),
}  # fmt: skip
