import pytest
import torch

from course.lab.masked_words import from_neighbours
from course_lib.errors import CourseError


def test_counting_says_what_was_most_often_there():
    text = torch.tensor([[2, 7, 5, 8, 3], [2, 7, 6, 9, 3], [2, 7, 6, 9, 3], [2, 5, 3, 0, 0]])
    read = torch.tensor([[2, 7, 1, 8, 3], [2, 7, 1, 9, 3], [2, 7, 1, 2, 3], [2, 4, 1, 3, 0]])
    both, before = from_neighbours(text, read, sides=2)[:, 2], from_neighbours(text, read, sides=1)[:, 2]
    assert both.tolist() == [5, 6, 6, 7]  # the third never had these neighbours; of the last none is known
    assert before.tolist() == [6, 6, 6, 7]
    with pytest.raises(CourseError, match="sides=3"):
        from_neighbours(text, read, sides=3)
