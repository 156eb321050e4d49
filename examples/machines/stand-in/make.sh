#!/bin/sh
# Makes the stand-in for a machine with two GPUs: its keys, its home folder, and the only programs that it has.
# What would change a machine is `program`, under its name: nothing of yours is changed.
set -eu
set --
cd "$(dirname "$0")"
mkdir -p home/bin home/pids home/units
for name in awk base64 cat chmod chown env date find flock grep id ln mkdir mktemp rm sed sh sleep tail timeout touch tr; do
  set -- "$@" "$(command -v "$name")"
done
ln -sf "$@" home/bin/
for name in apt-get curl dmesg journalctl nvidia-smi pgrep ps python3 sudo systemctl; do
  ln -sf "$PWD/program" "home/bin/$name"
done
printf '%s\n' '0, NVIDIA H100 80GB HBM3, 00000000:06:00.0' '1, NVIDIA H100 80GB HBM3, 00000000:07:00.0' >home/gpus
printf '%s\n' 0 0 >home/use
echo '[    6.202219] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024' >home/kernel-log
echo '    812 sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups' >home/processes
for name in host-key user-key; do
  [ -e "$name" ] || ssh-keygen -q -t ed25519 -N "" -f "$name"
done
