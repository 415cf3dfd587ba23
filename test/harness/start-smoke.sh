#!/usr/bin/env bash
# What the README promises of `npm start`: ready within seconds with nothing configured, the page and the API answer,
# a person's mention becomes a ticket, an agent's reply comes back, Ctrl-C ends it cleanly.
set -euo pipefail
# A group of its own for what is started, so that it gets signals as from a terminal.
set -m
port=${PORT:-10080}
sandbox=${SANDBOX_PORT:-10300}
data=$(mktemp -d)
out="$data/out.log"
PORT=$port SANDBOX_PORT=$sandbox DATA_DIR="$data/db" LOG_PRETTY=false npm start >"$out" 2>&1 &
pid=$!
cleanup() { kill -KILL -- "-$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; rm -rf "$data"; }
fail() { echo "start-smoke: $1"; tail -n 30 "$out"; exit 1; }
trap cleanup EXIT
wait_for() { # what, command…
  local what=$1; shift
  for _ in $(seq 1 120); do if "$@" >/dev/null 2>&1; then return 0; fi; sleep 0.25; done
  fail "waited in vain for $what"
}
wait_for 'ready' grep -q '"msg":"ready"' "$out"
wait_for 'the page' curl -fs "http://127.0.0.1:$sandbox/"
curl -fs "http://127.0.0.1:$port/readyz" >/dev/null || fail 'not ready'
curl -fs "http://127.0.0.1:$port/" | grep -q '/desk/assets/main-' || fail 'no desk'
key=$(sed -n 's/.*"serviceApiToken": "\(.*\)".*/\1/p' "$data/db/secrets.json")
[ -n "$key" ] || fail 'no key was made'
bot=$(curl -fs "http://127.0.0.1:$sandbox/_control/state" | sed -n 's/.*"botUserId":"\([A-Z0-9]*\)".*/\1/p')
curl -fs -X POST "http://127.0.0.1:$sandbox/_control/message" -H 'content-type: application/json' \
  -d "{\"channel\":\"it-help\",\"user\":\"ada\",\"text\":\"<@$bot> the coffee machine is on fire\"}" >/dev/null
ticket() { curl -fs "http://127.0.0.1:$port/api/tickets?search=coffee" -H "x-service-api-token: $key" | grep -q '"title":"the coffee machine is on fire"'; }
wait_for 'the ticket' ticket
id=$(curl -fs "http://127.0.0.1:$port/api/tickets?search=coffee" -H "x-service-api-token: $key" | sed -n 's/.*"code":"\([A-Z]*-[0-9]*\)".*/\1/p')
curl -fs "http://127.0.0.1:$port/api/ticket-messages" -H "x-service-api-token: $key" -H 'content-type: application/json' \
  -d "{\"ticketId\":\"$id\",\"content\":\"Please step *back*\"}" >/dev/null || fail 'the reply was not taken'
reply() { curl -fs "http://127.0.0.1:$sandbox/_control/messages/it-help" | grep -q 'Please step back'; }
wait_for 'the reply in the thread' reply
kill -INT -- "-$pid"
# npm may end before the program that it started.
wait_for 'that it says that it stops' grep -q '"msg":"stopping"' "$out"
gone() { ! kill -0 -- "-$pid"; }
wait_for 'the end of its processes' gone
echo "start-smoke: $id opened and answered; $(grep -o '"readyMs":[0-9]*' "$out" | tail -1) ms to ready"
