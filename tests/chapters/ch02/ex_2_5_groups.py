"""Wrong answers to exercise 2.5 as readers write them, each with the mistake that must be named."""


def apart(model, slow):
    """(others, slow ones)"""
    gentle = list(getattr(model, slow).parameters())
    return [p for p in model.parameters() if not any(p is own for own in gentle)], gentle


def by_name(model, slow, rate):
    split = {True: [], False: []}
    for name, parameter in model.named_parameters():
        split[name.startswith(f"{slow}.")].append(parameter)
    return [{"params": split[False], "lr": rate}, {"params": split[True], "lr": rate / 10}]


def by_start_of_name(model, slow, rate):
    split = {True: [], False: []}
    for name, parameter in model.named_parameters():
        split[name[: len(slow)] == slow].append(parameter)
    return [{"params": split[False], "lr": rate}, {"params": split[True], "lr": rate / 10}]


def all_and_slow(model, slow, rate):
    layer = getattr(model, slow)
    return [{"params": list(model.parameters()), "lr": rate}, {"params": list(layer.parameters()), "lr": rate * 0.1}]


def layer_by_layer(model, slow, rate):
    fast = []
    for name, child in model.named_children():
        if name != slow:
            fast += list(child.parameters())
    return [{"params": fast, "lr": rate}, {"params": list(getattr(model, slow).parameters()), "lr": rate / 10}]


def part_of_the_name(model, slow, rate):
    fast = [p for name, p in model.named_parameters() if slow not in name]
    gentle = [p for name, p in model.named_parameters() if slow in name]
    return [{"params": fast, "lr": rate}, {"params": gentle, "lr": rate / 10}]


def embedding_by_habit(model, slow, rate):
    fast, gentle = apart(model, "embedding")
    return [{"params": fast, "lr": rate}, {"params": gentle, "lr": rate / 10}]


def slow_group_only(model, slow, rate):
    return [{"params": apart(model, slow)[1], "lr": rate / 10}]


def fast_group_only(model, slow, rate):
    return [{"params": apart(model, slow)[0], "lr": rate}]


def weights_only(model, slow, rate):
    fast, gentle = ([p for p in group if p.dim() == 2] for group in apart(model, slow))
    return [{"params": fast, "lr": rate}, {"params": gentle, "lr": rate / 10}]


def slow_first(model, slow, rate):
    fast, gentle = apart(model, slow)
    return [{"params": gentle, "lr": rate / 10}, {"params": fast, "lr": rate}]


def rates_swapped(model, slow, rate):
    fast, gentle = apart(model, slow)
    return [{"params": fast, "lr": rate / 10}, {"params": gentle, "lr": rate}]


def ten_times(model, slow, rate):
    fast, gentle = apart(model, slow)
    return [{"params": fast, "lr": rate}, {"params": gentle, "lr": rate * 10}]


def parameters_as_they_come(model, slow, rate):
    fast, _ = apart(model, slow)
    return [{"params": fast, "lr": rate}, {"params": model.get_submodule(slow).parameters(), "lr": rate / 10}]


def without_an_order(model, slow, rate):
    fast, gentle = apart(model, slow)
    return [{"params": fast[::-1], "lr": rate}, {"params": gentle[::-1], "lr": rate / 10}]


def looked_up_with_in(model, slow, rate):
    gentle = list(model.get_submodule(slow).parameters())
    fast = [p for p in model.parameters() if p not in gentle]
    return [{"params": fast, "lr": rate}, {"params": gentle, "lr": rate / 10}]


def frozen(model, slow, rate):
    fast, gentle = apart(model, slow)
    for p in gentle:
        p.requires_grad_(False)
    return [{"params": fast, "lr": rate}, {"params": gentle, "lr": rate / 10}]


WRONG = [
    (all_and_slow, "the slow parameters are in both groups"),
    (layer_by_layer, "a shared table is in both groups"),
    (by_name, "a shared table is looked for by one name"),
    (by_start_of_name, "layers with a similar name are slow too"),
    (part_of_the_name, "layers with a similar name are slow too"),
    (embedding_by_habit, "always the embedding"),
    (slow_group_only, "the other parameters are missing"),
    (fast_group_only, "the slow parameters are missing"),
    (weights_only, "the biases are missing"),
    (slow_first, "the groups are in the other order"),
    (rates_swapped, "the rates are wrong"),
    (ten_times, "the rates are wrong"),
    (parameters_as_they_come, "iterators instead of lists"),
    (without_an_order, "another order of the parameters"),
    (looked_up_with_in, "error"),
    (frozen, "changes its input"),
]
