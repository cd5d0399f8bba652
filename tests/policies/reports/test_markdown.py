"""The Markdown report: in order, within the limit, and without any markup that an input brings."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.findings import EXCUSE, finding, result

from pcs_policies.findings import Finding, Unchecked
from pcs_policies.redaction import printable
from pcs_policies.reports import markdown
from pcs_policies.rules.rule import Severity

RENDER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

HOSTILE = [
    "a | b || c",
    "``` `x` ```",
    "<script>alert(1)</script><!-- --></details>",
    "@everyone see #1 and org/repo#2, GH-3",
    "[x](https://evil.example.com) ![y](http://evil.example.com/z.png)",
    "https://evil.example.com www.evil.example.com a@example.com",
    "**bold** _it_ ~~no~~ \\| &lt;b&gt; $x$ :tada:",
    "\n\n# heading\n- item\n| a | b |\n|---|---|",
    "\u2060\u200b\u202e\ud800",
]

names = st.one_of(
    st.text(max_size=60), st.sampled_from(HOSTILE), st.text(st.sampled_from("|`<>@#[]()!*_~\\&:$w./\n a"))
)


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html)).replace("\u2060", "")


@given(names, names, names)
@example(*HOSTILE[:3])
@example(*HOSTILE[3:6])
@example(*HOSTILE[6:])
def test_an_input_brings_no_markup(address: str, key: str, message: str) -> None:
    page = markdown.text(result(finding(address=address, key=key, message=message, file=key or None, line=2)))
    html = RENDER.render(page)
    tags = set(re.findall(r"</?(\w+)", html))
    assert tags <= set("h3 p strong table thead tbody tr th td code br details summary ul li".split())
    (body,) = re.findall(r"<tbody>(.*?)</tbody>", html, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    cells = [re.findall(r"<td>(.*?)</td>", row, re.DOTALL) for row in rows]
    assert [len(row) for row in cells] == [4]
    assert text_of(cells[0][3]) == printable(message).strip()
    for name in (address, key):
        assert printable(name) in text_of(cells[0][2])


@given(names)
def test_running_text_makes_no_mention_reference_or_link(text: str) -> None:
    seen = unescape(markdown.escape(text))
    assert not re.search(r"[@#:]\w|://|www\.", seen, re.IGNORECASE)


def headings(*findings: Finding) -> list[str]:
    return re.findall(
        r"^\*\*(.*) \(\d+\)\*\*$|<summary>(.*) \(\d+\)</summary>", markdown.text(result(*findings)), re.MULTILINE
    )


def test_what_the_change_brings_comes_first() -> None:
    page = markdown.text(
        result(
            finding(key="a", introduced=False),
            finding(key="b", known=True, introduced=False),
            finding(key="c", waiver=EXCUSE, introduced=True),
            finding(key="d", introduced=True, severity=Severity.INFO),
            finding(key="e", introduced=True),
            finding(key="f"),
            unchecked=(Unchecked("plan.json", "the plan is errored"),),
        )
    )
    order = ["Not checked", "Introduced by this change (2)", "Findings (1)", "Already there (1)", "Waived (1)"]
    places = [page.index(heading) for heading in (*order, "In the baseline (1)")]
    assert places == sorted(places)
    assert page.index("<code>e</code>") < page.index("<code>d</code>"), "errors before the rest"


def test_nothing_to_tell_is_told() -> None:
    page = markdown.text(result(exit_code=0))
    assert page == "<!-- pcsguard -->\n### pcsguard: nothing fails\n\n1 node group checked: no findings\n"


@pytest.mark.parametrize("count", [1, 200, 5000])
@pytest.mark.parametrize("length", [10, 5000])
def test_it_fits_into_a_comment_and_says_what_is_missing(count: int, length: int) -> None:
    many = [finding(key=str(n), message="ü|" * length, introduced=n % 2 == 0) for n in range(count)]
    page = markdown.text(result(*many))
    assert len(page.encode()) <= markdown.LIMIT < 65_536
    assert page.count("<details>") == page.count("</details>")
    shown = page.count("some-rule |") + sum(line.startswith("- PCS101") for line in page.splitlines())
    missing = re.search(r"^(\d+) more lines? did not fit here", page, re.MULTILINE)
    assert shown + int(missing[1] if missing else 0) == 2 * count
