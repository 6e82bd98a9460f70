"""Why a server gave no answer, or another one than was asked for: key -> (English, Chinese). Made in collect/web.

{said} and {title} are the words of others: in Chinese they stand in quotes. {why}, {what}, {came} and {how} are Texts.
"""

_LATE = {
    "name": (
        "DNS lookup failed within {seconds:g} s: the name server does not answer",
        "{seconds:g} 秒内未能完成 DNS 解析：DNS 服务器没有响应",
    ),
    "connection": (
        "no connection within {seconds:g} s: a firewall or NetworkPolicy drops packets, or the host is down",
        "{seconds:g} 秒内无法建立连接：防火墙或 NetworkPolicy 丢弃了报文，或主机已宕机",
    ),
    "proxy": ("no connection through it within {seconds:g} s", "{seconds:g} 秒内未能通过它建立连接"),
    "tls": (
        "connected, but no TLS within {seconds:g} s; does it speak plain http?",
        "已连接，但 {seconds:g} 秒内没有完成 TLS 握手；对方是否只支持明文 http？",
    ),
    "body": (
        "it began to answer, but nothing came within {seconds:g} s; raise --timeout",
        "已开始应答，但 {seconds:g} 秒内没有收到数据；请调大 --timeout",
    ),
    "answer": (
        "connected, but no answer within {seconds:g} s; raise --timeout",
        "已连接，但 {seconds:g} 秒内没有应答；请调大 --timeout",
    ),
}
_UNIX = {
    "long": (
        "the path of a socket has at most 107 bytes; a symbolic link to it makes it shorter",
        "socket 路径最长 107 字节；可用符号链接缩短",
    ),
    "missing": (
        "no such socket; is the daemon running with its debug socket enabled?",
        "socket 不存在；守护进程是否在运行，是否开启了 debug socket？",
    ),
    "denied": (
        "permission denied; it belongs to another user: try sudo",
        "没有权限；该 socket 属于其他用户：请尝试 sudo",
    ),
    "no-socket": ("not a socket", "不是 socket"),
    "full": (
        "its queue is full: the process behind it accepts no more connections",
        "连接队列已满：其后的进程不再接受连接",
    ),
    "leftover": (
        "nothing listens on it; it is a leftover of an ended process",
        "无人监听；是已退出的进程遗留的 socket",
    ),
}
_CERTIFICATE = {
    "early": ("its certificate is not valid yet; is a clock wrong?", "证书尚未生效；是否有时钟不准？"),
    "expired": ("its certificate has expired", "证书已过期"),
    "self-signed": ("its certificate is self-signed, and nobody vouches for it", "证书是自签名的，没有可信的签发者"),
    "untrusted": (
        "its certificate is signed by an authority that is not trusted here",
        "证书由本机不信任的 CA 签发",
    ),
    "unknown": ("its certificate is signed by an authority that is not known here", "证书由本机未知的 CA 签发"),
    "revoked": ("its certificate was revoked", "证书已被吊销"),
    "other": ("its certificate is not trusted: {said}", "证书不受信任：“{said}”"),
    "name": (
        "its certificate is for another name, not for {name}; --tls-server-name says which it has",
        "证书不是签发给 {name} 的；可用 --tls-server-name 指定证书中的名称",
    ),
}
_TLS = {
    "required": (
        "it requires a client certificate: --tls-cert and --tls-key",
        "需要客户端证书：--tls-cert 和 --tls-key",
    ),
    "unknown-ca": (
        "it does not know the authority of your certificate (--tls-cert)",
        "对方不认识签发客户端证书（--tls-cert）的 CA",
    ),
    "expired": ("your certificate (--tls-cert) has expired", "客户端证书（--tls-cert）已过期"),
    "revoked": ("your certificate (--tls-cert) was revoked", "客户端证书（--tls-cert）已被吊销"),
    "bad": (
        "it does not accept your certificate, or wants one: --tls-cert and --tls-key",
        "对方不接受客户端证书，或需要客户端证书：--tls-cert 和 --tls-key",
    ),
    "not-accepted": ("it does not accept your certificate (--tls-cert)", "对方不接受客户端证书（--tls-cert）"),
    "not-for-clients": (
        "it does not accept your certificate (--tls-cert) for clients",
        "对方不接受该证书（--tls-cert）用作客户端证书",
    ),
    "denied": ("it does not let the owner of your certificate in", "对方拒绝该客户端证书的持有者访问"),
    "plain": ("it does not speak TLS; try http://", "对方不支持 TLS；请改用 http://"),
    "name": (
        "it does not know itself by that name; --tls-server-name gives it another",
        "对方不识别该名称；可用 --tls-server-name 指定其他名称",
    ),
    "old": (
        "it speaks only TLS 1.0 or 1.1, which are not safe and not spoken here",
        "对方只支持 TLS 1.0 或 1.1，这些版本不安全，此处不支持",
    ),
    "handshake": (
        "it aborted the TLS handshake; if it requires a client certificate: --tls-cert, --tls-key",
        "对方中止了 TLS 握手；如需客户端证书：--tls-cert、--tls-key",
    ),
    "closed": (
        "it closed the connection during TLS; does it speak plain http?",
        "TLS 握手期间对方关闭了连接；对方是否只支持明文 http？",
    ),
    "short-key": ("its key is too short to be safe", "对方的密钥过短，不安全"),
    "weak": ("its certificate is signed in a way that is not safe", "证书的签名算法不安全"),
}
_GATEWAY = (
    "the proxy, ingress or service mesh got no answer from the server",
    "代理、ingress 或服务网格没有收到服务的应答",
)
_STATUS = {
    404: ("not found", "未找到"),
    405: ("GET is not allowed at this path", "该路径不允许 GET"),
    408: ("the server timed out waiting for the request", "服务端等待请求超时"),
    410: ("no longer available", "已不再提供"),
    429: ("rate limited; wait, or lower --parallel", "被限流；请稍候，或调小 --parallel"),
    431: ("too many request headers", "请求头过多"),
    500: ("it failed", "服务端出错"),
    502: _GATEWAY,
    503: ("it is overloaded, starting, or not behind its proxy", "服务过载、正在启动，或不在代理之后"),
    504: _GATEWAY,
}
WORDS: dict[str, tuple[str, str]] = {
    "web.quoted": ("{said}", "“{said}”"),
    "web.at": ("{where}: {why}", "{where}：{why}"),
    "web.said": ("{why}: {said}", "{why}：“{said}”"),
    # No connection, no answer.
    "web.by-proxy": ("the proxy {proxy}: {why}", "代理 {proxy}：{why}"),
    "web.refused": ("connection refused: nothing listens there", "连接被拒绝：该地址无人监听"),
    "web.no-route": (
        "no route to host; is it up and reachable from here?",
        "没有到主机的路由；主机是否在线，从本机能否到达？",
    ),
    "web.no-network": ("network unreachable; is a VPN or tunnel missing?", "网络不可达；是否缺少 VPN 或隧道？"),
    "web.dropped": (
        "no answer: a firewall or NetworkPolicy drops packets, or the host is down",
        "没有响应：防火墙或 NetworkPolicy 丢弃了报文，或主机已宕机",
    ),
    "web.not-allowed": (
        "this machine does not allow the connection (a firewall rule?)",
        "本机不允许该连接（防火墙规则？）",
    ),
    "web.no-local-port": ("no local address or port left to connect from", "本机没有可用的地址或端口来发起连接"),
    "web.open-files": (
        "too many open files; raise ulimit -n or lower --parallel",
        "打开的文件过多；请调大 ulimit -n 或调小 --parallel",
    ),
    "web.open-files-machine": (
        "too many open files on this machine; lower --parallel",
        "本机打开的文件过多；请调小 --parallel",
    ),
    "web.reset": ("the connection was reset by the other side", "连接被对端重置"),
    "web.closed": ("the connection was closed by the other side", "连接被对端关闭"),
    "web.dns": ("DNS lookup failed: the name server does not answer", "DNS 解析失败：DNS 服务器没有响应"),
    "web.no-host": (
        "no such host; cluster-internal names resolve only inside the cluster: use kube:// or a port-forward",
        "主机名不存在；集群内部域名只能在集群内解析：请用 kube:// 或端口转发",
    ),
    "web.bad-name": ("not a valid host name", "主机名无效"),
    "web.proxy-login": (
        "the proxy {proxy} requires authentication: http://NAME:PASSWORD@HOST:PORT in that variable",
        "代理 {proxy} 需要认证：请在该变量中写成 http://NAME:PASSWORD@HOST:PORT",
    ),
    "web.proxy-refuses": (
        "the proxy {proxy} refuses the connection: {said}; NO_PROXY=HOST bypasses it",
        "代理 {proxy} 拒绝连接：“{said}”；NO_PROXY=HOST 可绕过代理",
    ),
    "web.speaks-tls": ("it speaks TLS; try https://", "对方使用 TLS；请改用 https://"),
    "web.speaks-http2": (
        "it speaks HTTP/2 only (gRPC?); pprof is served elsewhere",
        "对方只支持 HTTP/2（gRPC？）；pprof 在别处提供",
    ),
    "web.no-http": ('it does not speak HTTP; it said "{said}"', "对方不是 HTTP 服务；它返回“{said}”"),
    "web.no-body": (
        "it answered, but closed the connection before anything of the body came",
        "已应答，但在发送正文之前关闭了连接",
    ),
    "web.cut-headers": ("it closed the connection in the middle of the headers", "响应头尚未发完就关闭了连接"),
    "web.no-answer": ("it closed the connection without an answer", "没有应答就关闭了连接"),
    "web.long-headers": ("its headers are longer than 100 KiB: not a Go server", "响应头超过 100 KiB：不是 Go 服务"),
    "web.not-http": ("the answer is not HTTP", "应答不是 HTTP"),
    "web.not-sent": ("the request could not be sent", "请求无法发送"),
    "web.or-certificate": (
        "{why}; if it requires a client certificate: --tls-cert and --tls-key",
        "{why}；如需客户端证书：--tls-cert 和 --tls-key",
    ),
    "web.or-tls": (
        "{why}; does it want https://, or speak HTTP/2 alone (gRPC)?",
        "{why}；是否需要 https://，或只支持 HTTP/2（gRPC）？",
    ),
    # Half an answer, another one.
    "web.came": ("{size:,} bytes", "{size:,} 字节"),
    "web.came-of": ("{size:,} of {whole:,} bytes", "{size:,} 字节（共 {whole:,} 字节）"),
    "web.cut-time": (
        "the time ({seconds:g} s) was up after {came}; raise --timeout",
        "收到 {came}后已到时限（{seconds:g} 秒）；请调大 --timeout",
    ),
    "web.cut-closed": ("the connection was closed after {came}", "收到 {came}后连接被关闭"),
    "web.cut-most": (
        "it was cut at {size:bytes}, the most that is taken of one answer",
        "在 {size:bytes} 处截断：这是单个应答的上限",
    ),
    "web.cut-disk": (
        "it was cut at {size:bytes}: {place}: {error}; TMPDIR names another place",
        "在 {size:bytes} 处截断：{place}：“{error}”；可用 TMPDIR 指定其他位置",
    ),
    "web.redirect": (
        "it redirects to {url}: not followed, and no credentials were sent there",
        "重定向到 {url}：未跟随，也没有向那里发送凭据",
    ),
    "web.redirect-login": (
        "it redirects to {url}: not followed, and no credentials were sent there; it looks like a login",
        "重定向到 {url}：未跟随，也没有向那里发送凭据；看起来是登录页",
    ),
    "web.redirects": ("too many redirects, last to {url}", "重定向次数过多，最后指向 {url}"),
    "web.page": ("a web page", "一个网页"),
    "web.page-titled": ('a web page titled "{title}"', "标题为“{title}”的网页"),
    "web.page-login": ("{page} (a login, it seems)", "{page}（看起来是登录页）"),
    # A status.
    "web.status": ("{status}", "{status}"),
    "web.status-proxy": (
        "{status}, the proxy {proxy} could not get an answer; NO_PROXY=HOST bypasses it",
        "{status}，代理 {proxy} 没有得到应答；NO_PROXY=HOST 可绕过代理",
    ),
    "web.401": ("401, authentication required; {how}", "401，需要认证；{how}"),
    "web.401-rejected": ("401, the credentials were rejected; {how}", "401，凭据被拒绝；{how}"),
    "web.403": ("403, authentication required (--token, --tls-cert)", "403，需要认证（--token、--tls-cert）"),
    "web.403-lacks": ("403, these credentials lack permission", "403，该凭据没有权限"),
    "web.407": (
        "407, the proxy requires authentication: http://NAME:PASSWORD@HOST:PORT",
        "407，代理需要认证：http://NAME:PASSWORD@HOST:PORT",
    ),
    "web.407-by": (
        "407, the proxy {proxy} requires authentication: http://NAME:PASSWORD@HOST:PORT",
        "407，代理 {proxy} 需要认证：http://NAME:PASSWORD@HOST:PORT",
    ),
    "web.login.basic": ("authenticate with NAME:PASSWORD@ in the address", "请在地址中写 NAME:PASSWORD@ 认证"),
    "web.login.token": (
        "authenticate with --token, --token-file or --tls-cert",
        "请用 --token、--token-file 或 --tls-cert 认证",
    ),
    "web.login.other": (
        "it asks for {scheme}; authenticate with -H 'Authorization: ...'",
        "对方要求 {scheme}；请用 -H 'Authorization: ...' 认证",
    ),
    "web.cert": (
        "{what}; --tls-ca FILE names the authority to trust, https+insecure:// trusts anybody",
        "{what}；--tls-ca FILE 指定要信任的 CA，https+insecure:// 则不校验证书",
    ),
    "web.tls": ("TLS failed: {said}", "TLS 失败：“{said}”"),
    **{f"web.late.{name}": words for name, words in _LATE.items()},
    **{f"web.unix.{name}": words for name, words in _UNIX.items()},
    **{f"web.cert.{name}": words for name, words in _CERTIFICATE.items()},
    **{f"web.tls.{name}": words for name, words in _TLS.items()},
    **{f"web.status.{status}": (f"{status}, {en}", f"{status}，{zh}") for status, (en, zh) in _STATUS.items()},
}
