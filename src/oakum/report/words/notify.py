"""What notifications say: key -> (English, Chinese). Made in watch/notify.

{what} is a Text: the mechanism of the leak, or that there is none yet. Times are written in UTC.
"""

WORDS: dict[str, tuple[str, str]] = {
    "notify.title.opened": ("LEAK {service}: {what}", "泄漏 {service}：{what}"),
    "notify.title.updated": ("LEAK {service} (updated): {what}", "泄漏 {service}（更新）：{what}"),
    "notify.title.flapping": ("FLAPPING {service}: {what}", "反复 {service}：{what}"),
    "notify.title.resolved": ("RESOLVED {service}: {what}", "已恢复 {service}：{what}"),
    "notify.title.test": ("TEST {service}: this is a test notification", "测试 {service}：这是一条测试通知"),
    "notify.what.unknown": ("growth without a known cause yet", "持续增长，原因尚未确定"),
    "notify.place": ("Place: {function} ({file}:{line}).", "位置：{function}（{file}:{line}）。"),
    "notify.place.function": ("Place: {function}.", "位置：{function}。"),
    "notify.since": (
        "Growing since {since} UTC (between {low} and {high}).",
        "自 {since} UTC 起增长（介于 {low} 与 {high} 之间）。",
    ),
    "notify.after": ("Before it, at {time} UTC: {what}.", "在此之前，{time} UTC：{what}。"),
    "notify.since.before": (
        "Growing since before {since} UTC, when it was first watched.",
        "在 {since} UTC 开始监视之前就已在增长。",
    ),
    "notify.limit": (
        "The memory limit is reached not before {low} UTC, and by {high} UTC.",
        "内存上限最早于 {low} UTC 达到，最迟于 {high} UTC 达到。",
    ),
    "notify.limit.open": (
        "The memory limit is reached not before {low} UTC, if at all.",
        "内存上限最早于 {low} UTC 达到，也可能不会达到。",
    ),
    "notify.replicas": ("Replicas: {names}.", "副本：{names}。"),
    "notify.replicas.more": ("Replicas: {names} and {more:,} more.", "副本：{names} 等，另有 {more:,} 个。"),
    "notify.opened": ("Opened {opened} UTC.", "开始于 {opened} UTC。"),
    "notify.closed": ("Opened {opened} UTC, resolved {closed} UTC.", "开始于 {opened} UTC，恢复于 {closed} UTC。"),
    "notify.page": ("Report: {page}", "报告：{page}"),
    "notify.test": ("If you can read this, the channel works.", "收到此消息即表示该通道可用。"),
    # Why a delivery failed; {why} is a Text of collect/web.
    "notify.failed.answer": ("{channel}: not delivered: {why}", "{channel}：未送达：{why}"),
    "notify.failed.redirect": (
        "{channel}: not delivered: the server redirects, which is not followed; configure the final address",
        "{channel}：未送达：服务器要求重定向，通知不会跟随；请配置最终地址",
    ),
    "notify.failed.command": (
        "{channel}: not delivered: {command} ended with exit code {code}: {said}",
        "{channel}：未送达：{command} 以退出码 {code} 结束：{said}",
    ),
    "notify.failed.late": (
        "{channel}: not delivered: {command} was still running after {seconds:g} s and was ended",
        "{channel}：未送达：{command} 运行超过 {seconds:g} 秒，已被终止",
    ),
    "notify.failed.start": (
        "{channel}: not delivered: {command} could not be started: {said}",
        "{channel}：未送达：{command} 无法启动：{said}",
    ),
    "notify.failed.secret": (
        "{channel}: not delivered: the secret could not be read from {where}: {said}",
        "{channel}：未送达：无法从 {where} 读取密钥：{said}",
    ),
    "notify.failed.unknown": (
        "{channel}: no longer configured; its notifications are dropped",
        "{channel}：已不在配置中；其通知被丢弃",
    ),
}
