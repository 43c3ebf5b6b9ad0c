"""`python -m tests.language`: write docs/sql.md; with `--record`, ask DuckDB for its functions and answers first."""

from __future__ import annotations

import argparse

from tests.language.page import PAGE, page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="ask the installed DuckDB for its functions and answers")
    if parser.parse_args().record:
        from tests.language.record import record

        record()
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
