#!/bin/sh
# Joins a machine to a Slurm cluster as a dynamic node that has its configuration from the controller (configless).
# A second try changes nothing. SLURM_NODE is what slurmd says of the node, such as Gres=gpu:8. With SLURM_NODES=cloud it is the node of
# slurm.conf that has its fleet's name, as in examples/slurm.
. ./common.sh
setting SLURM_SERVER SLURM_MUNGE_KEY_FILE
key=$(base64 <"$SLURM_MUNGE_KEY_FILE") || finish 1 "SLURM_MUNGE_KEY_FILE cannot be read: $SLURM_MUNGE_KEY_FILE"

{
  value KEY "$key"
  value SERVER "$SLURM_SERVER"
  value NODE "${SLURM_NODE:-}"
  if [ "${SLURM_NODES:-}" = cloud ]; then name=$FLEETKEEPER_FLEET kind=; else name=$FLEETKEEPER_DEPLOYMENT kind='-Z '; fi
  value NAME "$(printf %s "$name" | tr -c 'A-Za-z0-9-' -)"
  value KIND "$kind"
  cat <<'MACHINE'
main() {
  options="SLURMD_OPTIONS='$KIND-N $NAME --conf-server $SERVER${NODE:+ --conf \"$NODE\"}'"
  if systemctl is-active --quiet slurmd && [ "$(cat /etc/default/slurmd)" = "$options" ]; then
    echo "it is the node $NAME of $SERVER already"
    return 0
  fi
  if ! command -v slurmd >/dev/null || ! command -v scontrol >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update && apt-get -q -y install slurmd munge slurm-client || return 1
  fi
  umask 077
  printf '%s\n' "$KEY" | base64 -d >/etc/munge/munge.key && chown munge: /etc/munge/munge.key || return 1
  umask 022
  systemctl enable munge && systemctl restart munge || return 1
  printf '%s\n' "$options" >/etc/default/slurmd || return 1
  # Debian's unit asks for a slurm.conf, which such a node has from the controller.
  mkdir -p /etc/systemd/system/slurmd.service.d || return 1
  printf '[Unit]\nConditionPathExists=\n' >/etc/systemd/system/slurmd.service.d/fleetkeeper.conf || return 1
  systemctl daemon-reload && systemctl enable slurmd && systemctl restart slurmd || return 1
  # slurmd runs for a while though no controller answers it.
  left=30
  until scontrol show node "$NAME" >/dev/null 2>&1; do
    left=$((left - 1))
    if [ "$left" -eq 0 ] || ! systemctl is-active --quiet slurmd; then
      journalctl -u slurmd -n 5 --no-pager
      echo "$SERVER does not know the node $NAME"
      return 1
    fi
    sleep 2
  done
  echo "joined $SERVER as $NAME"
}
main </dev/null
exit $?
MACHINE
} | on_machine root alone
ended_setup $?
