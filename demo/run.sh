#!/usr/bin/env bash
# The demo: a replay of recorded upstream data, a webhook receiver, and the hub between them.
# Ctrl-C ends all three. The night begins at its start each time; with RESUME=1 it continues where the hub stopped.
set -euo pipefail
cd "$(dirname "$0")/.."

varde=${VARDE:-.build/release/varde}
mkdir -p .demo

# Seconds of the wall clock from the start of the night: starts, speed and tracks of replay.yaml.
storm_comes=25
storm_is_over=80

helpers=()
stop() {
    [ ${#helpers[@]} -eq 0 ] || kill "${helpers[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
}
trap stop EXIT
# The hub gets the terminal's Ctrl-C itself; this shell only waits for it.
trap : INT TERM

is_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# The files below belong to the hub that runs there.
if is_open 8000; then
    echo "127.0.0.1:8000 is in use: another demo or hub runs on this machine. End it first." >&2
    exit 1
fi

if [ "${RESUME:-0}" = 1 ] && [ -e .demo/varde.sqlite ]; then
    night="The night continues where the hub stopped; without RESUME=1 it begins at its start."
else
    rm -f .demo/varde.sqlite*
    night=
fi

"$varde" replay demo --listen 127.0.0.1:8001 &
helpers+=($!)

# Somebody else may be waiting for the demo's webhooks on this port; then they are theirs to receive.
if ! is_open 8010; then
    "$varde" receive --listen 127.0.0.1:8010 --secret whsec_dmFyZGUtZGVtby1zZWNyZXQtMDAwMDAwMDA= \
        --field article_count --field group_title &
    helpers+=($!)
fi

# The hub would wait for its upstream too, but with a warning for every attempt.
for _ in {1..50}; do
    is_open 8001 && break
    sleep 0.1
done

at() { date -d "+$1 seconds" +%H:%M:%S; }
: "${night:=It is $(at 0). The storm comes at about $(at $storm_comes) and is over at about $(at $storm_is_over).}"

cat <<TEXT

The hub starts at http://127.0.0.1:8000. $night
Its console is at http://127.0.0.1:8000/console/; the API key there is: varde-demo-api-key

TEXT
cat <<'TEXT'
Try:

  curl -N 'http://127.0.0.1:8000/events?topics=aurora:tromso,aurora:tromso:alerts'
  .build/release/varde subscribe aurora:tromso aurora:tromso:alerts
  curl http://127.0.0.1:8000/api/aurora/now

Beside it, articles of sample feeds become stories. Each line "verified: news.story…" is a story that is new or has
changed, with the number of its articles and its title. Later nights repeat the articles, which then count as
copies. Try:

  .build/release/varde subscribe news:global news:ticker:NVDA
  curl http://127.0.0.1:8000/v1/feed/story-groups

A radar gets a made-up opinion every five seconds. Its app's socket is ws://127.0.0.1:8000/api/ws/radar/ID. Try:

  curl http://127.0.0.1:8000/auth/login -d '{"provider":"development","token":"Kari"}'
  curl -H 'Authorization: Bearer ACCESS_TOKEN' http://127.0.0.1:8000/api/radars -d '{"topic":"four-day working week"}'
  curl -N 'http://127.0.0.1:8000/events?topics=radar:ID'

TEXT

"$varde" serve --config demo/varde.yaml "$@" &
hub=$!
helpers+=("$hub")
# A signal interrupts the first wait; the hub is given the time to end properly.
wait "$hub" || wait "$hub" || true
