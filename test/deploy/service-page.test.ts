// @module-tag repeats
import MarkdownIt from "markdown-it";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canLogIn } from "../examples/machine.ts";
import { noSystemd, SystemdMachine } from "./systemd-machine.ts";
import { read } from "./tool.ts";

const API_KEY = "simulator-key";
/** The simulator's time and the agent's waits, so that a test sees minutes of them. */
const SPEED = 20;
const PROTOCOL = JSON.stringify({ poll: "1s", settle: "1s", postTimeout: "30s", gone: "1s" });

const FLEET = `service:
  baseUrl: http://127.0.0.1:4010
  profile: ./acme.profile.yaml
  account: exclusive
fleets:
  - name: training
    gpus: 2
    candidates: [{ offer: h100-80gb-x1, provider: aurora, location: fi-hel, gpus: 1 }]
`;

/** The folder of a person's scripts, and a server that takes the place of each machine: it has root's logins, and one GPU. */
const MACHINE = `cp --recursive examples/machines /root/
cd /root/machines
ssh-keygen -q -t ed25519 -N "" -f ssh-key
ssh-keygen -q -t ed25519 -N "" -f /root/host-key
printf 'Host *\\n  HostName 127.0.0.1\\n' > ssh_config
printf '#!/bin/sh\\necho "0, NVIDIA H100 80GB HBM3, 00000000:06:00.0"\\n' > /usr/local/bin/nvidia-smi
chmod 755 /usr/local/bin/nvidia-smi
mkdir -p /run/sshd
systemd-run --unit machine /usr/sbin/sshd -D -f /dev/null -h /root/host-key -p 2222 -o ListenAddress=127.0.0.1 \\
  -o PermitRootLogin=yes -o StrictModes=no -o AuthorizedKeysFile=/root/machines/ssh-key.pub
`;

