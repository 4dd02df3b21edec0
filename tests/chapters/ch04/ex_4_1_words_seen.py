"""Wrong answers to exercise 4.1 as readers write them, each with the mistake that must be named."""


def everything(n_words):
    return {*range(n_words)}, {*range(n_words)}


def always_separate(n_words, k, layer, stacked):
    if layer == 0:
        return {k}, {k}
    return {i for i in range(n_words) if i <= k}, {i for i in range(n_words) if i >= k}


def all_if(sees):
    """sees(layer, stacked)"""

    def answer(n_words, k, layer, stacked):
        return everything(n_words) if sees(layer, stacked) else always_separate(n_words, k, layer, stacked)

    return answer


def shifted(by):
    """Each direction stops `by` words after its own word."""

    def answer(n_words, k, layer, stacked):
        if layer == 0:
            return {k}, {k}
        if stacked and layer >= 2:
            return everything(n_words)
        return {*range(k + 1 + by)}, {*range(max(0, k - by), n_words)}

    return answer


WRONG = [
    (always_separate, "a stacked network seen as two separate ones"),
    (all_if(lambda layer, stacked: stacked and layer > 0), "a stacked network leaks from layer 1 on"),
    (all_if(lambda layer, stacked: layer >= 2), "ELMo's directions meet in layer 2"),
    (all_if(lambda layer, stacked: layer != 0), "every bidirectional network sees everything"),
    (shifted(-1), "a state has not read its own word"),
    (shifted(1), "a state has read its target"),
    (lambda n_words, k, layer, stacked: shifted(0)(n_words, k, layer or 1, stacked), "layer 0 is taken for a state"),
    (lambda *inputs: shifted(0)(*inputs)[::-1], "the directions are exchanged"),
]
