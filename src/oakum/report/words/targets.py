"""Targets that cannot be reached, what a plan leaves out, and advice: key -> (English, Chinese). Made in collect.

{said}, {error} and {hint} are the words of others: in Chinese they stand in quotes. {why} and {others} are Texts.
"""

_PLUGIN = {
    "version": (
        "its apiVersion is {version}; {known} and v1beta1 are understood (kubectl dropped v1alpha1 in 1.24): renew the "
        "kubeconfig",
        "其 apiVersion 为 {version}；只支持 {known} 和 v1beta1（kubectl 1.24 起不再支持 v1alpha1）：请更新 kubeconfig",
    ),
    "terminal": (
        "it asks its user, but standard input is no terminal; log in with it first",
        "它需要与用户交互，但标准输入不是终端；请先用它登录",
    ),
    "missing": (
        "there is no such program; install it, or correct the kubeconfig",
        "程序不存在；请安装，或修正 kubeconfig",
    ),
    "missing-hint": ("there is no such program; {hint}", "程序不存在；“{hint}”"),
    "os": ("{error}", "“{error}”"),
    "late": ("no answer within {seconds:g} s; run it by hand and look", "{seconds:g} 秒内没有返回；请手动运行查看"),
    "long": (
        "it printed more than {size:bytes}, no credential; run it by hand and look",
        "输出超过 {size:bytes}，不是凭据；请手动运行查看",
    ),
    "code": ("it failed with exit code {code}: {said}", "失败，退出码 {code}：“{said}”"),
    "mute": ("it failed with exit code {code}, and said nothing", "失败，退出码 {code}，没有任何输出"),
    "no-json": ("what it printed is no JSON; run it by hand and look", "输出不是 JSON；请手动运行查看"),
    "other-version": ("it was asked for {asked} and gave {version}", "请求的是 {asked}，返回的是 {version}"),
    "empty": (
        "it gave neither a token nor a certificate; run it by hand and look",
        "既没有返回 token，也没有返回证书；请手动运行查看",
    ),
    "half": (
        "it gave a certificate without its key, or the other way round",
        "只返回了证书或私钥之一",
    ),
}
_HISTORY = {
    "no-prometheus": (
        "no Prometheus answers there (/api/v1/query is not known); name the path before /api/v1 too, such as "
        "http://HOST/prometheus",
        "该地址没有 Prometheus（不识别 /api/v1/query）；请把 /api/v1 之前的路径也写上，例如 http://HOST/prometheus",
    ),
    "no-parca": (
        "no Parca answers there; a path before /api has to be named too",
        "该地址没有 Parca；请把 /api 之前的路径也写上",
    ),
    "no-pyroscope": (
        "404, no Pyroscope of 1.0 or later answers there; a path before /querier.v1 has to be named too",
        "404，该地址没有 1.0 或更高版本的 Pyroscope；请把 /querier.v1 之前的路径也写上",
    ),
    "other": ("this is no {name}: it answers {page}", "不是 {name}：它返回的是{page}"),
    "something": ("something else", "其他内容"),
    "partial": (
        "this answer is partial: not every store of the past could be asked",
        "应答不完整：部分历史存储未能查询",
    ),
    "says": ("{name} says: {said}", "{name} 返回：“{said}”"),
    "unreadable": ("its answer cannot be read", "其应答无法解析"),
    "status-says": ("{status}: {name} says: {said}", "{status}：{name} 返回：“{said}”"),
    "many-points": (
        "{status}: {said}: a longer step= or a shorter last= gives fewer points",
        "{status}：“{said}”：调大 step= 或缩短 last= 可减少数据点",
    ),
    "400": (
        "400, the query was not understood: {said}; is every label of match= spelled as in Prometheus?",
        "400，无法识别该查询：“{said}”；match= 中的标签是否与 Prometheus 中一致？",
    ),
    "422": (
        "422, the query could not be carried out: {said}; a shorter last= or a narrower match= asks for less",
        "422，查询无法执行：“{said}”；缩短 last= 或收窄 match= 可减少数据量",
    ),
    "busy": (
        "{status}, it is overloaded, starting, or gave up: {said}; ask again, or for less: a shorter last=",
        "{status}，服务过载、正在启动或已放弃：“{said}”；请重试，或缩短 last= 减少数据量",
    ),
    "tenants": (
        "{status}: {said}: this store keeps several tenants apart; -H 'X-Scope-OrgID: TENANT' names one",
        "{status}：“{said}”：该存储区分多个租户；请用 -H 'X-Scope-OrgID: TENANT' 指定",
    ),
}
_KUBE = {
    "plugin": ("exec plugin {name}: {why}", "exec 插件 {name}：{why}"),
    "there": ("; there are {names}", "；现有 {names}"),
    "there-more": ("; there are {names} and {more} more", "；现有 {names} 及另外 {more} 个"),
    "no-node": ("{target}: there is no such node{others}", "{target}：没有这个节点{others}"),
    "no-nodes": ("; the cluster has no nodes", "；集群没有节点"),
    "no-pod": ("{target}: there is no such pod{others}", "{target}：没有这个 pod{others}"),
    "empty-namespace": (
        "; namespace {namespace} has no pods, or is not there",
        "；命名空间 {namespace} 中没有 pod，或该命名空间不存在",
    ),
    "no-port": (
        "{target}: no container has a port of that name; there are {names}",
        "{target}：没有容器声明该名称的端口；现有 {names}",
    ),
    "no-labels": (
        "kube://node: no node has the labels {labels} (of {all:,})",
        "kube://node：没有节点带有标签 {labels}（共 {all:,} 个节点）",
    ),
    "in": (" in namespace {namespace}", "命名空间 {namespace} 中"),
    "anywhere": (" in any namespace", "任何命名空间中"),
    "with": (" with the labels {labels}", "带有标签 {labels} 的"),
    "pods-ended": (
        "kube://pod: {count:,} pods{chosen}{where}, and all have ended",
        "kube://pod：{where}{chosen} {count:,} 个 pod 均已结束",
    ),
    "no-pods": (
        "kube://pod: no pod{chosen}{where}; kubectl get pods --show-labels {flag} lists them",
        "kube://pod：{where}没有{chosen} pod；`kubectl get pods --show-labels {flag}` 可列出",
    ),
    "no-pods-of": (
        "kube://pod: no pod{chosen}{where} (of {all:,} there); kubectl get pods --show-labels {flag} lists them",
        "kube://pod：{where}没有{chosen} pod（共 {all:,} 个）；`kubectl get pods --show-labels {flag}` 可列出",
    ),
    "no-endpoints": (
        "kube://service/{service}: no pod is behind it; kubectl get endpointslices shows what is",
        "kube://service/{service}：后端没有 pod；`kubectl get endpointslices` 可查看",
    ),
    "other-node": ("{target}: it is not on that node; it is on {nodes}", "{target}：不在该节点上；它在 {nodes}"),
    "no-component": (
        "{target}: no pod in {namespace} has a label {labels} ...; k3s and its kin have it in their own process, a "
        "managed cluster keeps it from its users",
        "{target}：{namespace} 中没有 pod 带有标签 {labels} 等；k3s 之类把它放在自己的进程里，托管集群不向用户开放它",
    ),
    "no-such-component": (
        "{target}: no pod in {namespace} has a label {labels} ...; kube://pod/NAMESPACE with -l chooses pods by other "
        "labels",
        "{target}：{namespace} 中没有 pod 带有标签 {labels} 等；可用 kube://pod/NAMESPACE 加 -l 按其他标签选择 pod",
    ),
    "api": ("{why}; it is the API server of {source}", "{why}；这是 {source:phrase} 的 API server"),
    "authority": (
        "{where}: {what}; the certificate-authority of its cluster in the kubeconfig should be another",
        "{where}：{what}；kubeconfig 中该集群的 certificate-authority 应为另一个",
    ),
    "no-object": ("{where}: {why}; is {address} an API server?", "{where}：{why}；{address} 是 API server 吗？"),
    "no-object.why": ("what came is no object of Kubernetes", "返回的不是 Kubernetes 对象"),
    "advised": ("{why}\n{advice}", "{why}\n{advice}"),
    "too-many": (
        "{path}: more than {most:,} things; -l and -n narrow it",
        "{path}：超过 {most:,} 个对象；请用 -l 和 -n 缩小范围",
    ),
    "rejected": (
        "401, the cluster rejected the credentials; sent: {who}",
        "401，集群拒绝了凭据；发送的是：{who}",
    ),
    "sent.option": ("the token of the command line", "命令行给出的 token"),
    "sent.token": ("the token of user {user} ({where})", "用户 {user} 的 token（{where:phrase}）"),
    "sent.certificate": (
        "the client certificate of user {user} ({where})",
        "用户 {user} 的客户端证书（{where:phrase}）",
    ),
    "sent.password": (
        "user name and password of user {user} ({where}); Kubernetes dropped them in 1.19",
        "用户 {user} 的用户名和密码（{where:phrase}）；Kubernetes 1.19 起不再支持",
    ),
    "sent.plugin": (
        "what the exec plugin {command} gave ({where})",
        "exec 插件 {command} 给出的凭据（{where:phrase}）",
    ),
    "sent.nobody": ("nobody: {where} has no credentials", "没有发送凭据：{where:phrase} 中未配置"),
    "sent.ended": ("{what}, which ran out at {end}", "{what}，已于 {end} 过期"),
    "verbs": ("{first} and {then}", "{first} 和 {then}"),
    "forbidden": (
        "403, user {user} may not {verbs} {what}: no ClusterRole of theirs has {rule}",
        "403，用户 {user} 没有 {verbs} {what} 的权限：其 ClusterRole 均不含 {rule}",
    ),
    "forbidden-in": (
        "403, user {user} may not {verbs} {what} in namespace {namespace}: no Role of theirs has {rule}",
        "403，用户 {user} 在命名空间 {namespace} 中没有 {verbs} {what} 的权限：其 Role 均不含 {rule}",
    ),
    "status": ("{status}, {said}", "{status}，“{said}”"),
    "status.own-address": (
        "{status}, {said}; the API server does not proxy to addresses of a machine's own: name a port, and it is "
        "forwarded",
        "{status}，“{said}”；API server 不代理到主机自身的地址：请指定端口，改用端口转发",
    ),
    "status.timeout": (
        "{status}, {said}; a network policy or a firewall is between the API server and it",
        "{status}，“{said}”；API server 与它之间有网络策略或防火墙",
    ),
    "grant": (
        "Whoever may grant rights in this cluster allows it by kubectl apply -f - of the lines below; `{check}` tells "
        "whether it is allowed.\n{role}",
        "有授权权限的人可用 `kubectl apply -f -` 应用以下内容来放行；`{check}` 可查看是否已放行。\n{role}",
    ),
    "grant-nodes": (
        "Whoever may grant rights in this cluster allows it by kubectl apply -f - of the lines below (nodes/proxy "
        "opens all that the kubelet serves, and that is more than profiles: logs, and through a WebSocket GET the "
        "running of commands in every container of that node; grant it to a person, for the time of the search); "
        "`{check}` tells whether it is allowed.\n{role}",
        "有授权权限的人可用 `kubectl apply -f -` 应用以下内容来放行（nodes/proxy 会开放 kubelet 的全部接口，"
        "不止 profile：还有日志，以及通过 WebSocket GET 在该节点的任意容器中执行命令；只应授予个人，且仅限排查期间）；"
        "`{check}` 可查看是否已放行。\n{role}",
    ),
    "no-socket": (
        "{place}: no socket can be made there ({error}); TMPDIR names a place",
        "{place}：无法在此创建 socket（“{error}”）；可用 TMPDIR 指定位置",
    ),
    "forward.status": (
        "the API server answered {status} to the port-forward",
        "API server 对端口转发返回 {status}",
    ),
    "forward.closed": ("the API server did not open the port-forward: {why}", "API server 未建立端口转发：{why}"),
    "forward.silent": (
        "nothing listens on port {port} inside the pod, or it closed the connection at once",
        "pod 内没有进程监听端口 {port}，或连接立即被关闭",
    ),
    "forward.refused": (
        "nothing listens on port {port} inside the pod ({said})",
        "pod 内没有进程监听端口 {port}（“{said}”）",
    ),
    "forward.ended": ("the pod has just ended ({said})", "pod 刚刚结束（“{said}”）"),
    "forward.other": ("port {port} inside the pod: {said}", "pod 内端口 {port}：“{said}”"),
    "untried": (
        "not tried, nor those after it: {seconds:g} s were up",
        "未尝试，其后的也未尝试：{seconds:g} 秒时限已到",
    ),
    "not-outside": ("nothing listens on the pod's address", "pod 地址上没有进程监听"),
    "not-inside": ("nothing listens inside the pod", "pod 内没有进程监听"),
    "no-ports": ("no port of it answers", "没有端口应答"),
    "port": ("port {ports}: {why}", "端口 {ports}：{why}"),
    "ports": ("ports {ports}: {why}", "端口 {ports}：{why}"),
    "and": ("{first}; {then}", "{first}；{then}"),
}
_PLAN = {
    "left-out": ("{name}: {what} was left out: {why}; {how}", "{name}：以下内容未采集：{what}（{why}）；{how}"),
    "command": ("{command}", "`{command}`"),
    "goroutines": ("goroutines", "协程"),
    "profiles": ("goroutines and heap", "协程和堆内存"),
    "instances": ("{count} more instances", "另外 {count} 个实例"),
    "processes": ("{count} more processes", "另外 {count} 个进程"),
    "at-once": ("{count} are taken at once", "一次最多采集 {count} 个"),
    "narrower": ("a narrower match= names others", "用更窄的 match= 可选择其他"),
    "heap-only": ("{path} is not served; only the heap is", "没有提供 {path}，只有堆内存"),
    "uncounted": ("they could not be counted", "无法得知其数量"),
    "uncounted-first": ("its goroutines could not be counted first", "采集前无法得知协程数量"),
    "force-uncounted": ("--force takes it uncounted", "--force 可不计数直接采集"),
    "leak-last": (
        "it runs a garbage collection and marks what it finds in every later dump: only taken in the last snapshot",
        "它会触发一次 GC，并在之后的每个转储中标记结果：只在最后一个快照采集",
    ),
    "too-many": (
        "{count:,} goroutines, more than {budget:,}: the program stands still while their stacks are printed, and what "
        "is longer than 64 MiB is cut off",
        "{count:,} 个协程，超过 {budget:,}：打印栈期间程序会停顿，超过 64 MiB 的部分会被截断",
    ),
    "force": (
        "--force takes it all the same, --budget N allows more",
        "--force 可强制采集，--budget N 可调高上限",
    ),
    "force-capture": ("{command} takes it all the same", "`{command}` 可强制采集"),
    "verbosity": (
        "To see in its log what it does: {command} raises klog's verbosity, with the credentials of this capture; set "
        "it back afterwards (2 is usual).",
        "如需在日志中查看其行为：`{command}` 可调高 klog 的日志级别（使用本次采集的凭据）；之后请调回（通常为 2）。",
    ),
    "as-root": ("as root, or as the user of the process", "请以 root 或该进程的用户运行"),
    "root-or-address": ("as root, or name its address", "请以 root 运行，或直接给出其地址"),
    "no-build": (
        "its program is not built by Go, tells no build, or may not be read",
        "程序不是由 Go 构建、不含构建信息，或无权读取",
    ),
    "no-pprof-before": (
        "pprof was not found at its sockets in the first snapshot",
        "第一个快照时在其监听的 socket 上没有找到 pprof",
    ),
    "listens-unknown": ("{why}, so that where it listens is not known", "{why}，因此不知道它监听的地址"),
    "listens-nowhere": ("it listens nowhere, so that it serves no pprof", "它没有监听任何地址，因此没有提供 pprof"),
    "listens-mute": (
        "it listens at {where}, and answers HTTP/1 at none of them within {seconds:g} s",
        "它监听 {where}，但 {seconds:g} 秒内均没有 HTTP/1 应答",
    ),
    "listens-without": (
        "it listens at {where}, and serves pprof at none of the usual paths",
        "它监听 {where}，但常用路径下均没有 pprof",
    ),
    "network": (
        "its network namespace is another one, and cannot be entered: {error}",
        "它在另一个网络命名空间中，无法进入：“{error}”",
    ),
    "stopped": (
        "it is stopped (by SIGSTOP, or a debugger holds it), and answers nobody",
        "进程已暂停（SIGSTOP 或调试器），不响应任何请求",
    ),
    "continue": ("kill -CONT {pid} lets it go on", "`kill -CONT {pid}` 可让它继续运行"),
    "import": (
        'import _ "net/http/pprof"; or name the address and prefix at which it serves it',
        '请 `import _ "net/http/pprof"`，或给出提供 pprof 的地址和前缀',
    ),
    "shut": (
        "one of its listening sockets answers only to whom it knows",
        "它监听的某个 socket 需要认证",
    ),
    "keys": (
        "authenticate with --token-file, or -tls_cert and -tls_key",
        "请用 --token-file，或 -tls_cert 和 -tls_key 认证",
    ),
    "serves.containerd": (
        "[debug] address in its config.toml names a socket where it serves it",
        "在 config.toml 的 [debug] 中设置 address，即可在该 socket 上提供",
    ),
    "serves.dockerd": (
        '"debug": true in daemon.json, which SIGHUP makes it read again',
        '在 daemon.json 中设置 "debug": true，SIGHUP 可使其重新读取',
    ),
    "serves.etcd": ("--enable-pprof", "启动时加 --enable-pprof"),
    "serves.kube-proxy": ("enableProfiling: true in its configuration", "在其配置中设置 enableProfiling: true"),
    "usr1.containerd": (
        "kill -USR1 {pid} makes it print its goroutines to its log and to /tmp/containerd.{pid}.stacks.log",
        "`kill -USR1 {pid}` 可使其把协程栈打印到日志和 /tmp/containerd.{pid}.stacks.log",
    ),
    "usr1.dockerd": (
        "kill -USR1 {pid} makes it print its goroutines to a file goroutine-stacks-*.log in its data directory",
        "`kill -USR1 {pid}` 可使其把协程栈打印到数据目录下的 goroutine-stacks-*.log",
    ),
    "usr1.containerd-shim": (
        "kill -USR1 {pid} makes it print its goroutines to the log of containerd; `oakum capture shim:{pid}` does it",
        "`kill -USR1 {pid}` 可使其把协程栈打印到 containerd 的日志；`oakum capture shim:{pid}` 会代为执行",
    ),
    "quit": (
        "kill -QUIT {pid} makes a Go program print all its goroutines to stderr, and ends it",
        "`kill -QUIT {pid}` 可使 Go 程序把所有协程栈打印到 stderr，并结束进程",
    ),
    "no-log": (
        "where its log goes is not known: neither a file nor the journal was found behind its standard error",
        "不知道其日志去向：标准错误既不是文件，也不是 journal",
    ),
    "name-log": ("{target}?log=FILE names the log of containerd", "可用 {target}?log=FILE 指定 containerd 的日志"),
}
WORDS: dict[str, tuple[str, str]] = {
    "target.no-process": (
        "{target}: there is no such process; `oakum find` lists those of Go",
        "{target}：没有这个进程；`oakum find` 可列出 Go 进程",
    ),
    "target.no-shim": (
        "{target}: none of the {shims} shims of this machine has such a container; `crictl ps --no-trunc` or `docker "
        "ps --no-trunc` name them, and ps -C containerd-shim the shims",
        "{target}：本机 {shims} 个 shim 都没有这个容器；`crictl ps --no-trunc` 或 `docker ps --no-trunc` 可列出容器，"
        "`ps -C containerd-shim` 可列出 shim",
    ),
    "target.no-journal": (
        "{target}: there is no journalctl here; name the log file itself instead",
        "{target}：本机没有 journalctl；请直接给出日志文件",
    ),
    "target.closed-input": ("-: standard input is closed", "-：标准输入已关闭"),
    "target.saved": (
        "{name}: {why}; oakum diagnose -o report.json writes a report",
        "{name}：{why}；`oakum diagnose -o report.json` 可写出报告",
    ),
    **{f"history.{name}": words for name, words in _HISTORY.items()},
    **{f"kube.plugin.{name}": words for name, words in _PLUGIN.items()},
    **{f"kube.{name}": words for name, words in _KUBE.items()},
    **{f"plan.{name}": words for name, words in _PLAN.items()},
}
