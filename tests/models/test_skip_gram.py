"""Skip-gram: gradients against a loop over pairs and against autograd, what is sampled, what is learnt, bad input."""

import math
from unittest.mock import Mock

import pytest
import torch

import course_lib.models.skip_gram_trainer as trainer
from course.by_hand.skip_gram import pairs as all_pairs
from course_lib.errors import CourseError
from course_lib.models.skip_gram import (
    SkipGram,
    SkipGramConfig,
    WordPairs,
    keep_probability,
    negative_distribution,
)
from course_lib.models.skip_gram_trainer import (
    Layout,
    NegativeSamplingStep,
    SoftmaxStep,
    encode_sentences,
    random_windows,
    thin_out,
    train_skip_gram,
)
from course_lib.text.vocabulary import Vocabulary
from tests.mistakes import mistakes


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def train(sentences, config, **options) -> SkipGram:
    return train_skip_gram(sentences, config, device="cpu", progress=False, **options)


def log_sigma(x: float) -> float:
    return -math.log1p(math.exp(-x))


def small_model(objective: str, n_words: int = 13) -> SkipGram:
    vocabulary = Vocabulary([f"w{i}" for i in range(n_words)], [5000, *range(101, 100 + n_words)])
    model = SkipGram(SkipGramConfig(dim=5, window=3, negatives=2, objective=objective, sample=0), vocabulary)
    torch.nn.init.normal_(model.output.weight)
    return model.double()


@pytest.mark.parametrize("objective", ["negative", "softmax"])
def test_a_whole_step_goes_down_the_gradient_of_the_models_own_loss(objective):
    """The step's pairs and negatives, listed one by one, through SkipGram.loss and autograd: the same change."""
    model = small_model(objective)
    keep = torch.ones(13)
    step = (NegativeSamplingStep if objective == "negative" else SoftmaxStep)(model, keep)
    text = encode_sentences([[f"w{(7 * i + k * k) % 13}" for i in range(29)] for k in range(41)], model.vocabulary)
    blocks = thin_out(text, keep, step.layout, generator())
    ids, sentence = blocks[0]
    chunks, chunk, window = step.layout.chunks, step.layout.chunk, step.layout.window

    own = generator(3)  # the draws of the step, in its order
    drawn = model.draw_negatives((chunks, 16), own) if objective == "negative" else None
    pairs = random_windows(sentence, step.layout, own)
    in_chunk, i, j = pairs.nonzero(as_tuple=True)
    centres, contexts = ids[in_chunk * chunk + window + i], ids[in_chunk * chunk + j]
    if objective == "negative":
        # all 16 shared negatives of the chunk, weighted 2 / 16 each
        score = (model.input(centres)[:, None] * model.output(drawn[in_chunk])).sum(-1)
        true = (model.input(centres) * model.output(contexts)).sum(-1)
        logsigmoid = torch.nn.functional.logsigmoid
        loss = -(logsigmoid(true).sum() + 2 / 16 * logsigmoid(-score).sum())
    else:
        loss = model.softmax_loss(centres, contexts) * len(centres)
    gradients = torch.autograd.grad(loss, [model.input.weight, model.output.weight])
    before = [model.input.weight.detach().clone(), model.output.weight.detach().clone()]
    reported = step(blocks[0], 1e-4, generator(3), want_loss=True)
    assert reported == pytest.approx(float(loss.detach()) / len(centres), rel=1e-9)
    for table, old, gradient, cap in zip(
        (model.input.weight, model.output.weight), before, gradients, (step.input_cap, step.output_cap), strict=True
    ):
        assert cap[0] < cap[5] == 1  # the frequent word is slowed down, the others are not
        torch.testing.assert_close(table.detach(), old - 1e-4 * cap[:, None] * gradient, rtol=0, atol=1e-12)


