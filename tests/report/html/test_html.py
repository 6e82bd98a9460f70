"""The written page as text: well formed, escaped, within its policy and its size, and readable without a script."""

import base64
import json
import re
import subprocess
import sys
from hashlib import sha256
from html.parser import HTMLParser
from importlib import resources

import pytest
from msgspec.structs import replace

from made_pages import HOSTILE, hostile, rich
from oakum.report.html import MOST_BYTES, Drawing, render
from oakum.report.html.embedded import embedded
from oakum.report.html.text import anchor_id, href, prose, shown, tail
from oakum.report.page.blocks import (
    Block,
    Cell,
    Chain,
    Chart,
    ChartPoint,
    Claim,
    Claims,
    Code,
    CodeLine,
    Command,
    Edge,
    Link,
    Node,
    Page,
    Para,
    Place,
    Places,
    Row,
    Section,
    Series,
    Table,
)
from oakum.report.words import WORDS

_VOID = {"meta", "link", "br", "input", "hr"}
# Everything that the templates write; a tag beyond these would come from evidence.
_TAGS = set(
    "html head meta link title script style body a header span div input button nav h1 h2 h3 h4 ol li small main section p ul "
    "noscript footer dialog dl dt dd kbd form code pre details summary figure figcaption strong b svg line polyline path circle "
    "rect text table thead tbody tr th td br".split()
)


