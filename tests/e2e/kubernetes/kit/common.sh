# shellcheck shell=bash disable=SC2034
# Settings and functions that up.sh and down.sh share. A second API server has a root, a host or ports of its own, and
# CYCLOUD_KUBE_BIN for the programs that another one's root has.
root=${CYCLOUD_KUBE_ROOT:-$HOME/.cache/cycloud-kube}
bin=${CYCLOUD_KUBE_BIN:-$root/bin}
host=${CYCLOUD_KUBE_HOST:-127.0.0.30}
port=${CYCLOUD_KUBE_PORT:-6443}
etcd_port=${CYCLOUD_KUBE_ETCD_PORT:-2379} # and the next one, for its peers
manager_port=${CYCLOUD_KUBE_MANAGER_PORT:-10257}
servers=(etcd kube-apiserver kube-controller-manager)

say() { echo "kube: $*"; }

# fail MESSAGE [LOG]
fail() {
    say "$1" >&2
    [ $# -lt 2 ] || { tail -n 15 "$root/log/$2.log"; say "the whole log: $root/log/$2.log"; } >&2
    exit 1
}

# Prints where Go is: in PATH, or where https://go.dev/doc/install puts it.
find_go() { command -v go || { [ -x /usr/local/go/bin/go ] && echo /usr/local/go/bin/go; }; }

needs() { command -v "$1" > /dev/null || fail "$1 is not installed"; }

# Prints the process id of NAME if that very program runs (a pid file can outlive its process).
running() {
    local pid
    pid=$(cat "$root/run/$1.pid" 2> /dev/null) || return 1
    [ "$(readlink "/proc/$pid/exe")" = "$(readlink -f "$bin/$1")" ] && echo "$pid"
}
