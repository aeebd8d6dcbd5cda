"""The first fifteen minutes: what a stranger types,, as it is printed and documented."""

import json
import os
import re
import shlex
import socket
import stat
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from harness.ports import free_port
from harness.processes import BINARY, REPOSITORY
from harness.settings import configuration, namespace, started_hub
from harness.waiting import wait_until

PATIENCE_SECONDS = 15.0
COMMAND_SECONDS = 20.0


def varde(*arguments, **options):
    return subprocess.run(
        [str(BINARY), *arguments],
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
        **options,
    )


@pytest.fixture
def dev(stage):
    """`varde dev`, when it has printed what to paste: its port and the text."""

    def dev(*flags):
        port = free_port()
        process = stage.run("dev", "dev", "--listen", f"127.0.0.1:{port}", *flags)
        wait_until(
            lambda: "Open namespaces:" in process.output,
            within=PATIENCE_SECONDS,
            what=lambda: f"varde dev listens: {process.log}",
        )
        return port, process

    return dev


def pasted(text, beginning):
    """The command of the greeting that begins so, as a shell splits it."""
    start = text.index(beginning)
    return shlex.split(text[start : text.index("\n\n", start)].replace("\\\n", " "))


def test_printed_lines_publish_and_subscribe(stage, dev):
    port, process = dev()
    stream = stage.event_stream(port, ["chat:hello"])
    client = stage.sdk(port, ["chat:hello"])
    wait_until(lambda: client.subscribed["chat:hello"], within=PATIENCE_SECONDS, what="subscribed")
    publish = pasted(process.output, "curl http://")
    answer = subprocess.run(publish, capture_output=True, timeout=COMMAND_SECONDS, check=True)
    assert json.loads(answer.stdout)["result"]["offset"] == 1
    wait_until(lambda: stream.events, within=PATIENCE_SECONDS, what="the event stream has it")
    assert stream.events[0].json() == {"text": "Hello"}
    wait_until(
        lambda: client.publications["chat:hello"], within=PATIENCE_SECONDS, what="the SDK has it"
    )
    # The line for a subscriber also shows what was published before.
    subscribe = pasted(process.output, "curl -N")
    with subprocess.Popen([*subscribe, "-s"], stdout=subprocess.PIPE, text=True) as late:
        lines = iter(late.stdout.readline, "")
        assert any('data: {"text":"Hello"}' in line for line in lines)
        late.kill()


def test_development_hub_leaves_nothing_unless_a_database_is_named(stage, dev):
    before = set(os.listdir("/dev/shm"))
    _, process = dev()
    process.stop()
    assert set(os.listdir("/dev/shm")) <= before
    database = stage.directory / "kept.sqlite"
    _, process = dev("--database", str(database))
    process.stop()
    assert database.exists()


def test_refusal_names_the_key_to_set(stage, dev):
    port, process = dev()
    for arguments in (["nope:hello"], ["nope:hello", "--user", "kari"]):
        secret = re.search(r"token secret: (\S+)", process.output)[1]
        result = varde(
            "subscribe",
            "--url",
            f"ws://127.0.0.1:{port}",
            *arguments,
            env=os.environ | {"VARDE_TOKEN_SECRET": secret},
        )
        assert result.returncode == 1
        assert "102 unknown channel: namespace nope is not configured" in result.stderr
    process.wait_for_log("topic refused.*add an entry with name: nope", within=PATIENCE_SECONDS)


def secrets(process):
    """The API key and the token secret that `varde dev` prints."""
    return [re.search(rf"{name}: +(\S+)", process.output)[1] for name in ("API key", "token secret")]


def test_development_hub_keeps_its_secrets_with_its_database(stage, dev):
    database = stage.directory / "kept.sqlite"
    _, process = dev("--database", str(database))
    first = secrets(process)
    assert stat.S_IMODE(database.with_name("kept.sqlite-secrets").stat().st_mode) == 0o600
    process.stop()
    port, process = dev("--database", str(database))
    assert secrets(process) == first
    process.stop()
    assert secrets(dev()[1]) != first


def test_development_hub_takes_the_secrets_of_the_environment(stage):
    port = free_port()
    key, secret = "a key of mine: 16 bytes", "a secret of at least thirty-two bytes"
    process = stage.run(
        *("mine", "dev", "--listen", f"127.0.0.1:{port}"),
        environment={"VARDE_API_KEY": key, "VARDE_TOKEN_SECRET": secret},
    )
    wait_until(
        lambda: "Open namespaces:" in process.output, within=PATIENCE_SECONDS, what="it listens"
    )
    assert stage.server_api(port, key=key).publish("chat:a", 1).offset == 1


