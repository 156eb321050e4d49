#!/bin/sh
# ResumeProgram: each node is a fleet of its name, which is asked for its machine. Asked for it twice, it has one. A fleet that a
# person has paused or drained stays so.
. "$(dirname "$0")/common.sh"

resume() {
  fleetkeeper ask "$1" "$GPUS" --why Slurm
}

each resume "$1"
