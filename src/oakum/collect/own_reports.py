"""Bytes -> whether they are a report that this tool wrote. Reports quote stacks, and would be read as dumps themselves.

`oakum diagnose . -o report.html` a second time must see the same evidence as the first time.
"""

from oakum.model import Buffer
from oakum.regex import regex

_LOOK = 4096  # bytes at the beginning and at the end
# {"schema": "oakum.diagnosis/1"; the manifests of bundles and recordings are read elsewhere
_JSON = regex(rb'\s*\{\s*"schema":\s*"oakum\.(?:diagnosis|scan|recheck|verify|tests|tests-baseline)/')
# SARIF: "driver": {"name": "oakum", "semanticVersion"
_SARIF = regex(rb'"driver":\s*\{\s*"name":\s*"oakum",\s*"semanticVersion"')
_PAGE = b'<meta name="generator" content="oakum '
_JUNIT = b'<testsuites name="oakum '
# <sub>Written by Oakum 0.1.0 from the evidence ...</sub>
_MARKDOWN = regex(rb"\n---\n\n<sub>[^\n]*\bOakum \d[^\n]*</sub>\s*$")


def is_report(data: Buffer) -> bool:
    """Tell whether bytes are a report of ours, in any of its formats but plain text, which quotes no stack."""
    head = bytes(data[:_LOOK])
    match head.lstrip()[:1]:
        case b"{":
            return bool(_JSON.match(head)) or (b"sarif" in head and bool(_SARIF.search(head)))
        case b"<":
            return _PAGE in head or _JUNIT in head
        case b"#":
            return bool(_MARKDOWN.search(bytes(data[-_LOOK:])))
        case _:
            return False
