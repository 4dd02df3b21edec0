"""Wrong answers to exercise 2.3 as readers write them, each with the mistake that must be named."""

from itertools import chain


def count(sentences):
    counts = {}
    for word in chain.from_iterable(sentences):
        counts[word] = counts.get(word, 0) + 1
    return counts


def kept(is_kept):
    """is_kept(count in the training text, min_count); the other words become [UNK]."""

    def answer(train_sentences, text, min_count):
        counts = count(train_sentences)
        return [w if is_kept(counts.get(w, 0), min_count) else "[UNK]" for w in text]

    return answer


def text_counted_too(train_sentences, text, min_count):
    counts = count(train_sentences)
    for w in text:
        counts[w] = counts.get(w, 0) + 1
    return [w if counts[w] >= min_count else "[UNK]" for w in text]


def per_sentence(train_sentences, text, min_count):
    return [w if sum(w in s for s in train_sentences) >= min_count else "[UNK]" for w in text]


def in_small_letters(shown):
    """shown(word): what stands for a word that is kept."""

    def answer(train_sentences, text, min_count):
        counts = count([[w.lower() for w in s] for s in train_sentences])
        return [shown(w) if counts.get(w.lower(), 0) >= min_count else "[UNK]" for w in text]

    return answer


WRONG = [
    (kept(lambda n, least: n > least), "a word that just reaches the limit is lost"),
    (kept(lambda n, least: n > 0 and n + 1 >= least), "the limit is one too low"),
    (text_counted_too, "the text is counted too"),
    (lambda train, text, n: [w if text.count(w) >= n else "[UNK]" for w in text], "only the text is counted"),
    (lambda train, text, n: [w for w in text if count(train).get(w, 0) >= n], "unknown words are dropped"),
    (kept(lambda n, least: n == 0 or n >= least), "new words stay as they are"),
    (kept(lambda n, least: n > 0), "rare words are kept"),
    (per_sentence, "sentences are counted, not occurrences"),
    (in_small_letters(str), "capitals are lost"),
    (in_small_letters(str.lower), "capitals are lost"),
]
