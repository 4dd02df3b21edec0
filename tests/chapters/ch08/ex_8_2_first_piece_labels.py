"""Wrong answers to exercise 8.2 as readers write them, each with the mistake that must be named."""


def word_of_each_piece(pieces):
    """[0, 1, 1, 2]: the second word has two pieces."""
    return [number for number, own in enumerate(pieces) for _ in own]


def padded(labels, length, value=-100):
    return list(labels) + [value] * (length - len(labels))


def right(pieces, tags, names, length, nothing=-100):
    words = word_of_each_piece(pieces)
    labels = [nothing]
    for place, word in enumerate(words):
        begins = place == 0 or words[place - 1] != word
        labels.append(names.index(tags[word]) if begins else nothing)
    return padded(labels, length, nothing)


def all_pieces(pieces, tags, names, length):
    return padded([-100] + [names.index(tags[word]) for word in word_of_each_piece(pieces)], length)


def continued(pieces, tags, names, length):
    labels, before = [-100], None
    for word in word_of_each_piece(pieces):
        tag = tags[word]
        if word == before and tag.startswith("B-") and "I-" + tag[2:] in names:
            tag = "I-" + tag[2:]
        labels.append(names.index(tag))
        before = word
    return padded(labels, length)


def last_piece(pieces, tags, names, length):
    labels = [-100] * length
    place = 0
    for own, tag in zip(pieces, tags, strict=True):
        place += len(own)
        labels[place] = names.index(tag)
    return labels


def no_cls(pieces, tags, names, length):
    return [*right(pieces, tags, names, length)[1:], -100]


def two_specials_in_front(pieces, tags, names, length):
    return [-100, *right(pieces, tags, names, length)[:-1]]


def words_as_pieces(pieces, tags, names, length):
    labels = [-100] * length
    for place, tag in enumerate(tags, start=1):
        labels[place] = names.index(tag)
    return labels


def zeros(pieces, tags, names, length):
    return right(pieces, tags, names, length, nothing=0)


def minus_one(pieces, tags, names, length):
    return right(pieces, tags, names, length, nothing=-1)


def zero_padding(pieces, tags, names, length):
    real = 1 + len(word_of_each_piece(pieces)) + 1
    return padded(right(pieces, tags, names, length)[:real], length, 0)


def tagged_specials(pieces, tags, names, length):
    labels = right(pieces, tags, names, length)
    labels[0] = labels[1 + len(word_of_each_piece(pieces))] = 0
    return labels


def from_one(pieces, tags, names, length):
    numbers = dict(zip(names, range(1, len(names) + 1), strict=True))
    labels = [-100]
    for own, tag in zip(pieces, tags, strict=True):
        labels += [numbers[tag] if i == 0 else -100 for i in range(len(own))]
    return padded(labels, length)


def ragged(pieces, tags, names, length):
    return right(pieces, tags, names, length)[: len(word_of_each_piece(pieces)) + 2]


def as_text(pieces, tags, names, length):
    return [names[label] if label != -100 else label for label in right(pieces, tags, names, length)]


WRONG = [
    (all_pieces, "every piece carries the label"),
    (continued, "every piece is asked: B-, then I-"),
    (last_piece, "the last piece carries the label"),
    (no_cls, "shifted by [CLS]"),
    (two_specials_in_front, "shifted to the right"),
    (words_as_pieces, "labels in the order of places"),
    (zeros, "0 instead of -100"),
    (minus_one, "-1 instead of -100"),
    (zero_padding, "padding has a label"),
    (tagged_specials, "[CLS] and [SEP] have a label"),
    (from_one, "labels are counted from 1"),
    (ragged, "the row is not filled up"),
    (as_text, "tags instead of numbers"),
]
