"""A dump put into every wrapping in which logs, terminals and people hand it on: the reverse of oakum.parse.logs.

Each function takes the text of a dump (lines end in a newline) and returns the bytes of a log, in the documented form
of the logger. `CARRIERS` take any text, also a wrapped one; so do `EXPORTS`, but nothing wraps those again; `INNERMOST`
is what the program itself or a reader does to a dump.
"""

import html
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Wrap = Callable[[str], bytes]

_PART = 240  # bytes of a partial record: 16 KiB in real life, and longer than most lines there and here
START = datetime(2026, 1, 2, 3, 4, 5, 100_000, UTC)


def _nano(row: int) -> str:
    at = START + timedelta(microseconds=row)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f") + "234Z"


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _each(text: str, prefix: Callable[[int], str]) -> bytes:
    return "".join(f"{prefix(row)}{line}\n" for row, line in enumerate(_lines(text))).encode()


def objects(rows: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


# journald and syslog


def journald_short(text: str) -> bytes:
    head = "-- Logs begin at Thu 2026-01-01 00:00:00 UTC, end at Fri 2026-01-02 04:00:00 UTC. --\n"
    return head.encode() + _each(text, lambda _: "Jan 02 03:04:05 host app[4711]: ")


def journald_one_record(text: str) -> bytes:
    prefix = "Jan 02 03:04:05 host app[4711]: "
    return (prefix + f"\n{' ' * len(prefix)}".join(_lines(text)) + "\n").encode()


def journald_short_iso(text: str) -> bytes:
    return _each(text.replace("\t", " " * 8), lambda _: "2026-01-02T03:04:05+0000 host app[4711]: ")


def journald_short_full(text: str) -> bytes:
    return _each(text, lambda _: "Fri 2026-01-02 03:04:05 UTC host app[4711]: ")


def journald_monotonic(text: str) -> bytes:
    return _each(text, lambda row: f"[{row / 1000 + 1234:12.6f}] host app[4711]: ")


def journald_json(text: str) -> bytes:
    return objects([journal_record(row, line) for row, line in enumerate(_lines(text))])


def journald_json_seq(text: str) -> bytes:
    return b"".join(b"\x1e" + line + b"\n" for line in journald_json(text).splitlines())


def journald_json_bytes(text: str) -> bytes:
    return objects([journal_record(row, list(line.encode())) for row, line in enumerate(_lines(text))])


def journald_json_pretty(text: str) -> bytes:
    return "\n".join(
        json.dumps(journal_record(row, line), indent="\t") for row, line in enumerate(_lines(text))
    ).encode()


def journal_record(row: int, message: object) -> dict[str, object]:
    stamp = int(START.timestamp() * 1e6) + row
    about = {"__CURSOR": f"s=1;i={row}", "__REALTIME_TIMESTAMP": str(stamp), "_HOSTNAME": "host", "PRIORITY": "6"}
    return {**about, "SYSLOG_IDENTIFIER": "app", "_PID": "4711", "MESSAGE": message}


def journald_export(text: str) -> bytes:
    out = b""
    for row, line in enumerate(_lines(text)):
        fields = journal_record(row, "")
        del fields["MESSAGE"]
        out += "".join(f"{name}={value}\n" for name, value in fields.items()).encode() + b"MESSAGE="
        out += line.encode() + b"\n\n"
    return out


def journald_export_binary(text: str) -> bytes:
    body = text.removesuffix("\n").encode()
    head = b"__CURSOR=s=1\n__REALTIME_TIMESTAMP=1767323045100000\n_HOSTNAME=host\nSYSLOG_IDENTIFIER=app\n_PID=4711\n"
    return head + b"MESSAGE\n" + len(body).to_bytes(8, "little") + body + b"\n\n"


def syslog_rfc3164(text: str) -> bytes:
    return _each(text.replace("\t", "#011"), lambda _: "<11>Jan  2 03:04:05 host app[4711]: ")


def syslog_file(text: str) -> bytes:
    return _each(text.replace("\t", "#011"), lambda _: "Jan  2 03:04:05 host app[4711]: ")


def syslog_rfc5424(text: str) -> bytes:
    return _each(text, lambda _: '<11>1 2026-01-02T03:04:05.678901+01:00 host app 4711 - [m@1 k="v"] ')


# containers


def cri(text: str) -> bytes:
    return _each(text, lambda row: f"{_nano(row)} stderr F ")


def cri_partial(text: str, part: int = _PART) -> bytes:
    out = ""
    for row, line in enumerate(_lines(text)):
        while len(line) > part:
            out += f"{_nano(row)} stderr P {line[:part]}\n"
            line = line[part:]
        out += f"{_nano(row)} stderr F {line}\n"
    return out.encode()


def docker_json(text: str) -> bytes:
    return objects(
        [{"log": line + "\n", "stream": "stderr", "time": _nano(row)} for row, line in enumerate(_lines(text))]
    )


def docker_json_partial(text: str, part: int = _PART) -> bytes:
    rows: list[dict[str, object]] = []
    for line in _lines(text):
        whole = line + "\n"
        parts = [whole[at : at + part] for at in range(0, len(whole), part)]
        rows += [{"log": part, "stream": "stderr", "time": _nano(len(rows))} for part in parts]
    return objects(rows)


def compose(text: str) -> bytes:
    return _each(text, lambda _: "api-1  | ")


def compose_stamps(text: str) -> bytes:
    return _each(text, lambda row: f"api-1  | {_nano(row)} ")


def kubectl(text: str) -> bytes:
    return _each(text, lambda row: f"[pod/api-5d9c7b-x2x7k/api] {_nano(row)} ")


def kubectl_prefix(text: str) -> bytes:
    return _each(text, lambda _: "[pod/api-5d9c7b-x2x7k/api] ")


def kubectl_stamps(text: str) -> bytes:
    return _each(text, lambda row: f"{_nano(row)} ")


# CI, plug-ins, exports


def github_actions(text: str) -> bytes:
    return b"\xef\xbb\xbf" + _each(text, lambda _: "2026-01-02T03:04:05.1234567Z ")


def gh_run_view(text: str) -> bytes:
    return _each(text, lambda _: "build (1.26)\tRun tests\t2026-01-02T03:04:05.1234567Z ")


def gitlab(text: str) -> bytes:
    return _each(text, lambda row: f"2026-01-02T03:04:05.{row % 10**6:06d}Z 00O ")


def jenkins(text: str) -> bytes:
    return _each(text, lambda row: f"[2026-01-02T03:04:05.{row % 1000:03d}Z] ")


def hclog(text: str) -> bytes:
    return _each(text, lambda _: "2026-01-02T03:04:05.024Z [DEBUG] plugin.terraform-provider-vcd_v3.4.0.exe: ")


def hclog_old(text: str) -> bytes:
    return _each(text, lambda _: "2026/01/02 03:04:05 [DEBUG] plugin: terraform: ")


def go_test_json(text: str) -> bytes:
    rows: list[dict[str, object]] = [{"Time": _nano(0), "Action": "run", "Package": "example.com/stuck"}]
    for row, line in enumerate(_lines(text)):
        about = {"Time": _nano(row), "Action": "output", "Package": "example.com/stuck", "Test": "TestStuck"}
        rows.append({**about, "Output": line + "\n"})
    return objects(rows)


def cloud_array(text: str) -> bytes:
    return json.dumps(list(reversed(_cloud(text))), indent=1).encode()


def cloud_lines(text: str) -> bytes:
    rows = _cloud(text)
    return objects(rows[::2] + rows[1::2])


def _cloud(text: str) -> list[dict[str, object]]:
    labels = {"pod_name": "api-5d9c7b-x2x7k", "container_name": "api"}
    return [
        {"insertId": f"x{row}", "textPayload": line, "timestamp": _nano(row), "resource": {"labels": labels}}
        for row, line in enumerate(_lines(text))
    ]


def zerolog_lines(text: str) -> bytes:
    return objects([{"level": "error", "time": _nano(row), "message": line} for row, line in enumerate(_lines(text))])


def loki_answer(text: str) -> bytes:
    values = [[str(1767323045100000000 + row), line] for row, line in enumerate(_lines(text))][::-1]
    stream = {"stream": {"app": "api"}, "values": values}
    return json.dumps({"status": "success", "data": {"resultType": "streams", "result": [stream]}}).encode()


def strace_lines(text: str) -> bytes:
    rows = [
        f"[pid  9460] write(2, {json.dumps(line + chr(10))}, {len(line) + 1}) = {len(line) + 1}\n"
        for line in _lines(text)
    ]
    return "".join(rows).encode()


# one field


def logrus_one_line(text: str) -> bytes:
    body = json.dumps(
        f"=== BEGIN goroutine stack dump ===\n{text}\n=== END goroutine stack dump ===", ensure_ascii=False
    )
    before = 'time="2026-01-02T03:04:04Z" level=warning msg="cleanup warnings"\n'
    return (before + f'time="2026-01-02T03:04:05Z" level=info msg={body} namespace=moby\n').encode()


def logrus_multi_line(text: str) -> bytes:
    head = 'time="2026-01-02T03:04:05+08:00" level=info msg="=== BEGIN goroutine stack dump ===\n'
    return (head + text + '\n=== END goroutine stack dump ===" namespace=moby pid=32633\n').encode()


def logrus_multi_line_bare(text: str) -> bytes:
    head = 'time="2026-01-02T03:04:05+08:00" level=error msg="recovered: boom" stack="'
    return (head + text.removesuffix("\n") + '" namespace=moby pid=32633\n').encode()


def logrus_each_line(text: str) -> bytes:
    rows = (f'time="2026-01-02T03:04:05Z" level=error msg={json.dumps(line)} namespace=moby' for line in _lines(text))
    return "".join(f"{row}\n" for row in rows).encode()


def slog_each_line(text: str) -> bytes:
    quoted = (
        '"' + line + '"' if not line or set(line) & set(' "=\\') else line for line in map(_escaped, _lines(text))
    )
    return "".join(f"time=2026-01-02T03:04:05.678Z level=ERROR msg={line}\n" for line in quoted).encode()


def _escaped(line: str) -> str:
    return json.dumps(line)[1:-1]


def slog_text(text: str) -> bytes:
    return f"time=2026-01-02T03:04:05.678Z level=ERROR msg=panic stack={json.dumps(text)}\n".encode()


def zap_json(text: str) -> bytes:
    other = {"level": "info", "ts": 1767323044.1, "caller": "srv/serve.go:7", "msg": "served"}
    dump = {"level": "error", "ts": 1767323045.1, "caller": "srv/dump.go:42", "msg": "dump", "stack": text}
    return objects([other, dump, other])


def zap_console(text: str) -> bytes:
    return f'2026-01-02T03:04:05.678Z\tERROR\tsrv/dump.go:42\tdump\t{{"stack": {json.dumps(text)}}}\n'.encode()


def json_rpc(text: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1001, "result": text}, indent=2).encode()


