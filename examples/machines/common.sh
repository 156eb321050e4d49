# shellcheck shell=sh
# What the scripts share. They run in the folder of the fleet file, and begin with `. ./common.sh`.
#
# fleetkeeper gives FLEETKEEPER_ADDRESS, _DEPLOYMENT and _FLEET, and a line of JSON. Everything else is in machines.env.
set -u

# Only `finish` ends a script with 0 or 1. Whatever else ends it, such as a setting that is missing, is no answer.
finished=
trap 'code=$?; [ -n "$finished" ] || [ "$code" -gt 1 ] || exit 2' EXIT

# finish CODE TEXT...: 0 is done, healthy or idle; 1 is failed, sick or busy; 2 is unknown.
finish() {
  finished=yes
  code=$1
  shift
  echo "$*"
  exit "$code"
}

# setting NAME...: machines.env must have them.
setting() {
  for name in "$@"; do
    eval "[ -n \"\${$name:-}\" ]" || finish 2 "machines.env has no $name"
  done
}

. ./machines.env
[ -n "${FLEETKEEPER_ADDRESS:-}" ] || finish 2 "no address: write address in the fleet file, the connection detail that has it"
IFS= read -r asked || :

# detail NAME PATTERN: a connection detail of the line of JSON. What does not match is no detail.
detail() {
  printf '%s\n' "$asked" | sed -n "s/.*\"$1\":\"\{0,1\}\($2\)[\",}].*/\1/p"
}

# value NAME TEXT: a line of shell that sets NAME to TEXT on the machine, whatever the text is.
value() {
  printf "%s='%s'\n" "$1" "$(printf '%s\n' "$2" | sed "s/'/'\\\\''/g")"
}

# How the machine starts the script that comes on its standard input: as root if $1 says so. With "alone" it waits for a try that
# its agent has given up, which may still run there. The lock ends with the script: no service that it starts holds it.
# shellcheck disable=SC2016 # The machine expands it.
START='as=$1 way=${2:-}
set -- sh -s
[ "$way" != alone ] || set -- flock --close --wait 60 --conflict-exit-code 75 "$HOME/.fleetkeeper-setup" "$@"
[ "$as" != root ] || [ "$(id -u)" = 0 ] || set -- sudo -n "$@"
exec "$@"'

# known_hosts: the folder of the machines' host keys. A service may only read that of its fleet file, so then it is in its home. Where
# none can be written each key would be taken anew at each login, whoever answers.
known_hosts() {
  for KNOWN_HOSTS in ${KNOWN_HOSTS:+"$KNOWN_HOSTS"} known-hosts "${HOME:-.}/known-hosts"; do
    # shellcheck disable=SC2015 # What cannot be made cannot be written either.
    mkdir -p "$KNOWN_HOSTS" 2>/dev/null && [ -w "$KNOWN_HOSTS" ] && return
  done
  finish 2 "no folder for host keys can be written: name one as KNOWN_HOSTS in machines.env"
}

# on_machine user|root [alone]: runs the standard input there, as a script of sh. The exit code is the script's, or 255 where the
# machine was not reached. Values and secrets are in the script: no list of processes shows them.
on_machine() {
  known_hosts
  start="exec sh -c '$START' on-machine $*"
  port=${SSH_PORT:-$(detail port '[0-9]*')}
  user=${SSH_USER:-$(detail user '[A-Za-z_][A-Za-z0-9._-]*')}
  # A machine's host key is taken once, and then held to: each machine has a file of its own.
  keys=$KNOWN_HOSTS/$(printf %s "$FLEETKEEPER_DEPLOYMENT" | tr -c 'A-Za-z0-9-' _)
  set -- -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -o LogLevel=ERROR \
    -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile="$keys"
  [ -z "${SSH_CONFIG:-}" ] || set -- -F "$SSH_CONFIG" "$@"
  [ -z "${SSH_KEY:-}" ] || set -- "$@" -o IdentitiesOnly=yes -i "$SSH_KEY"
  [ -z "$port" ] || set -- "$@" -p "$port"
  [ -z "$user" ] || set -- "$@" -l "$user"
  ssh "$@" -- "$FLEETKEEPER_ADDRESS" "$start"
}

# answered CODE GOOD BAD: what the exit code of a question means. 10 is the bad answer of the machine's script.
answered() {
  case $1 in
  0) finish 0 "$2" ;;
  10) finish 1 "$3" ;;
  255) finish 2 "unknown: the machine was not reached by SSH" ;;
  *) finish 2 "unknown: the machine's script ended with $1" ;;
  esac
}

# ended_setup CODE: what the exit code of a set-up on the machine means.
ended_setup() {
  case $1 in
  0) finish 0 "done at try ${FLEETKEEPER_TRY:-1}" ;;
  75) finish 1 "an earlier try still runs on the machine" ;;
  255) finish 1 "the machine was not reached by SSH" ;;
  *) finish 1 "failed at try ${FLEETKEEPER_TRY:-1}: the machine's script ended with $1" ;;
  esac
}
