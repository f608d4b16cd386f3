#!/usr/bin/env bash
# transcript.sh: remakes the transcript in README.md by asking the question there.
# transcript.sh --check: fails when the README shows an answer of another shape
# (headings, SQL, tables) than the one given now. Figures change every day, so
# digits do not count.
set -euo pipefail
cd "$(dirname "$0")/.."
question="What was the daily GMV in Singapore over the past 30 days?"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/dibrain" ./cmd/dibrain
COLUMNS=100 NO_COLOR=1 "$work/dibrain" ask --data-dir "${DIBRAIN_DATA_DIR:-$work/data}" --limit 5 "$question" >"$work/answer" 2>"$work/err" ||
  { cat "$work/err" >&2; exit 1; }

# shape FILE: what has to stay the same from day to day.
shape() {
  # The chart is a picture of the day's figures; the footer holds ids and times.
  grep -v -e '[┤┼╭╮╯╰]' -e '^run_' "$1" | sed -E 's/[0-9][0-9,.]*/0/g; s/[[:space:]]+/ /g; s/─+/─/g' |
    awk '/^Presto SQL/ {on = 1} /^(Notes|Findings)/ {on = 0} on' |
    # How long ago tables were refreshed depends on the hour, and with it the folding.
    tr '\n' ' ' | sed -E 's/ +/ /g; s/refreshed (just now|0 [a-z]+ ago)/refreshed/g; s/; /;\n/g'
}

begin='<!-- transcript: remade by scripts/transcript.sh -->'
end='<!-- end of transcript -->'
if [ "${1:-}" = --check ]; then
  sed -n "\\#^$begin#,\\#^$end#p" README.md | sed '1,/^```/d; /^```/,$d' >"$work/readme"
  diff <(shape "$work/readme") <(shape "$work/answer") ||
    { echo "README.md shows another answer than the one given now: run scripts/transcript.sh" >&2; exit 1; }
  exit 0
fi
awk -v begin="$begin" -v end="$end" -v answer="$work/answer" -v question="$question" '
  $0 == begin { print; print ""; print "```console needs=transcript"; print "$ dibrain ask --limit 5 \"" question "\"";
    while ((getline line < answer) > 0) print line
    print "```"; print ""; skipping = 1; next }
  $0 == end { skipping = 0 }
  !skipping { print }' README.md >"$work/README.md"
cp "$work/README.md" README.md
