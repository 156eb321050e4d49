import { expect, test } from "vitest";
import { savedFiles } from "./saved-files.ts";

/** A service whose offers have a code, a host and a zone, whose marker is a nickname and whose error has a slug. */
const PLAN = { code: "NB-H100-8", host: "ferro", zone: "ams3" };

const FILES = {
  "launch.txt": [
    `$ curl -i https://gpus.acme.com/api/v1/deployments -H 'NB-Key: abc' --json '${JSON.stringify({ plan: PLAN, nickname: "first" })}'`,
    "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n",
    JSON.stringify({ made: { id: "m-7" } }),
  ].join("\n"),
  "list.json": JSON.stringify([
    {
      id: "m-7",
      status: "running",
      plan: PLAN,
      nickname: "first",
      host: "m-7.acme.example",
      reach: { ssh_host: "10.0.0.7", ssh_port: 22, ssh_user: "ubuntu" },
    },
    { id: "m-6", status: "provisioning", plan: PLAN, nickname: null, reach: null },
  ]),
  "offers.json": JSON.stringify([
    { ...PLAN, gpu_count: 8, hourly_usd: "19.92" },
    { code: "NB-L40S-1", host: "rivet", zone: "par1", gpu_count: 1, hourly_usd: "0.89" },
  ]),
  "error.txt": [
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n",
    JSON.stringify({ problem: { slug: "offer_cooling_down", hint: "Wait." } }),
  ].join("\n"),
};

test("an offer's host is its provider, a code its id, a nickname the marker, a slug the code of an error", async () => {
  const { profile, said } = await savedFiles(FILES).from();
  for (const line of [
    "id: /code ",
    "provider: /host ",
    'code: "{offer}"',
    'host: "{provider}"',
    'zone: "{location}"',
    'nickname: "{marker}"',
    "offer: /plan/code ",
    "provider: /plan/host ",
    "marker: /nickname ",
    "code: /problem/slug ",
  ])
    expect(profile, said).toContain(line);
});

test.each([
  ["door", "ssh://rig@10.0.0.7:2201", "ssh://{user}@{host}:{port}"],
  ["ssh_command", "ssh root@box-7.acme.example -p 2201", "ssh {user}@{host} -p {port}"],
  ["sshConnection", "ubuntu@10.0.0.7 -p 22", "{user}@{host} -p {port}"],
])("%s: %s gives host, port and user", async (name, text, form) => {
  const list = JSON.stringify([
    { id: "m-7", status: "running", plan: PLAN, [name]: text },
    { id: "m-6", status: "provisioning", plan: PLAN, [name]: null },
  ]);
  const { profile } = await savedFiles({ ...FILES, "list.json": list }).from();
  for (const detail of ["host", "port", "user"])
    expect(profile).toContain(`      ${detail}: { pointer: /${name}, form: "${form}" }`);
});

test("an address of mail or of the web is no way to a machine", async () => {
  const list = JSON.stringify([
    { id: "m-7", status: "running", plan: PLAN, owner: "me@acme.example", ui: "acme.example:8888" },
  ]);
  expect((await savedFiles({ ...FILES, "list.json": list }).from()).profile).not.toContain("form:");
});

test("a host that stands beside that of SSH keeps its own line, and the provider's is no way to a machine", async () => {
  const { profile } = await savedFiles(FILES).from();
  const connection = profile.slice(profile.indexOf("connection:"));
  expect(connection).toMatch(
    /^connection:\n +host: \/reach\/ssh_host .*\n +port: \/reach\/ssh_port .*\n +user: \/reach\/ssh_user .*\n( +#.*\n)* +\w*host\w*: \/host .*\n/,
  );
  expect(connection).not.toMatch(/: \/(plan\/host|reach) /);
});
