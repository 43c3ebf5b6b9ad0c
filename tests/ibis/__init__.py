"""tqp as a backend of Ibis: tests of its own, and Ibis' own suite of tests of backends (`python -m tests.ibis`)."""
