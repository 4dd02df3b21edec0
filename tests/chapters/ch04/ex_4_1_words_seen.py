"""Wrong answers to exercise 4.1 as readers write them, each with the mistake that must be named."""


def always_separate(n_words, k, layer, stacked):
    if layer == 0:
        return {k}, {k}
    return {i for i in range(n_words) if i <= k}, {i for i in range(n_words) if i >= k}


def stacked_sees_all(n_words, k, layer, stacked):
    if stacked and layer > 0:
        return {*range(n_words)}, {*range(n_words)}
    return always_separate(n_words, k, layer, stacked)


def depth_decides(n_words, k, layer, stacked):
    if layer >= 2:
        return {*range(n_words)}, {*range(n_words)}
    return always_separate(n_words, k, layer, stacked)


def bidirectional_sees_all(n_words, k, layer, stacked):
    everything = set(range(n_words))
    return ({k}, {k}) if layer == 0 else (everything, everything)


def before_and_after(n_words, k, layer, stacked):
    if layer == 0:
        return {k}, {k}
    if stacked and layer >= 2:
        return {*range(n_words)}, {*range(n_words)}
    return {*range(k)}, {*range(k + 1, n_words)}


def one_too_many(n_words, k, layer, stacked):
    if layer == 0:
        return {k}, {k}
    if stacked and layer >= 2:
        return {*range(n_words)}, {*range(n_words)}
    return {*range(k + 2)}, {*range(max(0, k - 1), n_words)}


def no_layer_zero(n_words, k, layer, stacked):
    if stacked and layer >= 2:
        return {*range(n_words)}, {*range(n_words)}
    return {*range(k + 1)}, {*range(k, n_words)}


def backward_first(n_words, k, layer, stacked):
    forward, backward = no_layer_zero(n_words, k, layer, stacked)
    return (backward, forward) if layer else ({k}, {k})


WRONG = [
    (always_separate, "a stacked network seen as two separate ones"),
    (stacked_sees_all, "a stacked network leaks from layer 1 on"),
    (depth_decides, "ELMo's directions meet in layer 2"),
    (bidirectional_sees_all, "every bidirectional network sees everything"),
    (before_and_after, "a state has not read its own word"),
    (one_too_many, "a state has read its target"),
    (no_layer_zero, "layer 0 is taken for a state"),
    (backward_first, "the directions are exchanged"),
]
