"""Does a Korean cell hold what a machine can compare with its English cell? And is its Markdown what Korean needs?"""

from __future__ import annotations

import re
from collections import Counter

_FORMULA = re.compile(r"\$\$.*?\$\$|(?<![\\$])\$[^$\n]+\$", re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_ADDRESS = re.compile(r"https?://[^\s)]+|arXiv:\d{4}\.\d{4,5}|\]\(([^)]*)\)")
_CLAIM = re.compile(r"(?<![A-Za-z0-9])C\d\.\d+(?![0-9])")
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])\d+(?:,\d{3})*(?:\.\d+)?(?![A-Za-z0-9_])")
_CLOSES = re.compile(r"[)\]”’\"'.,:;!?…]\*\*(?=[가-힣A-Za-z0-9])")  # CommonMark: these two stars close nothing
_SLANTED = re.compile(r"(?<![*\w])\*(?!\*)[^*\n]*[가-힣][^*\n]*\*(?!\*)")
_PLAIN_ENDING = re.compile(r"(?<![니시])다\.(?=\s|$)")
_BLOG_ENDING = re.compile(r"(?<![세필중개주수])요\.(?=\s|$)")
_WORDS = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
_UNITS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "천만": 1e7, "천": 1e3, "만": 1e4, "억": 1e8}
MARKS = (("**Predict", "**예측"), ("**Notice", "**살펴보기"))


def faults_of(english: str, korean: str) -> list[str]:
    """One sentence for each fault."""
    found = []
    for name, pattern in (("formula", _FORMULA), ("code", _CODE), ("link", _ADDRESS), ("claim", _CLAIM)):
        ours, theirs = (Counter(_wordless(m.group()) for m in pattern.finditer(text)) for text in (korean, english))
        found += [f"the {name} {item!r} is missing" for item in sorted((theirs - ours).elements())]
        found += [f"the {name} {item!r} is not in the English" for item in sorted((ours - theirs).elements())]
    plain, plain_ko = (_FORMULA.sub(" ", _CODE.sub(" ", text)) for text in (english, korean))
    numbers, numbers_ko = (Counter(_NUMBER.findall(_digits(text))) for text in (plain, plain_ko))
    found += [f"the number {n} is missing" for n in sorted((numbers - numbers_ko).elements())]
    heads, heads_ko = (re.findall(r"^(#+) ([\d.]*)", text, re.MULTILINE) for text in (english, korean))
    if heads != heads_ko:
        found.append(f"headings {heads_ko}, in English {heads}")
    for name, pattern in (("table rows", r"^\|"), ("list items", r"^ *(?:[-*]|\d+\.) ")):
        n, n_ko = (len(re.findall(pattern, text, re.MULTILINE)) for text in (english, korean))
        if n != n_ko:
            found.append(f"{n_ko} {name}, in English {n}")
    for label, label_ko in MARKS:
        if english.count(label) != korean.count(label_ko):
            found.append(f"{korean.count(label_ko)} times {label_ko}, in English {english.count(label)} times {label}")
    if _WORDS.search(plain) and not re.search("[가-힣]", plain_ko):
        found.append("no Korean in it")
    return found + style_faults(korean)


def _wordless(item: str) -> str:
    r"""A formula without the words of its \text{...}, which are Korean in Korean."""
    return re.sub(r"\\text\{[^}]*\}", r"\\text{}", item)


def style_faults(korean: str) -> list[str]:
    """What goes wrong in Korean Markdown only."""
    text = _FORMULA.sub("x", _CODE.sub("x", korean))
    found = [
        f"`{text[max(0, m.start() - 12) : m.end() + 2]}`: bold does not end here; put the sign outside the stars"
        for m in _CLOSES.finditer(text)
        if text[: m.start()].count("**") % 2
    ]
    found += [f"slanted Hangul {m.group()!r}: use bold or ‘ ’" for m in _SLANTED.finditer(text)]
    if "~" in text:
        found.append("a `~` (two of them strike text out): write 에서 … 까지 or –")
    if "당신" in text:
        found.append("당신: leave it out, or say 여러분")
    prose = "\n".join(line for line in text.split("\n") if not line.startswith(("#", "|", ">", "-")))
    for name, pattern in (("plain ending (…다.)", _PLAIN_ENDING), ("ending of a blog (…요.)", _BLOG_ENDING)):
        found += [
            f"{name} in {prose[max(0, m.start() - 14) : m.end()]!r}: this edition says …니다. and …세요."
            for m in pattern.finditer(prose)
        ]
    return found


def _digits(text: str) -> str:
    """Round numbers in words count as digits: 30.6 million and 3,060만 are 30,600,000; 1억 1천만 is 110 million."""

    def value(match: re.Match) -> str:
        parts = re.findall(rf"(\d[\d,.]*) ?({'|'.join(_UNITS)})", match.group())
        return f"{sum(float(n.replace(',', '')) * _UNITS[unit] for n, unit in parts):,.0f}"

    text = re.sub(r"\d[\d,.]* (?:thousand|million|billion)\b", value, text)
    return re.sub(r"\d[\d,.]*(?:천만|만|억)(?: \d[\d,.]*(?:천만|만|천))*", lambda m: f"{m.group()} {value(m)}", text)
