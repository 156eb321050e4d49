import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { parseFleetFile, parseSettings } from "../../agent/fleet/file/fleet-file.ts";
import { readProfile } from "../../service/profile/profile-file.ts";
import { chosen, type Damage, damagedJson, damagedText, damages, type Tree } from "./damage.ts";
import { demandClear } from "./demand.ts";
import { target } from "./target.ts";

/** Fleet files and profiles, which people write: read, or refused with a line, a place and a remedy. */
const ROOT = join(import.meta.dirname, "../..");

interface Document {
  readonly text: string;
  readonly tree: Tree;
}

/** What is no mapping with this key in it is an excerpt, or another file. */
function documentsOf(texts: readonly string[], key: string): readonly Document[] {
  return texts.flatMap((text) => {
    const [first, second] = parseAllDocuments(text);
    const tree = second || !first || first.errors?.length ? null : (first.toJS() as Tree);
    return tree !== null && typeof tree === "object" && Object.hasOwn(tree, key) ? [{ text, tree }] : [];
  });
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const files = (pattern: string): readonly string[] => globSync(pattern, { cwd: ROOT }).toSorted().map(textOf);

/** Each key of a fleet file stands in a block of these pages. */
const inDocs = files("docs/{reference,tasks,how}/*.md").flatMap((page) =>
  [...page.matchAll(/^```ya?ml\n(.*?)^```/gms)].map(([, block = ""]) => block),
);

const FLEET_FILES: readonly Document[] = documentsOf(
  [...files("examples/*/fleet.yaml"), ...files("profiles/*/fleet.yaml"), ...inDocs],
  "fleets",
);
const PROFILES: readonly Document[] = documentsOf(files("profiles/*/profile.yaml"), "launch");

/** As the person wrote it, or as a program writes it: damage to values needs the second. */
function damagedDocument(documents: readonly Document[], { of, values, text }: Damage): string {
  const { text: whole, tree } = chosen(documents, of);
  return values.length === 0 ? damagedText(whole, text) : damagedJson(tree, { values, text });
}

function reads(name: string, documents: readonly Document[], read: (text: string) => unknown) {
  return target<Damage>({
    name,
    runs: 9_000,
    inputs: damages(),
    run: (damage) => {
      try {
        read(damagedDocument(documents, damage));
      } catch (error) {
        demandClear(error, ["CONFIG"], /^[\w.-]+:\d+:\d+ |characters, and/);
      }
    },
  });
}

export const documentTargets = [
  reads("fleet-files", FLEET_FILES, (text) => {
    parseSettings(text, "fleet.yaml");
    parseFleetFile(text, "fleet.yaml");
  }),
  reads("profiles", PROFILES, (text) => readProfile(text, "my.profile.yaml")),
];
