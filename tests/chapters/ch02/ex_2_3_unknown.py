"""Wrong answers to exercise 2.3 as readers write them, each with the mistake that must be named."""

from itertools import chain


def count(sentences):
    counts = {}
    for word in chain.from_iterable(sentences):
        counts[word] = counts.get(word, 0) + 1
    return counts


def more_than(train_sentences, text, min_count):
    kept = {w for w, n in count(train_sentences).items() if n > min_count}
    return [w if w in kept else "[UNK]" for w in text]


def one_less_is_enough(train_sentences, text, min_count):
    kept = {w for w, n in count(train_sentences).items() if n + 1 >= min_count}
    return [w if w in kept else "[UNK]" for w in text]


def text_counted_too(train_sentences, text, min_count):
    counts = count(train_sentences)
    for w in text:
        counts[w] = counts.get(w, 0) + 1
    return [w if counts[w] >= min_count else "[UNK]" for w in text]


def text_counted_alone(train_sentences, text, min_count):
    return [w if text.count(w) >= min_count else "[UNK]" for w in text]


def dropped(train_sentences, text, min_count):
    return [w for w in text if count(train_sentences).get(w, 0) >= min_count]


def new_kept(train_sentences, text, min_count):
    rare = {w for w, n in count(train_sentences).items() if n < min_count}
    return ["[UNK]" if w in rare else w for w in text]


def rare_kept(train_sentences, text, min_count):
    vocabulary = set(chain.from_iterable(train_sentences))
    return [w if w in vocabulary else "[UNK]" for w in text]


def per_sentence(train_sentences, text, min_count):
    return [w if sum(w in s for s in train_sentences) >= min_count else "[UNK]" for w in text]


def counted_in_small_letters(train_sentences, text, min_count):
    counts = count([[w.lower() for w in s] for s in train_sentences])
    return [w if counts.get(w.lower(), 0) >= min_count else "[UNK]" for w in text]


def all_in_small_letters(train_sentences, text, min_count):
    counts = count([[w.lower() for w in s] for s in train_sentences])
    return [w.lower() if counts.get(w.lower(), 0) >= min_count else "[UNK]" for w in text]


WRONG = [
    (more_than, "a word that just reaches the limit is lost"),
    (one_less_is_enough, "the limit is one too low"),
    (text_counted_too, "the text is counted too"),
    (text_counted_alone, "only the text is counted"),
    (dropped, "unknown words are dropped"),
    (new_kept, "new words stay as they are"),
    (rare_kept, "rare words are kept"),
    (per_sentence, "sentences are counted, not occurrences"),
    (counted_in_small_letters, "capitals are lost"),
    (all_in_small_letters, "capitals are lost"),
]
