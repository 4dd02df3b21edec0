import re

from course.loss_curve import NotebookView, draw
from course_lib.progress import Progress


def test_a_training_says_one_loss():
    """The line above the curve has the last loss. The mean at the curve's end, another number, is only drawn."""
    bar, view = Progress("training", total=43), NotebookView()
    bar._view = view
    view.show = lambda bar, state: None
    for step in range(1, 44):
        bar.update(step, loss=1 / step + 0.5 * (step % 2))
    mean = view.curve.smooth()[-1][1]
    picture = draw(bar.line("done"), None, view.curve, unit=bar.unit, end=bar.done, ink="black")
    said = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture))
    assert (f"loss {bar.loss:.4g}" in said, f"{mean:.4g}" in said) == (True, False)


def test_the_time_left_is_said_from_a_hundredth_on():
    bar = Progress("training", total=1_000, show=False)
    bar._began -= 60
    said = []
    for step in (5, 100):
        bar.update(step)
        said.append("about 9 min" in bar.line("running"))
    assert (said, "left" in bar.line("done")) == ([False, True], False)
