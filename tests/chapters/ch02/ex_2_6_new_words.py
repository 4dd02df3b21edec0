"""Wrong answers to exercise 2.6 as readers write them, each with the mistake that must be named."""

import zlib

import torch


def look(texts, vectors):
    return tuple(torch.stack([vectors[w] for w in text]) for text in texts)


def per_token(passage, question, known, dim, seed):
    torch.manual_seed(seed)
    both = []
    for text in (passage, question):
        both.append(torch.stack([known[w] if w in known else torch.randn(dim) for w in text]))
    return tuple(both)


def per_text(passage, question, known, dim, seed):
    torch.manual_seed(seed)
    both = []
    for text in (passage, question):
        own = {}
        for w in text:
            if w not in known and w not in own:
                own[w] = torch.randn(dim)
        both += look([text], {**known, **own})
    return tuple(both)


def seeded_for_each_text(passage, question, known, dim, seed):
    both = []
    for text in (passage, question):
        torch.manual_seed(seed)
        own = {w: torch.randn(dim) for w in dict.fromkeys(text) if w not in known}
        both += look([text], {**known, **own})
    return tuple(both)


def seeded_for_each_word(passage, question, known, dim, seed):
    own = {}
    for w in passage + question:
        own[w] = known[w] if w in known else torch.randn(dim, generator=torch.Generator().manual_seed(seed))
    return look((passage, question), own)


def one_unknown(passage, question, known, dim, seed):
    unknown = torch.randn(dim, generator=torch.Generator().manual_seed(seed))
    return look((passage, question), {w: known.get(w, unknown) for w in passage + question})


def known_drawn_too(passage, question, known, dim, seed):
    torch.manual_seed(seed)
    return look((passage, question), {w: torch.randn(dim) for w in dict.fromkeys([*passage, *question])})


def fixed_seed(passage, question, known, dim, seed=0):
    torch.manual_seed(42)
    own = {w: torch.randn(dim) for w in dict.fromkeys(passage + question) if w not in known}
    return look((passage, question), known | own)


KEPT = {}


def kept_from_the_first_call(passage, question, known, dim, seed):
    torch.manual_seed(seed)
    for w in passage + question:
        if w not in known and w not in KEPT:
            KEPT[w] = torch.randn(dim)
    return look((passage, question), known | KEPT)


def written_into_known(passage, question, known, dim, seed):
    torch.manual_seed(seed)
    for w in passage + question:
        known.setdefault(w, torch.randn(dim) if w not in known else None)
    return look((passage, question), known)


def question_first(passage, question, known, dim, seed):
    torch.manual_seed(seed)
    own = {w: torch.randn(dim) for w in dict.fromkeys(question + passage) if w not in known}
    return look((passage, question), known | own)


def alphabetical(passage, question, known, dim, seed):
    torch.manual_seed(seed)
    own = {w: torch.randn(dim) for w in sorted({*passage, *question} - known.keys())}
    return look((passage, question), known | own)


def from_the_letters(passage, question, known, dim, seed):
    own = {}
    for w in set(passage + question) - set(known):
        own[w] = torch.randn(dim, generator=torch.Generator().manual_seed(zlib.crc32(w.encode())))
    return look((passage, question), known | own)


def right(passage, question, known, dim, seed):
    torch.manual_seed(seed)
    own = {w: torch.randn(dim) for w in dict.fromkeys(passage + question) if w not in known}
    return look((passage, question), known | own)


def known_changed(*inputs):
    return tuple(part + 0.5 for part in right(*inputs))


def joined(*inputs):
    return torch.cat(right(*inputs))


WRONG = [
    (per_token, "one vector per token"),
    (per_text, "one vector per text"),
    (seeded_for_each_text, "both texts start from the seed"),
    (seeded_for_each_word, "all new words share one vector"),
    (one_unknown, "all new words share one vector"),
    (known_drawn_too, "known words are drawn too"),
    (fixed_seed, "the same vectors at every step"),
    (kept_from_the_first_call, "the same vectors at every step"),
    (written_into_known, "changes its input"),
    (question_first, "other random numbers"),
    (alphabetical, "other random numbers"),
    (from_the_letters, "other random numbers"),
    (known_changed, "wrong"),
    (joined, "wrong"),
]
