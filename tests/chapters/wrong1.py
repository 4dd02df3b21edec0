"""Wrong answers to the exercises of chapter 1 as readers write them: see `cells.py`."""

import torch


def negative_positions(sentences, window):
    pairs = []
    for s in sentences:
        for i, word in enumerate(s):
            pairs += [(word, other) for other in s[i - window : i] + s[i + 1 : i + 1 + window]]
    return pairs


def softmax_over_drawn(inputs, outputs, centre, context, negatives):
    scores = outputs[[context, *negatives]] @ inputs[centre]
    return torch.nn.functional.cross_entropy(scores[None], torch.tensor([0]))


def empty_sense_counts(scores, senses):
    per_sense = []
    for sense in range(len(scores[0])):
        own = [(row[s] == max(row)) / row.count(max(row)) for row, s in zip(scores, senses, strict=True) if s == sense]
        per_sense.append(sum(own) / len(own) if own else 0.0)
    return sum(per_sense) / len(per_sense)


WRONG = {
    "1.1": [
        ("the window crosses the sentence boundary", " sentences", " [[word for part in sentences for word in part]]"),
        ("the centre is paired with itself", "if j != i:", "if True:"),
        ("one side only", "j != i", "j > i"),
        ("one side only", "j != i", "j < i"),
        ("the window is one too small", "i + window + 1", "i + window"),
        ("the window is one too large", "i - window", "i - window - 1", "window + 1", "window + 2"),
        ("the order is (context, centre)", "(centre, sentence[j])", "(sentence[j], centre)"),
        ("a repeated word is dropped", "j != i", "sentence[j] != centre"),
        ("a slice starts at a negative position", negative_positions),
        (
            "a repeated word is taken for its first occurrence",
            "in enumerate(sentence)",
            "in [(sentence.index(word), word) for word in sentence]",
        ),
        ("another order of the pairs", "return pairs", "return sorted(pairs)"),
        ("a pair is listed once only", "return pairs", "return list({pair: None for pair in pairs})"),
        ("wrong", "return pairs", "return set(pairs)"),
        ("wrong", "pairs.append((centre, sentence[j]))", "yield centre, sentence[j]"),
        ("keeps results of an earlier call", "window: int", "window: int, pairs=[]", "    pairs = []\n", ""),
    ],
    "1.2": [
        ("divides by the vocabulary size", "/ total", "/ len(counts)"),
        ("divides by the vocabulary size", "count**power / total", "(count / len(counts)) ** power"),
        ("the power is missing", "count**power", "count * power"),
        ("the power comes after the shares", "count**power / total", "(count / sum(counts.values())) ** power"),
        ("divides by the total of the plain counts", "sum(count**power", "sum(count"),
        ("the power is fixed", "**power", "**0.75"),
        ("softmax", "count**power", "math.exp(count**power)"),
        ("no division at all", "/ total", ""),
        ("rare words become the most frequent", "**power", "**-power"),
    ],
    "1.3": [
        ("keep and drop are swapped", "max(0.0, 1 - math", "min(1.0, math"),
        ("negative probabilities", "max(0.0, ", "("),
        ("counts instead of frequencies", "* total ", ""),
        ("the square root is missing", "math.sqrt", ""),
        ("the fraction is upside down", "threshold * total / count", "count / total / threshold"),
        ("the formula of the C program", "/ count)", "/ count) - threshold * total / count"),
        ("divides by the vocabulary size", "sum(counts.values())", "len(counts)"),
    ],
    "1.4": [
        ("the negatives have the wrong sign", "-outputs[negatives]", "outputs[negatives]"),
        ("the mean over the negatives", ".sum()", ".mean()"),
        ("the sigmoid is applied twice", "F.logsigmoid(", "F.logsigmoid(torch.sigmoid(", "vector)", "vector))"),
        ("one table for both", "outputs[", "inputs["),
        ("a softmax over the drawn words", softmax_over_drawn),
        ("the sign of the whole loss", "-(positive", "(positive"),
        ("the logarithm of a sigmoid that became 0", "F.logsigmoid", "torch.log(torch.sigmoid", "vector)", "vector))"),
        ("the tables are swapped", "inputs: torch.Tensor, outputs", "outputs: torch.Tensor, inputs"),
        ("the logarithm is missing", "F.logsigmoid", "torch.sigmoid"),
        ("the negatives are left out", "(positive + negative)", "positive"),
        ("the negatives are compared with the context", "[negatives] @ vector", "[negatives] @ outputs[context]"),
        ("a drawn negative is thrown out", "outputs[negatives]", "outputs[[k for k in negatives if k != context]]"),
        ("a drawn negative is thrown out", "outputs[negatives]", "outputs[[k for k in negatives if k != centre]]"),
        ("a drawn negative is thrown out", "outputs[negatives]", "outputs[sorted(set(negatives))]"),
        ("a sigmoid is missing", "F.logsigmoid(outputs[context]", "torch.log(outputs[context]"),
        ("a sigmoid is missing", "F.logsigmoid", "torch.log"),
    ],
    "1.5": [
        ("the dot product is not normalised", "/ vectors.norm(dim=1, keepdim=True)", ""),
        ("the word itself is in the list", "cosine[word] = -torch.inf", ""),
        ("the furthest words", "unit @ unit[word]", "-unit @ unit[word]"),
        ("the furthest words", "tolist()", "tolist()[::-1]"),
        ("one neighbour too few", "cosine[word] = -torch.inf", "", ".tolist()", "[1:].tolist()"),
        ("Euclidean distance", "unit @ unit[word]", "-torch.cdist(vectors, vectors[[word]])[:, 0]"),
        ("similarities instead of ids", "indices", "values"),
        (
            "the word itself is in the list",
            "cosine[word] = -torch.inf",
            "",
            ".topk(k).indices",
            ".topk(k + 1).indices[1:]",
        ),
        (
            "the word itself is in the list",
            "cosine[word] = -torch.inf",
            "",
            "cosine.topk(k).indices",
            "(-cosine).argsort(stable=True)[1 : k + 1]",
        ),
        ("the word itself can win again", "-torch.inf", "0"),
        ("the word itself can win again", "-torch.inf", "-1"),
        (
            "the ids are those of a shorter table",
            "cosine[word] = -torch.inf",
            "cosine = torch.cat([cosine[:word], cosine[word + 1 :]])",
        ),
        ("wrong", "cosine[word] = -torch.inf", "cosine[cosine > 1 - 1e-6] = -torch.inf"),
        ("normalised along the wrong axis", "dim=1", "dim=0"),
        ("the sign of the cosine is lost", "unit @ unit[word]", "(unit @ unit[word]).abs()"),
    ],
    "1.6": [
        ("the sign is swapped: b - a + c", "unit[a] - unit[b]", "unit[b] - unit[a]"),
        ("the sign is swapped: a + b - c", "unit[b] + unit[c]", "unit[c] + unit[b]"),
        ("the inputs are not excluded", "cosine[[a, b, c]] = -torch.inf", ""),
        ("only one input is excluded", "[[a, b, c]]", "[c]"),
        ("only one input is excluded", "[[a, b, c]]", "[b]"),
        ("only two inputs are excluded", "[[a, b, c]]", "[[a, b]]"),
        ("only two inputs are excluded", "[[a, b, c]]", "[[a, c]]"),
        ("only two inputs are excluded", "[[a, b, c]]", "[[b, c]]"),
        ("the inputs can win again", "-torch.inf", "0"),
        (
            "the id is that of a shorter table",
            "cosine[[a, b, c]] = -torch.inf",
            "cosine = torch.stack([x for i, x in enumerate(cosine) if i not in (a, b, c)])",
        ),
        (
            "the sign of the cosine is lost",
            "cosine[[a, b, c]] = -torch.inf",
            "cosine[[a, b, c]] = 0",
            "cosine.arg",
            "cosine.abs().arg",
        ),
        (
            "the vectors are not brought to length 1 before the sum",
            "(unit[a] - unit[b] + unit[c])",
            "(vectors[a] - vectors[b] + vectors[c])",
        ),
        ("the dot product is not normalised", "/ vectors.norm(dim=1, keepdim=True)", ""),
        ("the least similar word", "argmax", "argmin", "-torch.inf", "torch.inf"),
        ("a similarity instead of an id", "int(cosine.argmax())", "float(cosine.max())"),
    ],
    "1.7": [
        ("ties count as right", "(sense in tied) / len(tied)", "sense in tied"),
        ("ties count as wrong", "(sense in tied) / len(tied)", "tied == [sense]"),
        ("the first of the tied senses wins", "(sense in tied) / len(tied)", "sense == tied[0]"),
        (
            "not balanced",
            "sum(sum(shares) / len(shares) for shares in credit.values()) / len(credit)",
            "sum(map(sum, credit.values())) / len(senses)",
        ),
        (
            "the first of the tied senses wins, and not balanced",
            "(sense in tied) / len(tied)",
            "sense == tied[0]",
            "sum(sum(shares) / len(shares) for shares in credit.values()) / len(credit)",
            "sum(map(sum, credit.values())) / len(senses)",
        ),
        ("senses that never occur are averaged in", empty_sense_counts),
        ("ties count as right, and not balanced", "/ len(tied)", "", "/ len(shares)", "", "(credit)", "(senses)"),
        (
            "one of the tied senses is chosen",
            "(sense in tied) / len(tied)",
            "sense == random.choice(tied)",
            "    credit = {}\n",
            "    import random\n\n    credit = {}\n",
        ),
        ("one of the tied senses is chosen", "(sense in tied) / len(tied)", "sense == tied[-1]"),
        (
            "wrong",
            "credit.setdefault(sense, []).append((sense in tied) / len(tied))",
            "credit.setdefault(sense, []).extend([sense in tied] if len(tied) == 1 else [])",
            "/ len(shares)",
            "/ max(1, len(shares))",
        ),
        ("a tie is shared among all senses", "/ len(tied)", "/ (len(row) if len(tied) > 1 else 1)"),
    ],
}
