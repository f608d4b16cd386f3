#!/usr/bin/env bash
# Print the linker flags that tell a binary its version and commit, for builds where
# the repository is not at hand (the image: .git stays outside of it):
#   docker build --build-arg LDFLAGS="$(scripts/ldflags.sh)" -f deploy/docker/Dockerfile .
# A tree with changes says so. `go build` by itself notes the same without flags.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=$(git rev-parse HEAD)
version=$(git describe --tags --exact-match --match 'v*' 2>/dev/null || true)
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
  commit+=+dirty
  version=
fi
flags="-X main.commit=$commit"
if [ -n "$version" ]; then flags+=" -X main.version=$version"; fi
echo "$flags"
