"""The record of the plateau: what is kept and read again, what the sentences say, and what the figure draws."""

from course.records.plateau import STORE, Curve, Plateau, show_plateau

SETTING = {"steps": 60, "pieces per batch": 1_000, "pieces read by skip-gram before": 77_000}
WARM = Curve([20, 40, 60], [8.0, 5.9, 4.5], {"device": "cpu"})
PLAIN = Curve([20, 40, 60], [8.5, 7.1, 6.5], {"device": "cpu"})


def test_the_sentences_hold_whatever_the_curves_show(own_records, capsys):
    STORE.write(Plateau(7.0, SETTING, {"warm": WARM, "plain": PLAIN}))
    figure = show_plateau()
    said = capsys.readouterr().out
    # 8.0 is not below 7 - 1, 5.9 is: step 40; 60 steps of 1,000 pieces
    assert "with bert-en's start: 4.50 nats after 60 steps (60,000 pieces)" in said
    assert "below frequencies alone: first at step 40." in said
    assert "77,000 pieces" in said
    assert "6.50 nats after 60 steps (60,000 pieces); 1 nat below frequencies alone: never." in said
    lines = [line.get_ydata() for line in figure.axes[0].lines]
    assert [list(line) for line in lines] == [WARM.losses, PLAIN.losses, [7.0, 7.0]]
