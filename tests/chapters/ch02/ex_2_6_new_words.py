"""Wrong answers to exercise 2.6 as readers write them, each with the mistake that must be named."""

import zlib

import torch


def look(texts, vectors):
    return tuple(torch.stack([vectors[w] for w in text]) for text in texts)


def draw(words, dim):
    return {w: torch.randn(dim) for w in dict.fromkeys(words)}


def drawn(order):
    """order(passage, question, known): the words that get a vector, in this order."""

    def answer(passage, question, known, dim, seed):
        torch.manual_seed(seed)
        return look((passage, question), known | draw(order(passage, question, known), dim))

    return answer


def new(words, known):
    return [w for w in words if w not in known]


right = drawn(lambda passage, question, known: new(passage + question, known))


def per_token(passage, question, known, dim, seed):
    torch.manual_seed(seed)
    texts = (passage, question)
    return tuple(torch.stack([known[w] if w in known else torch.randn(dim) for w in text]) for text in texts)


def per_text(passage, question, known, dim, seed):
    torch.manual_seed(seed)
    return tuple(look([text], known | draw(new(text, known), dim))[0] for text in (passage, question))


def seeded_for_each_text(passage, question, known, dim, seed):
    return tuple(per_text(text, text, known, dim, seed)[0] for text in (passage, question))


def seeded_for_each_word(passage, question, known, dim, seed):
    own = {}
    for w in passage + question:
        own[w] = known[w] if w in known else torch.randn(dim, generator=torch.Generator().manual_seed(seed))
    return look((passage, question), own)


def fixed_seed(passage, question, known, dim, seed=0):
    return right(passage, question, known, dim, 42)


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


def from_the_letters(passage, question, known, dim, seed):
    own = {}
    for w in set(passage + question) - set(known):
        own[w] = torch.randn(dim, generator=torch.Generator().manual_seed(zlib.crc32(w.encode())))
    return look((passage, question), known | own)


WRONG = [
    (per_token, "one vector per token"),
    (per_text, "one vector per text"),
    (seeded_for_each_text, "both texts start from the seed"),
    (seeded_for_each_word, "all new words share one vector"),
    (drawn(lambda passage, question, known: passage + question), "known words are drawn too"),
    (fixed_seed, "the same vectors at every step"),
    (kept_from_the_first_call, "the same vectors at every step"),
    (written_into_known, "changes its input"),
    (drawn(lambda passage, question, known: new(question + passage, known)), "other random numbers"),
    (drawn(lambda passage, question, known: new(sorted({*passage, *question}), known)), "other random numbers"),
    (from_the_letters, "other random numbers"),
    (lambda *inputs: tuple(part + 0.5 for part in right(*inputs)), "wrong"),
    (lambda *inputs: torch.cat(right(*inputs)), "wrong"),
]
