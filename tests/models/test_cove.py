"""CoVe and the translation it learns from. What every encoder must do is in test_encoders.py."""

import random

import torch

from course_lib.data.records import ParallelPair, Sentence
from course_lib.models.cove import END, CoVe, CoVeConfig, Seq2Seq, Seq2SeqConfig, target_vocabulary
from course_lib.training import fit
from tests.mistakes import mistakes

LETTERS = list("abcdefghijk")  # 11 words
REVERSED = {letter: letter.upper() for letter in LETTERS}


def make_pairs(count: int, seed: int = 0, longest: int = 4) -> list[ParallelPair]:
    """A toy language: the target is the source in capitals, from right to left."""
    draw = random.Random(seed)
    sources = [draw.sample(LETTERS, draw.randint(1, longest)) for _ in range(count)]
    return [ParallelPair(Sentence.of(s), Sentence.of([REVERSED[w] for w in reversed(s)])) for s in sources]


def make_cove(dim: int = 7, hidden: int = 3, dropout: float = 0.2) -> CoVe:
    return CoVe(LETTERS, torch.randn(len(LETTERS), dim), CoVeConfig(dim=dim, hidden=hidden, dropout=dropout))


def make_seq2seq(pairs: list[ParallelPair]) -> Seq2Seq:
    return Seq2Seq(make_cove(), target_vocabulary(pairs), Seq2SeqConfig(dim=5))


SHORT, LONG = (ParallelPair(Sentence.of(s), Sentence.of(t)) for s, t in [(["a", "b"], ["B"]), (LETTERS, ["A"] * 13)])


def test_layers_equal_one_bidirectional_lstm_of_two_layers():
    encoder = make_cove().eval()
    reference = torch.nn.LSTM(7, 3, num_layers=2, bidirectional=True, batch_first=True)
    with torch.no_grad():
        for name, parameter in reference.named_parameters():
            layer = 1 if "_l1" in name else 0
            parameter.copy_(getattr(encoder.layers[layer].lstm, name.replace("_l1", "_l0")))
    batch = encoder.batch([LETTERS])
    output, (hidden, cell) = reference(encoder.static.embedding(batch.ids["words"]))
    layers, states = encoder.read(batch)
    torch.testing.assert_close(layers[2], output)
    torch.testing.assert_close(states[1][0], torch.cat([hidden[2], hidden[3]], 1))
    torch.testing.assert_close(states[0][1], torch.cat([cell[0], cell[1]], 1))
    torch.testing.assert_close(encoder.states(batch).sentence, output.mean(1))


def test_padding_changes_no_loss_and_no_translation():
    model = make_seq2seq([SHORT, LONG]).eval()
    alone = [model.loss(model.batch([pair])) for pair in (SHORT, LONG)]
    together = model.loss(model.batch([SHORT, LONG]))
    assert [int(part["count"]) for part in (*alone, together)] == [2, 14, 16]
    torch.testing.assert_close(together["loss"], (2 * alone[0]["loss"] + 14 * alone[1]["loss"]) / 16)
    sources = [SHORT.source, LONG.source]
    assert model.translate(sources) == [model.translate([source])[0] for source in sources]


def test_a_step_by_hand_gives_the_same_logits():
    """Eq. 2 to 5 for one sentence and two steps, written with plain matrices."""
    model = make_seq2seq([SHORT]).eval()
    batch = model.batch([SHORT])
    logits, weights = model(batch)
    layers, states = model.encoder.read(batch)
    source, adjusted = layers[-1][0], torch.zeros(6)
    states = [(hidden[0], cell[0]) for hidden, cell in states]
    for step in range(2):
        word = model.embedding.weight[batch.labels["target"][0, step]]
        states[0] = model.cells[0](torch.cat([word, adjusted]), states[0])
        states[1] = model.cells[1](states[0][0], states[1])
        hidden = states[1][0]
        expected = (source @ (model.score.weight @ hidden + model.score.bias)).softmax(0)
        adjusted = torch.tanh(model.adjust.weight @ torch.cat([source.T @ expected, hidden]) + model.adjust.bias)
        torch.testing.assert_close(weights[0, step], expected)
        torch.testing.assert_close(logits[0, step], model.output(adjusted))


def test_it_learns_to_reverse_a_toy_language():
    pairs, held_out = make_pairs(499), make_pairs(37, seed=1)
    model = Seq2Seq(make_cove(17, 23, dropout=0.0), target_vocabulary(pairs), Seq2SeqConfig(dim=13, dropout=0.0))
    model.encoder.freeze(["word"])
    table = model.encoder.static.embedding.weight.clone()
    fit(model, model.batches(pairs, 31), epochs=7, learning_rate=1.5e-2, show=False)
    found = model.translate([pair.source for pair in held_out])
    right = sum(words == list(pair.target.words) for words, pair in zip(found, held_out, strict=True))
    assert right >= 33
    assert model.encoder.static.embedding.weight.equal(table)


def test_translation_ends_by_itself_or_at_the_limit_and_puts_the_mode_back():
    model = make_seq2seq([SHORT, LONG]).train()
    sources = [SHORT.source, LONG.source, ["a"]]
    for bias, lengths in ((-1e4, [3, 3, 3]), (1e4, [0, 0, 0])):
        model.output.bias.data[END] = bias
        assert [len(words) for words in model.translate(sources, max_words=3, batch_size=2)] == lengths
    assert model.training


class Script(torch.nn.Module):
    """In place of the output layer: the next words of every row are laid down, step by step."""

    def __init__(self, steps: list[list[int]], n_words: int):
        super().__init__()
        self.steps, self.n_words, self.step = steps, n_words, 0

    def forward(self, adjusted):
        self.step += 1
        return torch.nn.functional.one_hot(torch.tensor(self.steps[self.step - 1]), self.n_words).float()


def test_nothing_follows_the_end_of_a_sentence_while_others_in_its_batch_go_on():
    model = make_seq2seq([SHORT, LONG])
    a, b = (model.vocabulary.index[word] for word in "AB")
    model.output = Script([[a, END, b], [b, a, END], [END, b, a], [a, a, a]], len(model.vocabulary))
    assert model.translate([["a"], ["b"], ["c"]]) == [["A", "B"], [], ["B"]]
    assert model.output.step == 3  # all have ended: no further step


NOTHING = Sentence.of([])
test_mistakes_are_named = mistakes(
    (lambda: make_seq2seq([SHORT]).batch([SHORT, ParallelPair(SHORT.source, NOTHING)]), "targets: sentence 1 of 2 is"),
    (lambda: make_seq2seq([SHORT]).batch([ParallelPair(NOTHING, SHORT.target)]), "sentence 0 of 1 is empty"),
)
