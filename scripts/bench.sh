#!/usr/bin/env bash
# bench.sh: the times that a person notices, on this machine, and the router's
# overhead as a ratio within one run. Prints a line each: median of the runs.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-9}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/dibrain" ./cmd/dibrain
export DIBRAIN_DATA_DIR="$work/data" NO_COLOR=1

ms() { echo $((($(date +%s%N) - $1) / 1000000)); }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

start=$(date +%s%N)
"$work/dibrain" ask "What was the GMV in Singapore yesterday?" >/dev/null
echo "first ask, demo made on the way: $(ms "$start") ms"

for _ in $(seq "$runs"); do
  start=$(date +%s%N)
  "$work/dibrain" ask "What was the GMV in Singapore yesterday?" >/dev/null
  ms "$start"
done | median | sed 's/.*/warm ask, process start to exit: & ms/'

for i in $(seq "$runs"); do
  start=$(date +%s%N)
  "$work/dibrain" serve --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 >"$work/serve.log" 2>&1 &
  server=$!
  until grep -q 'msg=ready' "$work/serve.log"; do :; done
  ms "$start"
  kill "$server"
  wait "$server" || true
done | median | sed 's/.*/serve, process start to ready: & ms/'

echo "router overhead per tool call, and the same call bare:"
go test ./services/router -run '^$' -bench 'Overhead|Bare|ToolCall' -benchtime 300x | grep -E '^Benchmark|ratio'
