#!/bin/sh
# Joins a machine to a Kubernetes cluster as an agent of k3s, by k3s's own installer. A second try changes nothing.
# The node has the deployment's name: machines of one image may all have one host name.
. ./common.sh
setting K3S_URL K3S_TOKEN_FILE
token=$(cat "$K3S_TOKEN_FILE") || finish 1 "K3S_TOKEN_FILE cannot be read: $K3S_TOKEN_FILE"

{
  value K3S_URL "$K3S_URL"
  value K3S_TOKEN "$token"
  value K3S_NODE_NAME "$(printf %s "$FLEETKEEPER_DEPLOYMENT" | tr '[:upper:]' '[:lower:]' | tr -c 'a-z0-9-' -)"
  value INSTALL_K3S_VERSION "${K3S_VERSION:-}"
  cat <<'MACHINE'
export K3S_URL K3S_TOKEN K3S_NODE_NAME INSTALL_K3S_VERSION
# The installer does not start a service whose files it finds as they are, though its first start has failed.
export INSTALL_K3S_FORCE_RESTART=true
main() {
  if systemctl is-active --quiet k3s-agent && grep -qsF "$K3S_URL" /etc/systemd/system/k3s-agent.service.env; then
    echo "it is an agent of $K3S_URL already"
    return 0
  fi
  installer=$(mktemp) || return 1
  curl -sfL https://get.k3s.io -o "$installer" || { echo "the installer of k3s cannot be fetched"; return 1; }
  # The service waits for the server for as long as it takes.
  timeout 600 sh "$installer" || return 1
  rm -f "$installer"
  systemctl is-active --quiet k3s-agent || { journalctl -u k3s-agent -n 5 --no-pager; return 1; }
  echo "joined $K3S_URL as $K3S_NODE_NAME"
}
main </dev/null
exit $?
MACHINE
} | on_machine root alone
ended_setup $?
