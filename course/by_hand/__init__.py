"""The systems of the course as the chapters build them, in plain PyTorch: the code of the cells tagged `by-hand`.

skip_gram (chapter 1), classifier (2), language_model and tagger (3), elmo (4), ulmfit (5), transformer (6), bert (7),
heads (8). A test proves cell and file the same.
"""

import warnings

warnings.filterwarnings("ignore", message="LSTM with projections is not supported with oneDNN")  # only slower
