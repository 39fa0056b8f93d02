#!/bin/bash
# Starts a real Kubernetes API on loopback: etcd, kube-apiserver and kube-controller-manager (the controllers
# named below). Builds what is missing, waits until it is ready; does nothing where it runs. See README.md.
# Usage: up.sh             up.sh --build  only builds            up.sh --status  only tells (0: it runs)
set -euo pipefail
kit=$(dirname "$(readlink -f "$0")")
# shellcheck source=common.sh
. "$kit/common.sh"

controllers=garbage-collector-controller,namespace-controller
controllers+=,serviceaccount-controller,clusterrole-aggregation-controller

# version MODULE
version() { sed -nE "s|^\s*$1 (v[^ ]+).*|\1|p" "$kit/go.mod" | head -n 1; }

build() {
    local want kubernetes name go begin=$SECONDS
    want=$(cat "$kit/go.mod" "$kit/go.sum" | sha256sum)
    [ "$(cat "$bin/built" 2> /dev/null)" != "$want" ] || return 0
    [ "$bin" = "$root/bin" ] || fail "$bin has no programs of this version: run up.sh for its own root first"
    for name in "${servers[@]}"; do
        ! running "$name" > /dev/null || fail "$name of another version runs: stop it with down.sh first"
    done
    go=$(find_go) || fail "Go 1.21 or later is needed: https://go.dev/doc/install"
    kubernetes=$(version k8s.io/kubernetes)
    say "building Kubernetes $kubernetes and etcd $(version go.etcd.io/etcd/server/v3)"
    say "  (about 6 minutes on 2 cores where the Go build cache is empty)"
    rm -rf "${bin:?}"
    mkdir -p "$bin"
    (
        cd "$kit"
        export CGO_ENABLED=0 GOFLAGS='' GOWORK=off GOTOOLCHAIN=auto GOGC=400 # memory for speed
        "$go" build -v -mod=readonly -trimpath -buildvcs=false -gcflags=all=-dwarf=false -o "$bin/" \
            -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$kubernetes" tool
    ) 2>&1 | tee "$root/log/build.log" | progress "$begin" || fail "the build failed" build
    mv "$bin/server" "$bin/etcd"
    echo "$want" > "$bin/built"
    say "built in $((SECONDS - begin)) s"
}

progress() {
    local line count=0
    while read -r line; do
        [[ $line == go:* ]] || (( ++count % 250 )) || say "  $count packages compiled, $((SECONDS - $1)) s"
    done
}

# One authority signs the API server's certificate and one that a webhook on loopback can serve with.
certificates() {
    [ ! -e "$root/pki/done" ] || return 0
    needs openssl
    local name key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 3650)
    mkdir -p "$root/pki"
    (
        cd "$root/pki"
        openssl req -x509 "${key[@]}" -keyout ca.key -out ca.crt -subj /CN=cycloud-kube-ca \
            -addext keyUsage=critical,keyCertSign,cRLSign
        for name in apiserver webhook; do
            openssl req -x509 "${key[@]}" -keyout $name.key -out $name.crt -subj /CN=$name -CA ca.crt -CAkey ca.key \
                -addext basicConstraints=critical,CA:FALSE -addext keyUsage=critical,digitalSignature \
                -addext extendedKeyUsage=serverAuth -addext "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:$host"
        done
        openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out service-account.key
    ) > "$root/log/pki.log" 2>&1 || fail "no certificates" pki
    touch "$root/pki/done"
}

# admin may do everything; cycloud nothing but discovery until a role is bound to it.
users() {
    local token user
    if [ ! -e "$root/tokens.csv" ]; then
        for user in admin,admin,system:masters cycloud,cycloud \
            system:kube-controller-manager,kube-controller-manager; do
            echo "$(openssl rand -hex 24),$user"
        done > "$root/tokens.new"
        mv "$root/tokens.new" "$root/tokens.csv"
    fi
    while IFS=, read -r token user _; do
        kubeconfig "$user" "$token" > "$root/${user#system:}.kubeconfig"
    done < "$root/tokens.csv"
}

