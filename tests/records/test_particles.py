"""The record of dropped particles: what is left of a sentence and what a place says."""

from course.lab.roles import NONE, Thread
from course.records import particles
from course.records.particles import DROPPED, SPOKEN, places, without


def labelled(thread, sentence):
    return [(word, label) for word, label in zip(sentence.words, thread.labels(sentence), strict=True) if label != NONE]


def test_particles_go_and_the_labels_stay_with_their_nouns():
    thread, dropped = Thread("ko"), DROPPED[SPOKEN]
    for sentence in thread.test:
        left = without(sentence, dropped)
        tagged = zip(sentence.words, sentence.upos, strict=True)
        assert list(left.words) == [word for word, upos in tagged if upos != "ADP" or word not in dropped]
        assert labelled(thread, left) == labelled(thread, sentence)


def test_a_place_is_counted_from_both_ends():
    far = particles.FAR
    assert [row.nonzero().flatten().tolist() for row in places(3)] == [[0, far + 3], [1, far + 2], [2, far + 1]]
    assert places(far + 9)[far + 5 :, far].all()
