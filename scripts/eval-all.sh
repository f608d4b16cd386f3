#!/usr/bin/env bash
# Measure every suite of `dibrain-lab eval` and write its figures to eval/NAME.json.
# Usage: scripts/eval-all.sh [DATA] [NAME...]: DATA is the folder of all evaluation
# data (../shared/data unless given); with names, such as tables-spider, only those
# are measured.
set -euo pipefail
cd "$(dirname "$0")/.."
data=${1:-../shared/data}
[ $# -eq 0 ] || shift
wanted=" $* "

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -ldflags "$(scripts/ldflags.sh)" -o "$work/dibrain-lab" ./cmd/dibrain-lab

# measure NAME SUITE FOLDER [FLAG...]: "./" begins a folder of the repository.
measure() {
  local name=$1 suite=$2 folder=$3
  shift 3
  if [ "$wanted" != "  " ] && [[ $wanted != *" $name "* ]]; then return; fi
  [[ $folder == ./* ]] || folder=$data/$folder
  "$work/dibrain-lab" eval "$suite" --data "$folder" --json "$@" >"$work/$name.json"
  mv "$work/$name.json" "eval/$name.json"
  echo "eval/$name.json"
}

measure text2sql-spiderman-en text2sql text2sql/spiderman
measure text2sql-spiderman-zh text2sql text2sql/spiderman --lang zh
measure text2sql-spiderman-train text2sql text2sql/spiderman --queries "$data/text2sql/spiderman/train.jsonl"
measure text2sql-defog text2sql text2sql/defog
measure text2sql-llm40 text2sql text2sql/spiderman --strategy llm --limit 40 --replay eval/text2sql-llm40.cassette.jsonl
measure demo demo ./eval/demo
measure suggestions suggestions ./eval/demo
measure demo-held-out demo ./eval/demo --queries eval/demo/held-out.jsonl
measure demo-fresh demo ./eval/demo --queries eval/demo/fresh.jsonl
measure demo-llm30 demo ./eval/demo --queries eval/demo/hardest.jsonl --strategy llm --replay eval/demo-llm30.cassette.jsonl
measure clarify clarify ./eval/demo
measure use use ./eval/demo
measure own own ./eval/own
measure own-second own ./eval/own-second
measure own-data own own_data
measure tables-spider tables table_discovery/spider
measure tables-spider-zh tables table_discovery/spider --lang zh
measure tables-spider2 tables table_discovery/spider2
measure tables-beaver tables table_discovery/beaver
measure tables-snails tables table_discovery/snails
measure tables-snails-described tables table_discovery/snails/corpus_described.jsonl
measure tables-synth50k tables table_discovery/synth50k
measure tables-synth50k-history tables table_discovery/synth50k --history "$data/text2sql/spiderman/train.jsonl"
measure tables-synth50k-history-train tables table_discovery/synth50k --queries "$data/table_discovery/synth50k/train.jsonl" --history "$data/text2sql/spiderman/train.jsonl"
measure chart chart chart
measure insight insight insight
measure routing routing routing
measure routing-llm40 routing routing --strategy llm --limit 40 --replay eval/routing-llm40.cassette.jsonl
measure conformance conformance trino
measure errors errors trino
measure gold-spiderman gold text2sql/spiderman
measure gold-spiderman-train gold text2sql/spiderman --queries "$data/text2sql/spiderman/train.jsonl"
measure gold-defog gold text2sql/defog
measure gold-sql_repair gold sql_repair/spider_dev
measure repair repair sql_repair/spider_dev
measure edits-spiderman edits text2sql/spiderman
measure edits-spiderman-train edits text2sql/spiderman --queries "$data/text2sql/spiderman/train.jsonl" --limit 700
measure edits-conformance edits trino
