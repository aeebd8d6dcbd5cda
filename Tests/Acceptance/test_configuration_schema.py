"""`varde check-config --schema` describes every configuration that is shipped, and refuses others."""

import json

import pytest
import yaml
from harness.processes import REPOSITORY
from jsonschema import Draft202012Validator

SHIPPED = ["demo/varde.yaml", "packaging/varde.yaml"]
WRONG = [
    "databse: x",
    "listen: []",
    "loops: [1]",
    "log_level: loud",
    "development: 1",
    "limits: {connections: 0}",
    "limits: {idle_timeout: soon}",
    "namespaces: [{history_size: 5}]",
    "clients: {rpc_hooks: [app]}",
    "clients: {rpc_hooks: {sum: {hook: app}}}",
    "hooks: {name: app, url: 'http://localhost'}",
    "tls: {certificate: a}",
    "websocket: {ping_intervall: 1s}",
    "tokens: {secrets: [{credentials: a}]}",
    "tokens: {secrets: [{file: a, env: B}]}",
    "tls: {certificate: {env: A}, key: a}",
    "api: {keys: [{key: a, methode: [publish]}]}",
]
SECRETS = [
    "tokens: {secrets: [{credential: a}, {file: a}, {env: A}, a]}",
    "tls: {certificate: {credential: a}, key: a}",
    "api: {keys: [a, {key: {env: A}, name: backend, methods: [publish], read_only: true}]}",
]


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema has no times."""

    yaml_implicit_resolvers = {
        first: [each for each in resolvers if not each[0].endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


@pytest.fixture
def validator(stage):
    process = stage.run("schema", "check-config", "--schema")
    assert process.wait(within=20) == 0, process.log
    schema = json.loads(process.output)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_shipped_configurations_fit(validator):
    for path in SHIPPED:
        text = (REPOSITORY / path).read_text()
        errors = [each.message for each in validator.iter_errors(yaml.load(text, Loader))]
        assert not errors, f"{path}: {errors}"


def test_secrets_may_be_mappings(validator):
    for text in SECRETS:
        assert validator.is_valid(yaml.load(text, Loader)), text


def test_wrong_configurations_do_not_fit(validator):
    for text in WRONG:
        assert not validator.is_valid(yaml.load(text, Loader)), text
