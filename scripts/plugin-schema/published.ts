import { readFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** What package.json says of who publishes, and where. */
export interface Manifest {
  readonly name?: string;
  readonly author?: string;
  readonly repository?: string | { readonly url?: string };
  readonly homepage?: string;
}

/** Where a release keeps what the schema names: paths below the repository's address, as its host has them. */
const LOGO = "agent/tell/http/assets/icon.svg";

/**
 * What the schema says of its publisher and of addresses. There is one place for them, package.json (`author`, `repository`, and
 * `homepage` if it is another): without them the schema names none, and none is made up.
 */
export function addressesOf(manifest: Manifest): Readonly<Record<string, string>> {
  const repository = repositoryOf(manifest);
  return {
    ...(manifest.author !== undefined && { publisher: manifest.author }),
    ...(repository !== undefined && {
      homepage: manifest.homepage ?? repository,
      repository,
      logoUrl: `${repository}/raw/HEAD/${LOGO}`,
      // Pulumi puts the version there, and the archive's name behind it: scripts/binary.mjs.
      pluginDownloadURL: `${repository}/releases/download/v\${VERSION}`,
    }),
  };
}

/** The Go module of sdk/go, of which the package is a folder. */
export function goModule(): string {
  return /^module (\S+)$/m.exec(readFileSync(path.join(root, "sdk/go/go.mod"), "utf8"))?.[1] ?? "";
}

/** What Pulumi's registry asks for and is not there, and what to do. `from`: the repository that a release comes from, if that is known. */
export function lacking(manifest: Manifest, module: string, from?: string): readonly string[] {
  const repository = repositoryOf(manifest);
  const lacks: string[] = [];
  if (!manifest.author)
    lacks.push('package.json: author is missing: set the name of who publishes, such as "Acme"');
  if (repository === undefined)
    lacks.push(
      "package.json: repository is missing: set the https address of the repository that releases come from",
    );
  else {
    if (from !== undefined && from !== repository)
      lacks.push(
        `package.json: repository: expected ${from}, which this release comes from, got ${repository}: a plugin is downloaded from there`,
      );
    const expected = `${repository.replace(/^https:\/\//, "")}/sdk/go`;
    if (module !== expected)
      lacks.push(`sdk/go/go.mod: module: expected ${expected}, got ${module}: change it wherever it stands`);
  }
  return lacks.length === 0 ? [] : [...lacks, AFTER];
}

const AFTER =
  "Then run node scripts/plugin-schema.ts, npx biome check --write provider/plugin/schema.json and node scripts/sdks.mjs.";

/** As a page's address: without what npm puts around it. Only an https address is one that everybody can open. */
function repositoryOf({ repository }: Manifest): string | undefined {
  const url = typeof repository === "string" ? repository : repository?.url;
  return /^(?:git\+)?(https:\/\/[^/]+\/.+?)(?:\.git)?\/?$/.exec(url ?? "")?.[1];
}
