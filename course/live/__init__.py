"""Models that answer in the site's pages: their checkpoints as scripts, and their forward passes in JavaScript."""
