"""The systems that the reader builds, against the library's, PyTorch's and brute force."""

import copy

import pytest
import torch
from torch import nn

import course_lib
from course.by_hand import bert, classifier, elmo, heads, language_model, skip_gram, tagger, transformer, ulmfit
from course_lib.models.skip_gram import SkipGram, SkipGramConfig
from course_lib.text.vocabulary import Vocabulary


@pytest.mark.parametrize("k", [1, 5])
def test_the_loss_is_the_librarys(k):
    mine = skip_gram.SkipGram(11, 7)
    theirs = SkipGram(SkipGramConfig(dim=7), Vocabulary([f"w{i}" for i in range(11)], counts=[1] * 11))
    for own, other in ((mine.v, theirs.input), (mine.u, theirs.output)):
        nn.init.normal_(own.weight)
        other.weight.data.copy_(own.weight)
    centre, context, negatives = torch.randint(11, (13,)), torch.randint(11, (13,)), torch.randint(11, (13, k))
    torch.testing.assert_close(mine(centre, context, negatives), theirs.negative_loss(centre, context, negatives))


def test_skip_gram_begins_at_log_two_for_each_question_and_learns():
    torch.manual_seed(0)
    text = torch.randint(0, 5, (400,)) * 2  # even words stand beside even words only
    odd = torch.randint(0, 5, (400,)) * 2 + 1
    pairs = torch.tensor([pair for row in (text, odd) for pair in skip_gram.pairs(row.tolist(), 2)])
    model = skip_gram.SkipGram(10, 6)
    losses = skip_gram.train(model, pairs, torch.full((10,), 80), epochs=12, batch_size=64)
    assert losses[0] == pytest.approx(6 * torch.tensor(2.0).log().item(), abs=1e-5)
    assert len(losses) == 12 * -(-len(pairs) // 64)
    assert sum(losses[-20:]) < 0.85 * sum(losses[:20])
    v = nn.functional.normalize(model.v.weight.detach(), dim=1)
    assert (v @ v.T)[0, 2::2].min() > (v @ v.T)[0, 1::2].max()


def test_the_rnn_is_pytorchs():
    mine, theirs = classifier.RNN(5, 7), nn.RNN(5, 7, batch_first=True)
    theirs.weight_ih_l0.data.copy_(mine.W.weight)
    theirs.weight_hh_l0.data.copy_(mine.U.weight)
    theirs.bias_ih_l0.data.copy_(mine.W.bias)
    theirs.bias_hh_l0.data.zero_()
    x = torch.randn(3, 11, 5)
    torch.testing.assert_close(mine(x), theirs(x)[0])


def test_a_classifier_learns_what_needs_the_word_before_only_with_an_rnn():
    ids = torch.randint(3, (50, 9), generator=torch.Generator().manual_seed(1))
    labels = torch.cat([torch.full((50, 1), -100), ids[:, :-1]], 1)  # the label is the word before
    right = {}
    for hidden in (0, 13):
        torch.manual_seed(0)
        model = classifier.Classifier(3, 5, 3, hidden)
        losses = classifier.train(model, ids, labels)
        assert len(losses) == 400
        right[hidden] = (model(ids).argmax(-1) == labels)[:, 1:].float().mean()
    assert right[0] < 0.5 < 0.99 < right[13]


def test_parameter_groups_have_their_own_rates():
    torch.manual_seed(0)
    model, ids = classifier.Classifier(7, 5, 3), torch.randint(7, (20, 4))
    before = model.embedding.weight.clone()
    groups = [{"params": model.output.parameters()}, {"params": model.embedding.parameters(), "lr": 0.0}]
    classifier.train(model, ids, torch.randint(3, (20, 4)), groups, steps=3)
    assert torch.equal(model.embedding.weight, before)


def test_a_language_model_learns_the_next_word_and_its_states_are_blind_to_what_comes():
    torch.manual_seed(0)
    text = torch.arange(2_000) % 13
    model = language_model.LanguageModel(13, 11)
    losses = language_model.train(model, text, steps=300, length=7)
    assert losses[-1] < 0.2 < 2 < losses[0]
    other = language_model.LanguageModel(13, 11)
    ids = torch.tensor([0, 5, 3, 8, 1, 0])
    changed = ids.clone()
    changed[3] = 2
    states, moved = (language_model.both_ways(model, other, row) for row in (ids, changed))
    assert states.shape == (3, 4, 22)
    same = torch.isclose(states, moved, atol=1e-7)
    ahead, back = same[:, :, :11].all(-1), same[:, :, 11:].all(-1)  # [layer, word]; word 2 was changed
    assert torch.cat([ahead[:, :2], back[:, 3:]], 1).all()  # the blind sides
    assert torch.cat([ahead[0, 3:], back[0, :2]]).all()  # a table's row is the word's own
    assert not torch.cat([part.flatten() for part in (ahead[:, 2], back[:, 2], ahead[1:, 3], back[1:, :2])]).any()


@pytest.mark.parametrize("lm_dim", [0, 5])
def test_a_tagger_learns_from_words_and_from_states(lm_dim):
    torch.manual_seed(0)
    sentences = []
    for _ in range(30):
        tags = torch.randint(2, (7,))
        states = tags[:, None].float().expand(7, lm_dim)
        sentences.append((torch.zeros(7, dtype=torch.long) if lm_dim else tags, states, tags))
    model = tagger.train_tagger(tagger.Tagger(2, 2, lm_dim, dim=5, hidden=7), sentences, epochs=3, lr=2e-2)
    assert not model.training
    assert all((model(ids, states).argmax(-1) == tags).all() for ids, states, tags in sentences)


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("bilm-en", ["she will play the second part of the play", "I", "Pneumonoultramicroscopic 😀 x-ray ."]),
        ("bilm-ko", ["나 는 어제 배 를 먹었다 .", "배", "갔다 abc 123 뷁"]),
    ],
)
def test_the_readers_elmo_with_the_shipped_weights_is_the_librarys(name, sentences):
    mine, theirs = elmo.from_shipped(name), course_lib.load(name)
    for sentence in (text.split() for text in sentences):
        expected = torch.from_numpy(theirs.encode([sentence])[0])
        torch.testing.assert_close(mine.states(sentence), expected, rtol=0, atol=1e-5)


