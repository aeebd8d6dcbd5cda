"""Holds a report of a conformance run against the results that are committed.

    compare.py suite REPORT.json [--partial]
    compare.py client REPORT.tsv --server hub|websockets [--partial]

Prints a summary, and each case with another result than expected. With --partial, cases that the
report does not have are not missed. Exit status: 0 when all is as expected, 1 when not.
"""

import argparse
import json
import sys
from pathlib import Path

EXPECTED = Path(__file__).parent / "expected"
INFORMATIONAL = "INFORMATIONAL"


def lines(path: Path) -> list[list[str]]:
    """The fields of each line that is neither empty nor a comment."""
    texts = path.read_text().splitlines()
    return [text.split("\t") for text in texts if text and not text.startswith("#")]


def suite_results(path: Path) -> dict[str, str]:
    """Behaviour and closing behaviour of each case, from either form of the suite's report."""
    report = json.loads(path.read_text())
    # The script has the cases under "results", the image under the agent's name.
    cases = report["results"] if "results" in report else report["varde"]
    return {case: f"{of['behavior']}, {of['behaviorClose']}" for case, of in cases.items()}


def suite_expectations() -> dict[str, set[str]]:
    return {case: {f"{ours}, {closing}"} for case, ours, closing in lines(EXPECTED / "suite.tsv")}


def client_expectations(server: str) -> dict[str, set[str]]:
    """What a conforming server does, and for each case where `server` is known to do otherwise
    one of the results in its file."""
    expected = {
        case: {INFORMATIONAL if ours == INFORMATIONAL else "OK"}
        for case, ours, _ in lines(EXPECTED / "suite.tsv")
    }
    deviations: dict[str, set[str]] = {}
    path = EXPECTED / f"client-{server}.tsv"
    for case, result in lines(path) if path.exists() else []:
        deviations.setdefault(case, set()).add(result)
    return expected | deviations


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("kind", choices=["suite", "client"])
    parser.add_argument("report", type=Path)
    parser.add_argument("--server", choices=["hub", "websockets"])
    parser.add_argument("--partial", action="store_true")
    arguments = parser.parse_args()

    if arguments.kind == "suite":
        results, expected = suite_results(arguments.report), suite_expectations()
    else:
        results = dict(lines(arguments.report))
        expected = client_expectations(arguments.server)
    if arguments.partial:
        expected = {case: of for case, of in expected.items() if case in results}

    ok_count = sum(result in ("OK", "OK, OK") for result in results.values())
    informational_count = sum(result.startswith(INFORMATIONAL) for result in results.values())
    others_count = len(results) - ok_count - informational_count
    others = f", {others_count} otherwise" if others_count else ""
    print(f"{ok_count} OK, {informational_count} informational{others} of {len(expected)}")

    differences = [
        f"  {case}: {results.get(case, 'not run')}; expected {' or '.join(sorted(of))}"
        for case, of in expected.items()
        if results.get(case) not in of
    ]
    differences += [f"  {case}: not in the list" for case in results if case not in expected]
    print("\n".join(differences) if differences else "  as expected")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
