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


def exact_form_only(vocabulary, pretrained, noise):
    scaled = noise * values(pretrained).std()
    return torch.stack([pretrained[w] if w in pretrained else scaled[i] for i, w in enumerate(vocabulary)])


def everything_in_lower_case(vocabulary, pretrained, noise):
    scaled = noise * values(pretrained).std()
    return torch.stack([pretrained.get(w.lower(), row) for w, row in zip(vocabulary, scaled, strict=True)])


def noise_as_it_is(vocabulary, pretrained, noise):
    return fill(noise.clone(), vocabulary, pretrained)


def by_the_variance(vocabulary, pretrained, noise):
    return fill(noise * values(pretrained).std() ** 2, vocabulary, pretrained)


def by_column(vocabulary, pretrained, noise):
    return fill(noise * torch.stack([*pretrained.values()]).std(0), vocabulary, pretrained)


def as_numpy(vocabulary, pretrained, noise):
    return fill(noise * float(values(pretrained).numpy().std()), vocabulary, pretrained)


def zeros(vocabulary, pretrained, noise):
    return fill(torch.zeros_like(noise), vocabulary, pretrained)


def mean_vector(vocabulary, pretrained, noise):
    mean = sum(pretrained.values()) / len(pretrained)
    return fill(mean.repeat(len(vocabulary), 1), vocabulary, pretrained)


def scaled_last(vocabulary, pretrained, noise):
    return fill(noise.clone(), vocabulary, pretrained) * values(pretrained).std()


def first_rows(vocabulary, pretrained, noise):
    table = noise * values(pretrained).std()
    for i, vector in enumerate(pretrained.values()):
        if i < len(table):
            table[i] = vector
    return table


def in_place(vocabulary, pretrained, noise):
    noise *= values(pretrained).std()
    return fill(noise, vocabulary, pretrained)


WRONG = [
    (exact_form_only, "no fall-back to lower case"),
    (everything_in_lower_case, "lower case first"),
    (noise_as_it_is, "the noise keeps its spread"),
    (by_the_variance, "the variance instead of the standard deviation"),
    (by_column, "one spread per dimension"),
    (as_numpy, "another standard deviation"),
    (zeros, "unknown words start at zero"),
    (mean_vector, "unknown words share the mean"),
    (scaled_last, "known rows are scaled too"),
    (first_rows, "the order of the pre-trained words"),
    (in_place, "changes its input"),
]
