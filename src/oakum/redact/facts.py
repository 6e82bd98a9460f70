"""Texts that stand beside profiles (metrics, /proc, cgroups, sockets, builds, JSON answers) -> the same with tokens.

Each is recognised by its first lines; None for any other text. Numbers, versions and public modules stay, whatever is
somebody's name becomes a token, and lines of no known form are left out.
"""

import json
import re
from collections.abc import Callable, Iterator

from oakum.redact.builds import redact_build
from oakum.redact.metrics import RedactedMetrics, is_version
from oakum.redact.names import Names
from oakum.redact.tokens import Tokens

# `VmRSS:	   15072 kB`   `Threads:	9`   `State:	S (sleeping)`
_STATUS = re.compile(
    r"State:\s+[A-Z] \([\w ]+\)"
    r"|(?:Vm|Rss|Huge|Threads|Pid|PPid|Tgid|NSpid|FDSize|voluntary|nonvoluntary)\w*:\s+[\d\s]+(?: kB)?"
)
# Rss:               15072 kB
_SMAPS = re.compile(r"\w+:\s+\d+ kB")
# ==> /sys/fs/cgroup/system.slice/kubelet.service/memory.max <==
_CGROUP_FILE = re.compile(r"==> (.*?)(/memory\.[\w.]+|/[a-z]+\.[a-z_.]+) <==")
# `anon 4096` of memory.stat     `max` of memory.max      `oom_kill 0` of memory.events
_CGROUP_FACT = re.compile(r"(?:[a-z_]+ )?(?:-?\d+|max)")
# Netid State Recv-Q ...    State Recv-Q ...    Recv-Q ...    as ss heads its columns
_LISTED = re.compile(r"(?:Netid +)?(?:State +)?Recv-Q +Send-Q ")
# `# net.core.wmem_max = 212992`
_LIMIT = re.compile(r"# [\w.]+ = [\d \t]+")
# users:(("kubelet",pid=12,fd=7))      peer:(("orders",pid=13))
_QUOTED_NAME = re.compile(r'"([^"]*)"')
# 10.0.0.7:6060     [fd00::1]:443     *:*     127.0.0.53%lo:53
_ADDRESS = re.compile(r"(\[?)([\w.:*%-]+?)(\]?):(\d{1,5}|\*)")
_PLAIN_WORD = re.compile(
    r"[\d.,*-]+|[A-Z][A-Z0-9-]{2,11}|tcp6?|udp6?|u_(?:str|dgr|seq)|(?:ino|skmem|timer):[\w(),.:-]+"
)
# 2026-11-15T09:12:55Z    linux/amd64    gc    success
_SAFE_TEXT = re.compile(
    r"|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)|(?:linux|windows|darwin|freebsd)(?:/\w+)?|amd64|arm64|gc|gccgo"
    r"|clean|dirty|archive|success|error|matrix|vector|scalar|true|false|[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|Inf|NaN)|Engine|containerd|runc"
    r"|docker-init|server-version|setting|(?:Node|Pod|Event)?(?:List)?|Deployment|Normal|Warning|v1|oakum\.[a-z-]+/\d+"
    r"|request|run|second|iteration|settle|batch|drain|complete|clear|time|interrupted|gone|restarted|refused|throttled"
)
# 10.96.0.12, which is no number
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
# BackOff    OOMKilling    ScalingReplicaSet: of a Kubernetes event
_REASON = re.compile(r"[A-Z][A-Za-z]{1,40}")
_KEYS = frozenset(
    """apiVersion ApiVersion Arch BuildTime Components Details Engine GitCommit GoVersion KernelVersion
    MinAPIVersion Name Os Path Platform Server Version buildDate cluster compiler containerRuntimeVersion data dirty
    etcdcluster etcdserver gitCommit gitTreeState gitVersion goVersion go_version id items kind kubeletVersion
    kubeletProxyVersion major metadata metric minor name nodeInfo platform result resultType revision schema
    serverVersion clientVersion status storage type uptime value values version versionInfo warnings infos error
    errorType query start end step series what at samples unit target targets answers answer path queries GoOS GOOS
    involvedObject reason message count firstTimestamp lastTimestamp eventTime lastObservedTime namespace
    containerStatuses restartCount state lastState terminated exitCode signal startedAt finishedAt
    Deps Main Replace Settings Key Value Sum histogram histograms flamebearer names levels numTicks maxSelf
    timeline stages phase sent completed failed ended asked numbered""".split()
)
# Of pods and nodes: environment, command lines, what was applied. A password may be a plain number.
_UNREAD = frozenset(("spec", "annotations", "managedFields"))
_DEEPEST = 60
_SHORT = 4096


