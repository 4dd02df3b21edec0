"""Wrong answers to the exercises of chapter 2 as readers write them: see `cells.py`."""

WRONG = {
    "2.2": r"""
the last occurrence overwrites the others :: gradient.index_add(0, ids.flatten(), output_gradient.flatten(0, -2))
    => gradient.index_put((ids,), output_gradient)
only the first occurrence counts :: gradient.index_add(0, ids.flatten(), output_gradient.flatten(0, -2))
    => gradient.index_put((ids.flatten().flip(0),), output_gradient.flatten(0, -2).flip(0))
the mean over the occurrences :: flatten(0, -2))
    => flatten(0, -2)) / ids.flatten().bincount(minlength=vocabulary_size).clamp(min=1)[:, None]
the last occurrence overwrites the others :: return gradient.index_add(0, ids.flatten(), output_gradient.flatten(0, -2))
    => for i, row in zip(ids, output_gradient):\n        gradient[i] += row\n    return gradient
divided by the number of places :: flatten(0, -2)) => flatten(0, -2)) / len(ids.flatten())
divided by the number of places :: flatten(0, -2)) => flatten(0, -2)) / len(ids)
wrong :: gradient.index_add(0, ids.flatten(), output_gradient.flatten(0, -2))
    => torch.stack([torch.cat([output_gradient[ids == i], gradient[:1]]).amax(0) for i in range(len(gradient))])
unused rows are left out :: flatten(0, -2)) => flatten(0, -2))[sorted(set(ids.flatten().tolist()))]
every row gets the whole gradient :: gradient.index_add(0, ids.flatten(), output_gradient.flatten(0, -2))
    => gradient + output_gradient.flatten(0, -2).sum(0)
row 0 gets no gradient :: output_gradient.flatten => (output_gradient * (ids != 0)[..., None]).flatten
the sign is turned :: return gradient.index_add => return 0 - gradient.index_add
""",
    "2.3": r"""
a word that just reaches the limit is lost :: counts[word] >= min => counts[word] > min
the limit is one too low :: counts[word] >= min_count => 0 < counts[word] >= min_count - 1
the text is counted too :: in train_sentences => in [*train_sentences, text]
only the text is counted :: in train_sentences => in [text]
unknown words are dropped :: [word if counts[word] >= min_count else "[UNK]" for word in text]
    => [word for word in text if counts[word] >= min_count]
new words stay as they are :: counts[word] >= min_count => counts[word] == 0 or counts[word] >= min_count
rare words are kept :: counts[word] >= min_count => word in counts
sentences are counted, not occurrences :: for word in sentence) => for word in set(sentence))
capitals are lost :: (word for => (word.lower() for :: [word] >= => [word.lower()] >=
capitals are lost :: counts[word] >= => max(counts[word], counts[word.lower()]) >=
each sentence is counted alone :: counts[word] >= => max(sentence.count(word) for sentence in train_sentences) >=
each sentence is counted alone :: Counter(word for sentence in train_sentences for word in sentence)
    => Counter(train_sentences[-1])
capitals are lost :: (word for => (word.lower() for :: [word if counts[word] => [word.lower() if counts[word.lower()]
""",
    "2.4": r"""
no fall-back to lower case :: word.lower() => word
lower case first :: word if word in pretrained else =>
lower case first :: word if word in pretrained else word.lower() => word.lower() if word.lower() in pretrained else word
the rows of the noise are used up in turn :: for i, => rows = iter(table.clone())\n    for i,
    :: table[i] = pretrained[form] => table[i] = pretrained[form]\n        else:\n            table[i] = next(rows)
the noise keeps its spread :: noise * spread => noise.clone()
the variance instead of the standard deviation :: noise * spread => noise * spread**2
one spread per dimension :: .std() => .std(0)
the mean of the vectors' spreads :: .std() => .std(1).mean()
another standard deviation :: .std() => .numpy().std() :: noise * spread => noise * float(spread)
unknown words start at zero :: noise * spread => torch.zeros_like(noise)
unknown words share the mean :: noise * spread => (sum(pretrained.values()) / len(pretrained)).repeat(len(noise), 1)
known rows are scaled too :: noise * spread => noise.clone() :: return table => return table * spread
the order of the pre-trained words :: in enumerate(vocabulary): => in zip(range(len(table)), pretrained, strict=False):
the noise is divided by its own spread :: noise * spread => noise / noise.std() * spread
a lower-case word gets a capitalised word's vector :: for i,
    => low = {known.lower(): vector for known, vector in pretrained.items()}\n    for i, :: if form in pretrained:
    => if word.lower() in low: :: pretrained[form] => pretrained.get(word, low[word.lower()])
a lower-case word gets a capitalised word's vector :: for i,
    => pretrained = {known.lower(): vector for known, vector in pretrained.items()}\n    for i,
changes its input :: table = noise * spread => table = noise.mul_(spread)
""",
    "2.5": r"""
the slow parameters are in both groups :: if id(parameter) not in slow_ids =>
a shared table is in both groups :: for parameter in model.parameters() if id(parameter) not in slow_ids
    => for name, layer in model.named_children() if name != slow for parameter in layer.parameters()
a shared table is looked for by one name :: list(model.get_submodule(slow).parameters())
    => [p for name, p in model.named_parameters() if name.startswith(f"{slow}.")]
layers with a similar name are slow too :: list(model.get_submodule(slow).parameters())
    => [p for name, p in model.named_parameters() if name.startswith(slow)]
layers with a similar name are slow too :: list(model.get_submodule(slow).parameters())
    => [p for name, p in model.named_parameters() if slow in name]
always the embedding :: get_submodule(slow) => get_submodule("embedding")
the other parameters are missing :: {"params": others, "lr": rate}, =>
the slow parameters are missing :: , {"params": slow_parameters, "lr": rate / 10} =>
the biases are missing :: model.get_submodule(slow).parameters()
    => p for p in model.get_submodule(slow).parameters() if p.dim() == 2 :: id(parameter) not in slow_ids
    => id(parameter) not in slow_ids and parameter.dim() == 2
frozen parameters are missing :: if id(parameter) not in slow_ids
    => if id(parameter) not in slow_ids and parameter.requires_grad :: list(model.get_submodule(slow).parameters())
    => [p for p in model.get_submodule(slow).parameters() if p.requires_grad]
error :: model.get_submodule(slow) => getattr(model, slow)
the groups are in the other order :: rate / 10}] => rate / 10}][::-1]
parameters are compared by their numbers :: id(parameter) not in slow_ids
    => not any(parameter.equal(slow) for slow in slow_parameters)
the bias of the slow layer is forgotten :: list(model.get_submodule(slow).parameters())
    => [model.get_submodule(slow).weight]
the bias of the slow layer is forgotten :: "params": slow_parameters => "params": slow_parameters[:1]
copies instead of the parameters :: [parameter for parameter => [parameter.data for parameter :: slow_parameters,
    => [p.data for p in slow_parameters],
wrong :: "params": others, "lr" => "params": others, "rate"
the rates are wrong :: "lr": rate => "lr": 2 * rate
the rates are wrong :: rate / 10 => rate * 10
iterators instead of lists :: "params": slow_parameters => "params": iter(slow_parameters)
another order of the parameters :: return [ => return [{**g, 'params': g['params'][::-1]} for g in [ :: 10}] => 10}]]
looked for by `in` :: id(parameter) not in slow_ids => parameter not in slow_parameters
changes its input :: parameters())\n => requires_grad_(False).parameters())\n
""",
    "2.7": r"""
padding is read :: torch.where(real[:, k, None], new, state) => new
the mask is turned round :: new, state) => state, new)
the result holds zeros at padding :: new, state) => new, 0.0)
padding is hidden only in the result :: torch.where(real[:, k, None], new, state) => new :: states[k] = state
    => states[k] = state * real[:, k, None]
the result holds zeros at padding :: states[k] = state => states[k] = state * real[:, k, None]
padding is read as zeros :: x[:, k] @ W => (x[:, k] * real[:, k, None]) @ W :: torch.where(real[:, k, None], new, state)
    => new
the sentences are turned round, and the mask is not :: where(real[:, k => where(real[:, -1 - k if backward else k
the state before the word :: state = torch.where => before = state\n        state = torch.where :: states[k] = state
    => states[k] = before
the last state everywhere :: state = torch.where(real[:, k, None], new, state)
    => state.copy_(torch.where(real[:, k, None], new, state))
the states stand in the order of reading :: [states[k] for k in positions] => list(states.values())
always forward :: reversed(positions) if backward else positions => positions
always backward :: if backward else positions =>
the states are turned, not the reading :: reversed(positions) if backward else positions => positions
    :: for k in positions] => for k in (reversed(positions) if backward else positions)]
the state before is forgotten :: + state @ U =>
no tanh :: torch.tanh =>
another activation :: torch.tanh => torch.sigmoid
the bias is missing :: U + b) => U)
U is turned :: state @ U => state @ U.T
the new state is added to the old one :: new = torch => new = state + torch
""",
}