class _Reader(HTMLParser):
    """Reads a page, and raises where it is not well formed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len(dict(attrs)), (tag, attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")

    @property
    def text(self) -> str:
        return "".join(self.texts)


@pytest.mark.parametrize("page", [rich(), hostile()], ids=["rich", "hostile"])
def test_page_is_well_formed_and_only_ours(page: Page) -> None:
    read = _Reader(render(page, {"schema": "oakum.diagnosis/1"}))
    assert {tag for tag, _ in read.tags} <= _TAGS
    ids = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert [tag for tag, attributes in read.tags if tag == "script" and "type" not in attributes] == [
        "script",
        "script",
    ]
    for tag, attributes in read.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "srcdoc")], (
            tag,
            attributes,
        )
        assert "src" not in attributes


@pytest.mark.parametrize("page", [rich(), hostile()], ids=["rich", "hostile"])
def test_links_lead_into_the_page_or_to_the_web(page: Page) -> None:
    read = _Reader(render(page))
    ids = {attributes.get("id") for _, attributes in read.tags}
    for tag, attributes in read.tags:
        address = attributes.get("href") or "#o-main"
        if tag == "link":
            assert address == "data:,"
        elif address.startswith("#"):
            assert address[1:] in ids, address
        else:
            assert re.match(r"https?://[^\s]+$", address)
            assert "noreferrer" in (attributes.get("rel") or "")


def test_nothing_is_loaded_and_the_policy_runs_only_what_is_ours() -> None:
    text = render(hostile(), {"a": 1}, {"x": Drawing("<div></div>", ".x {}", "let drawn = 1;", {"x-data": "{}"})})
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert policy[1].startswith("default-src 'none'; ")
    assert "unsafe" not in policy[1]
    for tag in ("style", "script"):
        inline = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert len(inline) == {"style": 2, "script": 3}[tag]
        for one in inline:
            assert f"'sha256-{base64.b64encode(sha256(one.encode()).digest()).decode()}'" in policy[1]
    assert not re.search(r"@import|url\(|\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|innerHTML|\beval\(", text)


def test_hostile_words_stay_visible_text() -> None:
    read = _Reader(render(hostile()))
    for word in HOSTILE:
        plain = shown(word).replace("`", "")
        assert plain in read.text.replace("`", ""), word
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", read.text)


def test_what_cannot_be_seen_is_written_out_and_what_is_endless_is_cut() -> None:
    assert shown("a\x1b[31m\u202eb\nc") == "a\\x1b[31m\\u202eb\\nc"
    assert shown("a\U000e0041b") == "a\\ue0041b", "letters that nobody sees"
    long = shown("x" * 1_000_000)
    assert len(long) < 2100
    assert "(+998,000)" in long
    page = rich()
    endless = replace(page.sections[0], blocks=(Para("p" * 10**6), Command("c" * 10**6), Code("f" * 10**6, (CodeLine(1, "l" * 10**6, "m" * 10**6),))))  # fmt: skip
    assert len(render(replace(page, sections=(endless,), title="t" * 10**6))) < 120_000


def test_backticks_mark_code() -> None:
    assert str(prose("a `b<c` d")) == "a <code>b&lt;c</code> d"
    assert str(prose("a ` b")) == "a ` b"
    assert str(prose("`x` and `y")) == "<code>x</code> and `y"


def test_a_long_path_is_told_by_its_end() -> None:
    assert tail("before/heap.pb.gz") == "before/heap.pb.gz"
    assert tail("/very/long/" + "x/" * 40 + "5-later/goroutine.txt") == "…/5-later/goroutine.txt"
    assert tail("x" * 90) == "x" * 90


def test_links_that_must_not_be() -> None:
    anchors = frozenset({"input-3", "a-b"})
    assert href("#input-3", anchors) == "#input-3"
    assert href("input-3", anchors) == "#input-3"
    assert href("#input-4", anchors) == ""
    assert href("https://go.dev/issue/1", anchors) == "https://go.dev/issue/1"
    for bad in ("javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "https://a b", 'https://a"onx', "//evil.example", "https://a\n"):  # fmt: skip
        assert href(bad, anchors) == "", bad
    assert anchor_id('a b"><x') == "a-b---x"


def test_the_diagnosis_is_carried_and_found_again() -> None:
    document = {"title": "</script><script>alert(1)</script>", "other": "<!-- & \u2028", "half": "\udcff"}
    text = render(hostile(), document)
    carried = embedded(text)
    assert carried is not None
    assert json.loads(carried) == document
    assert not set("<>&\u2028") & set(carried)
    assert embedded(render(rich())) is None
    assert embedded("<html>") is None


def test_a_diagnosis_too_long_is_left_out_and_that_is_said() -> None:
    text = render(rich(), {"a": "x" * 1_000_000})
    assert embedded(text) is None
    assert "too large to embed" in _Reader(text).text


def test_hundreds_of_everything_stay_below_two_megabytes() -> None:
    text = render(rich(rows=3000, findings=300), {"a": "x" * 100_000})
    assert len(text.encode()) <= MOST_BYTES
    read = _Reader(text)
    rows = sum(tag == "tr" and (a.get("id") or "").startswith("input-") for tag, a in read.tags)
    found = sum(tag == "section" and (a.get("id") or "").startswith("finding-") for tag, a in read.tags)
    assert rows > 100
    assert found > 10
    assert f"{3000 - rows:,} more omitted" in read.text
    assert f"{300 - found:,} more omitted" in read.text
    assert embedded(text) is not None


def test_long_names_cost_rows_and_never_the_limit() -> None:
    rows = tuple(Row(tuple(Cell(f"{at} {'x' * 1900}") for _ in range(3)), f"row-{at}") for at in range(1000))
    text = render(replace(rich(), sections=(Section("long", "Long", (Table(("a", "b", "c"), rows),)),)))
    assert len(text.encode()) <= MOST_BYTES
    shown_rows = text.count('id="row-')
    assert 60 <= shown_rows < 1000
    assert f"{1000 - shown_rows:,} more omitted" in text


def test_endless_lists_of_every_kind_are_cut_and_counted() -> None:
    points = tuple(ChartPoint(float(at), f"m{at}") for at in range(9000))
    blocks: tuple[Block, ...] = (
        Chart("c", "count", (Series("s", points), Series("t", points)), "said"),
        Places(tuple(Place(f"f{at}", "x.go", at) for at in range(9000))),
        Chain("w", tuple(Node(f"n{at}") for at in range(9000)), tuple(Edge(at, at + 1, "") for at in range(8999)), ""),
        Code("x.go", tuple(CodeLine(at, "x") for at in range(9000))),
        *(Para("p" * 1500) for _ in range(9000)),
    )
    text = render(replace(rich(), sections=(Section("many", "Many", blocks),)))
    assert len(text.encode()) <= MOST_BYTES
    counts = [int(found.replace(",", "")) for found in re.findall(r"([\d,]+) more omitted", text)]
    assert len(counts) == 5
    assert all(count >= 8000 for count in counts)


def test_rows_that_are_linked_to_stay() -> None:
    page = rich(rows=5000, findings=1)
    far = Section("far", "Far", (Claims((Claim("far", Link("far", "#input-4711")),)),))
    text = render(replace(page, sections=(far, *page.sections)))
    assert 'href="#input-4711"' in text
    assert 'id="input-4711"' in text
    assert 'id="input-4712"' not in text


def test_everything_can_be_read_without_a_script() -> None:
    page = rich()
    text = re.sub(r"<script>.*?</script>", "", render(page), flags=re.DOTALL)
    read = _Reader(text)
    for wanted in ("160 of 215", "made without a buffer", "never received again", "oakum report --recheck report.json", "goroutine 4711, line 120"):  # fmt: skip
        assert wanted in read.text
    assert "JavaScript is off" in read.text


def test_both_languages_name_every_control() -> None:
    templates = resources.files("oakum.report.html").joinpath("templates")
    text = "".join(one.read_text(encoding="utf-8") for one in templates.iterdir())
    named = set(re.findall(r"""\bw\[["']([\w.-]+)["']\]""", text))
    abouts = set(re.findall(r'\("[^"]+", "(\w+)"\)', text.partition("for keys, about in")[2].partition("%}")[0]))
    known = {key.removeprefix("control.") for key in WORDS if key.startswith("control.")}
    assert named | {f"key.{about}" for about in abouts} <= known
    used = named | {f"key.{about}" for about in abouts} | {"copied", "copy-failed", "found", "found-none", "left-out"}
    assert known <= used | {"left-out-kept", "no-document-kept"}
    chinese = _Reader(render(replace(rich(), lang="zh")))
    assert "目录" in chinese.text
    assert dict(chinese.tags)["html"]["lang"] == "zh-Hans"
    assert "Contents" not in chinese.text


def test_jinja_is_not_imported_until_a_page_is_written() -> None:
    script = (
        "import sys, oakum.cli, oakum.report.html; sys.exit('jinja2' in sys.modules or 'markupsafe' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


# ---- colours -------------------------------------------------------------------------------------------------------


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_light(one), _light(other)))
    return (light + 0.05) / (dark + 0.05)


def test_letters_are_legible_in_both_themes_and_on_paper() -> None:
    style = resources.files("oakum.report.html").joinpath("assets", "report.css").read_text(encoding="utf-8")
    palettes = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in re.findall(r"\{([^{}]*--paper: [^{}]*)\}", style)]  # fmt: skip
    assert len(palettes) == 4
    assert palettes[1] == palettes[2]
    for palette in (palettes[0], palettes[1], palettes[0] | palettes[3]):
        for ink in ("ink", "quiet", "link", "bad", "warn", "maybe", "good", "open", "grew", "plain0", "plain1", "plain2", "plain3", "twin"):  # fmt: skip
            assert _contrast(palette[ink], palette["paper"]) >= 4.5, (ink, palette)
        for ink, field in (
            ("ink", "field"), ("quiet", "field"), ("link", "field"), ("bad", "bad-field"), ("warn", "warn-field"), ("maybe", "maybe-field"),
            ("good", "good-field"), ("open", "open-field"), ("add", "add-field"), ("del", "del-field"), ("mark-ink", "mark"), ("ink", "bad-field"),
            ("quiet", "bad-field"), ("quiet", "good-field"), ("quiet", "open-field"), ("ink", "warn-field"), ("paper", "bad"), ("paper", "good"), ("paper", "open"),
        ):  # fmt: skip
            assert _contrast(palette[ink], palette[field]) >= 4.5, (ink, field, _contrast(palette[ink], palette[field]))