def test_a_mix_is_a_weighted_sum_over_the_layers():
    mix, layers = elmo.Mix(3), torch.randn(5, 7, 3, 11)
    torch.testing.assert_close(mix(layers), layers.mean(2))
    mix.w.data.copy_(torch.tensor([0.0, 1.0, -1.0]))
    mix.gamma.data.fill_(2.0)
    s = mix.w.softmax(0)
    torch.testing.assert_close(mix(layers), 2 * sum(s[j] * layers[:, :, j] for j in range(3)))


@pytest.mark.parametrize("pre_norm", [True, False])
def test_a_block_is_pytorchs(pre_norm):
    torch.manual_seed(0)
    mine = transformer.Block(12, 3, 20, cross=True, pre_norm=pre_norm)
    theirs = nn.TransformerDecoderLayer(12, 3, 20, dropout=0.0, batch_first=True, norm_first=pre_norm)
    for own, other in ((mine.attention, theirs.self_attn), (mine.cross, theirs.multihead_attn)):
        other.in_proj_weight.data.copy_(torch.cat([own.query.weight, own.key.weight, own.value.weight]))
        other.in_proj_bias.data.copy_(torch.cat([own.query.bias, own.key.bias, own.value.bias]))
        other.out_proj.load_state_dict(own.output.state_dict())
    theirs.linear1.load_state_dict(mine.feed_forward[0].state_dict())
    theirs.linear2.load_state_dict(mine.feed_forward[2].state_dict())
    x, source, allowed = torch.randn(2, 5, 12), torch.randn(2, 7, 12), transformer.causal(5)
    real = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0, 0]]).bool()
    expected = theirs(x, source, tgt_mask=~allowed, memory_key_padding_mask=~real)
    torch.testing.assert_close(mine(x, allowed, source, real[:, None, None]), expected, rtol=1e-4, atol=1e-5)