class Facts:
    """Replaces names in texts that are no stacks."""

    def __init__(self, names: Names, tokens: Tokens) -> None:
        self._names, self._tokens = names, tokens
        self._metrics = RedactedMetrics(names, tokens)

    def redact(self, file: str, text: str) -> str | None:
        """Return the text with tokens; None when it is none of these."""
        head = text[: 64 << 10]
        for is_it, change in self._forms():
            if is_it(file, head) and (told := change(text)) is not None:
                return told
        return None

    def _forms(self) -> tuple[tuple[Callable[[str, str], bool], Callable[[str], str | None]], ...]:
        return (
            (lambda _, head: self._metrics.are(head), self._metrics.redact),
            (lambda _, head: head.startswith("Name:\t") and "\nVmRSS:" in head, self._status),
            (lambda _, head: "[rollup]" in head[:200], self._smaps),
            (lambda _, head: head.startswith("==> /"), self._cgroup),
            (lambda _, head: head.startswith("# oakum sockets/") or _LISTED.match(head) is not None, self._sockets),
            (lambda _, head: head.lstrip()[:1] in ("{", "["), self._json),
            (lambda *_: True, lambda text: redact_build(text, self._names, self._tokens)),
            (lambda file, head: _is_version_answer(file, head), self._words),
        )

    def _status(self, text: str) -> str:
        lines = text.splitlines()
        kept = [line for line in lines if _STATUS.fullmatch(line)]
        return "\n".join([f"Name:\t{self._tokens.word(lines[0].partition(chr(9))[2])}", *kept, ""])

    @staticmethod
    def _smaps(text: str) -> str:
        lines = text.splitlines()
        return "\n".join([lines[0], *(line for line in lines[1:] if _SMAPS.fullmatch(line)), ""])

    def _cgroup(self, text: str) -> str:
        lines = []
        for line in text.splitlines():
            if found := _CGROUP_FILE.fullmatch(line):
                lines.append(f"==> {self._cgroup_path(found[1])}{found[2]} <==")
            elif _CGROUP_FACT.fullmatch(line) or not line:
                lines.append(line)
        return "\n".join([*lines, ""])

    def _cgroup_path(self, path: str) -> str:
        """/sys/fs/cgroup/kubepods.slice/kubepods-pod8a7b.slice: slices of the kubelet and of systemd stay."""
        known = re.compile(
            r"|sys|fs|cgroup|memory|(?:kubepods|kubepods-burstable|kubepods-besteffort|system|user)(?:\.slice)?"
        )
        return "/".join(part if known.fullmatch(part) else self._tokens.word(part) for part in path.split("/"))

    def _sockets(self, text: str) -> str:
        lines = []
        for line in text.splitlines():
            if line.startswith("# oakum sockets/") or _LISTED.match(line):
                lines.append(re.sub(r"\bname=(\S+)", lambda found: f"name={self._tokens.word(found[1])}", line))
            elif _LIMIT.fullmatch(line):
                lines.append(line)
            elif not line.startswith("#"):
                lines.append(re.sub(r"\S+", self._socket_word, line))
        return "\n".join([*lines, ""])

    def _socket_word(self, found: re.Match[str]) -> str:
        word = found[0]
        if _PLAIN_WORD.fullmatch(word):
            return word
        if word.startswith(("users:", "peer:")):
            return _QUOTED_NAME.sub(lambda name: f'"{self._tokens.word(name[1])}"', word)
        if address := _ADDRESS.fullmatch(word):
            return f"{address[1]}{self._tokens.host(address[2].partition('%')[0])}{address[3]}:{address[4]}"
        return self._tokens.word(word)

    def _json(self, text: str) -> str | None:
        """Return answers of a known kind, one after the other; of other documents every number may be private."""
        try:
            found = list(_documents(text))
            if "goroutine " in text or not found or not all(map(_is_known, found)):
                return None
            return "\n".join(json.dumps(self._value(one, "", 0)) for one in found) + "\n"
        except (ValueError, RecursionError):
            return None

    def _value(self, value: object, key: str, depth: int) -> object:
        if depth > _DEEPEST:
            return None
        if isinstance(value, dict):
            if key in ("metric", "labels"):
                return self._metrics.label_object(value)
            pairs = ((str(name), one) for name, one in value.items() if name not in _UNREAD)
            return {self._key(name): self._value(one, name, depth + 1) for name, one in pairs}
        if isinstance(value, list):
            return [self._value(one, key, depth + 1) for one in value]
        return self._text(value, key) if isinstance(value, str) else value

    def _key(self, key: str) -> str:
        return key if key in _KEYS or is_version(key) else self._tokens.word(key)

    def _text(self, text: str, key: str) -> str:
        if _IP.fullmatch(text):
            return self._tokens.host(text)
        if _SAFE_TEXT.fullmatch(text) or is_version(text):
            return text
        if key == "reason" and _REASON.fullmatch(text):
            return text
        if key in ("containerRuntimeVersion", "kubeletVersion") and re.fullmatch(r"\w+://[\w.+-]+", text):
            return text
        if key == "query":
            return self._metrics.expression(text)
        if key == "Path" or re.fullmatch(r"[\w.-]+\.[a-z]+/[\w./-]+", text):
            return self._names.module(text)
        return self._tokens.word(text)

    def _words(self, text: str) -> str:
        """Return the answer of a program that was asked for its version: versions and public names stay."""

        def word(found: re.Match[str]) -> str:
            bare = found[0]
            if is_version(bare) or _SAFE_TEXT.fullmatch(bare) or bare in _COMPONENTS:
                return bare
            return self._names.module(bare) if "/" in bare and "." in bare else self._tokens.word(bare)

        return re.sub(r"[\w./+-]+", word, text)