def json_lines_of_dump(text: str) -> bytes:
    return json.dumps({"reason": "signal", "dump": _lines(text)}).encode()


def strace_write(text: str) -> bytes:
    line = logrus_one_line(text).decode().splitlines(keepends=True)[1]
    return f"9460  write(7</run/containerd/log>, {json.dumps(line)}, {len(line)}) = {len(line)}\n".encode()


# the program's own prefixes


def klog_every_line(text: str) -> bytes:
    return _each(text, lambda row: f"E0102 03:04:05.{678901 + row:06d}       1 dump.go:42] ")


def klog_first_line(text: str) -> bytes:
    return b"E0102 03:04:05.678901       1 runtime.go:79] Observed a panic: stack: " + text.encode()


def klog_structured(text: str) -> bytes:
    body = "".join(f"\t{line}\n" for line in _lines(text))
    return f'E0102 03:04:05.678901       1 runtime.go:79] "Observed a panic" stack=<\n{body} >\n'.encode()


def logrus_terminal(text: str) -> bytes:
    return _each(text, lambda _: "INFO[0000] ")


def docker_daemon(text: str) -> bytes:
    return b"\tINFO[0000] === BEGIN goroutine stack dump ===\n" + _each(text, lambda _: "\t")


def package_log(text: str) -> bytes:
    return _each(text, lambda _: "2026/01/02 03:04:05 main.go:42: ")


