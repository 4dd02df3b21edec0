"""What a class got wrong: the answer folders of many learners, read (`collect`), run again if the lecturer says so
(`rerun`), and shown on one page (`page`). Nothing leaves the machine."""