_COMPONENTS = frozenset(
    """Kubernetes kubernetes kubelet kube-apiserver etcd Version version Client Server Git GitCommit Go SHA OS Arch
    Built docker Docker dockerd containerd containerd-shim runc prometheus Prometheus revision Revision build commit
    API Engine Community go""".split()
)


def _documents(text: str) -> Iterator[object]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        found, at = decoder.raw_decode(text, at)
        yield found


def _is_known(document: object) -> bool:
    """Tell whether this is an answer of Prometheus, an API server, a program asked for its version, a build, or what an
    experiment did."""
    if isinstance(document, list):  # promtool query range -o json
        return all(isinstance(one, dict) and "metric" in one for one in document)
    return isinstance(document, dict) and (
        {"status", "data"} <= document.keys()
        or bool(_TELLING & document.keys())
        or document.get("kind") in _LISTS
        or str(document.get("schema", "")).startswith("oakum.experiment/")
    )


_TELLING = frozenset(
    "gitVersion goVersion GoVersion go_version etcdserver serverVersion versionInfo ApiVersion".split()
)
_LISTS = ("Node", "NodeList", "Pod", "PodList", "Event", "EventList", "List")


def _is_version_answer(file: str, text: str) -> bool:
    return file.startswith("version") and len(text) < _SHORT and "goroutine " not in text
