#!/bin/bash
# Stops what up.sh started. With --delete the state goes too (objects, certificates, tokens); the programs stay.
set -euo pipefail
# shellcheck source=common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"

stop() {
    local pid deadline=$((SECONDS + 20))
    pid=$(running "$1") || return 0
    kill -TERM "$pid"
    while running "$1" > /dev/null; do
        [ $SECONDS -lt $deadline ] || kill -KILL "$pid" 2> /dev/null || true
        sleep 0.1
    done
    rm -f "$root/run/$1.pid"
    say "$1 stopped"
}

[ -d "$root" ] || exit 0
exec 9> "$root/lock"
flock 9
stop kube-controller-manager
stop kube-apiserver
stop etcd
if [ "${1:-}" = --delete ]; then
    rm -rf "$root/etcd" "$root/pki" "$root/run" "$root/log" "$root/tokens.csv" "$root"/*.kubeconfig
    say "state deleted, programs kept in $bin"
fi
