#!/usr/bin/env bash
# Sets the router against LangGraph on the same graph, in one run on one machine:
# processor time of a step of the graph, of a turn with one tool call, and of a
# tool call among ten; of turn 100 against turn 1; and what two hundred people at
# once wait for ours; and the floor of a turn, below which no router in this process could be. Ours includes gRPC in memory at both ends; both sides keep
# their state in SQLite (WAL, synchronous NORMAL). Needs python3 and PyPI.
#   scripts/bench-router.sh
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q langgraph==1.2.22 langgraph-checkpoint-sqlite==3.1.2

go test -c -o "$work/router.test" ./services/router
go test -c -o "$work/flow.test" ./pkg/flow
"$work/venv/bin/python" test/bench/routerspeed/langgraph_speed.py >"$work/langgraph.jsonl"
(cd services/router && "$work/router.test" -test.run=NONE -test.bench='^(BenchmarkCPU|BenchmarkFloor)$' -test.benchtime=1000x
  "$work/router.test" -test.run=NONE -test.bench='^BenchmarkLongSession$' -test.benchtime=1x
  "$work/router.test" -test.run=NONE -test.bench='^BenchmarkTwoHundredSessions$' -test.benchtime=10x) >"$work/router.txt"
(cd pkg/flow && "$work/flow.test" -test.run=NONE -test.bench='^BenchmarkStep$') >"$work/flow.txt"

python3 - "$work" <<'PY'
import json, re, sys
work = sys.argv[1]
theirs = {}
for line in open(work + "/langgraph.jsonl"):
    row = json.loads(line)
    theirs[row["what"]] = row.get("cpu_us", row.get("ratio"))
ours = {"step": float(re.search(r"([\d.]+) ns/step", open(work + "/flow.txt").read()).group(1)) / 1e3}
for line in open(work + "/router.txt"):
    found = re.search(r"BenchmarkCPU/(\S+?)-\d+ .*?([\d.]+) cpu-us/call", line)
    if found:
        ours[{"turn_of_one_call": "turn_of_one_call", "tool_call_of_ten": "tool_call"}[found.group(1)]] = float(found.group(2))
print(f"{'microseconds of CPU':24}{'LangGraph':>12}{'router':>12}{'ratio':>9}")
for what in ("step", "turn_of_one_call", "tool_call"):
    print(f"{what:24}{theirs[what]:12.1f}{ours[what]:12.2f}{theirs[what] / ours[what]:9.1f}")
text = open(work + "/router.txt").read()
floor = [float(us) for us in re.findall(r"BenchmarkFloor/\S+ .*?([\d.]+) cpu-us/turn", text)]
print(f"{'floor of a turn':24}{'':12}{sum(floor):12.2f}{theirs['turn_of_one_call'] / sum(floor):9.1f}")
metric = lambda name: float(re.search(r"([\d.]+) " + re.escape(name), text).group(1))
print(f"{'turn 100 over turn 1':24}{theirs['turn_100_over_turn_1']:12.2f}{metric('turn100/turn1'):12.2f}")
for store in ("sqlite", "postgres"):
    found = re.search(rf"BenchmarkTwoHundredSessions/{store}-\d+ .*?([\d.]+) median-ms\s+([\d.]+) p99-ms", text)
    if found:
        print(f"two hundred people, a turn every 2 s each, {store}: median {float(found.group(1)):.2f} ms, 99th percentile {float(found.group(2)):.2f} ms")
PY
