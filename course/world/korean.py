"""Korean: particles by the final consonant of the word before, and the conjugation of verbs and adjectives.

A predicate is given as in a dictionary (먹다). Regular contractions (가 + 았다 -> 갔다, 마시 + 었다 -> 마셨다), 하다,
the loss of ㅡ and of ㄹ follow from the spelling. The irregular ㅂ, ㄷ, ㅅ, ㅎ and 르 stems are named in the
word table.
"""

from __future__ import annotations

_FIRST, _LAST = ord("가"), ord("힣")
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_ONSETS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"

IRREGULAR = ("", "ㅂ", "ㄷ", "ㅅ", "ㅎ", "르")
# after a final consonant, after a vowel
PARTICLES = {"은": ("은", "는"), "이": ("이", "가"), "을": ("을", "를"), "과": ("과", "와"), "으로": ("으로", "로")}
_CONTRACTED = {"ㅗㅏ": "ㅘ", "ㅜㅓ": "ㅝ", "ㅣㅓ": "ㅕ", "ㅚㅓ": "ㅙ"}


def is_hangul(text: str) -> bool:
    return bool(text) and all(_FIRST <= ord(letter) <= _LAST for letter in text)


def split_syllable(syllable: str) -> tuple[str, str, str]:
    """강 -> (ㄱ, ㅏ, ㅇ); the final is a space where there is none."""
    code = ord(syllable) - _FIRST
    return _ONSETS[code // 588], _VOWELS[code % 588 // 28], _FINALS[code % 28]


def join_syllable(onset: str, vowel: str, final: str = " ") -> str:
    return chr(_FIRST + 588 * _ONSETS.index(onset) + 28 * _VOWELS.index(vowel) + _FINALS.index(final))


def final(word: str) -> str:
    """The final consonant of a word, a space if it ends in a vowel."""
    return _FINALS[(ord(word[-1]) - _FIRST) % 28]


def particle(name: str, word: str) -> str:
    """The form of a particle after `word`: particle("은", "민지") -> 는. A particle with one form stays as it is."""
    if name not in PARTICLES:
        return name
    closed, open_ = PARTICLES[name]
    end = final(word)
    return open_ if end == " " or (name == "으로" and end == "ㄹ") else closed


def conjugate(predicate: str, irregular: str = "", *, adjective: bool = False) -> dict[str, str]:
    """All forms the grammar uses, by name: past 먹었다, present 먹는다, and 먹고, after 먹은, ..."""
    stem = predicate[:-1]
    infinitive = _infinitive(stem, irregular)
    past = _with_final(infinitive, "ㅆ")
    present = _with_final(stem, "ㄴ") + "다" if final(stem) in " ㄹ" else stem + "는다"
    adnominal = (_with_final(stem, " ") if final(stem) == "ㄹ" else stem) + "는"  # 가는, 먹는, 만드는 (ㄹ falls)
    exist = adjective and stem.endswith(("있", "없"))  # 있다, 맛있다, 없다: -는 although adjectives
    return {
        "past": past + "다",
        "present": predicate if adjective else present,
        "and": stem + "고",
        "because": infinitive + "서",
        "after": adnominal if exist else _with_final(_soft(stem, irregular), "ㄴ"),  # 먹은 뒤에; before a noun
        "during": adnominal,  # 먹는 동안
        "before": stem + "기",
        "not": stem + "지",
        "ask_past": past + "나요",
    }


def _soft(stem: str, irregular: str) -> str:
    """The stem before 으: 먹으, 가, 사, 도우, 걸으."""
    end, opened = final(stem), _with_final(stem, " ")
    special = {"ㅂ": opened + "우", "ㄷ": _with_final(stem, "ㄹ") + "으", "ㅅ": opened + "으", "ㅎ": opened}
    return special.get(irregular, opened if end in " ㄹ" else stem + "으")


def _infinitive(stem: str, irregular: str) -> str:
    """The form before -서 and, with ㅆ, of the past: 먹어, 가, 마셔, 도와, 걸어, 지어, 불러, 하얘, 해."""
    onset, vowel, end = split_syllable(stem[-1])
    head, suffix = stem[:-1], _a_or_eo(vowel)
    if stem.endswith("하"):
        return head + "해"
    if irregular == "르":
        return _with_final(head, "ㄹ") + ("라" if _a_or_eo(split_syllable(head[-1])[1]) == "아" else "러")
    if irregular == "ㅎ":
        return head + join_syllable(onset, "ㅒ" if vowel == "ㅑ" else "ㅐ")
    if irregular == "ㅂ":
        return _with_final(stem, " ") + ("와" if stem in ("돕", "곱") else "워")
    if irregular in ("ㄷ", "ㅅ"):
        return _with_final(stem, "ㄹ" if irregular == "ㄷ" else " ") + suffix
    if vowel == "ㅡ" and end == " ":
        bright = bool(head) and split_syllable(head[-1])[1] in "ㅏㅗ"
        return head + join_syllable(onset, "ㅏ" if bright else "ㅓ")
    if end != " " or stem.endswith("적이"):  # the copula does not contract after a consonant: 감동적이었다
        return stem + suffix
    ending = "ㅏ" if suffix == "아" else "ㅓ"
    if vowel == ending or vowel in "ㅐㅔㅕ":  # 가 + 아 -> 가, 보내 + 어 -> 보내
        return stem
    if vowel + ending in _CONTRACTED:
        return head + join_syllable(onset, _CONTRACTED[vowel + ending])
    return stem + suffix  # 쉬어, 뛰어


def _a_or_eo(vowel: str) -> str:
    return "아" if vowel in "ㅏㅗ" else "어"


def _with_final(word: str, consonant: str) -> str:
    """Closes the last syllable: 가 + ㅆ -> 갔, 먹으 + ㄴ -> 먹은, 만들 + ㄴ -> 만든; a space opens it: 만들 -> 만드."""
    onset, vowel, _ = split_syllable(word[-1])
    return word[:-1] + join_syllable(onset, vowel, consonant)