def test_positions_are_the_papers_and_a_language_model_does_not_look_ahead():
    waves = transformer.sinusoids(9, 6)
    assert waves[5, 4] == pytest.approx(torch.tensor(5 / 10_000 ** (4 / 6)).sin().item(), abs=1e-6)
    assert waves[5, 3] == pytest.approx(torch.tensor(5 / 10_000 ** (2 / 6)).cos().item(), abs=1e-6)
    model, ids = transformer.LanguageModel(11, 8, 2).eval(), torch.tensor([[3, 1, 4, 1, 5]])
    changed = ids.clone()
    changed[0, 3] = 9
    same = torch.isclose(model.layers(ids), model.layers(changed), atol=1e-6).all(-1)[:, 0]  # [layer, position]
    assert same[:, :3].all()
    assert not same[:, 3].any()


def test_a_translator_learns_to_copy():
    torch.manual_seed(0)
    model = transformer.Translator(9, dim=16, n_heads=2, n_layers=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    words = torch.randint(3, 9, (200, 4))
    end, begin = torch.full((200, 1), 2), torch.ones(200, 1, dtype=torch.long)
    for _ in range(150):
        batch = torch.randint(200, (32,))
        logits = model(words[batch], torch.cat([begin, words], 1)[batch])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), torch.cat([words, end], 1)[batch].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert (transformer.translate(model, words, most=5) == torch.cat([words, end], 1)).all(1).float().mean() > 0.9


@pytest.mark.parametrize("name", ["bert-en", "minilm-en"])
def test_the_readers_bert_with_the_shipped_weights_is_the_librarys(name):
    mine, theirs = bert.from_shipped(name), course_lib.load(name)
    text, pieces = "he drank a cup of [MASK] .", theirs.pieces
    ids = torch.tensor([[pieces.cls, *pieces.ids(text.replace("[MASK]", "tea").split()), pieces.sep]])
    with torch.no_grad():
        expected = torch.stack(theirs(ids).hidden_states)
        torch.testing.assert_close(mine.states(ids), expected, rtol=0, atol=1e-6 * expected.abs().max().item())
    if name != "minilm-en":
        for (token, share), (their_token, their_share) in zip(
            mine.fill(text, 7)[0], theirs.fill(text, 7)[0], strict=True
        ):
            assert token == their_token
            assert share == pytest.approx(their_share, abs=1e-5)


def test_masking_keeps_its_shares():
    torch.manual_seed(0)
    ids = torch.randint(5, 30, (300, 40))
    ids[:, 30:] = 0
    read, predict = bert.masked(ids, mask=4, n_special=5, n_tokens=30)
    assert not predict[:, 30:].any()
    assert predict[:, :30].float().mean() == pytest.approx(0.15, abs=0.01)
    assert torch.equal(read[~predict], ids[~predict])
    fates = read[predict]
    assert (fates == 4).float().mean() == pytest.approx(0.8, abs=0.02)
    assert (fates == ids[predict]).float().mean() == pytest.approx(0.1 + 0.1 / 25, abs=0.02)


def test_a_bert_learns_what_stands_between_two_neighbours():
    torch.manual_seed(0)
    start = torch.randint(0, 5, (300, 1))
    ids = 5 + (start + torch.arange(9)) % 7  # every token is told by either neighbour
    model = bert.Bert(12, dim=16, n_heads=2, inner=32)
    losses = bert.pretrain(model, ids, mask=4, n_special=5, steps=350, batch_size=32)
    assert sum(losses[-20:]) / 20 < 0.25 * losses[0]


def test_the_shipped_language_model_runs_in_the_readers_encoder():
    theirs, ids = course_lib.load("awd-lstm-en").eval(), torch.randint(500, (3, 9))
    with torch.no_grad():
        torch.testing.assert_close(ulmfit.from_shipped(theirs)(ids), theirs(ids)[0][-1])


