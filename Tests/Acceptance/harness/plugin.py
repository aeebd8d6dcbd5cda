"""Acceptance tests: the release binary against real clients and real failures.

Each test is one sentence about the hub and gets a `Stage`, see `harness/stage.py`. When it fails,
what its processes have logged is part of the report. What it has measured is listed at the end of
the run.
"""

import os

import pytest

from harness.certificate import Certificate
from harness.processes import BINARY, IS_RELEASE
from harness.stage import Stage

pytest_plugins = ["harness.radar_fixtures"]


@pytest.fixture
def stage(request, tmp_path):
    stage = Stage(tmp_path)
    request.node.stage = stage
    yield stage
    stage.close()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    return Certificate(tmp_path_factory.mktemp("tls"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    # A node's own id has no directory for the tests of a domain.
    report.argument = f"{item.path}::{item.nodeid.partition('::')[2]}"
    stage = getattr(item, "stage", None)
    if stage and report.failed:
        report.sections += [(f"end of {name}", text) for name, text in stage.logs()]


def pytest_report_header():
    binary = f"varde: {BINARY}" + ("" if IS_RELEASE else " (not a release: memory is not judged)")
    network = "of its own" if "OWN_NETWORK" in os.environ else "this machine's"
    return [binary, f"network: {network}"]


def pytest_terminal_summary(terminalreporter):
    if path := os.environ.get("FAILED_TESTS"):
        failed = [each for kind in ("failed", "error") for each in terminalreporter.getreports(kind)]
        with open(path, "a") as file:
            file.writelines(f"{report.argument}\n" for report in failed)
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if report.when == "call" and report.user_properties
    ]
    if not reports:
        return
    terminalreporter.section("measured")
    for report in reports:
        values = ", ".join(f"{name} {value}" for name, value in report.user_properties)
        terminalreporter.line(f"{report.nodeid.partition('::')[2]}: {values}")
