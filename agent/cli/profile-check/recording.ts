import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { parseDocument } from "../../../service/document/document.ts";
import { whyUnreadable } from "../../../service/process/unreadable.ts";
import type { WireProfile } from "../../../service/profile/profile.ts";
import { type LoadedProfile, loadProfile } from "../../../service/profile/profile-file.ts";
import { profileSettingsSchema } from "../../../service/profile/settings.ts";
import { parseJson } from "../../../service/text/json.ts";
import { addressOf, kindByCalls, kindOfRequest } from "../../propose/saved/classify.ts";
import type { Kind, SavedAnswer, SavedRequest } from "../../propose/saved/exchange.ts";
import { readExchanges } from "../../propose/saved/exchanges.ts";
import { readSavedFile } from "../../propose/saved/saved-file.ts";

export const aboutSchema = z.strictObject({
  service: z.string().min(1).describe("what the service is called"),
  source: z.string().min(1).describe("where its API is described"),
  date: z.iso.date().describe("when the answers were saved"),
  tried: z
    .enum(["document", "answers", "simulator", "machines"])
    .describe(
      "document: written from the service's own, and never sent anywhere; answers: read, and nothing was launched; " +
        "simulator: an invented service; machines: some were rented",
    ),
  settings: profileSettingsSchema.optional(),
  by: z.string().min(1).describe("who saved the answers"),
});

/** What a folder says of itself, in `about.yaml`. */
export type About = z.infer<typeof aboutSchema>;

/** One request of `answers/`, with what came. */
export interface Recorded {
  readonly file: string;
  /** Undefined for a request that the specification does not have, nor the profile. */
  readonly kind: Kind | undefined;
  readonly request: SavedRequest;
  /** From `/api/v1` on; under a profile 2 from the root of the service. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly answer: SavedAnswer & { readonly status: number };
}

/** A folder of `profiles/`: a wire profile, where it comes from, and what the service answered. */
export interface Recording {
  readonly folder: string;
  readonly about: About;
  readonly profile: LoadedProfile;
  readonly recorded: readonly Recorded[];
}

/** Reads a folder. Throws CONFIG: which file, what is wrong with it, what to do. */
export function readRecording(folder: string): Recording {
  const about = parseDocument(textOf(folder, "about.yaml"), join(folder, "about.yaml"), aboutSchema).value;
  const profile = loadProfile(join(folder, "profile.yaml"));
  const files = filesIn(join(folder, "answers"));
  if (files.length === 0)
    throw wrong(
      join(folder, "answers"),
      "is empty: save a request and its answer there, as curl -i prints it",
    );
  return {
    folder,
    about,
    profile,
    recorded: files.flatMap((file) => recordedIn(folder, file, profile.profile)),
  };
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch (error) {
    throw wrong(folder, `cannot be read: ${whyUnreadable(error)}. It holds requests and their answers`);
  }
}

function recordedIn(folder: string, name: string, profile: WireProfile): readonly Recorded[] {
  const file = join(folder, "answers", name);
  const exchanges = readExchanges(textOf(folder, "answers", name));
  if (exchanges.length === 0)
    throw wrong(file, "holds no request: begin it with the curl command, and its answer below");
  return exchanges.map(({ request, answer }) => {
    if (request === undefined)
      throw wrong(file, "has an answer without its request: write the curl command in the line above it");
    const isTwo = profile.profile === 2;
    const { path, query } = isTwo ? wholeAddressOf(request) : addressOf(request);
    if (path === undefined)
      throw wrong(file, `asks ${request.url}, which has no /api/v1 in it (specification, section 4)`);
    if (answer?.status === undefined)
      throw wrong(file, "has a request without the status line of its answer: save what curl -i prints");
    if (request.body !== undefined && !isTwo && !isJson(request.body))
      throw wrong(
        file,
        "has a request whose body is no JSON, and a profile sends JSON: write it behind -d, not in a file",
      );
    const { status } = answer;
    return {
      ...{ file: join("answers", name), request, path, query },
      answer: { ...answer, status },
      kind: isTwo ? kindByCalls(profile, request.method, path) : kindOfRequest(request.method, path),
    };
  });
}

/** Where a profile 2 says each path, it is all of it, with the slash at its end: services differ by it. */
function wholeAddressOf({ url }: SavedRequest): {
  readonly path: string | undefined;
  readonly query: URLSearchParams;
} {
  const whole = URL.canParse(url) ? new URL(url) : undefined;
  return { path: whole?.pathname, query: whole?.searchParams ?? new URLSearchParams() };
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

function textOf(...names: readonly string[]): string {
  const path = join(...names);
  const { text, trouble } = readSavedFile(path);
  if (text === undefined) throw wrong(path, `cannot be used: ${trouble}`);
  return text;
}

function wrong(file: string, why: string): FleetkeeperError {
  return new FleetkeeperError("CONFIG", `${file} ${why}.`);
}