def test_loss_for_fit_is_the_mean_per_pair():
    model = small_model("negative")
    batch = WordPairs(torch.tensor([1, 2]), torch.tensor([3, 3]), torch.tensor([[4, 5], [6, 4]]))
    v, u = model.input.weight.detach(), model.output.weight.detach()
    by_hand = -sum(  # over (centre, context, negatives)
        log_sigma(float(v[i] @ u[j])) + sum(log_sigma(-float(v[i] @ u[k])) for k in drawn)
        for i, j, drawn in [(1, 3, (4, 5)), (2, 3, (6, 4))]
    )
    losses = model.loss(batch.to("cpu"))
    assert losses["count"] == 2
    assert losses["loss"].item() == pytest.approx(by_hand / 2, rel=1e-9)
    assert model.loss(WordPairs(batch.centres, batch.contexts))["loss"].requires_grad


def test_a_context_at_distance_k_counts_with_probability_w_minus_k_plus_1_over_w():
    layout = Layout(chunks=2000, chunk=3, window=5)
    sentence = torch.zeros(layout.centres + 10, dtype=torch.int32)
    share = random_windows(sentence, layout, generator()).float().mean(0)  # [centre, context]
    for i in range(3):
        for j in range(13):
            distance = abs(j - (i + 5))
            expected = (5 - distance + 1) / 5 if 1 <= distance <= 5 else 0.0
            # 2000 draws: four standard errors are at most 0.045
            assert share[i, j] == pytest.approx(expected, abs=0.045 if 0 < expected < 1 else 0)


def test_pairs_stay_within_their_sentence_and_out_of_the_filling():
    vocabulary, layout = Vocabulary(list("abcdefg"), [1] * 7), Layout(chunks=2, chunk=5, window=3)
    text = encode_sentences([["a", "b", "unknown", "c"], ["d"], ["e", "f", "g"]], vocabulary)
    blocks = thin_out(text, torch.ones(7), layout, generator())
    assert len(blocks) == 1
    ids, sentence = blocks[0]
    found = set()
    for seed in range(50):
        chunk, i, j = random_windows(sentence, layout, generator(seed)).nonzero(as_tuple=True)
        pairs = zip(ids[chunk * 5 + 3 + i].tolist(), ids[chunk * 5 + j].tolist(), strict=True)
        found |= {(vocabulary.words[a], vocabulary.words[b]) for a, b in pairs}
    assert found == {pair for words in (list("abc"), list("efg")) for pair in all_pairs(words, 3)}


def test_keep_probability_is_the_programs_rule_not_the_papers():
    counts = torch.tensor([60_000, 1_000, 10, 938_990])
    keep = keep_probability(counts, 1e-3)
    assert keep.tolist() == pytest.approx(
        [(1 / 60) ** 0.5 + 1 / 60, 1.0, 1.0, (1e-3 / 0.93899) ** 0.5 + 1e-3 / 0.93899]
    )
    assert keep[0] == pytest.approx(0.1458, abs=1e-4)  # "the" stays in one case of seven, not in 97 of 100
    assert keep_probability(counts, 0).tolist() == [1.0] * 4


def test_the_text_is_thinned_at_those_rates():
    counts = [20_000, 3_000, 700]
    vocabulary = Vocabulary(["a", "b", "c"], counts)
    text = encode_sentences([["a"] * 20_000, ["b"] * 3_000, ["c"] * 700], vocabulary)
    keep = keep_probability(torch.tensor(counts), 0.02)
    blocks = thin_out(text, keep, Layout(1, 16, 2), generator())
    left = torch.bincount(blocks.ids[blocks.sentence >= 0])
    for count, kept, probability in zip(counts, left.tolist(), keep.tolist(), strict=True):
        error = 4 * math.sqrt(count * probability * (1 - probability)) + 1e-9
        assert kept == pytest.approx(count * probability, abs=error)


