"""Wrong answers to exercise 8.2 as readers write them, each with the mistake that must be named."""


def word_of_each_piece(pieces):
    """[0, 1, 1, 2]: the second word has two pieces."""
    return [number for number, own in enumerate(pieces) for _ in own]


def padded(labels, length, value=-100):
    return list(labels) + [value] * (length - len(labels))


def right(pieces, tags, names, length, nothing=-100, first=0):
    words = word_of_each_piece(pieces)
    labels = [nothing]
    for place, word in enumerate(words):
        begins = place == 0 or words[place - 1] != word
        labels.append(first + names.index(tags[word]) if begins else nothing)
    return padded(labels, length, nothing)


def every_piece(inside):
    """inside(tag): of the pieces after the first, if there is such a name."""

    def answer(pieces, tags, names, length):
        labels, before = [-100], None
        for word in word_of_each_piece(pieces):
            tag = inside(tags[word]) if word == before and inside(tags[word]) in names else tags[word]
            labels.append(names.index(tag))
            before = word
        return padded(labels, length)

    return answer


def last_piece(pieces, tags, names, length):
    labels = [-100] * length
    place = 0
    for own, tag in zip(pieces, tags, strict=True):
        place += len(own)
        labels[place] = names.index(tag)
    return labels


def zero_padding(pieces, *inputs):
    return [0 if place > 1 + sum(map(len, pieces)) else label for place, label in enumerate(right(pieces, *inputs))]


def tagged_specials(pieces, *inputs):
    labels = right(pieces, *inputs)
    labels[0] = labels[1 + sum(map(len, pieces))] = 0
    return labels


def as_text(pieces, tags, names, length):
    return [names[label] if label != -100 else label for label in right(pieces, tags, names, length)]


WRONG = [
    (every_piece(str), "every piece carries the label"),
    (every_piece(lambda tag: "I-" + tag[2:] if tag.startswith("B-") else tag), "every piece is asked: B-, then I-"),
    (last_piece, "the last piece carries the label"),
    (lambda *inputs: [*right(*inputs)[1:], -100], "shifted by [CLS]"),
    (lambda *inputs: [-100, *right(*inputs)[:-1]], "shifted to the right"),
    (lambda pieces, *inputs: right([[0]] * len(pieces), *inputs), "labels in the order of places"),
    (lambda *inputs: right(*inputs, nothing=0), "0 instead of -100"),
    (lambda *inputs: right(*inputs, nothing=-1), "-1 instead of -100"),
    (zero_padding, "padding has a label"),
    (tagged_specials, "[CLS] and [SEP] have a label"),
    (lambda *inputs: right(*inputs, first=1), "labels are counted from 1"),
    (lambda pieces, *inputs: right(pieces, *inputs)[: sum(map(len, pieces)) + 2], "the row is not filled up"),
    (as_text, "tags instead of numbers"),
]
