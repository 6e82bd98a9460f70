"""What `oakum fleet` says: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "fleet.head": (
        "{services:#service}: {leaking:,} leaking, {undecided:,} inconclusive, {healthy:,} healthy (times are UTC)",
        "{services:,} 个服务：{leaking:,} 个泄漏，{undecided:,} 个无法定论，{healthy:,} 个健康（时间为 UTC）",
    ),
    "fleet.shared-known": (
        "{count:#service} carry {id} through {module}: upgrade once, to {fixed}.",
        "{count:,} 个服务经由 {module} 带有 {id}：统一升级到 {fixed}。",
    ),
    "fleet.shared-unfixed": (
        "{count:#service} carry {id} through {module}; no release fixes it.",
        "{count:,} 个服务经由 {module} 带有 {id}；尚无修复版本。",
    ),
    "fleet.shared": (
        "{count:#service} leak at the same place, {place} ({mechanism}).",
        "{count:,} 个服务在同一位置泄漏：{place}（{mechanism}）。",
    ),
    "fleet.page.title": ("Services by what they leak", "按泄漏排序的服务"),
    "fleet.page.until": ("newest profile {time} (UTC)", "最新 profile {time}（UTC）"),
    "fleet.page.causes": ("Shared causes", "共同原因"),
    "fleet.page.services": ("Services, worst first", "服务，最严重的在前"),
    "fleet.page.healthy": ("Healthy services", "健康的服务"),
    "fleet.column.service": ("service", "服务"),
    "fleet.column.verdict": ("verdict", "结论"),
    "fleet.column.place": ("place", "位置"),
    "fleet.column.growth": ("goroutines", "协程"),
    "fleet.column.memory": ("memory", "内存"),
    "fleet.column.cost": ("GiB-hours per replica until restart", "每个副本重启前的 GiB·小时"),
    "fleet.column.begin": ("since (UTC)", "始于（UTC）"),
    "fleet.column.more": ("build, replicas, known bug", "构建、副本、已知缺陷"),
    "fleet.column.looks": ("profiles", "profile 数"),
    "fleet.column.aside": ("set aside", "已搁置"),
    "fleet.goroutines": ("+{count:,.3g} goroutines/h", "协程每小时 +{count:,.3g}"),
    "fleet.bytes": ("+{size}/h", "每小时 +{size}"),
    "fleet.cost": (
        "{cost:,.3g} GiB-hours for each replica in the {hours:,.3g} h until it is restarted",
        "每个副本在重启前的 {hours:,.3g} 小时内多占 {cost:,.3g} GiB·小时",
    ),
    "fleet.begin": ("grows since {time}", "自 {time} 起增长"),
    "fleet.deploy": (
        "only since build {build}, first seen {time}; {before} did not leak",
        "自构建 {build}（首次出现于 {time}）起才泄漏；{before} 未泄漏",
    ),
    "fleet.who.all": ("all {running:#replica} leak", "全部 {running:,} 个副本都泄漏"),
    "fleet.who.one": ("one of {running:#replica} leaks: {names}", "{running:,} 个副本中仅 1 个泄漏：{names}"),
    "fleet.who.some": (
        "{leaking:,} of {running:#replica} leak: {names}",
        "{running:,} 个副本中 {leaking:,} 个泄漏：{names}",
    ),
    "fleet.who.zone": (
        "{leaking:,} of {running:#replica} leak, all in zone {names}",
        "{running:,} 个副本中 {leaking:,} 个泄漏，均在可用区 {names}",
    ),
    "fleet.who.build": (
        "{leaking:,} of {running:#replica} leak: those with the newer build",
        "{running:,} 个副本中 {leaking:,} 个泄漏：均为较新的构建",
    ),
    "fleet.known": (
        "known upstream bug {id} in {module}, fixed in {fixed}",
        "{module} 中的已知上游缺陷 {id}，修复于 {fixed}",
    ),
    "fleet.known-unfixed": (
        "known upstream bug {id} in {module}, not fixed in any release",
        "{module} 中的已知上游缺陷 {id}，尚无修复版本",
    ),
    "fleet.others": ("{count:#other service} with the same cause", "另有 {count:,} 个服务原因相同"),
    "fleet.aside": ("{count:#profile} set aside", "已搁置 {count:,} 个 profile"),
    "fleet.ingested": (
        "{store}: {added:#profile} of {services:#service} added, {known:,} already there, {aside:,} set aside, "
        "{passed:,} of other kinds",
        "{store}：新增 {services:,} 个服务的 {added:,} 个 profile，已有 {known:,} 个，搁置 {aside:,} 个，"
        "其他类型 {passed:,} 个",
    ),
    "fleet.handed": (
        "{store}: {added:#profile} of {services:#service} handed to workers, {aside:,} not read, "
        "{passed:,} of other kinds",
        "{store}：已将 {services:,} 个服务的 {added:,} 个 profile 交给 worker，未读取 {aside:,} 个，"
        "其他类型 {passed:,} 个",
    ),
    "fleet.worked": (
        "{added:#profile} summarised, {known:,} already there, {aside:,} set aside, {passed:,} of other kinds",
        "已汇总 {added:,} 个 profile，已有 {known:,} 个，搁置 {aside:,} 个，其他类型 {passed:,} 个",
    ),
    "fleet.no-obstore": (
        "A store on s3:// needs obstore: pip install 'oakum[fleet]'.",
        "s3:// 存储需要 obstore：pip install 'oakum[fleet]'。",
    ),
    "fleet.no-nats": (
        "A queue needs nats-py: pip install 'oakum[fleet]'.",
        "队列需要 nats-py：pip install 'oakum[fleet]'。",
    ),
    "fleet.no-queue": ("{url}: the queue does not answer: {error}.", "{url}：队列无响应：{error}。"),
    "fleet.contended": (
        "{path}: others wrote it again and again; nothing was written.",
        "{path}：其他进程反复写入；未写入任何内容。",
    ),
    "fleet.refused.no-job": ("it is no job of this program", "不是本程序的任务"),
    "fleet.refused.deadly": (
        "{times:#worker} took it and did not come back",
        "{times:,} 个 worker 取走后未返回",
    ),
    "fleet.unmatched": (
        "{count:#file} without a place in the pattern {pattern}, such as {name}",
        "{count:,} 个文件与模式 {pattern} 不符，例如 {name}",
    ),
    "fleet.nothing": (
        "{path}: no file fits the pattern {pattern}. Its paths are such as {name}.",
        "{path}：没有与模式 {pattern} 相符的文件。其路径例如 {name}。",
    ),
    "fleet.set-aside": ("{name}: set aside: {why}", "{name}：已搁置：{why}"),
    "fleet.no-input": ("{path}: no such file or directory.", "{path}：没有该文件或目录。"),
    "fleet.unsaved": (
        "{path} is being written by another process: what was diagnosed now is not kept.",
        "{path} 正由另一进程写入：本次诊断不予保存。",
    ),
    "fleet.no-leak": (
        "{service}: nothing in its profiles grows; no diagnosis was made.",
        "{service}：其 profile 中没有增长；未做诊断。",
    ),
    "fleet.too-little": (
        "{service}: something grows, and what is kept of it is too little for a diagnosis.",
        "{service}：有增长，但保存的内容不足以诊断。",
    ),
    "fleet.event.set-aside": ("A profile was set aside: {file} ({why}).", "已搁置一个 profile：{file}（{why}）。"),
    "fleet.refused.failed": ("it could not be summarised ({error})", "无法汇总（{error}）"),
    "fleet.refused.unknown": ("it is no profile", "不是 profile"),
    "fleet.refused.no-service": (
        "nothing says which service it is of; the pattern needs {{service}}",
        "未指明所属服务；模式需要 {{service}}",
    ),
    "fleet.refused.no-time": (
        "nothing says when it was taken; the pattern needs {{time}}",
        "未指明采集时间；模式需要 {{time}}",
    ),
    "fleet.refused.conflict": (
        "another profile of this service, replica and time is in the store",
        "存储中已有该服务、副本和时间的另一个 profile",
    ),
    "fleet.refused.no-file": ("it is no regular file", "不是普通文件"),
    "fleet.refused.large": ("it is larger than {most:bytes}", "大于 {most:bytes}"),
    "fleet.refused.unread": ("it cannot be read: {error}", "无法读取：{error}"),
}
