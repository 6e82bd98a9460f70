"""Problems met while capturing: key -> (English, Chinese), as in words/problems.py.

{said}, and {error} of an operating system, are the words of others: in Chinese they stand in quotes. {why}, {page} and
{error} of a request are Texts of words/web.py and words/targets.py. problem.how.* says how a program serves pprof, and
stands in other sentences.
"""

_HOW = {
    "anywhere": (
        "programs often serve it on a port of its own (6060), or under a prefix (name it: http://HOST:PORT/PREFIX), "
        'or not at all without `import _ "net/http/pprof"`',
        "程序常在单独的端口（6060）或某个前缀下（请写成 http://HOST:PORT/PREFIX）提供 pprof；"
        '没有 `import _ "net/http/pprof"` 则完全没有',
    ),
    "cloud-controller-manager": (
        "cloud-controller-manager serves it unless started with --profiling=false",
        "cloud-controller-manager 默认提供，除非启动时加了 --profiling=false",
    ),
    "containerd": (
        "containerd serves it on another socket, that of [debug] address in its config.toml; "
        "often unix:///run/containerd/debug.sock",
        "containerd 在另一个 socket 上提供，即 config.toml 中 [debug] 的 address，通常是 "
        "unix:///run/containerd/debug.sock",
    ),
    "crio": (
        "CRI-O serves it when started with --enable-profile-unix-socket",
        "CRI-O 启动时加 --enable-profile-unix-socket 才会提供",
    ),
    "coredns": (
        "CoreDNS serves pprof when its Corefile has the line `pprof`, on localhost:6053",
        "CoreDNS 的 Corefile 中有 `pprof` 一行时，在 localhost:6053 提供 pprof",
    ),
    "etcd": ("etcd serves it when started with --enable-pprof", "etcd 启动时加 --enable-pprof 才会提供"),
    "etcd-metrics": (
        "etcd serves it at its client address, when started with --enable-pprof",
        "etcd 启动时加 --enable-pprof，在 client 地址上提供",
    ),
    "etcd-certificate": (
        "etcd serves pprof at its client port, when started with --enable-pprof, to clients whose certificate is "
        "signed by etcd's own CA: -tls_ca, -tls_cert and -tls_key, on a kubeadm control plane "
        "/etc/kubernetes/pki/etcd/{{ca.crt,healthcheck-client.crt,healthcheck-client.key}}",
        "etcd 启动时加 --enable-pprof，在 client 端口上提供 pprof，且只接受由 etcd 自己的 CA 签发的客户端证书："
        "-tls_ca、-tls_cert 和 -tls_key，在 kubeadm 控制面上为 "
        "/etc/kubernetes/pki/etcd/{{ca.crt,healthcheck-client.crt,healthcheck-client.key}}",
    ),
    "kube-apiserver": (
        "kube-apiserver serves it unless started with --profiling=false",
        "kube-apiserver 默认提供，除非启动时加了 --profiling=false",
    ),
    "kube-controller-manager": (
        "kube-controller-manager serves it unless started with --profiling=false",
        "kube-controller-manager 默认提供，除非启动时加了 --profiling=false",
    ),
    "kube-proxy": (
        "kube-proxy serves it with enableProfiling: true in its configuration",
        "kube-proxy 的配置中设置 enableProfiling: true 才会提供",
    ),
    "kube-proxy-health": (
        "this is kube-proxy's health port; its pprof is on 10249, with enableProfiling: true",
        "这是 kube-proxy 的健康检查端口；pprof 在 10249 端口，需设置 enableProfiling: true",
    ),
    "kube-scheduler": (
        "kube-scheduler serves it unless started with --profiling=false",
        "kube-scheduler 默认提供，除非启动时加了 --profiling=false",
    ),
    "kubelet": (
        "kubelet serves it with enableDebuggingHandlers and enableProfilingHandler, both true unless configured",
        "kubelet 需要 enableDebuggingHandlers 和 enableProfilingHandler，两者默认均为 true",
    ),
}
_NO_PPROF = {
    "broken-off": (
        "The search for pprof broke off: {error}",
        "查找 pprof 时中断：{error}",
    ),
    "gone": ("{why}; an earlier snapshot was taken there", "{why}；此前的快照就是从这里采集的"),
    "index": (
        "{url}: pprof's index is there, but no profile below it: Go's index finds profiles by name under /debug/pprof/ "
        'only; elsewhere each has to be mounted, as pprof.Handler("heap")',
        "{url}：有 pprof 的索引页，但其下没有 profile：Go 的索引页只在 /debug/pprof/ 下按名称查找；"
        '挂在别处时需逐个挂载，例如 pprof.Handler("heap")',
    ),
    "kubelet-debug": (
        "{url}: this kubelet serves no debug endpoints: enableDebuggingHandlers: true in its configuration turns them "
        "on",
        "{url}：该 kubelet 没有开启调试接口：在其配置中设置 enableDebuggingHandlers: true 即可开启",
    ),
    "kubelet-profiling": (
        "{url}: this kubelet serves no profiles: enableProfilingHandler: true in its configuration turns them on",
        "{url}：该 kubelet 没有开启 profile 接口：在其配置中设置 enableProfilingHandler: true 即可开启",
    ),
    "metrics": (
        "{pod}: no pprof was found, only metrics are captured; {how}",
        "{pod}：没有找到 pprof，只能采集指标；{how}",
    ),
    "other": (
        "{url}: what answers there is not pprof; it may be on another port or under a prefix",
        "{url}：应答的不是 pprof；pprof 可能在别的端口或前缀下",
    ),
    "page": (
        "{url}: {page} came instead of pprof; log in with --token or -H if it requires authentication; pprof may be on "
        "another port or under a prefix",
        "{url}：返回的不是 pprof，而是{page}；如需认证，请用 --token 或 -H；pprof 也可能在别的端口或前缀下",
    ),
    "profiling": (
        "{pod} was started with --profiling=false: no pprof, only metrics are captured",
        "{pod} 启动时加了 --profiling=false：没有 pprof，只能采集指标",
    ),
    "refused": ("{url}: {why}", "{url}：{why}"),
    "usual": (
        "{target}: no pprof here (looked at {places}); {how}",
        "{target}：此处没有 pprof（查找过 {places}）；{how}",
    ),
}
_UNREACHABLE = {
    "component": ("{target}: {why}; {how}", "{target}：{why}；{how}"),
    "local": (
        "{error}; `oakum find` lists the Go programs of this machine, with the address of their pprof",
        "无法连接：{error}；`oakum find` 可列出本机的 Go 程序及其 pprof 地址",
    ),
    "no-port": (
        "{target}: no port of it is known; kube://component/NAME:PORT names one",
        "{target}：不知道它的端口；请用 kube://component/NAME:PORT 指定",
    ),
    "no-way": (
        "{target}: nothing is captured: neither the API server's proxy nor a port-forward leads there",
        "{target}：无法采集：API server 的代理和端口转发都到不了",
    ),
    "pod": ("{target}: {why}", "{target}：{why}"),
    "ports": ("{target}: {why}; :PORT names another", "{target}：{why}；可用 :PORT 指定其他端口"),
    "remote": (
        "{error}; a pprof that listens on localhost only is reached with ssh -L 6060:localhost:6060 HOST",
        "无法连接：{error}；只监听 localhost 的 pprof 可用 `ssh -L 6060:localhost:6060 HOST` 访问",
    ),
    "socket": ("{error}; {how}", "无法连接：{error}；{how}"),
}
_PROBLEMS: dict[str, tuple[str, str]] = {
    "part.and-more": ("{names} and {more} more", "{names} 及另外 {more} 个"),
    # The run as a whole.
    "failed": ("{error}", "失败：{error}"),
    "hung": (
        "{asked}: no end within {seconds} s; the capture goes on without it",
        "{asked}：{seconds} 秒内没有结束；已放弃，继续采集其余内容",
    ),
    "internal.capture": (
        "Internal error ({error}). Please report it; OAKUM_DEBUG=1 shows where it was.",
        "程序内部错误（{error}），请反馈；设置 OAKUM_DEBUG=1 可显示出错位置",
    ),
    "late": (
        "Not captured: {files}; the {seconds:g} s for one snapshot were over",
        "未采集：{files}；单个快照的 {seconds:g} 秒时限已到",
    ),
    "nothing": (
        "{target}: nothing that could be captured was found under this name",
        "{target}：该名称下没有可采集的目标",
    ),
    "unfinished": ("{asked}: not finished when the capture ended", "{asked}：采集结束时尚未完成"),
    "usage": ("{error}", "用法错误：{error}"),
    # What is written into a bundle.
    "not-redacted": (
        "{file}: left out: names in bytes of this kind cannot be replaced, and --redact was asked for",
        "{file}：已略去：这类数据中的名称无法替换，而要求了 --redact",
    ),
    "secret-removed": (
        "A secret of this call stood in the answer; asterisks were written in its place",
        "应答中含有本次调用的凭据；保存时已替换为星号",
    ),
    # Credentials.
    "credentials-in-clear": (
        "{target} is not encrypted: anyone on the network path can read the credentials sent to it",
        "{target} 未加密：网络路径上的任何人都能读到发送的凭据",
    ),
    "credentials-unchecked": (
        "The certificate of {target} is not checked: whoever answers gets the credentials",
        "{target} 的证书未经校验：凭据会交给任何应答者",
    ),
    # pprof over HTTP.
    "cut.answer": (
        "{asked}: the answer is not complete: {why}",
        "{asked}：应答不完整：{why}",
    ),
    "dump-cut": (
        "The dump ends at 64 MiB, where Go cuts it off: goroutines are missing in it; goroutine.pb.gz has them all.",
        "转储在 64 MiB 处结束，Go 会在此截断：其中缺少一部分 goroutine；goroutine.pb.gz 中是完整的",
    ),
    "found-elsewhere": (
        "There is no pprof below {prefix}; {url} of the same server is captured",
        "{prefix} 下没有 pprof；改为采集同一服务器的 {url}",
    ),
    "not-a-profile.instead": (
        "{asked}: {what} came instead; it was not kept",
        "{asked}：返回的是{what:said}，不是所需内容，未保存",
    ),
    "not-a-profile.page": (
        "{asked}: {page} came instead; it was not kept",
        "{asked}：返回的是{page}，不是所需内容，未保存",
    ),
    "not-a-profile.type": (
        "{asked}: something else came instead (content type {type}); it was not kept",
        "{asked}：返回的不是所需内容（content type {type}），未保存",
    ),
    "not-asked.dump": (
        "{asked}: not requested, since the dump before may still be under way: never two at once",
        "{asked}：未请求，因为前一份转储可能仍在进行：同一时间不取两份",
    ),
    "not-asked.silent": (
        "{asked}: not requested, since the two requests before were not answered",
        "{asked}：未请求，因为前两次请求都没有应答",
    ),
    "refused": ("{asked}: {why}", "{asked}：{why}"),
    "restarted.since": (
        "{target}: the process was restarted since the last snapshot: earlier captures are of another process",
        "{target}：上一个快照之后进程重启过：此前的采集属于另一个进程",
    ),
    "unreachable": ("{error}", "无法连接：{error}"),
    **{f"unreachable.{name}": words for name, words in _UNREACHABLE.items()},
    **{f"no-pprof.{name}": words for name, words in _NO_PPROF.items()},
    **{f"how.{name}": words for name, words in _HOW.items()},
    # Processes of this machine.
    "cut.dump": (
        "The dump is not complete: its last line did not come within {seconds:g} s; later goroutines are missing",
        "转储不完整：{seconds:g} 秒内没有等到最后一行；后面的 goroutine 缺失",
    ),
    "no-evidence": (
        "{origin}: nothing was packed: no goroutine dump, profile, metrics or build in {files:#file}. Name what runs "
        "(oakum capture http://HOST:PORT, pid:N, kube://pod/NAMESPACE/NAME), or save a dump first: "
        "`curl -o goroutine.txt 'http://HOST:PORT/debug/pprof/goroutine?debug=2'`",
        "{origin}：没有打包：{files:,} 个文件中没有 goroutine 转储、profile、指标或构建信息。请指定运行中的目标"
        "（`oakum capture http://HOST:PORT`、`pid:N`、`kube://pod/NAMESPACE/NAME`），或先保存转储："
        "`curl -o goroutine.txt 'http://HOST:PORT/debug/pprof/goroutine?debug=2'`",
    ),
    "no-evidence.file": ("{origin}: not evidence: {why}", "{origin}：不是证据：{why}"),
    "no-evidence.more": (
        "{files:#more file} that are not evidence; oakum inspect lists them",
        "另有 {files:,} 个文件不是证据；oakum inspect 可列出它们",
    ),
    "empty.file": ("{asked}: empty, nothing was captured", "{asked}：内容为空，没有采集到任何数据"),
    "oom-killed": (
        "{target} has ended: the kernel killed a process of its cgroup for memory (OOM)",
        "{target} 已结束：内核因内存不足杀死了其 cgroup 中的进程（OOM）",
    ),
    "ended": ("{target} has exited", "{target} 已退出"),
    "ended.error": ("pid {pid}: {error}", "pid {pid}：“{error}”"),
    "ended.reused": (
        "{target} has exited; another process ({program}) has its pid now",
        "{target} 已退出；该 pid 现在属于另一个进程（{program}）",
    ),
    "ended.zombie": (
        "{target} has exited; its parent, {parent}, has not waited for it yet (zombie)",
        "{target} 已退出；父进程 {parent} 尚未回收（僵尸进程）",
    ),
    "forbidden": (
        "pid {pid} is another user's: run as root, or sudo kill -USR1 {pid}",
        "pid {pid} 属于其他用户：请以 root 运行，或执行 `sudo kill -USR1 {pid}`",
    ),
    "no-dump": (
        "SIGUSR1 was sent to pid {pid}, and no dump was found in {log} within {seconds:g} s; {target}?log=FILE names "
        "another log, and containerd's level must be info or debug",
        "已向 pid {pid} 发送 SIGUSR1，但 {seconds:g} 秒内没有在 {log} 中找到转储；"
        "可用 {target}?log=FILE 指定其他日志；containerd 的日志级别须为 info 或 debug",
    ),
    "not-go": (
        "{target} is not a Go program: {program}; `oakum find` lists the Go programs",
        "{target} 不是 Go 程序：{program}；`oakum find` 可列出 Go 程序",
    ),
    "not-go.parent": (
        "{target} is not a Go program: {program}; it started {children}",
        "{target} 不是 Go 程序：{program}；它启动的 Go 程序有 {children}",
    ),
    "not-handled": (
        "pid {pid} no longer handles SIGUSR1; it was not sent, since it would end the process",
        "pid {pid} 已不再处理 SIGUSR1；发送会使进程退出，因此没有发送",
    ),
    "unreadable": ("{asked}: {error}", "{asked}：“{error}”"),
    # The journal.
    "cut.journal-late": (
        "{asked}: it took more than {seconds:g} s, and what came until then was kept; raise --timeout",
        "{asked}：超过 {seconds:g} 秒，只保留了此前的内容；请加大 --timeout",
    ),
    "cut.journal-long": (
        "{asked}: it was cut at {most} MiB; since= nearer to now takes less",
        "{asked}：在 {most} MiB 处截断；可将 since= 设得更近",
    ),
    "empty.journal": (
        "{unit} wrote nothing in that time, or there is no such unit, or you may not read it: root and the groups adm "
        "and systemd-journal may",
        "{unit} 在这段时间内没有写日志，或没有这个 unit，或没有读取权限：root 以及 adm、systemd-journal 组可以读取",
    ),
    "journalctl": ("{asked}: {said}", "{asked}：“{said}”"),
    # Stores of the past.
    "doubtful": (
        "{asked}: several processes seem to send under the same labels, and snapshots may be of different ones; "
        "a label such as instance, pod or hostname keeps them apart",
        "{asked}：似乎有多个进程使用同一组标签上报，各快照可能属于不同进程；请用 instance、pod 或 hostname 等标签区分",
    ),
    "empty.profile": (
        "{asked}: listed, but the store has no such profile: nothing was captured",
        "{asked}：列表中有，但存储中没有该 profile：没有采集到",
    ),
    "empty.profiles": (
        "{target} has no profiles in the last {span}; last=24h looks further back",
        "{target} 最近 {span} 没有 profile；last=24h 可查更早的时间",
    ),
    "empty.scrapes": (
        "{target} was not scraped in the last {span}; last=24h looks further back",
        "{target} 最近 {span} 没有抓取数据；last=24h 可查更早的时间",
    ),
    "refused.not-prometheus": (
        "{what} of {target}: the answer is not that of the Prometheus API; it is missing in this capture",
        "{target} 的{what:said}：返回的不是 Prometheus API 的应答；本次采集中缺少这一项",
    ),
    "refused.series": (
        "{what} of {target}: {why}",
        "{target} 的{what:said}：{why}",
    ),
    "too-many-points": (
        "step={step} in the last {span} makes {points:,} points, and Prometheus gives {most:,} of a series: "
        "step={least} is the shortest, without it {taken} are taken",
        "最近 {span} 按 step={step} 共 {points:,} 个点，而 Prometheus 每条序列最多返回 {most:,} 个："
        "step 最短为 {least}，不指定则取 {taken} 个点",
    ),
    "warning.series": (
        "{what} of {target}: Prometheus warns: {said}",
        "{target} 的{what:said}：Prometheus 警告：“{said}”",
    ),
    # Kubernetes.
    "ended.pods": ("Also matching, but ended: {pods:#pod}", "另有 {pods:,} 个匹配的 pod 已结束"),
    "more-pods": (
        "Not captured: {pods:#more pod} behind this Service; kube://pod/NAMESPACE -l LABEL=VALUE captures all",
        "该 Service 后端另有 {pods:,} 个 pod 未采集；kube://pod/NAMESPACE -l LABEL=VALUE 可全部采集",
    ),
    "kubelet": ("The kubelet was asked directly: {error}", "直接访问 kubelet：{error}"),
    "kubelet.unchecked": (
        "The kubelet was asked directly: {error}; no token is sent to a kubelet whose certificate cannot be checked: "
        "-tls_ca FILE names its CA",
        "直接访问 kubelet：{error}；证书无法校验的 kubelet 不会收到 token：请用 -tls_ca FILE 指定其 CA",
    ),
    "no-address": (
        "{target}: its address is not known; https://ADDRESS:{port} names it",
        "{target}：不知道它的地址；请用 https://ADDRESS:{port} 指定",
    ),
    "node-proxy": (
        "{target}: the node proxy of the API server did not lead there ({why}); captured directly from the kubelet",
        "{target}：API server 的节点代理不通（{why}）；改为直接从 kubelet 采集",
    ),
    "node-unread": (
        "Node {node} itself could not be read: {error}",
        "无法读取节点 {node} 的信息：{error}",
    ),
    "not-running": (
        "Pod {pod} is {phase} and serves nothing: {containers}",
        "pod {pod} 处于 {phase} 状态，不提供服务：{containers}",
    ),
    "not-running.no-containers": (
        "Pod {pod} is {phase} and serves nothing: it has no containers",
        "pod {pod} 处于 {phase} 状态，不提供服务：没有容器",
    ),
    "one-of-many": (
        "{servers} API servers are behind {target}, and each request may be answered by another: growth between "
        "snapshots may be the difference between them",
        "{target} 后面有 {servers} 个 API server，每次请求可能由不同的实例应答：快照之间的增长可能只是实例间的差异",
    ),
    "pod-unread": (
        "Pod {pod} itself could not be read: {error}",
        "无法读取 pod {pod} 的信息：{error}",
    ),
    "port-forward": ("{target}: {why}", "{target}：{why}"),
    "ports": (
        "{target}: no port serves pprof at the usual paths; {why}",
        "{target}：各端口的常用路径上都没有 pprof；{why}",
    ),
    "unchecked": (
        "The certificate of the kubelet at {url} is self-signed and was not checked",
        "{url} 的 kubelet 证书是自签名的，未经校验",
    ),
}
WORDS: dict[str, tuple[str, str]] = {f"problem.{key}": words for key, words in _PROBLEMS.items()}
