"""The record of the plateau: what is kept and read again, what the sentences say, and what the figure draws."""

from course.records.plateau import STORE, Curve, Plateau, keep_curve, show_plateau

SETTING = {"steps": 60, "pieces per batch": 1_000, "pieces read by skip-gram before": 77_000}
WARM = Curve([20, 40, 60], [8.0, 5.9, 4.5], {"device": "cpu"})
PLAIN = Curve([20, 40, 60], [8.5, 7.1, 6.5], {"device": "cpu"})


def test_curves_are_read_as_they_were_kept_and_one_of_another_setting_does_not_stay(own_records):
    keep_curve("plain", PLAIN, 7.0, SETTING)
    kept = keep_curve("warm", WARM, 7.0, SETTING)
    assert STORE.read() == kept == Plateau(7.0, SETTING, {"warm": WARM, "plain": PLAIN})
    keep_curve("warm", WARM, 7.0, SETTING | {"steps": 61})
    assert list(STORE.read().curves) == ["warm"]


def test_the_sentences_hold_whatever_the_curves_show(own_records, capsys):
    keep_curve("warm", WARM, 7.0, SETTING)
    figure = show_plateau()
    said = capsys.readouterr().out
    # 8.0 is not below 7 - 1, 5.9 is: step 40; 60 steps of 1,000 pieces
    assert "with bert-en's start: 4.50 nats after 60 steps (60,000 pieces)" in said
    assert "below frequencies alone: first at step 40." in said
    assert "77,000 pieces" in said
    keep_curve("plain", PLAIN, 7.0, SETTING)
    assert "6.50 nats after 60 steps (60,000 pieces); 1 nat below frequencies alone: never." in (STORE.read().to_text())
    lines = [line.get_ydata() for line in STORE.read().figure().axes[0].lines]
    assert [list(line) for line in lines] == [WARM.losses, PLAIN.losses, [7.0, 7.0]]
    assert len(figure.axes[0].lines) == 2