def test_publication_to_an_unknown_namespace_is_explained_and_counted(stage, dev):
    port, process = dev()
    url, key = f"http://127.0.0.1:{port}", secrets(process)[0]
    environment = os.environ | {"VARDE_URL": url, "VARDE_API_KEY": key}
    refused = varde("publish", "orders:1", "1", env=environment)
    assert refused.returncode == 1
    assert "namespace orders is not configured" in refused.stderr
    assert "--namespace orders" in refused.stderr
    process.wait_for_log("API command failed.*--namespace orders", within=PATIENCE_SECONDS)
    with urllib.request.urlopen(url + "/metrics", timeout=PATIENCE_SECONDS) as answer:
        metrics = answer.read().decode()
    assert 'hub_api_errors_total{method="publish",code="102"} 1' in metrics


def test_commands_for_a_hub_read_its_address_from_the_environment(stage, dev):
    port, process = dev()
    subscriber = stage.run(
        *("subscriber", "subscribe", "chat:a"),
        environment={"VARDE_URL": f"http://127.0.0.1:{port}"},
    )
    subscriber.wait_for_log("subscribed to chat:a", within=PATIENCE_SECONDS)
    result = varde("subscribe", "chat:a", env=os.environ | {"VARDE_URL": "nowhere"})
    assert result.returncode == 2
    assert "VARDE_URL: 'nowhere' is not an address; expected ws://HOST:PORT" in result.stderr


def test_topic_that_looks_like_a_pattern_is_explained(stage, dev):
    port, process = dev()
    stage.event_stream(port, ["chat:*"])
    process.wait_for_log("topic is not a pattern.*topic=chat:\\*", within=PATIENCE_SECONDS)
    client = stage.sdk(port, ["room:*"])
    wait_until(lambda: client.subscribed["room:*"], within=PATIENCE_SECONDS, what="subscribed")
    process.wait_for_log("topic is not a pattern.*topic=room:\\*", within=PATIENCE_SECONDS)


def test_root_of_a_development_hub_leads_to_its_console(dev):
    port, _ = dev()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=PATIENCE_SECONDS) as answer:
        assert answer.url == f"http://127.0.0.1:{port}/console/"
        assert answer.headers["Content-Type"].startswith("text/html")