def test_fine_tuning_without_care_is_a_plain_loop_and_moves_every_layer():
    torch.manual_seed(3)
    lm, head = ulmfit.Encoder(20, (6, 8, 6)), ulmfit.new_head(6, 2)
    ids, real, labels = torch.randint(20, (40, 5)), torch.ones(40, 5).bool(), torch.randint(2, (40,))
    plain_lm, plain_head = copy.deepcopy(lm), copy.deepcopy(head)
    torch.manual_seed(4)
    losses = ulmfit.fine_tune(lm, head, ids, real, labels, steps=10, factor=1, gradual=False)
    torch.manual_seed(4)
    optimizer = torch.optim.Adam([*plain_head.parameters(), *plain_lm.parameters()], betas=(0.7, 0.99))
    for step, loss in enumerate(losses):
        batch = torch.randint(40, (16,))
        optimizer.param_groups[0]["lr"] = 1e-2 * ulmfit.slanted_triangle(step, 10)
        mine = nn.functional.cross_entropy(
            plain_head(ulmfit.concat_pool(plain_lm(ids[batch]), real[batch])), labels[batch]
        )
        assert mine.item() == pytest.approx(loss, rel=1e-4)
        optimizer.zero_grad()
        mine.backward()
        optimizer.step()
    torch.testing.assert_close(plain_lm.embedding.weight, lm.embedding.weight, atol=1e-5, rtol=1e-4)


def test_layers_open_from_the_top_down():
    torch.manual_seed(5)
    lm, head = ulmfit.Encoder(20, (6, 8, 6)), ulmfit.new_head(6, 2)
    before, seen = copy.deepcopy(lm), {}
    given = torch.randint(20, (40, 5)), torch.ones(40, 5).bool(), torch.randint(2, (40,))

    def watched(ids):
        step = len(seen)
        pairs = zip(lm.layers, before.layers, strict=True)
        seen[step] = [part for part, old in pairs if not all(map(torch.equal, part.parameters(), old.parameters()))]
        return lm(ids)

    watched.layers = lm.layers
    ulmfit.fine_tune(watched, head, *given, steps=40)
    moved = [len(seen[step]) for step in range(40)]  # before the step
    assert moved == [0] * 5 + [1] * 4 + [2] * 4 + [3] * 27


def test_pooling_and_rates_of_stage_three():
    states, real = torch.randn(3, 7, 5), torch.arange(7) < torch.tensor([[7], [2], [1]])
    expected = torch.stack(
        [torch.cat([row[n - 1], row[:n].amax(0), row[:n].mean(0)]) for row, n in zip(states, (7, 2, 1), strict=True)]
    )
    torch.testing.assert_close(ulmfit.concat_pool(states, real), expected)
    rates = [ulmfit.slanted_triangle(step, 200) for step in range(201)]
    assert (rates.index(max(rates)), max(rates), rates[0]) == (20, 1.0, 1 / 32)


def test_the_best_span_is_the_brute_forces():
    torch.manual_seed(0)
    head, states = heads.SpanHead(5), torch.randn(4, 9, 5)
    allowed = torch.arange(9) >= torch.tensor([[0], [2], [4], [8]])
    begin, end = head(states, allowed)
    for row, (first, last) in enumerate(head.best(states, allowed, longest=3).tolist()):
        spans = [(i, j) for i in range(9) for j in range(i, min(9, i + 3))]
        assert (first, last) == max(spans, key=lambda span: (begin[row, span[0]] + end[row, span[1]]).item())


@pytest.mark.parametrize(("lr", "moves"), [(0, False), (3e-3, True)])
def test_fine_tuning_moves_the_encoder_unless_its_rate_is_zero(lr, moves):
    torch.manual_seed(0)
    encoder, head = bert.Bert(12, dim=16, n_heads=2, n_layers=1, inner=32), heads.TokenHead(16, 2)
    before = {name: weight.clone() for name, weight in encoder.state_dict().items()}
    ids = torch.randint(5, 12, (40, 6))
    labels = (ids % 2).index_fill(1, torch.tensor([0, 5]), -100)
    losses = heads.fine_tune(encoder, head, (ids,), (labels,), steps=80, lr=lr)
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])
    assert any(not weight.equal(before[name]) for name, weight in encoder.state_dict().items()) == moves
