"""What is said while a case is put together and diagnosed: key -> (English, Chinese)."""

_WAITING = {
    "": (
        "{sent:,} bytes wait for {peer} to read them ({name})",
        "{sent:,} 字节等待 {peer} 读取（{name}）",
    ),
    "-of": (
        "{sent:,} bytes wait for {peer} to read them, {used:,} of {buffer:,} buffer bytes are used ({name})",
        "{sent:,} 字节等待 {peer} 读取，缓冲区 {buffer:,} 字节已占用 {used:,}（{name}）",
    ),
    "-both": (
        "both ways: {sent:,} bytes wait for {peer} to read them, and {received:,} bytes from it are unread ({name})",
        "双向：{sent:,} 字节等待 {peer} 读取，对方发来的 {received:,} 字节也没有读取（{name}）",
    ),
    "-both-of": (
        "both ways: {sent:,} bytes wait for {peer} to read them, {used:,} of {buffer:,} buffer bytes are used, "
        "and {received:,} bytes from it are unread ({name})",
        "双向：{sent:,} 字节等待 {peer} 读取，缓冲区 {buffer:,} 字节已占用 {used:,}；对方发来的 {received:,} 字节"
        "也没有读取（{name}）",
    ),
}
_HOW = {"full": ("full", "已满"), "waiting": ("waiting", "等待中")}


def _joined(how: tuple[str, str], key: str, what: tuple[str, str]) -> tuple[str, str]:
    mark = (" ", "，") if key.startswith("-both") else (": ", "：")
    return how[0] + mark[0] + what[0], how[1] + mark[1] + what[1]


