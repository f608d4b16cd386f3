#!/usr/bin/env bash
# The released contract is kept in the repository (proto/released), since a fresh
# clone need not have tags.
#
#   contract.sh check            today's contract breaks nothing of the newest release
#   contract.sh release v0.2.0   keep today's contract as that release; commit the file
#
# check tries itself first: a field with another name has to be noticed.
set -euo pipefail
cd "$(dirname "$0")/.."
released=proto/released
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

buf() { go tool -modfile=tools/go.mod buf "$@"; }

image() { buf build --exclude-source-info -o "$1" "${@:2}"; }

# breaking IMAGE AGAINST: both are images, so the rules are those of released/buf.yaml.
breaking() { buf breaking "$1" --config $released/buf.yaml --against "$2"; }

case ${1:-} in
  check)
    newest=$(printf '%s\n' $released/v*.binpb | sort -V | tail -n 1)
    image "$work/now.binpb"
    mkdir "$work/broken"
    cp -r buf.yaml proto "$work/broken"
    sed -i 's/^  string run_id = 1;/  string renamed = 1;/' "$work"/broken/proto/dibrain/router/v1/*.proto
    if diff -rq proto "$work/broken/proto" >/dev/null; then
      echo "no field run_id = 1 is left in the router's contract: choose another one to try this check with" >&2
      exit 1
    fi
    image "$work/broken.binpb" "$work/broken"
    if breaking "$work/broken.binpb" "$work/now.binpb" >/dev/null 2>&1; then
      echo "a field with another name was not noticed: this check checks nothing" >&2
      exit 1
    fi
    breaking "$work/now.binpb" "$newest"
    echo "nothing of $newest is broken"
    ;;
  release)
    [[ ${2:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "name the release, such as v0.2.0" >&2; exit 2; }
    [ ! -e "$released/$2.binpb" ] || { echo "$released/$2.binpb is there already: a release does not change" >&2; exit 2; }
    "$0" check
    image "$released/$2.binpb"
    echo "$released/$2.binpb: commit it with the release"
    ;;
  *)
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
