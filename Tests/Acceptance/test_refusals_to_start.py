"""What cannot work is said in one line before anything runs."""

import socket

from harness.configuration import demo_configuration
from harness.ports import free_port
from harness.processes import REPOSITORY

PATIENCE_SECONDS = 20.0


def test_unknown_key_is_named_with_its_place_and_the_nearest_known(stage):
    path = stage.directory / "varde.yaml"
    path.write_text('listen: ["127.0.0.1:0"]\naurora:\n  user_agnet: varde/1 ops@example.org\n')
    for command in ("check-config", "serve"):
        said = refused(stage, command, "--config", str(path))
        assert f"{path}:3:3: " in said
        assert '"user_agnet"' in said and '"user_agent"' in said


def test_every_problem_of_a_file_is_told_at_once(stage):
    path = stage.directory / "varde.yaml"
    path.write_text("databse: x\nlimits:\n  body_bytes: 16\nlog_level: loud\n")
    said = refused(stage, "check-config", "--config", str(path))
    assert '"databse"' in said and '"database"' in said
    for place in ("1:1", "3:15", "4:12"):
        assert f"{path}:{place}: " in said, said


def test_development_with_a_public_address_is_refused(stage):
    path = stage.directory / "varde.yaml"
    path.write_text('listen: ["0.0.0.0:0"]\ndevelopment: true\n')
    for command in ("check-config", "serve"):
        said = refused(stage, command, "--config", str(path))
        assert "0.0.0.0:0" in said and "loopback" in said
    path.write_text("development: true\n")
    assert "loopback" in refused(stage, "serve", "--config", str(path), "--listen", "[::]:0")


def test_demo_configuration_is_accepted_and_shows_no_secret(stage):
    path = stage.directory / "varde.yaml"
    path.write_text(demo_configuration({}))
    check = stage.run("check", "check-config", "--config", str(path))
    assert check.wait(within=PATIENCE_SECONDS) == 0, check.log
    assert "speed: 360" in check.output
    assert "whsec_" not in check.output
    assert check.wait() == 0 and not check.log
    shipped = stage.run("shipped", "check-config", "--config", str(REPOSITORY / "demo/varde.yaml"))
    assert shipped.wait(within=PATIENCE_SECONDS) == 0, shipped.log


def test_port_in_use_is_said(stage):
    with socket.create_server(("127.0.0.1", free_port())) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        said = refused(stage, "serve", "--listen", address, "--database", database(stage))
    assert address in said and "in use" in said


def test_second_hub_on_the_same_port_is_refused(stage):
    hub = stage.hub()
    hub.start()
    address = f"127.0.0.1:{hub.port}"
    said = refused(stage, "serve", "--listen", address, "--database", database(stage))
    assert address in said and "in use" in said
    assert hub.get("/readyz").status == 200


def test_second_hub_on_the_same_database_is_refused(stage):
    hub = stage.hub()
    hub.start()
    said = refused(stage, "serve", "--listen", "127.0.0.1:0", "--database", str(hub.database))
    assert str(hub.database) in said and "in use" in said
    assert hub.get("/readyz").status == 200


def test_file_that_is_not_a_database_is_refused_and_left_alone(stage):
    path = stage.directory / "notes.txt"
    text = "Not a database, but long enough to be one. " * 100
    path.write_text(text)
    said = refused(stage, "serve", "--listen", "127.0.0.1:0", "--database", str(path))
    assert str(path) in said and "not a database" in said
    assert path.read_text() == text


def test_directory_that_is_missing_is_named(stage):
    path = stage.directory / "nowhere" / "varde.sqlite"
    said = refused(stage, "serve", "--listen", "127.0.0.1:0", "--database", str(path))
    assert str(path.parent) in said


def test_missing_certificate_is_named(stage):
    path = stage.directory / "nowhere.pem"
    said = refused(
        stage, "serve", "--listen", "127.0.0.1:0", "--database", database(stage),
        "--tls-certificate", str(path), "--tls-key", str(path),
    )  # fmt: skip
    assert str(path) in said


def database(stage):
    return str(stage.directory / "varde.sqlite")


def refused(stage, *arguments):
    """What it says on standard error when it refuses to run."""
    process = stage.run("refused", *arguments)
    status = process.wait(within=PATIENCE_SECONDS)
    assert status > 0, f"status {status}: {process.log}{process.output}"
    assert len(process.log.splitlines()) < 10, process.log
    return process.log
