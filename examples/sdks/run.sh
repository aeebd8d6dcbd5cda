#!/usr/bin/env bash
# Fetches the Centrifuge SDKs for JavaScript, Go, Java, Dart and Swift and runs each against a hub: connect, subscribe,
# publish, and recover after the hub was killed. What has no toolchain here, or cannot be fetched, is skipped.
#
#   examples/sdks/run.sh                     all
#   examples/sdks/run.sh js go               only these
#   VARDE=.build/debug/varde examples/sdks/run.sh
#   SDK_GIT=file:///srv/git examples/sdks/run.sh     repositories from a mirror: SDK_GIT/centrifuge-js, …
#
# It prints a table, and ends with status 1 if a check failed.
set -euo pipefail
cd "$(dirname "$0")/../.."

varde=${VARDE:-.build/release/varde}
git_base=${SDK_GIT:-https://github.com/centrifugal}
here=$PWD/examples/sdks
work=$PWD/.build/sdks
port=${PORT:-8123}
url=http://127.0.0.1:$port
seconds_max=90

hub=0
rows=()
failed=0

if [ ! -x "$varde" ]; then
    echo "no binary at $varde: run 'make build' first, or set VARDE" >&2
    exit 2
fi
mkdir -p "$work"
trap '[ $hub = 0 ] || kill -9 $hub 2>/dev/null || true' EXIT

# The publications and the API key are kept.
start_hub() {
    "$varde" dev --listen "127.0.0.1:$port" --database "$work/hub.sqlite" \
        >"$work/hub.out" 2>"$work/hub.log" &
    hub=$!
    for _ in $(seq $((seconds_max * 10))); do
        grep -q 'Open namespaces' "$work/hub.out" && break
        kill -0 $hub 2>/dev/null || { cat "$work/hub.log" >&2; exit 2; }
        sleep 0.1
    done
    key=$(sed -n 's/^API key: *//p' "$work/hub.out")
}

kill_hub() {
    kill -9 $hub
    wait $hub 2>/dev/null || true
    hub=0
}

row() { rows+=("$(printf '%-20s %-26s %s' "$1" "$2" "$3")"); }

skip() { row "$1" "${3:--}" "skipped: $2"; }

# check NAME VERSION COMMAND…: the command gets the hub's URL and a channel.
check() {
    local name=$1 version=$2 log=$work/$1.log channel=chat:$1-$$
    shift 2
    start_hub
    "$@" "$url" "$channel" >"$log" 2>&1 &
    local client=$! result=failed
    for _ in $(seq $((seconds_max * 10))); do
        grep -q '^ready' "$log" && break
        kill -0 $client 2>/dev/null || break
        sleep 0.1
    done
    kill_hub
    start_hub
    curl --silent --show-error --output /dev/null "$url/api/publish" -H "X-API-Key: $key" \
        -d "{\"channel\":\"$channel\",\"data\":{\"n\":3}}"
    for _ in $(seq $((seconds_max * 10))); do
        kill -0 $client 2>/dev/null || break
        sleep 0.1
    done
    kill -9 $client 2>/dev/null || true
    wait $client 2>/dev/null || true
    if [ "$(tail -n 1 "$log")" = passed ]; then result=passed; else failed=1; fi
    kill_hub
    row "$name" "$version" "$result$([ $result = passed ] || echo ", see $log")"
}

# fetch REPOSITORY DIRECTORY; the reason of a failure is the last line of its log.
fetch() {
    if [ -d "$2/.git" ]; then return; fi
    rm -rf "$2"
    git clone --quiet --depth 1 "$git_base/$1" "$2" >"$work/fetch.log" 2>&1
}

reason() { tail -n 1 "$work/fetch.log" | cut -c 1-80; }

commit() { git -C "$1" log -1 --format=%h; }

# The build for Node.js and the one for browsers, from source or from npm.
fetch_js() {
    local js=$work/js
    mkdir -p "$js"
    if command -v esbuild >/dev/null && fetch centrifuge-js "$js/source"; then
        export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
        esbuild "$js/source/src/browser.ts" --bundle --outfile="$js/centrifuge.js" \
            >"$work/fetch.log" 2>&1 || return 1
        esbuild "$js/source/src/index.ts" --bundle --platform=node --format=cjs \
            --outfile="$js/centrifuge.cjs" >"$work/fetch.log" 2>&1 || return 1
        js_version="$(node -p "require('$js/source/package.json').version") ($(commit "$js/source"))"
    elif command -v npm >/dev/null; then
        npm install --no-save --prefix "$js" centrifuge ws eventsource >"$work/fetch.log" 2>&1 \
            || return 1
        cp "$js/node_modules/centrifuge/dist/centrifuge.js" "$js/centrifuge.js"
        echo 'module.exports = require("./node_modules/centrifuge");' >"$js/centrifuge.cjs"
        export NODE_PATH=$js/node_modules
        js_version="$(node -p "require('$js/node_modules/centrifuge/package.json').version")"
    else
        echo 'neither esbuild nor npm is installed' >"$work/fetch.log"
        return 1
    fi
}

run_js() {
    command -v node >/dev/null || { skip js 'node is not installed'; return; }
    fetch_js || { skip js "cannot be fetched: $(reason)"; return; }
    for transport in websocket http_stream sse; do
        check "js-$transport" "$js_version" \
            bash -c 'exec node "$0" "$1" "$2" "$3" "$4"' "$here/js/check.js" "$work/js/centrifuge.cjs" \
            $transport
    done
}

run_go() {
    command -v go >/dev/null || { skip go 'go is not installed'; return; }
    mkdir -p "$work/go"
    cp "$here/go/check.go" "$work/go/"
    (
        cd "$work/go"
        [ -f go.mod ] || go mod init check
        go get github.com/centrifugal/centrifuge-go@latest
        go mod tidy
        go build -o check .
    ) >"$work/fetch.log" 2>&1 || { skip go "cannot be built: $(reason)" "$(go env GOVERSION)"; return; }
    check go "$(cd "$work/go" && go list -m -f '{{.Version}}' github.com/centrifugal/centrifuge-go)" \
        "$work/go/check"
}

run_java() {
    for tool in java mvn; do
        command -v $tool >/dev/null || { skip java "$tool is not installed"; return; }
    done
    rm -rf "$work/java"
    cp -r "$here/java" "$work/java"
    local version
    version=$(grep -A 1 centrifuge-java "$here/java/pom.xml" | sed -n 's/.*<version>\(.*\)<.*/\1/p')
    mvn --quiet --batch-mode -f "$work/java/pom.xml" compile dependency:build-classpath \
        "-Dmdep.outputFile=$work/java/classpath" >"$work/fetch.log" 2>&1 \
        || { skip java 'Maven cannot fetch the SDK or its plugins' "$version"; return; }
    check java "$version" java -cp "$work/java/target/classes:$(cat "$work/java/classpath")" Check
}

run_dart() {
    command -v dart >/dev/null || { skip dart 'dart is not installed'; return; }
    rm -rf "$work/dart"
    cp -r "$here/dart" "$work/dart"
    (cd "$work/dart" && dart pub get && dart compile exe check.dart -o check) >"$work/fetch.log" 2>&1 \
        || { skip dart "cannot be built: $(reason)"; return; }
    check dart "$(sed -n 's/^  centrifuge: //p' "$here/dart/pubspec.yaml")" "$work/dart/check"
}

run_swift() {
    command -v swift >/dev/null || { skip swift 'swift is not installed'; return; }
    mkdir -p "$work/swift"
    cp -r "$here/swift/." "$work/swift/"
    fetch centrifuge-swift "$work/swift/centrifuge-swift" \
        || { skip swift "cannot be fetched: $(reason)"; return; }
    local version
    version=$(commit "$work/swift/centrifuge-swift")
    if [ "$(uname)" != Darwin ]; then
        skip swift 'it imports CommonCrypto and Security, which only Apple systems have' "$version"
        return
    fi
    swift build --package-path "$work/swift" >"$work/fetch.log" 2>&1 \
        || { skip swift "cannot be built: $(reason)" "$version"; return; }
    check swift "$version" "$work/swift/.build/debug/check"
}

for sdk in "${@:-js go java dart swift}"; do
    for name in $sdk; do
        case $name in
            js | go | java | dart | swift) "run_$name" ;;
            *) echo "no SDK $name: js, go, java, dart, swift" >&2; exit 2 ;;
        esac
    done
done

printf '%-20s %-26s %s\n' SDK version result
printf '%s\n' "${rows[@]}"
exit $failed