/** What the section has its reader type, block by block. */
function blocksOf(section: string): readonly string[] {
  const page = read("docs/tasks/service.md");
  const from = page.indexOf(`\n## ${section}\n`);
  const [text = ""] = page.slice(from + 4).split(/^## /m);
  return new MarkdownIt()
    .parse(text, {})
    .flatMap(({ type, info, content }) => (type === "fence" && info === "sh" ? [content] : []));
}

const name = "the service of docs/tasks/service.md, typed as root on a machine that systemd has booted";

describe.runIf(noSystemd === undefined)(noSystemd ? `${name} [skipped: ${noSystemd}]` : name, () => {
  const [install = "", look = "", commands = "", scripts = ""] = blocksOf("systemd");
  const [moving = ""] = blocksOf("Moving a ledger into it");
  let machine: SystemdMachine;

  beforeAll(async () => {
    machine = new SystemdMachine();
    await machine.up();
    machine.begin(
      `exec node dist/bundle/fleetkeeper.js simulate --port 4010 --control-port 4011 --speed ${SPEED}`,
    );
    succeed(
      `cat > fleet.yaml <<'END'\n${FLEET}END\ncp profiles/simulated-plain/profile.yaml acme.profile.yaml`,
    );
    const folder = "/etc/systemd/system/fleetkeeper.service.d";
    const faster = `[Service]\nEnvironment='FLEETKEEPER_PROTOCOL=${PROTOCOL}'\n`;
    succeed(`mkdir -p ${folder}\ncat > ${folder}/faster.conf`, { pasted: faster });
  });
  afterAll(() => machine?.end());

  function succeed(script: string, typing: Parameters<SystemdMachine["type"]>[1] = {}): string {
    const { code, printed } = machine.type(`set -e\n${script}`, typing);
    if (code !== 0) throw new Error(`${script}\nended with ${code}:\n${printed}`);
    return printed;
  }

  async function until(script: string, shown: string | RegExp): Promise<string> {
    let printed = "";
    for (let tries = 0; tries < 480; tries++) {
      ({ printed } = machine.type(script));
      if (typeof shown === "string" ? printed.includes(shown) : shown.test(printed)) return printed;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    throw new Error(
      `${script}\nnever printed ${shown}:\n${printed}\n${machine.type("journalctl --unit fleetkeeper --no-pager | tail -30").printed}`,
    );
  }

  /** The machines that bill, by the simulator's truth. */
  function alive(): readonly string[] {
    const { machines } = JSON.parse(succeed("curl --silent --fail http://127.0.0.1:4011/truth"));
    return machines.flatMap(({ id, endedAt }: { id: string; endedAt: number | null }) =>
      endedAt === null ? [id] : [],
    );
  }

  const status = `${commands.split("\nfk ")[0]}\nfk status`;

  it("is installed, runs, and keeps the fleet", async () => {
    succeed(install, { pasted: `${API_KEY}\n`, online: true });
    await until(status, "2 of 2 GPUs running");
    expect(alive()).toHaveLength(2);
    const shown = succeed(look.replace("--follow", "--no-pager"));
    expect(shown).toContain("active (running)");
    expect(shown).toContain('"msg":');
    const listed = succeed(commands);
    for (const id of alive()) expect(listed).toContain(id.slice(0, 8));
  });

  it("heals the fleet after a loss", async () => {
    const [lost] = alive();
    succeed(control("interrupt", { id: lost, now: true }));
    await expect.poll(() => alive().filter((id) => id !== lost), { interval: 500 }).toHaveLength(2);
    expect(alive()).not.toContain(lost);
    await until(status, "2 of 2 GPUs running");
  });

  it("is started again after kill -9, and rents nothing twice", async () => {
    const before = alive();
    succeed("systemctl kill --signal KILL fleetkeeper");
    await until("systemctl show --property NRestarts fleetkeeper", "NRestarts=1");
    await until("systemctl is-active fleetkeeper", /^active/);
    await until(status, "2 of 2 GPUs running");
    expect(alive()).toEqual(before);
  });

  it("is there after reloads of its first moments, whether or not they ended it", async () => {
    succeed("for each in 1 2 3; do systemctl restart fleetkeeper; systemctl reload fleetkeeper; done");
    // The machines run on while the agent that the last one ended is started anew.
    await until(status, /agent +process/);
    await until(status, "2 of 2 GPUs running");
    expect(alive()).toHaveLength(2);
  });

  it("reads a changed fleet file at a reload", async () => {
    succeed("sed --in-place 's/gpus: 2$/gpus: 3/' /etc/fleetkeeper/fleet.yaml\nsystemctl reload fleetkeeper");
    await until(status, "3 of 3 GPUs running");
    expect(alive()).toHaveLength(3);
  });

  it.skipIf(!canLogIn)(
    "runs commands of a fleet that log in by SSH, with the key that the page installs",
    async () => {
      succeed(MACHINE);
      succeed(`cd /root/machines\n${scripts}`);
      succeed(`cp /root/machines/ssh_config /etc/fleetkeeper/
echo 'SSH_USER=root SSH_PORT=2222 SSH_CONFIG=ssh_config GPUS=1 FATAL_XIDS=' >> /etc/fleetkeeper/machines.env
sed --in-place 's|^    gpus: 3$|&\\n    ready: { address: host, command: [./health/nvidia-smi.sh] }|' /etc/fleetkeeper/fleet.yaml
systemctl reload fleetkeeper`);
      await until(
        "curl --silent http://127.0.0.1:9470/metrics",
        /^fleetkeeper_fleet_ready_gpus\{fleet="training"\} 3$/m,
      );
      const keys = succeed("cat /var/lib/fleetkeeper/known-hosts/*").trim().split("\n");
      expect(keys).toHaveLength(3);
      expect(machine.type("ls -d /etc/fleetkeeper/known-hosts").code).not.toBe(0);
    },
  );

  it("ends in order at a stop, and stops no machine", async () => {
    succeed("systemctl stop fleetkeeper");
    expect(machine.type("systemctl show --property Result,ExecMainStatus fleetkeeper").printed).toBe(
      "Result=success\nExecMainStatus=0\n",
    );
    expect(alive()).toHaveLength(3);
  });

  it("says as the page does that the key is missing", async () => {
    succeed("mv /etc/fleetkeeper/api-key /etc/fleetkeeper/api-key.away");
    machine.type("systemctl start fleetkeeper");
    await until("systemctl status --no-pager fleetkeeper", "243/CREDENTIALS");
    expect(read("docs/tasks/service.md")).toContain("243/CREDENTIALS");
    machine.type("systemctl stop fleetkeeper\nmv /etc/fleetkeeper/api-key.away /etc/fleetkeeper/api-key");
  });

  it("goes on with the ledger of an agent that was run by hand, and killed", async () => {
    const before = alive();
    const home = "/root/.fleetkeeper";
    const its = "/var/lib/fleetkeeper/.fleetkeeper";
    succeed(
      `mkdir --parents ${home}\nfleetkeeper ledger copy --ledger ${its}/ledger.db --to ${home}/ledger.db`,
    );
    succeed(`rm --recursive ${its}`);
    const settings = { HOME: "/root", FLEETKEEPER_API_KEY: API_KEY, FLEETKEEPER_PROTOCOL: PROTOCOL };
    const given = Object.entries(settings).map(([name, value]) => `--setenv='${name}=${value}'`);
    succeed(
      `systemd-run --unit by-hand ${given.join(" ")} fleetkeeper agent --config /etc/fleetkeeper/fleet.yaml`,
    );
    await until(`HOME=/root fleetkeeper status --config /etc/fleetkeeper/fleet.yaml`, "3 of 3 GPUs running");
    succeed(control("interrupt", { id: before[0], now: true }));
    await expect.poll(() => alive().filter((id) => id !== before[0]), { interval: 500 }).toHaveLength(3);
    succeed("systemctl kill --signal KILL by-hand");
    // What is newest stands beside the file.
    succeed(`test -s ${home}/ledger.db-wal`);
    const healed = alive();
    succeed(`export HOME=/root\n${moving}`);
    succeed("systemctl start fleetkeeper");
    await until(status, "3 of 3 GPUs running");
    expect(alive()).toEqual(healed);
    expect(succeed(commands)).not.toContain("nobody");
    expect(
      machine.type("HOME=/root fleetkeeper status --config /etc/fleetkeeper/fleet.yaml").printed,
    ).toContain(`this ledger was moved to ${its}/ledger.db`);
  });
});

function control(name: string, body: object): string {
  return `curl --silent --fail --json '${JSON.stringify(body)}' http://127.0.0.1:4011/${name}`;
}