def test_negatives_follow_the_count_to_the_three_quarters(monkeypatch):
    counts = [90, 10, 0, 1]
    expected = torch.tensor(counts).double() ** 0.75
    expected /= expected.sum()
    torch.testing.assert_close(negative_distribution(torch.tensor(counts)).double(), expected, rtol=0, atol=1e-6)
    two = negative_distribution(torch.tensor([90, 10]))
    assert two.tolist() == pytest.approx([0.839, 0.161], abs=1e-3)
    assert negative_distribution(torch.tensor([5, 0, 1]), power=0).tolist() == [0.5, 0.0, 0.5]

    model = SkipGram(SkipGramConfig(), Vocabulary(["a", "b", "c", "d"], counts))
    draws = torch.bincount(model.draw_negatives((100, 700), generator()).flatten(), minlength=4) / 70_000
    assert draws[2] == 0  # never seen, never drawn
    torch.testing.assert_close(draws.double(), expected, rtol=0, atol=4 * 0.5 / 70_000**0.5)
    edge = SkipGram(SkipGramConfig(), Vocabulary(["never", "a", "b", "nor this"], [0, 3, 4, 0]))
    for uniform, word in [(0.0, 1), (1 - 2**-24, 2)]:
        monkeypatch.setattr(torch, "rand", lambda *shape, value=uniform, **_: torch.full(shape, value))
        assert edge.draw_negatives((1,)).tolist() == [word]


@pytest.mark.parametrize(("window", "negatives", "shared"), [(5, 5, 16), (10, 15, 53)])  # 16 * 11 * 15 / 50 = 52.8
def test_large_windows_and_many_negatives_draw_more_so_that_no_row_gets_a_burst(window, negatives, shared):
    model = SkipGram(SkipGramConfig(window=window, negatives=negatives), Vocabulary(["a", "b"], [1, 1]))
    assert NegativeSamplingStep(model, torch.ones(2)).shared == shared


def test_no_row_leaps_in_the_full_softmax():
    model = small_model("softmax")
    step = SoftmaxStep(model, torch.ones(13))
    text = encode_sentences([[f"w{i % 13}" for i in range(101)]], model.vocabulary)
    tables = model.input.weight, model.output.weight
    before = torch.cat(tables).detach()
    step(thin_out(text, torch.ones(13), step.layout, generator())[0], 1.0, generator(), want_loss=False)
    moves = (torch.cat(tables).detach() - before).norm(dim=1)
    assert float(moves.max()) == pytest.approx(0.3)
    assert moves.min() > 0


def synonym_text(n_sentences: int = 3000, *, seed: int = 0, shuffled: bool = False) -> list[list[str]]:
    """Eleven topics of seven words; in each a pair of synonyms that never meet: each sentence has one or the other."""
    own = generator(seed)
    sentences = []
    for _ in range(n_sentences):
        topic = int(torch.randint(11, (), generator=own))
        words = [f"t{topic}w{int(i)}" for i in torch.randint(7, (6,), generator=own)]
        words[int(torch.randint(6, (), generator=own))] = f"t{topic}{'ab'[int(torch.randint(2, (), generator=own))]}"
        sentences.append(words)
    if shuffled:
        words = [word for sentence in sentences for word in sentence]
        order = torch.randperm(len(words), generator=own).tolist()
        sentences = [[words[k] for k in order[i : i + 6]] for i in range(0, len(words), 6)]
    return sentences


def synonyms_found(model: SkipGram) -> int:
    """In how many of the 11 topics a's nearest words (8: the rest of its topic) hold b."""
    vectors = model.word_vectors()
    return sum(f"t{t}b" in [word for word, _ in vectors.neighbours(f"t{t}a", k=8)] for t in range(11))


@pytest.mark.parametrize("objective", ["negative", "softmax"])
def test_words_in_the_same_company_become_neighbours_and_in_shuffled_text_do_not(objective):
    config = SkipGramConfig(dim=23, window=3, sample=0, min_count=1, epochs=8, objective=objective)
    learnt = train(synonym_text(), config)
    assert synonyms_found(learnt) >= 10
    control = train(synonym_text(shuffled=True), config)
    assert synonyms_found(control) <= 5  # by chance 11 * 8 / 98 = 0.9