# kubeconfig USER TOKEN
kubeconfig() {
    cat << END
apiVersion: v1
kind: Config
clusters:
- name: cycloud-kube
  cluster: {server: "https://$host:$port", certificate-authority-data: $(base64 -w0 "$root/pki/ca.crt")}
users:
- name: $1
  user: {token: $2}
contexts:
- name: $1
  context: {cluster: cycloud-kube, user: $1}
current-context: $1
END
}

# start NAME HEALTH-URL FLAG...
start() {
    local name=$1 url=$2 pid deadline=$((SECONDS + 60))
    shift 2
    if ! pid=$(running "$name"); then
        setsid "$bin/$name" "$@" >> "$root/log/$name.log" 2>&1 < /dev/null 9>&- &
        pid=$!
        echo $pid > "$root/run/$name.pid"
    fi
    until curl -fs --noproxy '*' --max-time 2 --cacert "$root/pki/ca.crt" -o /dev/null "$url"; do
        kill -0 "$pid" 2> /dev/null || fail "$name has ended" "$name"
        [ $SECONDS -lt $deadline ] || fail "$name is not ready after 60 s" "$name"
        sleep 0.2
    done
}

needs curl
if [ "${1:-}" = --status ]; then
    for name in "${servers[@]}"; do running "$name" > /dev/null || { say "$name does not run"; exit 1; }; done
    curl -fs --noproxy '*' --max-time 5 --cacert "$root/pki/ca.crt" -o /dev/null "https://$host:$port/readyz" ||
        fail "https://$host:$port is not ready"
    say "https://$host:$port is ready"
    exit 0
fi
mkdir -p "$root/log" "$root/run"
exec 9> "$root/lock"
flock 9
build
[ "${1:-}" != --build ] || exit 0
umask 077
begin=$SECONDS
certificates
users

start etcd "http://$host:$etcd_port/health" \
    --name cycloud-kube --data-dir "$root/etcd" --log-level warn --unsafe-no-fsync \
    --listen-client-urls "http://$host:$etcd_port" --advertise-client-urls "http://$host:$etcd_port" \
    --listen-peer-urls "http://$host:$((etcd_port + 1))" \
    --initial-advertise-peer-urls "http://$host:$((etcd_port + 1))" \
    --initial-cluster "cycloud-kube=http://$host:$((etcd_port + 1))"

# shellcheck disable=SC2086  # the extra flags are a list
start kube-apiserver "https://$host:$port/readyz" \
    --etcd-servers "http://$host:$etcd_port" \
    --bind-address "$host" --advertise-address "$host" --secure-port "$port" --endpoint-reconciler-type none \
    --tls-cert-file "$root/pki/apiserver.crt" --tls-private-key-file "$root/pki/apiserver.key" \
    --token-auth-file "$root/tokens.csv" --authorization-mode RBAC \
    --service-account-issuer "https://$host:$port" --service-account-key-file "$root/pki/service-account.key" \
    --service-account-signing-key-file "$root/pki/service-account.key" \
    --service-cluster-ip-range 10.96.0.0/16 --shutdown-watch-termination-grace-period 5s \
    ${CYCLOUD_KUBE_APISERVER_FLAGS:-}

start kube-controller-manager "https://$host:$manager_port/healthz" \
    --kubeconfig "$root/kube-controller-manager.kubeconfig" \
    --authentication-kubeconfig "$root/kube-controller-manager.kubeconfig" \
    --authorization-kubeconfig "$root/kube-controller-manager.kubeconfig" \
    --controllers "$controllers" --use-service-account-credentials --leader-elect=false \
    --bind-address "$host" --secure-port "$manager_port" \
    --tls-cert-file "$root/pki/apiserver.crt" --tls-private-key-file "$root/pki/apiserver.key"

say "https://$host:$port is ready ($((SECONDS - begin)) s)"
say "  export KUBECONFIG=$root/admin.kubeconfig      (or cycloud.kubeconfig)"
