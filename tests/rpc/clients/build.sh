#!/usr/bin/env bash
# Gets the foreign clients of the tests: grpcurl, and a Go client made from the protos. Usage: build.sh FOLDER
# FOLDER gets goclient; grpcurl and protoc's plugins for Go are kept in ~/.cache/cycloud-tools. Needs Go, and npm or Go for buf.
set -euo pipefail
HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
OUT=$(readlink -m "$1")
TOOLS=${XDG_CACHE_HOME:-$HOME/.cache}/cycloud-tools/go/bin
GRPCURL=v1.9.4 PROTOC_GEN_GO=v1.36.12 PROTOC_GEN_GO_GRPC=v1.6.0

GO=$(command -v go || echo /usr/local/go/bin/go)
[ -x "$GO" ] || { echo "These tests need Go: https://go.dev/dl, or apt-get install golang-go" >&2; exit 1; }
export GOBIN=$TOOLS PATH=$TOOLS:$PATH
# a tool in the pinned version: the version is part of the name that says it is there
tool() { [ -e "$TOOLS/.$1-$3" ] || { "$GO" install "$2@$3" && touch "$TOOLS/.$1-$3"; }; }
mkdir -p "$TOOLS"
tool grpcurl github.com/fullstorydev/grpcurl/cmd/grpcurl "$GRPCURL"
tool protoc-gen-go google.golang.org/protobuf/cmd/protoc-gen-go "$PROTOC_GEN_GO"
tool protoc-gen-go-grpc google.golang.org/grpc/cmd/protoc-gen-go-grpc "$PROTOC_GEN_GO_GRPC"

rm -rf "$OUT"
mkdir -p "$OUT/cmd/goclient"
cp "$HERE"/goclient/go.mod "$HERE"/goclient/go.sum "$OUT"
cp "$HERE"/goclient/main.go "$OUT/cmd/goclient"
cd "$HERE/../../.."
proto/buf.sh generate -o "$OUT" --path proto/cycloud
cd "$OUT"
"$GO" vet ./cmd/...
"$GO" build -o goclient ./cmd/goclient
ln -sf "$TOOLS/grpcurl" grpcurl
