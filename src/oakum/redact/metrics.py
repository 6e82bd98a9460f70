"""A scrape of /metrics, and labels of metrics elsewhere -> the same numbers under tokens.

Names that exporters of Go, Kubernetes and the kernel give stay, as do versions, status codes and bounds of buckets.
"""

import re

from oakum.redact.names import Names
from oakum.redact.tokens import Tokens

# # TYPE go_goroutines gauge
_DECLARED = re.compile(r"^# (?:TYPE|HELP|UNIT) [a-zA-Z_:][\w:]* ", re.MULTILINE)
# go_goroutines 13
_OF_GO = re.compile(r"\A(?:[a-zA-Z_:][^\n]* [-+0-9.eEINaNf]+\n){0,20}(?:go|process)_[a-z_]+ [0-9.e+]+\n")
# http_requests_total{code="200",path="/quote/"} 40 1700000000000
_SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})?([ \t]+[-+\w.]+(?:[ \t]+-?[0-9.]+)?)(?: # .*)?")
# {code="200"} without its braces
_LABEL = re.compile(r'\s*([a-zA-Z_]\w*)(=~?|!~|!=)"((?:[^"\\]|\\.)*)"\s*,?')
# v1.18.8   1.24   go1.21.3   v0.0.0-20200102030405-abcdef123456   (devel)
_VERSION = re.compile(r"\(devel\)|(?:v|go|devel go)?\d{1,4}(?:\.\d{1,10}){0,4}(?:[-+][0-9A-Za-z.+-]{1,60})?")
# 0.5   +Inf   200   5xx   GET
_FIGURE = re.compile(r"[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|Inf|NaN)|[1-5]xx|[A-Z]{3,7}")
# Who exports metrics that begin so: the Go client, Kubernetes and its neighbours, the kernel's exporters.
_EXPORTERS = re.compile(
    r"(?:go|process|promhttp|net_conntrack|rest_client|workqueue|leader_election|kubernetes|kubelet|kube|apiserver"
    r"|apiextensions|authentication|authorization|etcd|etcd_debugging|container|cadvisor|controller_runtime|containerd"
    r"|engine_daemon|prometheus|alertmanager|coredns|cilium|istio|argocd)_[\w:]+|up"
)
# Others begin so too, and call the rest as they like: only words that all use stay.
_COMMON = re.compile(
    r"(?:http|https|grpc|rpc|node|machine|scheduler|os|runtime|scrape|storage|reflector|watch|server|client|request|requests"
    r"|response|responses|duration|latency|size|open|active|idle|in|flight|inflight|connections|connection|conns|handled"
    r"|handling|started|msg|message|messages|received|sent|stream|streams|memory|cpu|load|disk|network|errors|error"
    r"|failures|retries|timeouts|seconds|milliseconds|ms|bytes|total|count|sum|bucket|created|info|max|min|cache|queue"
    r"|depth|length|samples|scraped|post|metric|relabeling|series|added|MemTotal|MemFree|MemAvailable)"
)
# What a name that nobody knows may keep: that it counts requests, and its unit.
_WORK = re.compile(r"(?:request|handled|rpc|quer|message|command)")
_UNIT = re.compile(r"(?:_(?:seconds|bytes|ratio|percent|celsius|total|count|sum|bucket|created|info))+$")
_COMMON_LABELS = frozenset(
    """__name__ le quantile code status method handler job instance pod namespace container node service endpoint image
    cluster version goversion go_version git_version gitVersion goVersion server_version revision branch build_date
    checksum path component resource verb group scope type name id queue event result state phase reason device mode
    cpu kind tag prometheus prometheus_replica metrics_path uid""".split()
)
# Any other figure may be a customer's number.
_FIGURES = frozenset("le quantile code status status_code grpc_code method verb cpu".split())
_VERSIONS = frozenset("version goversion go_version git_version gitVersion goVersion server_version tag".split())


_COUNTED = "# oakum process/1"  # what heads the figures that oakum itself counted


def is_version(text: str) -> bool:
    """Tell whether a text is a version, or a plain number."""
    return len(text) < 100 and _VERSION.fullmatch(text) is not None


class RedactedMetrics:
    def __init__(self, names: Names, tokens: Tokens) -> None:
        self._names, self._tokens = names, tokens

    @staticmethod
    def are(head: str) -> bool:
        """Tell whether a text begins as a scrape does."""
        first = _DECLARED.search(head)
        return bool(first and first.start() < 4096) or bool(_OF_GO.match(head))

    def redact(self, text: str) -> str | None:
        """Return the scrape with tokens; None when most of it is no scrape."""
        lines, strange = [], 0
        for line in text.split("\n"):
            told = self._line(line.rstrip("\r"))
            strange += told is None
            if told is not None:
                lines.append(told)
        return "\n".join(lines) if strange <= len(lines) else None

    def _line(self, line: str) -> str | None:
        if not line.strip() or line == "# EOF":
            return line
        if line.startswith(_COUNTED):
            return _COUNTED
        if line.startswith("#"):
            words = line.split(" ", 3)
            if len(words) < 4 or words[1] not in ("TYPE", "UNIT", "HELP"):
                return None
            # Whoever counts http_requests_total says in his own words of what.
            said = "left out" if words[1] == "HELP" else words[3]
            return f"# {words[1]} {self.name(words[2])} {said}"
        sample = _SAMPLE.fullmatch(line)
        if sample is None:
            return None
        labels = f"{{{self._labels(sample[2])}}}" if sample[2] else ""
        return f"{self.name(sample[1])}{labels}{sample[3]}"

    def name(self, name: str) -> str:
        if _EXPORTERS.fullmatch(name) or all(map(_COMMON.fullmatch, name.split("_"))):
            return name
        unit = _UNIT.search(name)
        work = _WORK.search(name)
        base = name[: unit.start()] if unit else name
        return self._tokens.word(base) + (f"_{work[0]}s" if work else "") + (unit[0] if unit else "")

    def _labels(self, text: str) -> str:
        pairs = [(found[1], found[2], found[3]) for found in _LABEL.finditer(text)]
        return ",".join(f'{self._key(key)}{sign}"{self._value(key, value)}"' for key, sign, value in pairs)

    def _key(self, key: str) -> str:
        return key if key in _COMMON_LABELS else self._tokens.word(key)

    def _value(self, key: str, value: str) -> str:
        if key == "__name__":
            return self.name(value)
        if not value or (key in _FIGURES and _FIGURE.fullmatch(value)):
            return value
        if key in _VERSIONS and (is_version(value) or value == "unknown"):
            return value
        if key == "path" and re.fullmatch(r"[\w.-]+\.[a-z]+/[\w./-]+", value):
            return self._names.module(value)
        host, colon, port = value.rpartition(":")
        if key == "instance" and colon and port.isdigit():
            return f"{self._tokens.host(host)}:{port}"
        return self._tokens.word(value)

    def label_object(self, labels: dict[object, object]) -> dict[str, object]:
        """Return labels as JSON has them."""
        pairs = ((str(key), value) for key, value in labels.items())
        return {self._key(key): self._value(key, v) if isinstance(v, str) else v for key, v in pairs}

    def expression(self, text: str) -> str:
        """Return an expression of PromQL: names of metrics and labels in it, functions stay."""
        braces = re.sub(r"\{([^{}]*)\}", lambda found: f"{{{self._labels(found[1])}}}", text)
        parts = re.split(r"(\{[^{}]*\})", braces)
        return "".join(
            part if part.startswith("{") else re.sub(r"[a-zA-Z_:][\w:]*_[\w:]*", lambda one: self.name(one[0]), part)
            for part in parts
        )
