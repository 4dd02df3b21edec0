"""The course on course_lib: chapters, ledger of claims, exercises, recipes of the checkpoints, website."""
