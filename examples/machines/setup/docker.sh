#!/bin/sh
# Gives a machine Docker that sees its GPUs, and runs DOCKER_IMAGE on it if there is one. A second try changes nothing.
. ./common.sh

{
  value IMAGE "${DOCKER_IMAGE:-}"
  cat <<'MACHINE'
main() {
  if ! command -v docker >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update && apt-get -q -y install docker.io || return 1
  fi
  if ! docker info >/dev/null 2>&1; then
    systemctl enable --now docker || return 1
    docker info >/dev/null || return 1
  fi
  gpus=
  if command -v nvidia-ctk >/dev/null; then
    gpus=all
    if ! docker info --format '{{json .Runtimes}}' | grep -q '"nvidia"'; then
      nvidia-ctk runtime configure --runtime=docker && systemctl restart docker || return 1
    fi
  fi
  [ -n "$IMAGE" ] || { echo "Docker runs${gpus:+ with GPUs}"; return 0; }
  if [ "$(docker container inspect --format '{{.State.Running}}' fleetkeeper 2>/dev/null)" != true ]; then
    docker rm -f fleetkeeper >/dev/null 2>&1
    docker run --detach --name fleetkeeper --restart unless-stopped ${gpus:+--gpus all} -- "$IMAGE" || return 1
  fi
  echo "$IMAGE runs${gpus:+ with GPUs}"
}
main </dev/null
exit $?
MACHINE
} | on_machine root alone
ended_setup $?
