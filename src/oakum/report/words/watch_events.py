"""What happened to a service while it was watched: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "watch.first-seen": ("{replica} is watched", "开始监视 {replica}"),
    "watch.restart": ("{replica} was restarted", "{replica} 已重启"),
    "watch.restart-why": ("{replica} was restarted: {why}", "{replica} 已重启：{why}"),
    "watch.oom-kill": ("{replica} was OOM-killed", "{replica} 因内存耗尽被杀（OOM）"),
    "watch.oom-kill-why": ("{replica} was OOM-killed: {why}", "{replica} 因内存耗尽被杀（OOM）：{why}"),
    "watch.deploy": ("{replica} runs another build: {version}", "{replica} 运行了另一个构建：{version}"),
    "watch.config-limit": (
        "the memory limit of {replica} is now {after:bytes}, it was {before:bytes}",
        "{replica} 的内存上限由 {before:bytes} 变为 {after:bytes}",
    ),
    "watch.config-cores": (
        "{replica} may now use {after:g} cores, it was {before:g}",
        "{replica} 可用的 CPU 核数由 {before:g} 变为 {after:g}",
    ),
    "watch.load": (
        "{replica} serves {after:.3g} requests per second, it was {before:.3g}",
        "{replica} 每秒处理的请求数由 {before:.3g} 变为 {after:.3g}",
    ),
    "watch.target-lost": ("{replica} no longer answers: {why}", "{replica} 不再响应：{why}"),
    "watch.target-back": ("{replica} answers again", "{replica} 恢复响应"),
    "watch.target-gone": ("{replica} is no longer among the targets", "{replica} 已不在目标之中"),
    "watch.capture": (
        "full evidence of {replica} was captured before the memory limit: {share:.0%} of it is in use",
        "在 {replica} 触及内存上限前采集了完整证据：已使用上限的 {share:.0%}",
    ),
    "watch.capture-foreseen": (
        "full evidence of {replica} was captured before the memory limit, which may be reached in {seconds:span}",
        "在 {replica} 触及内存上限前采集了完整证据：预计最早 {seconds:span}后触及",
    ),
    "watch.clock": (
        "the clock of the watcher jumped by {seconds:+.0f} s",
        "监视程序的系统时钟跳变了 {seconds:+.0f} 秒",
    ),
    "watch.incident-opened": (
        "incident {incident} opened: {mechanism} in {function}",
        "事件 {incident} 已打开：{function} 处的 {mechanism}",
    ),
    "watch.incident-resolved": ("incident {incident} resolved", "事件 {incident} 已解决"),
    "watch.incident-flapping": (
        "incident {incident} keeps coming back: {mechanism} in {function}",
        "事件 {incident} 反复出现：{function} 处的 {mechanism}",
    ),
}
