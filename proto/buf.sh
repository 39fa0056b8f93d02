#!/usr/bin/env bash
# Runs buf in the version that the protos are checked with; installs it at first, from npm or,
# where there is no npm, as a Go module. Usage: proto/buf.sh lint
set -euo pipefail
VERSION=1.75.0
TOOLS=${XDG_CACHE_HOME:-$HOME/.cache}/cycloud-tools/buf-$VERSION

find_go() { command -v go || { [ -x /usr/local/go/bin/go ] && echo /usr/local/go/bin/go; }; }

if [ -x "$TOOLS/node_modules/.bin/buf" ]; then
    BUF=$TOOLS/node_modules/.bin/buf
elif [ -x "$TOOLS/bin/buf" ]; then
    BUF=$TOOLS/bin/buf
elif command -v npm >/dev/null; then
    echo "Installing buf $VERSION from npm into $TOOLS" >&2
    npm install --silent --no-audit --no-fund --prefix "$TOOLS" "@bufbuild/buf@$VERSION" >&2
    BUF=$TOOLS/node_modules/.bin/buf
elif go=$(find_go); then
    echo "Building buf $VERSION as a Go module into $TOOLS/bin" >&2
    GOBIN=$TOOLS/bin "$go" install "github.com/bufbuild/buf/cmd/buf@v$VERSION" >&2
    BUF=$TOOLS/bin/buf
else
    echo "buf is needed, and there is neither npm nor Go to install it with." >&2
    exit 1
fi
exec "$BUF" "$@"
