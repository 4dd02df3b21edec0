"""Readers of the field's file formats, one file a family: a path in, records of course_lib/data/records.py out.

Each opens plain text, .xz, .gz and .bz2 by the ending, and works on a file of your own as on a registered one.
What does not fit is a CourseError that names file, line and remedy.
"""
