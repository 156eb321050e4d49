// npm run binary: fleetkeeper as a single file for this platform, with its Node inside, and the same file as an archive from
// which `pulumi plugin install` installs the plugin: .fleetkeeper/binary/, or the folder that is named.
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { main } from "./setup/main.mjs";
import { root, workFolder } from "./setup/paths.mjs";
import { runLogged } from "./setup/processes.mjs";
import { say, since } from "./setup/say.mjs";
import { setUp } from "./setup/set-up.mjs";
import { SetupError } from "./setup/setup-error.mjs";
import { filesUnder } from "./setup/stamp.mjs";

/** What the file has inside: what begins, and the files that it reads. */
const begin = path.join(root, "provider", "binary.ts");
const assets = [
  "package.json",
  ...filesUnder(root, ["agent/tell/http/assets"]),
  ...filesUnder(root, ["profiles"]).filter((file) =>
    /^(about|cloud|profile)\.yaml$/.test(path.basename(file)),
  ),
];

await main(async () => {
  const { node } = await setUp({ engine: false, declarations: false });
  const start = Date.now();
  const folder = path.resolve(process.argv[2] ?? path.join(root, ".fleetkeeper", "binary"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const inFolder = (/** @type {string} */ name) => path.join(folder, name);

  await run(node, "rolldown", [
    path.join(root, "scripts", "setup", "bundle-binary.mjs"),
    begin,
    inFolder("main.cjs"),
  ]);
  const config = {
    main: inFolder("main.cjs"),
    output: inFolder("main.blob"),
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(assets.map((file) => [file.split(path.sep).join("/"), path.join(root, file)])),
  };
  writeFileSync(inFolder("sea.json"), JSON.stringify(config));
  // Node 25.5 and newer do the rest by themselves (--build-sea); 24, which the package is developed on, does not.
  await run(node, "node", [`--experimental-sea-config=${inFolder("sea.json")}`]);
  const end = process.platform === "win32" ? ".exe" : "";
  const name = `fleetkeeper${end}`;
  const binary = inFolder(name);
  copyFileSync(node.path, binary);
  chmodSync(binary, 0o755);
  if (process.platform === "darwin") await sign(["--remove-signature", binary]);
  await run(node, "postject", [
    path.join(root, "node_modules", "postject", "dist", "cli.js"),
    ...[binary, "NODE_SEA_BLOB", inFolder("main.blob")],
    ...["--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"],
    ...(process.platform === "darwin" ? ["--macho-segment-name", "NODE_SEA"] : []),
  ]);
  if (process.platform === "darwin") await sign(["--sign", "-", binary]);

  const plugin = `pulumi-resource-fleetkeeper${end}`;
  linkSync(binary, inFolder(plugin));
  const archive = archiveName();
  await logged("tar", "tar", ["-czf", inFolder(archive), "-C", folder, plugin]);

  for (const file of readdirSync(folder))
    if (file !== name && file !== archive) rmSync(inFolder(file), { recursive: true });
  const megabytes = (statSync(binary).size / 1e6).toFixed(0);
  say(`made ${path.relative(root, binary)} (${megabytes} MB, with Node ${node.version}) in ${since(start)}`);
  say(`made ${path.relative(root, inFolder(archive))}`);
  return 0;
});

/** As engines ask for it: pulumi-resource-NAME-vVERSION-OS-ARCHITECTURE.tar.gz, in Go's words. */
function archiveName() {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const os = process.platform === "win32" ? "windows" : process.platform;
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  return `pulumi-resource-fleetkeeper-v${version}-${os}-${architecture}.tar.gz`;
}

/**
 * @param {import("./setup/node.mjs").Node} node
 * @param {string} tool
 * @param {string[]} args
 */
async function run(node, tool, args) {
  await logged(tool, node.path, args);
}

/** macOS starts no binary whose signature does not fit. @param {string[]} args */
async function sign(args) {
  await logged("codesign", "codesign", args);
}

/** @param {string} tool @param {string} command @param {string[]} args */
async function logged(tool, command, args) {
  const log = path.join(workFolder, `binary-${tool}.log`);
  const { ok, lastLines } = await runLogged(command, args, { cwd: root, log });
  if (!ok) throw new SetupError(`${tool} failed:\n${lastLines.join("\n")}`);
}
