"""A chapter's tests never touch the answers of whoever runs them."""

from tests.check.conftest import answers_folder  # noqa: F401
