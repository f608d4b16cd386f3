#!/usr/bin/env bash
# Fit the score that tells whether a question is about a source, and write it to
# services/findata/about.yaml.
# Usage: scripts/fit-about.sh [FOLDER]: a folder with corpus.jsonl and train.jsonl, tables
# of many databases and training questions about them.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(cd "${1:-../shared/data/table_discovery/spider}" && pwd)
go test ./services/findata -count=1 -v -run '^TestFitAbout$' -args -fit-about "$folder"
