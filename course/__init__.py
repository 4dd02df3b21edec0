"""The course on course_lib: chapters, ledger of claims, exercises, recipes of the checkpoints, website."""

from course import catalogue
from course_lib import language

language.translate = catalogue.translate  # in a Korean session the library says its lines in Korean, too