def level_and_bar(text: str) -> bytes:
    return _each(text, lambda row: f"03:04:05.{row:03d} ERROR | ")


def foreign_lines(text: str) -> bytes:
    noise = "2026/01/02 03:04:05 INFO request served path=/v1/items status=200 dur=3.1ms"
    lines = _lines(text)
    return "".join(f"{line}\n{noise}\n" if row % 7 == 3 else f"{line}\n" for row, line in enumerate(lines)).encode()


# people


def quoted(text: str) -> bytes:
    return b"On Friday SRE wrote:\n" + _each(text, lambda _: "> ")


def quoted_twice(text: str) -> bytes:
    return _each(text, lambda _: ">> ")


def markdown_indent(text: str) -> bytes:
    return b"This is what I see:\n\n" + _each(text, lambda _: "    ")


def markdown_fence(text: str) -> bytes:
    return f"This is what I see:\n\n```\n{text}```\n".encode()


def html_escaped(text: str) -> bytes:
    return html.escape(text).replace("\t", "&#9;").replace("+", "&#43;").encode()


def html_page(text: str) -> bytes:
    return f"<html><body><pre>{html.escape(text)}</pre></body></html>\n".encode()


def ansi(text: str) -> bytes:
    return "".join(f"\x1b[1;31m{line}\x1b[0m\n" for line in _lines(text)).encode()