def test_console_that_is_off_names_its_key(stage):
    hub = started_hub(stage, configuration(namespace("chat")))
    for path in ("console", "console/", "console/topics"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{hub.port}/{path}", timeout=PATIENCE_SECONDS)
        assert refused.value.code == 404
        assert b"console.enabled: true" in refused.value.read()


def test_taken_port_is_explained_and_leaves_no_database(stage):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        text = configuration(namespace("chat"))
        file = stage.directory / "taken.yaml"
        file.write_text(f"listen: ['{address}']\ndatabase: {stage.directory}/new.sqlite\n" + text)
        json_file = stage.directory / "json.yaml"
        json_file.write_text("log_format: json\n" + file.read_text())
        for arguments in (
            ["dev", "--listen", address, "--database", str(stage.directory / "new.sqlite")],
            ["serve", "--config", str(file)],
            ["serve", "--config", str(json_file)],
        ):
            refused = varde(*arguments)
            assert refused.returncode == 1
            assert f"listen on {address}: Address already in use" in refused.stderr
            assert "--listen" in refused.stderr
            assert not list(stage.directory.glob("new.sqlite*"))
    entries = [json.loads(line) for line in refused.stderr.splitlines()]
    assert entries[-1]["msg"] == "cannot start" and entries[-1]["level"] == "critical"


def test_socket_that_cannot_be_created_is_explained_and_leaves_no_database(stage):
    folder = stage.directory
    (folder / "file").write_text("")
    database = ["--database", str(folder / "new.sqlite")]
    for path, reason, advice in (
        (folder / "nowhere" / "hub.socket", "No such file or directory", "create it, or choose"),
        (folder / "file" / "hub.socket", "Not a directory", "create it, or choose"),
        (folder / "file", "File exists", "remove the file, or choose"),
    ):
        refused = varde("serve", "--listen", f"unix:{path}", "--development", *database)
        assert refused.returncode == 1
        assert f"listen on unix:{path}" in refused.stderr and reason in refused.stderr
        assert advice in refused.stderr and "CAP_NET_BIND_SERVICE" not in refused.stderr
        assert not list(folder.glob("new.sqlite*"))


def test_start_or_import_without_its_files_leaves_no_database(stage):
    folder = stage.directory
    (folder / "empty").mkdir()
    (folder / "films").mkdir()
    (folder / "films" / "movies.csv").mkdir()
    nowhere, missing = str(folder / "nowhere"), "nowhere: cannot be read: No such file or directory"
    database = ["--database", str(folder / "new.sqlite")]
    catalogue = folder / "catalogue.yaml"
    catalogue.write_text(f"development: true\nactivity: {{catalogue: {nowhere}}}\n")
    listen = f"127.0.0.1:{free_port()}"
    for arguments, reason in (
        (["serve", "--config", str(catalogue), "--listen", listen], missing),
        (["import", "tmdb", nowhere], missing),
        (["import", "tmdb", str(folder / "empty")], "no file that ends with .json"),
        (["import", "movielens", nowhere], missing),
        (["import", "movielens", str(folder / "empty")], "not a MovieLens data set"),
        (["import", "movielens", str(folder / "films")], "movies.csv: cannot be read: Is a dir"),
        (["import", "catalogue", nowhere], missing),
    ):
        refused = varde(*arguments, *database)
        assert refused.returncode == 1 and reason in refused.stderr, refused.stderr
        assert not list(folder.glob("new.sqlite*")), arguments
    environment = os.environ | {"http_proxy": "ftp://nowhere"}
    refused = varde(
        "serve", "--development", "--listen", listen, *database, env=environment
    )
    assert refused.returncode == 1, refused.stderr
    assert not list(folder.glob("new.sqlite*"))


def test_refused_configuration_is_an_entry_of_a_log_in_json(stage):
    file = stage.directory / "refused.yaml"
    broken = stage.directory / "broken.yaml"
    broken.write_text("log_format: 'json'  # for the collector\nlisten: [\n")
    for text, arguments, environment in (
        ("lisen: []\n", ["--log-format", "json"], {}),
        ("lisen: []\n", [], {"VARDE_LOG_FORMAT": "json"}),
        ("lisen: []\nlog_format: json\n", [], {}),
        (None, ["--config", str(broken)], {}),
        (None, ["--config", str(stage.directory / "nowhere.yaml"), "--log-format", "json"], {}),
    ):
        if text is not None:
            file.write_text(text)
            arguments = ["--config", str(file), *arguments]
        refused = varde("serve", *arguments, env=os.environ | environment)
        assert refused.returncode == 1
        (entry,) = [json.loads(line) for line in refused.stderr.splitlines()]
        assert (entry["level"], entry["msg"]) == ("critical", "cannot start")
        assert entry["err"].startswith("configuration refused:"), entry
    file.write_text("lisen: []\nlog_format: json\n")
    refused = varde("serve", "--config", str(file), "--log-format", "text")
    assert refused.stderr.startswith("Error: configuration refused:")


def test_commands_say_why_a_file_cannot_be_read(stage):
    nowhere, folder = str(stage.directory / "nowhere"), str(stage.directory)
    configuration_file = stage.directory / "rules.yaml"
    configuration_file.write_text("aurora: {}\n")
    secret = "s" * 32
    commands = (
        (["rules", "check"], ""),
        (["rules", "test", "--config", str(configuration_file), "--replay"], "/replay.yaml"),
        (["replay"], "/replay.yaml"),
        (["token", "create", "--user", "1", "--secret-file"], ""),
        (["token", "create", "--user", "1", "--algorithm", "ES256", "--key-file"], ""),
        (["token", "inspect", "eyJhbGciOiJIUzI1NiJ9.e30.AAAA", "--public-key"], ""),
        (["token", "inspect", "eyJhbGciOiJIUzI1NiJ9.e30.AAAA", "--jwks"], ""),
        (["topics", "--api-key-file"], ""),
        (["subscribe", "chat:a", "--token-file"], ""),
        (["subscribe", "chat:a", "--user", "1", "--config"], ""),
        (["check-config", "--config"], ""),
        (["news", "evaluate"], ""),
        (["aurora", "evaluate"], ""),
        (["import", "catalogue"], ""),
        (["import", "tmdb"], ""),
        (["import", "movielens"], ""),
    )
    for arguments, file in commands:
        refused = varde(*arguments, nowhere, env=os.environ | {"VARDE_TOKEN_SECRET": secret})
        text = f"{nowhere}{file}: cannot be read: No such file or directory"
        assert refused.returncode == 1 and text in refused.stderr, (arguments, refused.stderr)
        if file or arguments[0] == "import":
            continue
        refused = varde(*arguments, folder, env=os.environ | {"VARDE_TOKEN_SECRET": secret})
        text = f"{folder}: cannot be read: Is a directory"
        assert refused.returncode == 1 and text in refused.stderr, (arguments, refused.stderr)


def test_errors_of_files_say_what_is_wrong(stage):
    directory = stage.directory
    nowhere, folder = directory / "nowhere", directory / "folder"
    folder.mkdir()
    damaged = directory / "damaged"
    damaged.write_bytes(b"no database" * 1000)
    for file, text in (
        (nowhere, "not verified: "),
        (folder, "not verified: "),
        (damaged, "damaged: "),
    ):
        refused = varde("backup", "--verify", str(file))
        assert refused.returncode == 1 and text in refused.stderr, refused.stderr
    for file, text in ((nowhere, "No such file or directory"), (folder, "Is a directory")):
        refused = varde("check-config", "--config", str(file))
        assert refused.returncode == 1 and f"{file}: cannot be read: {text}" in refused.stderr
    file = directory / "tls.yaml"
    file.write_text("tls:\n  certificate: /nowhere.pem\n  key: /nowhere.key\n")
    refused = varde("check-config", "--config", str(file))
    assert refused.returncode == 1
    assert "tls.yaml:2" in refused.stderr and "tls.certificate" in refused.stderr
    for key, text in (
        ("tokens: {{jwks_file: {}}}", "tokens.jwks_file"),
        ("accounts: {{apple: {{client_ids: [app], keys_file: {}}}}}", "accounts.apple.keys_file"),
    ):
        for path, reason in ((nowhere, "No such file or directory"), (folder, "Is a directory")):
            file = directory / "keys.yaml"
            file.write_text(key.format(path))
            refused = varde("check-config", "--config", str(file))
            assert refused.returncode == 1
            assert f"{path}: cannot be read: {reason}" in refused.stderr, refused.stderr
            assert text in refused.stderr


def test_lines_that_cannot_be_written_are_counted(stage):
    port = free_port()
    with open("/dev/full", "wb") as full:
        process = subprocess.Popen(
            [str(BINARY), "dev", "--listen", f"127.0.0.1:{port}", "--log-level", "debug"],
            stdout=subprocess.DEVNULL,
            stderr=full,
        )
    try:
        wait_until(
            lambda: dropped_lines(port) > 0, within=PATIENCE_SECONDS, what="lines are counted"
        )
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def dropped_lines(port):
    try:
        url = f"http://127.0.0.1:{port}/metrics"
        with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:
            text = answer.read().decode()
    except OSError:
        return 0
    return int(re.search(r"^hub_log_lines_dropped_total (\d+)$", text, re.MULTILINE)[1])


def test_written_configuration_is_checked_and_served_as_it_is(stage):
    file = stage.directory / "varde.yaml"
    assert varde("init", str(file)).returncode == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    text = file.read_text()
    again = varde("init", str(file))
    assert again.returncode == 1 and "it exists" in again.stderr
    assert file.read_text() == text
    checked = varde("check-config", "--config", str(file))
    assert checked.returncode == 0, checked.stderr
    assert "warning" not in checked.stderr

    hub = stage.hub(name="init")
    hub.configure(text)
    hub.start()
    key = re.search(r'keys: \["(\S+)"\]', text)[1]
    subscriber = stage.run(
        "subscriber",
        "subscribe",
        *("--url", f"ws://127.0.0.1:{hub.port}", "--config", str(file), "--user", "kari"),
        "user:kari",
    )
    subscriber.wait_for_log("subscribed to user:kari", within=PATIENCE_SECONDS)
    url = f"http://127.0.0.1:{hub.port}"
    published = varde(
        *("publish", "--url", url, "user:kari", '{"n":1}'),
        env=os.environ | {"VARDE_API_KEY": key},
    )
    assert published.returncode == 0, published.stderr
    wait_until(
        lambda: subscriber.output == '{"n":1}\n', within=PATIENCE_SECONDS, what="it is printed"
    )


def test_subscriber_with_a_token_file_and_one_without_a_token(stage):
    file = stage.directory / "varde.yaml"
    varde("init", str(file))
    hub = stage.hub(name="tokens")
    hub.configure(file.read_text())
    hub.start()
    secret = re.search(r'secrets: \["(\S+)"\]', file.read_text())[1]
    token = varde(
        "token", "create", "--user", "kari", env=os.environ | {"VARDE_TOKEN_SECRET": secret}
    ).stdout
    (stage.directory / "token").write_text(token)
    url = f"ws://127.0.0.1:{hub.port}"
    subscriber = stage.run(
        *("subscriber", "subscribe", "--url", url, "user:kari"),
        *("--token-file", str(stage.directory / "token")),
    )
    subscriber.wait_for_log("subscribed to user:kari", within=PATIENCE_SECONDS)
    refused = varde("subscribe", "--url", url, "user:kari")
    assert refused.returncode == 1
    # Outside of development mode the reason is only in the log.
    assert refused.stderr.rstrip().endswith("103 permission denied")


def test_version_is_printed():
    result = varde("--version")
    assert result.returncode == 0
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*\n", result.stdout)


def test_publications_of_backends_and_clients_reach_webhooks(stage):
    receiver = stage.receiver()
    text = configuration(
        namespace("chat", anonymous_subscribe=True, publish="anyone"),
        namespace("news"),
    )
    hub = started_hub(stage, text + webhook(receiver))
    api = stage.server_api(hub.port)
    api.publish("news:local", {"n": 1})
    api.publish("chat:room", {"n": 2})
    client = stage.sdk(hub.port, ["chat:room"])
    client.publish("chat:room", {"n": 3})
    wait_until(
        lambda: len(receiver.genuine) == 2,
        within=PATIENCE_SECONDS,
        what=lambda: f"two webhooks: {receiver.received}",
    )
    events = [received.event for received in receiver.genuine]
    assert [event["type"] for event in events] == ["hub.publication"] * 2
    assert [event["data"] for event in events] == [{"n": 2}, {"n": 3}]
    assert "hubclient" not in events[0] and events[1]["hubclient"]


def test_filter_that_never_matches_is_a_warning(stage):
    receiver = stage.receiver()
    text = configuration(namespace("chat")) + webhook(receiver, "chatt:*")
    hub = started_hub(stage, text)
    hub.wait_for_log("configured filter or rule never matches")
    hub.wait_for_log("did you mean chat?")
    checked = varde("check-config", "--config", str(hub.configuration))
    assert checked.returncode == 0
    assert "warning: webhooks[0].topics[0]: no topic matches chatt:*" in checked.stderr


def webhook(receiver, topics="chat:*"):
    secret = "whsec_dmFyZGUtZGVtby1zZWNyZXQtMDAwMDAwMDA="
    return f"""
webhooks:
  - name: receiver
    url: {receiver.url}
    secret: {secret}
    topics: ["{topics}"]
webhook_limits:
  allow_addresses: ["127.0.0.0/8"]
"""


def test_demo_begins_its_night_at_the_start(stage):
    """Only its first lines, with a stand-in for the binary: the night is in test_demo_night.py."""
    stand_in = stage.directory / "varde"
    stand_in.write_text("#!/bin/sh\nexit 0\n")
    stand_in.chmod(0o755)
    script = (REPOSITORY / "demo/run.sh").read_text()
    demo = stage.directory / "demo"
    demo.mkdir()
    (demo / "run.sh").write_text(script.replace("{1..50}", "1"))
    old = stage.directory / ".demo" / "varde.sqlite"
    old.parent.mkdir()

    def run(**environment):
        old.write_text("of an earlier night")
        return subprocess.run(
            ["bash", str(demo / "run.sh")],
            env=os.environ | {"VARDE": str(stand_in)} | environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        ).stdout

    start = time.time()
    text = run()
    assert not old.exists()
    times = re.search(r"storm comes at about (\S+) and is over at about (\S+)\.", text)
    comes, over = times.groups()
    expected = {time.strftime("%H:%M:%S", time.localtime(start + 25 + more)) for more in range(4)}
    assert comes in expected
    assert over > comes or over < "00:02:00"
    assert "continues where the hub stopped" in run(RESUME="1")
    assert old.exists()