def test_one_thread_and_a_seed_give_the_same_bits():
    text, config = synonym_text(300), SkipGramConfig(dim=7, min_count=1, sample=0.01, epochs=2)

    def run(seed, **options):
        model = train(text, config, seed=seed, **options)
        return torch.cat([model.input.weight, model.output.weight])

    torch.manual_seed(5)
    first = run(3, threads=1)
    after = torch.rand(1)
    torch.manual_seed(7)
    assert torch.equal(first, run(3, threads=1))
    assert not torch.equal(first, run(4, threads=1))
    assert not torch.equal(first, torch.zeros_like(first))
    torch.manual_seed(5)
    assert torch.equal(after, torch.rand(1))  # the caller's random numbers are untouched


def test_an_interrupt_goes_on_to_the_caller_and_the_number_of_threads_is_restored(monkeypatch):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        for owner, name in ((trainer.Progress, "update"), (NegativeSamplingStep, "__call__")):  # here, and in a worker
            with monkeypatch.context() as patched:
                patched.setattr(owner, name, Mock(side_effect=KeyboardInterrupt))
                with pytest.raises(KeyboardInterrupt):
                    train(synonym_text(50), SkipGramConfig(dim=3, min_count=1, sample=0, epochs=500))
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_the_bar_sees_words_and_a_falling_loss(monkeypatch):
    seen = []
    monkeypatch.setattr(trainer.Progress, "update", lambda self, done, **notes: seen.append((done, notes["loss"])))
    text = synonym_text(1500)
    train(text, SkipGramConfig(dim=13, min_count=1, sample=0, epochs=6))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] == 6 * 1500 * 6
    assert seen[-1][1] < 6 * math.log(2) - 0.3  # below the loss of knowing nothing


def test_records_generators_and_a_given_vocabulary():
    from course_lib.data.records import Sentence

    config = SkipGramConfig(dim=3, min_count=2, epochs=1)
    records = [Sentence.of(["pear", "tree"]), Sentence.of(["pear", "tree", "orchard"])]
    for sentences in (records, iter(records), (list(record.words) for record in records)):
        assert train(sentences, config).vocabulary.words == ("pear", "tree")
    vocabulary = Vocabulary(["orchard", "tree"], [1, 2])
    model = train(records, config, vocabulary=vocabulary)
    assert model.word_vectors().words == ["orchard", "tree"]
    assert model.output_vectors().counts == [1, 2]


def test_a_vocabulary_of_one_word():
    model = train([["a"] * 50], SkipGramConfig(dim=3, sample=0))
    assert model.word_vectors().words == ["a"]
    assert model.input.weight.isfinite().all()


def test_diverged_training_is_an_error_not_nan(monkeypatch):
    monkeypatch.setattr("torch.nn.init.uniform_", lambda table, low, high: torch.nn.init.constant_(table, math.inf))
    model = train([["a", "b"] * 20], SkipGramConfig(dim=3))
    with pytest.raises(CourseError, match=r"NaN or infinity.*smaller learning rate"):
        model.word_vectors()


def learn(sentences=(("a", "b"),), vocabulary=None, threads=2, **settings):
    return lambda: train(sentences, SkipGramConfig(**settings), vocabulary=vocabulary, threads=threads)


test_what_cannot_be_learnt_is_said = mistakes(
    (learn([]), "no word to learn"),
    (learn([["rare"]]), "min_count=5"),
    (learn([["a"]] * 9), "none of 9 sentences holds two"),
    (learn(["one", "two"]), "not a list of words"),
    (learn(vocabulary=Vocabulary(["c"], [1])), "holds two of the 1 words"),
)
