# shellcheck shell=sh
# What both programs share. Slurm starts them with a hostlist, such as gpu[01-02,04], and with almost no environment.
set -u
cd "$(dirname "$0")" || exit 1
# Where the agent is, and the file of the token: FLEETKEEPER_AGENT, FLEETKEEPER_TOKEN_FILE, and PATH.
set -a
. ./slurm.env
set +a

# each COMMAND HOSTLIST: runs COMMAND with each node, and goes on after one that failed. Slurm asks for that one again.
each() {
  failed=0
  nodes=$(scontrol show hostnames "$2") || exit 1
  for node in $nodes; do
    "$1" "$node" || {
      echo "$1 $node failed" >&2
      failed=1
    }
  done
  return "$failed"
}