def terminal_60(text: str) -> bytes:
    rows = []
    for line in _lines(text):
        shown = line.expandtabs(8)
        rows += [shown[at : at + 60] for at in range(0, max(len(shown), 1), 60)]
    return "\n".join(rows).encode() + b"\n"


def mail_72(text: str) -> bytes:
    out = ""
    for line in _lines(text):
        while len(line) > 72 and not line.startswith("\t") and ", " in line[:72]:
            at = line.rindex(", ", 0, 72)
            out += line[: at + 1] + "\n"
            line = line[at + 2 :]
        out += line + "\n"
    return out.encode()


# encodings: outermost only


def utf16_le(data: bytes) -> bytes:
    return b"\xff\xfe" + data.decode().encode("utf-16-le")


def utf16_be(data: bytes) -> bytes:
    return b"\xfe\xff" + data.decode().encode("utf-16-be")


def utf16_unmarked(data: bytes) -> bytes:
    return data.decode().encode("utf-16-le")


def bom(data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + data


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


EXPORTS: dict[str, Wrap] = {
    "journald-json-seq": journald_json_seq,
    "journald-json-bytes": journald_json_bytes,
    "journald-json-pretty": journald_json_pretty,
    "journald-export": journald_export,
    "journald-export-binary": journald_export_binary,
    "cloud-array": cloud_array,
    "loki": loki_answer,
}
CARRIERS: dict[str, Wrap] = {
    "journald": journald_short,
    "journald-one-record": journald_one_record,
    "journald-iso": journald_short_iso,
    "journald-full": journald_short_full,
    "journald-monotonic": journald_monotonic,
    "journald-json": journald_json,
    "syslog": syslog_rfc3164,
    "syslog-file": syslog_file,
    "syslog-5424": syslog_rfc5424,
    "cri": cri,
    "cri-partial": cri_partial,
    "docker-json": docker_json,
    "docker-json-partial": docker_json_partial,
    "compose": compose,
    "compose-stamps": compose_stamps,
    "kubectl": kubectl,
    "kubectl-prefix": kubectl_prefix,
    "kubectl-stamps": kubectl_stamps,
    "github-actions": github_actions,
    "gh-run-view": gh_run_view,
    "jenkins": jenkins,
    "hclog": hclog,
    "hclog-old": hclog_old,
    "go-test-json": go_test_json,
    "cloud-lines": cloud_lines,
    "zerolog": zerolog_lines,
    "strace-lines": strace_lines,
    "quoted": quoted,
    "quoted-twice": quoted_twice,
    "indent": markdown_indent,
    "html": html_escaped,
    "html-page": html_page,
    "ansi": ansi,
}
INNERMOST: dict[str, Wrap] = {
    "logrus": logrus_one_line,
    "logrus-multi-line": logrus_multi_line,
    "logrus-multi-line-bare": logrus_multi_line_bare,
    "logrus-terminal": logrus_terminal,
    "logrus-each-line": logrus_each_line,
    "slog": slog_text,
    "slog-each-line": slog_each_line,
    "zap": zap_json,
    "zap-console": zap_console,
    "json-rpc": json_rpc,
    "json-list": json_lines_of_dump,
    "strace": strace_write,
    "klog": klog_every_line,
    "klog-first-line": klog_first_line,
    "klog-structured": klog_structured,
    "docker-daemon": docker_daemon,
    "package-log": package_log,
    "level-and-bar": level_and_bar,
    "gitlab": gitlab,
    "foreign-lines": foreign_lines,
    "fence": markdown_fence,
    "terminal-60": terminal_60,
    "mail-72": mail_72,
}
ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "utf-16-le": utf16_le,
    "utf-16-be": utf16_be,
    "utf-16-unmarked": utf16_unmarked,
    "bom": bom,
    "crlf": crlf,
}
