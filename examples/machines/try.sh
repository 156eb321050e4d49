#!/bin/sh
# Runs a script as fleetkeeper does, for the machine at an address: ./try.sh ADDRESS SCRIPT
[ $# -eq 2 ] || { echo "usage: ./try.sh ADDRESS SCRIPT" >&2; exit 64; }
export FLEETKEEPER_ADDRESS="$1" FLEETKEEPER_DEPLOYMENT="$1" FLEETKEEPER_FLEET=try
printf '{"deployment":"%s","fleet":"try","connection":{"host":"%s"}}\n' "$1" "$1" | "./$2"
