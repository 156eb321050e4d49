#!/bin/sh
# Joins a machine to a Ray cluster, as the user that logs in. A second try changes nothing. RAY_VERSION must be the head's.
. ./common.sh
setting RAY_ADDRESS RAY_VERSION

{
  value ADDRESS "$RAY_ADDRESS"
  value VERSION "$RAY_VERSION"
  cat <<'MACHINE'
main() {
  ray=$HOME/.fleetkeeper-ray/bin/ray
  if ! "$ray" --version 2>/dev/null | grep -q "version $VERSION\$"; then
    python3 -m venv --clear "$HOME/.fleetkeeper-ray" || return 1
    "$HOME/.fleetkeeper-ray/bin/pip" install -q "ray==$VERSION" || return 1
  fi
  # A second start would join this machine, and count its GPUs, twice.
  if pgrep -x raylet >/dev/null; then echo "a Ray node runs already"; return 0; fi
  # Where nobody answers at that address, it would wait without an end.
  timeout 120 "$ray" start --address="$ADDRESS" --disable-usage-stats || { echo "ray start ended with $?"; return 1; }
  pgrep -x raylet >/dev/null || { echo "the Ray node has ended"; return 1; }
  echo "joined $ADDRESS"
}
main </dev/null
exit $?
MACHINE
} | on_machine user alone
ended_setup $?
