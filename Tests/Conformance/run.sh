#!/usr/bin/env bash
# Holds the release binary against the Autobahn test suite, plain and over TLS, and our client role
# against two servers. docs/CONFORMANCE.md says what is held against what.
#
#   Tests/Conformance/run.sh                 everything
#   Tests/Conformance/run.sh suite           the suite alone
#   Tests/Conformance/run.sh client          the client role alone
#   Tests/Conformance/run.sh find            whether the suite can be found, and nothing else
#   CASES='6.*,7.*' Tests/Conformance/run.sh suite      part of the list
#   COUNT=20 Tests/Conformance/run.sh        fewer messages in each of 12.* and 13.*: a quick look
#   VARDE=.build/debug/varde Tests/Conformance/run.sh   another binary
#
# The suite is looked for in this order:
#   AUTOBAHN       a script that is called with HOST PORT PATH and options, and leaves a report
#                  autobahn-HOST-PORT.json in AUTOBAHN_OUT. It may keep files in AUTOBAHN_CACHE.
#   Docker, Podman the image crossbario/autobahn-testsuite
set -euo pipefail
cd "$(dirname "$0")/../.."

here=Tests/Conformance
varde=${VARDE:-.build/release/varde}
client=${CONFORMANCE_CLIENT:-.build/release/conformance-client}
autobahn=${AUTOBAHN:-../shared/tools/autobahn/autobahn.sh}
image=crossbario/autobahn-testsuite
reports=$PWD/.build/conformance
# Outside the checkout: it holds other people's code.
export AUTOBAHN_CACHE=${AUTOBAHN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/varde-autobahn}
# Each wait of the suite has an end; this is for what nobody thought of.
suite_minutes_max=45
client_minutes_max=10

part=${1:-all}
case $part in
    all | suite | client | find) ;;
    *)
        sed --quiet '2,/^set /{/^#/p}' "$0" >&2
        exit 2
        ;;
esac

fail() {
    echo "$*" >&2
    exit 2
}

find_suite() {
    if [ -x "$autobahn" ]; then
        runner=script
        echo "suite: $autobahn"
        return
    fi
    for engine in docker podman; do
        if command -v "$engine" >/dev/null && "$engine" info >/dev/null 2>&1; then
            runner=$engine
            echo "suite: image $image through $engine"
            return
        fi
    done
    fail "the Autobahn test suite is missing: set AUTOBAHN to a script that runs it, or start
Docker or Podman for the image $image ($here/run.sh says more)"
}

if [ "$part" = find ]; then
    find_suite
    exit
fi

[ -x "$varde" ] || fail "no binary at $varde: run 'make conformance', which builds it"
[ "$part" = suite ] || [ -x "$client" ] || fail "no binary at $client: run 'make conformance'"

./setup.sh acceptance

work=$(mktemp --directory)
mkdir -p "$reports"
pids=()
stop_all() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap stop_all EXIT

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# wait_for PORT PID: until somebody listens there.
wait_for() {
    for _ in {1..100}; do
        if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return; fi
        kill -0 "$2" 2>/dev/null || fail "the server on port $1 did not start"
        sleep 0.1
    done
    fail "nobody listens on port $1"
}

# start_varde NAME PORT FLAGS…
start_varde() {
    local name=$1 port=$2
    shift 2
    "$varde" serve --echo --config "$here/varde.yaml" --listen "127.0.0.1:$port" \
        --database "$work/$name.sqlite" "$@" &
    pids+=($!)
    wait_for "$port" $!
}

# run_suite NAME PORT: leaves the report in $reports/NAME.json.
run_suite() {
    local name=$1 port=$2 scheme=ws options=()
    rm -f "$reports/$name.json"
    if [ "$runner" = script ]; then
        [ "$name" != tls ] || options+=(--tls)
        [ -z "${CASES:-}" ] || options+=(--cases "$CASES")
        [ -z "${COUNT:-}" ] || options+=(--count "$COUNT")
        # Its exit status says what the report says more exactly.
        AUTOBAHN_OUT=$work timeout --kill-after=30s "${suite_minutes_max}m" \
            "$autobahn" 127.0.0.1 "$port" /echo "${options[@]}" || true
        mv "$work/autobahn-127.0.0.1-$port.json" "$reports/$name.json" || fail "no report"
        return
    fi
    [ "$name" != tls ] || scheme=wss
    [ -z "${COUNT:-}" ] || echo "COUNT is for the script: the image sends all messages" >&2
    mkdir -p "$work/$name"
    python3 - "$scheme://127.0.0.1:$port/echo" "${CASES:-*}" >"$work/$name/spec.json" <<'PYTHON'
import json, sys
url, cases = sys.argv[1:]
json.dump({
    "outdir": "/work/report",
    "servers": [{"agent": "varde", "url": url}],
    "cases": cases.split(","),
    "exclude-cases": [],
    "exclude-agent-cases": {},
}, sys.stdout)
PYTHON
    timeout --kill-after=30s "${suite_minutes_max}m" \
        "$runner" run --rm --network host --volume "$work/$name:/work" "$image" \
        wstest --mode fuzzingclient --spec /work/spec.json || true
    cp "$work/$name/report/index.json" "$reports/$name.json" || fail "no report"
}

partial=()
[ -z "${CASES:-}" ] || partial=(--partial)
status=0

if [ "$part" != client ]; then
    find_suite
    openssl req -x509 -nodes -days 2 -subj '/CN=varde conformance' \
        -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
        -addext subjectAltName=IP:127.0.0.1 \
        -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
    plain_port=$(free_port)
    start_varde plain "$plain_port"
    tls_port=$(free_port)
    start_varde tls "$tls_port" \
        --tls-certificate "$work/certificate.pem" --tls-key "$work/key.pem"
    for name in plain tls; do
        port=${name}_port
        run_suite "$name" "${!port}"
        echo -n "suite, $name: "
        python3 "$here/compare.py" suite "$reports/$name.json" "${partial[@]}" || status=1
    done
fi

if [ "$part" != suite ]; then
    Tests/python.sh
    # A tenth of the suite's 1000 messages in each of 12.* and 13.*, where the time goes into zlib.
    options=(--count "${COUNT:-100}")
    [ -z "${CASES:-}" ] || options+=(--cases "${CASES//\*/}")
    hub_port=$(free_port)
    start_varde client "$hub_port"
    websockets_port=$(free_port)
    .venv/bin/python "$here/websockets_echo.py" "$websockets_port" &
    pids+=($!)
    wait_for "$websockets_port" $!
    for name in hub websockets; do
        port=${name}_port
        timeout "${client_minutes_max}m" \
            "$client" "ws://127.0.0.1:${!port}/echo" --report "$reports/client-$name.tsv" \
            "${options[@]}" >"$reports/client-$name.txt" || fail "the client did not finish"
        echo -n "client role against $name: "
        python3 "$here/compare.py" client "$reports/client-$name.tsv" --server "$name" \
            "${partial[@]}" || status=1
    done
fi

exit "$status"
