"""Tests of check.py: python3 ops/tests.py. They need no package and no network."""

import copy
import tempfile
import unittest
from pathlib import Path

from check import (
    as_rules,
    dashboard_problems,
    expressions,
    has_section,
    rule_problems,
    series_of,
)

REFERENCE = """
| metric | type | meaning |
| --- | --- | --- |
| `hub_a_total{kind}` | counter | A. |
| `hub_b_seconds` | histogram | B. |
| `process_c` | gauge | C. |
"""
SERIES = series_of(REFERENCE)

RULES = """
# hub_missing in a comment does not count.
      - record: instance:hub_a:sum
        expr: sum by (job, instance) (hub_a_total{kind="x",job="varde"})
      - alert: Some
        expr: instance:hub_a:sum > 0
        annotations:
          docs: page.md#a-section
"""
TESTS = """
  - name: "Some: one and another"
    input_series:
      - series: 'hub_a_total{kind="x",instance="fires"}'
      - series: 'hub_a_total{kind="x",instance="holds"}'
    alert_rule_test:
      - eval_time: 1m
        alertname: Some
        exp_alerts:
          - exp_labels: {instance: fires}
"""
SELECTED = '{job="$job",instance=~"$instance"}'
DASHBOARD = {
    "templating": {
        "list": [
            {"name": "datasource", "type": "datasource"},
            {"name": "job", "type": "query", "definition": "label_values(process_c, job)"},
            {"name": "instance", "type": "query", "definition": "label_values(process_c, instance)"},
        ]
    },
    "panels": [
        {"id": 1, "type": "row", "title": "R", "gridPos": {"x": 0, "y": 0, "w": 24, "h": 1}},
        {
            "id": 2,
            "type": "stat",
            "title": "P",
            "description": "P.",
            "gridPos": {"x": 0, "y": 1, "w": 24, "h": 4},
            "targets": [{"refId": "A", "expr": f"rate(process_c{SELECTED}[$__rate_interval])"}],
        },
    ],
}


class RuleTests(unittest.TestCase):
    def problems(self, rules=RULES, tests=TESTS):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "page.md").write_text("# P\n\n## A section\n")
            return list(rule_problems(rules, tests, SERIES, Path(folder)))

    def test_rules_that_name_what_there_is_are_accepted(self):
        self.assertEqual(self.problems(), [])

    def test_unknown_metrics_series_and_labels_are_found(self):
        for before, after, problem in [
            ("hub_a_total{", "hub_x_total{", "the hub exports no hub_x_total"),
            ("hub_a_total{", "hub_b_seconds{", "the hub exports no hub_b_seconds"),
            ("hub_a_total{", "process_c_bucket{", "the hub exports no process_c_bucket"),
            ("instance:hub_a:sum >", "instance:hub_a:max >", "no rule records instance:hub_a:max"),
            ('kind="x"', 'reason!~"x"', "hub_a_total has no label reason"),
            ("#a-section", "#another", "there is no page.md#another"),
            ("page.md#a-section", "other.md", "there is no other.md"),
        ]:
            self.assertEqual(self.problems(RULES.replace(before, after)), [problem])

    def test_histogram_has_three_series(self):
        for suffix in ["_bucket", "_sum", "_count"]:
            rules = RULES.replace('hub_a_total{kind="x",', f"hub_b_seconds{suffix}" + "{")
            self.assertEqual(self.problems(rules), [])
        rules = RULES.replace('hub_a_total{kind="x",', 'hub_b_seconds_bucket{le="1.0",')
        self.assertEqual(self.problems(rules), [])

    def test_alert_needs_an_instance_that_fires_and_one_that_holds(self):
        missing = ["Some has no test with an instance that fires and one that holds"]
        for tests in [
            "",
            TESTS.replace("alertname: Some", "alertname: Other"),
            TESTS.replace('instance="holds"', 'instance="fires"'),
            TESTS.replace("{instance: fires}", "{instance: fires}\n          - {instance: holds}"),
            TESTS.replace("          - exp_labels: {instance: fires}\n", ""),
        ]:
            self.assertEqual(self.problems(tests=tests), missing)

    def test_two_alerts_of_one_name_are_found(self):
        self.assertEqual(
            self.problems(RULES + "      - alert: Some\n"), ["there are two alerts Some"]
        )


class DashboardTests(unittest.TestCase):
    def problems(self, change):
        dashboard = copy.deepcopy(DASHBOARD)
        change(dashboard)
        return list(dashboard_problems(dashboard, SERIES))

    def panel(self, **values):
        return lambda dashboard: dashboard["panels"][1].update(values)

    def target(self, expression):
        return self.panel(targets=[{"refId": "A", "expr": expression}])

    def test_dashboard_without_a_mistake_is_accepted(self):
        self.assertEqual(self.problems(lambda _: None), [])

    def test_panels_need_ids_places_and_texts_of_their_own(self):
        self.assertEqual(self.problems(self.panel(id=1)), ["there are two panels 1"])
        self.assertEqual(self.problems(self.panel(title="R")), ["there are two panels 'R'"])
        self.assertEqual(self.problems(self.panel(description="")), ["panel 'P': no description"])
        place = {"x": 0, "y": 0, "w": 24, "h": 4}
        self.assertEqual(self.problems(self.panel(gridPos=place)), ["panels 'R' and 'P' overlap"])
        place = {"x": 1, "y": 1, "w": 24, "h": 4}
        self.assertEqual(
            self.problems(self.panel(gridPos=place)), ["panel 'P' is beyond the 24 columns"]
        )

    def test_expressions_name_what_there_is_and_select_by_the_variables(self):
        for expression, problem in [
            (f"hub_x{SELECTED}", "the hub exports no hub_x"),
            ('process_c{job="$job",instance=~"$instance",a="b"}', "process_c has no label a"),
            ('process_c{job="$job"}', 'an expression does not select by instance=~"$instance"'),
            ('process_c{instance=~"$instance"}', 'an expression does not select by job="$job"'),
        ]:
            self.assertEqual(self.problems(self.target(expression)), [f"panel 'P': {problem}"])
        self.assertEqual(self.problems(self.panel(targets=[])), ["panel 'P': no expression"])
        targets = DASHBOARD["panels"][1]["targets"] * 2
        self.assertEqual(
            self.problems(self.panel(targets=targets)), ["panel 'P': two expressions have one refId"]
        )

    def test_variables_are_defined_from_metrics_of_the_hub(self):
        def change(dashboard):
            dashboard["templating"]["list"].pop()
            dashboard["templating"]["list"][1]["definition"] = "label_values(hub_x, job)"

        self.assertEqual(
            self.problems(change), ["there is no variable instance", "the hub exports no hub_x"]
        )

    def test_expressions_become_rules_with_an_interval(self):
        self.assertEqual(
            as_rules(expressions(DASHBOARD)).splitlines()[3:],
            [
                "      - record: panel:0",
                r'        expr: "rate(process_c{job=\"$job\",instance=~\"$instance\"}[5m])"',
            ],
        )


class SectionTests(unittest.TestCase):
    def test_section_is_found_by_its_anchor(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            self.assertFalse(has_section(page, ""))
            page.write_text("# Why did it, then?\n")
            self.assertTrue(has_section(page, ""))
            self.assertTrue(has_section(page, "why-did-it-then"))
            self.assertFalse(has_section(page, "why-did-it"))


if __name__ == "__main__":
    unittest.main()
