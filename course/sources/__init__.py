"""Where the course's texts come from, beside its invented world: your own disk, sets written by hand, public sets."""
