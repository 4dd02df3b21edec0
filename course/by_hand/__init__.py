"""The systems of the course as the chapters build them, in plain PyTorch: the code of the cells tagged `by-hand`.

skip_gram (chapter 1), classifier (2), language_model and tagger (3), elmo (4), transformer (6), bert (7), heads (8): a
test proves cell and file the same. ulmfit (5): its cells are to come.
"""

import warnings

warnings.filterwarnings("ignore", message="LSTM with projections is not supported with oneDNN")  # only slower
