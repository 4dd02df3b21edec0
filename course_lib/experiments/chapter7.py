"""The claims of chapter 7: BERT. Each is in a file of its own or with its neighbour; all are found here."""

from course_lib.experiments.chapter7_leak import answer_is_seen, masking_makes_features
from course_lib.experiments.chapter7_pairs import next_sentence_helps_pairs
from course_lib.experiments.chapter7_rates import mask_rate_is_a_trade_off, mask_token_makes_a_mismatch
from course_lib.experiments.chapter7_ways import both_sides_beat_one, masked_converges_more_slowly

__all__ = [
    "answer_is_seen",
    "both_sides_beat_one",
    "mask_rate_is_a_trade_off",
    "mask_token_makes_a_mismatch",
    "masked_converges_more_slowly",
    "masking_makes_features",
    "next_sentence_helps_pairs",
]
