"""Wrong answers to exercise 2.5 as readers write them, each with the mistake that must be named."""


def apart(model, slow):
    """(others, slow ones)"""
    gentle = list(getattr(model, slow).parameters())
    return [p for p in model.parameters() if not any(p is own for own in gentle)], gentle


def groups(fast, gentle, rate, factor=0.1):
    return [{"params": fast, "lr": rate}, {"params": gentle, "lr": rate * factor}]


def split(parts):
    """parts(model, slow): (others, slow ones); the rates are right."""
    return lambda model, slow, rate: groups(*parts(model, slow), rate)


def by_name(is_slow):
    """is_slow(name of a parameter, slow)."""

    def parts(model, slow):
        named = list(model.named_parameters())
        return ([p for name, p in named if is_slow(name, slow) == wanted] for wanted in (False, True))

    return split(parts)


def layer_by_layer(model, slow):
    fast = [p for name, child in model.named_children() if name != slow for p in child.parameters()]
    return fast, apart(model, slow)[1]


def looked_up_with_in(model, slow):
    gentle = list(model.get_submodule(slow).parameters())
    return [p for p in model.parameters() if p not in gentle], gentle


def frozen(model, slow, rate):
    fast, gentle = apart(model, slow)
    for p in gentle:
        p.requires_grad_(False)
    return groups(fast, gentle, rate)


WRONG = [
    (split(lambda m, slow: (list(m.parameters()), apart(m, slow)[1])), "the slow parameters are in both groups"),
    (split(layer_by_layer), "a shared table is in both groups"),
    (by_name(lambda name, slow: name.startswith(f"{slow}.")), "a shared table is looked for by one name"),
    (by_name(lambda name, slow: name.startswith(slow)), "layers with a similar name are slow too"),
    (by_name(lambda name, slow: slow in name), "layers with a similar name are slow too"),
    (split(lambda model, slow: apart(model, "embedding")), "always the embedding"),
    (lambda *inputs: split(apart)(*inputs)[1:], "the other parameters are missing"),
    (lambda *inputs: split(apart)(*inputs)[:1], "the slow parameters are missing"),
    (split(lambda m, slow: ([p for p in group if p.dim() == 2] for group in apart(m, slow))), "the biases are missing"),
    (lambda *inputs: split(apart)(*inputs)[::-1], "the groups are in the other order"),
    (lambda model, slow, rate: groups(*apart(model, slow), rate / 10, factor=10), "the rates are wrong"),
    (lambda model, slow, rate: groups(*apart(model, slow), rate, factor=10), "the rates are wrong"),
    (split(lambda m, slow: (apart(m, slow)[0], m.get_submodule(slow).parameters())), "iterators instead of lists"),
    (split(lambda *inputs: (part[::-1] for part in apart(*inputs))), "another order of the parameters"),
    (split(looked_up_with_in), "error"),
    (frozen, "changes its input"),
]
