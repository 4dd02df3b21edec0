"""Wrong answers to exercise 2.4 as readers write them, each with the mistake that must be named."""

import torch


def fill(table, vocabulary, pretrained):
    """The right way to place known words."""
    for i, word in enumerate(vocabulary):
        if word in pretrained:
            table[i] = pretrained[word]
        elif word.lower() in pretrained:
            table[i] = pretrained[word.lower()]
    return table


def values(pretrained):
    return torch.cat(list(pretrained.values()))


def filled(start):
    """start(noise, pretrained): the rows of unknown words."""
    return lambda vocabulary, pretrained, noise: fill(start(noise, pretrained).clone(), vocabulary, pretrained)


def scaled(noise, pretrained):
    return noise * values(pretrained).std()


def looked_up(form):
    """form(word): the only one that is tried."""

    def answer(vocabulary, pretrained, noise):
        rows = zip(vocabulary, scaled(noise, pretrained), strict=True)
        return torch.stack([pretrained.get(form(w), row) for w, row in rows])

    return answer


def mean_vector(noise, pretrained):
    return (sum(pretrained.values()) / len(pretrained)).repeat(len(noise), 1)


def first_rows(vocabulary, pretrained, noise):
    table = scaled(noise, pretrained)
    for i, vector in enumerate(pretrained.values()):
        if i < len(table):
            table[i] = vector
    return table


def in_place(vocabulary, pretrained, noise):
    noise *= values(pretrained).std()
    return fill(noise, vocabulary, pretrained)


WRONG = [
    (looked_up(str), "no fall-back to lower case"),
    (looked_up(str.lower), "lower case first"),
    (filled(lambda noise, pretrained: noise), "the noise keeps its spread"),
    (filled(lambda noise, known: noise * values(known).std() ** 2), "the variance instead of the standard deviation"),
    (filled(lambda noise, known: noise * torch.stack([*known.values()]).std(0)), "one spread per dimension"),
    (filled(lambda noise, known: noise * float(values(known).numpy().std())), "another standard deviation"),
    (filled(lambda noise, known: torch.zeros_like(noise)), "unknown words start at zero"),
    (filled(mean_vector), "unknown words share the mean"),
    (lambda v, known, noise: fill(noise.clone(), v, known) * values(known).std(), "known rows are scaled too"),
    (first_rows, "the order of the pre-trained words"),
    (in_place, "changes its input"),
]
