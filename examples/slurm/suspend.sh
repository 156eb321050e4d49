#!/bin/sh
# SuspendProgram: the fleet of each node wants nothing more, and its machine is stopped at once. What is only on its way to it is
# stopped by the agent.
. "$(dirname "$0")/common.sh"

# machines_of NODE: reads the list of all, and writes the ids of those of this fleet that nobody stops yet.
machines_of() {
  node -e 'for (const { id, owner, stop } of JSON.parse(require("node:fs").readFileSync(0)))
    if (owner?.fleet === process.argv[1] && stop === null) console.log(id);' "$1"
}

suspend() {
  fleetkeeper ask "$1" --end || return 1
  all=$(fleetkeeper deployments list --json) || return 1
  for id in $(printf %s "$all" | machines_of "$1"); do
    fleetkeeper deployments stop "$id" --yes --no-wait || return 1
  done
}

each suspend "$1"