WORDS: dict[str, tuple[str, str]] = {
    **{f"sockets.{how}{key}": _joined(_HOW[how], key, what) for how in _HOW for key, what in _WAITING.items()},
    "sockets.unread": (
        "unread: {received:,} bytes from {peer} ({name})",
        "未读取：来自 {peer} 的 {received:,} 字节（{name}）",
    ),
    "sockets.more": ("... and {more:,} more", "……另有 {more:,} 处"),
    "sockets.in": ("{origin}: {text}", "{origin}：{text}"),
    "sockets.in-several": (
        "{origin}: {text}; identical in {captures:,} captures: no progress",
        "{origin}：{text}；{captures:,} 份采集中完全相同，没有进展",
    ),
    "source.foreign": (
        "--source {source} is not this program's source: it contains {there}; looked for {wanted}",
        "--source {source} 不是该程序的源码：其中是 {there}，而要找的是 {wanted}",
    ),
    "source.foreign-bare": (
        "--source {source} is not this program's source: it contains no go.mod; looked for {wanted}",
        "--source {source} 不是该程序的源码：其中没有 go.mod，而要找的是 {wanted}",
    ),
    "leads.failed": ("{error}", "没有查找上游改动：{error}"),
    "pipeline.at": ("{where}: {text}", "{where}：{text}"),
    "leads.unchanged": (
        "{module}: {names} did not change from {version} to {last}",
        "{module}：{names} 从 {version} 到 {last} 没有改动",
    ),
    "process.run": ("run {number} of {of}", "第 {number} 次运行（共 {of} 次）"),
    "runs.grew": (
        "{first:,} → {last:,} in run {run}, {other_first:,} → {other_last:,} so far in run {other}",
        "第 {run} 次运行中从 {first:,} 到 {last:,}，第 {other} 次运行至今从 {other_first:,} 到 {other_last:,}",
    ),
    "runs.grew-before": (
        "{first:,} → {last:,} in run {run}, {other_first:,} → {other_last:,} in run {other}",
        "第 {run} 次运行中从 {first:,} 到 {last:,}，第 {other} 次运行中从 {other_first:,} 到 {other_last:,}",
    ),
    "runs.grew-bytes": (
        "{first} → {last} in run {run}, {other_first} → {other_last} so far in run {other}",
        "第 {run} 次运行中从 {first} 到 {last}，第 {other} 次运行至今从 {other_first} 到 {other_last}",
    ),
    "runs.grew-bytes-before": (
        "{first} → {last} in run {run}, {other_first} → {other_last} in run {other}",
        "第 {run} 次运行中从 {first} 到 {last}，第 {other} 次运行中从 {other_first} 到 {other_last}",
    ),
    "runs.whole": (
        "All goroutines: {first:,} → {last:,} in run {run}, {other_first:,} → {other_last:,} so far in run {other}",
        "全部协程：第 {run} 次运行从 {first:,} 到 {last:,}，第 {other} 次运行至今从 {other_first:,} 到 {other_last:,}",
    ),
    "runs.whole-before": (
        "All goroutines: {first:,} → {last:,} in run {run}, {other_first:,} → {other_last:,} in run {other}",
        "全部协程：第 {run} 次运行从 {first:,} 到 {last:,}，第 {other} 次运行从 {other_first:,} 到 {other_last:,}",
    ),
    "runs.whole-bytes": (
        "The whole heap: {first} → {last} in run {run}, {other_first} → {other_last} so far in run {other}",
        "整个堆：第 {run} 次运行中从 {first} 到 {last}，第 {other} 次运行至今从 {other_first} 到 {other_last}",
    ),
    "runs.whole-bytes-before": (
        "The whole heap: {first} → {last} in run {run}, {other_first} → {other_last} in run {other}",
        "整个堆：第 {run} 次运行中从 {first} 到 {last}，第 {other} 次运行中从 {other_first} 到 {other_last}",
    ),
    "notice.programs": (
        "These snapshots are from {count} different programs, each diagnosed separately: {names}.",
        "这些快照来自 {count} 个不同的程序，已分别诊断：{names}。",
    ),
    "notice.replicas": (
        "These snapshots are from {count} processes of one program, not from one process over time; each is "
        "diagnosed separately: {names}.",
        "这些快照来自同一程序的 {count} 个进程，不是同一进程的序列；已分别诊断：{names}。",
    ),
    "notice.restarted-unknown": (
        "{name:Who} restarted between run {before} and run {run}; each run is diagnosed separately.",
        "{name:Who} 在第 {before} 次与第 {run} 次运行之间重启过；已分别诊断。",
    ),
    "notice.restarted-oom": (
        "{name:Who} restarted between run {before} and run {run} after an OOM kill; each run is diagnosed separately.",
        "{name:Who} 在第 {before} 次运行中 OOM 被杀，随后重启（第 {run} 次运行）；已分别诊断。",
    ),
    "notice.restarted-exit": (
        "{name:Who} restarted between run {before} and run {run} after it exited with code {code} ({reason}); each "
        "run is diagnosed separately.",
        "{name:Who} 在第 {before} 次运行中以退出码 {code}（{reason}）退出，随后重启（第 {run} 次运行）；已分别诊断。",
    ),
    "notice.restarted-crash": (
        "{name:Who} restarted between run {before} and run {run} after it ended with `{reason}`; each run is diagnosed "
        "separately.",
        "{name:Who} 在第 {before} 次运行中因 `{reason}` 退出，随后重启（第 {run} 次运行）；已分别诊断。",
    ),
    "notice.restarted-deploy": (
        "{name:Who} restarted between run {before} and run {run} with another version, {after} instead of {old}; each "
        "run is diagnosed separately.",
        "{name:Who} 在第 {before} 次与第 {run} 次运行之间部署了新版本（{old} → {after}）；已分别诊断。",
    ),
    "notice.restarted-build": (
        "{name:Who} restarted between run {before} and run {run} with another build; each run is diagnosed separately.",
        "{name:Who} 在第 {before} 次与第 {run} 次运行之间换成了另一次构建；已分别诊断。",
    ),
    "assemble.nothing": (
        "nothing to diagnose: no goroutines, heap profile or metrics in",
        "没有可诊断的内容：以下输入中没有协程、heap profile 或指标",
    ),
    "assemble.baseline-which": (
        "it has {count:,} processes ({names}), none called {name}; name the directory of its baseline",
        "其中有 {count:,} 个进程（{names}），没有名为 {name} 的；请指定其基线所在目录",
    ),
    "assemble.baseline-unused": (
        "{name} is not the baseline of any of {names}; skipped",
        "{name} 不是 {names} 中任何一个的基线，已跳过",
    ),
    "assemble.build-of-another": (
        "{origin}: another program: {package}, seen in the stacks, is not linked into it; name the captured one",
        "{origin}：这是另一个程序：调用栈中的 {package} 没有链接在其中；请指定被采集的程序",
    ),
    "assemble.build-of-which": (
        "{origin}: unclear which process runs {names}; known processes: {processes}",
        "{origin}：无法确定哪个进程运行 {names}；现有进程：{processes}",
    ),
    "assemble.builds-differ": (
        "{names} are different programs; name the one that was captured",
        "{names} 是不同的程序；请指明被采集的那一个",
    ),
}  # fmt: skip
