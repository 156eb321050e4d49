import { note } from "../../launch/facts/events.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { scratchDraft } from "../../ledger/read-draft.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { type DeclaredChanges, declareAll } from "../fleet/declare/declare-all.ts";
import { declareFleets } from "../fleet/declare/declare-fleets.ts";
import type { FleetFile } from "../fleet/file/fleet-file.ts";
import { homesElsewhere } from "../fleet/file/home.ts";
import { setShortRunway } from "../fleet/money/runway.ts";

export interface ReloadOptions {
  readonly keeper: Keeper;
  /** What stands in the fleet file now; undefined: there is none. Throws CONFIG where it cannot be read. */
  readonly content: () => string | undefined;
  /** Throws CONFIG with all problems at once. */
  readonly parse: (content: string) => FleetFile;
  /** True for a source that is not there any more: its fleets may be inherited. */
  readonly isGone: (source: string) => boolean;
  /** A file came into force: its fleets are declared. */
  readonly onFile: (file: FleetFile) => void;
  /** What this process cannot take over while it runs, such as another profile, for people. Throws CONFIG. */
  readonly needsRestart: (file: FleetFile | undefined) => string | undefined;
  /** What is wrong with the present settings, for people; undefined: nothing. */
  readonly onProblem: (problem: string | undefined) => void;
}

/** A half-written file asks for less, and would stop machines: a file must stand still for so long. */
const STILL_MS = 500;

/**
 * Declares the fleet file, and compares its content before each tick: file system events are not reliable
 * where editors save by renaming, or where mounted directories are swapped. A file that is bad or gone
 * changes nothing: what it said before stays in force. The problem is said once, and each look tries the file
 * again.
 */
export class Reloader {
  readonly #options: ReloadOptions;
  /** The content that was judged last, good or bad; null: it is to be judged anew. */
  #judged: string | undefined | null;
  #file: FleetFile | undefined;
  #fileProblem: string | undefined;
  #said: string | undefined;

  constructor(options: ReloadOptions) {
    this.#options = options;
  }

  /**
   * The first time: what is wrong is thrown as CONFIG. Another file may have been declared before, by an agent of
   * another host or before a restart: what this one changes is said.
   */
  async begin(): Promise<void> {
    const content = this.#options.content();
    this.#judged = content;
    if (content === undefined) return;
    const changes = await this.#declare(content);
    if (changes === "changing" || changes.isFirst || changes.texts.length === 0) return;
    await this.#note(
      "reloaded",
      `this agent's fleet file changes what was declared before: ${changes.texts.join("; ")}`,
    );
  }

  /** What would change if the file were declared now. Undefined: there is none. Throws CONFIG if it cannot be. */
  async changes(): Promise<DeclaredChanges | undefined> {
    const content = this.#options.content();
    if (content === undefined) return undefined;
    const { keeper, isGone, parse } = this.#options;
    const file = parse(content);
    const homes = await homesElsewhere(keeper, file);
    const declared = { ...file, isGone, homesElsewhere: homes };
    return declareAll(await scratchDraft(keeper), declared, contextOf(keeper));
  }

  /** The next look judges the file and says the result even if nothing has changed: somebody asked for it. */
  again(): void {
    this.#judged = null;
    this.#said = undefined;
  }

  async look(signal: AbortSignal): Promise<void> {
    const content = problemOr(this.#options.content);
    const isNew = content !== this.#judged;
    // The cause may lie outside of the file: another owner of a name, the file behind a variable.
    const isRefused = this.#fileProblem !== undefined;
    if ((isNew || isRefused) && !(await this.#judge(content, isNew, signal))) return;
    const restart = problemOr(() => this.#options.needsRestart(this.#file));
    await this.#say(this.#fileProblem ?? (restart instanceof FleetkeeperError ? restart.message : restart));
  }

  /** False: it is being written just now. */
  async #judge(
    found: string | undefined | FleetkeeperError,
    isNew: boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { keeper } = this.#options;
    if (isNew) await keeper.clock.sleep(STILL_MS, signal);
    const content = isNew ? problemOr(this.#options.content) : found;
    const isUnreadable = found instanceof FleetkeeperError && content instanceof FleetkeeperError;
    if (content !== found && !isUnreadable) return false;
    try {
      if (content instanceof FleetkeeperError) throw content;
      if (content === undefined && this.#file) throw new FleetkeeperError("CONFIG", GONE);
      const changes = content === undefined ? undefined : await this.#declare(content);
      if (changes === "changing") return false;
      this.#fileProblem = undefined;
      const what = changes?.texts.join("; ") || "its fleets are as before";
      if (changes) await this.#note("reloaded", `the fleet file was read anew: ${what}`);
    } catch (error) {
      if (!(error instanceof FleetkeeperError) || !OF_THE_FILE.includes(error.code)) throw error;
      this.#fileProblem = `the fleet file is not used as it is now, and what it said before stays in force: ${error.message}`;
    }
    this.#judged = content instanceof FleetkeeperError ? null : content;
    return true;
  }

  /** Returns what has changed by it, for people, or `changing`: the file is being written just now. */
  async #declare(content: string): Promise<DeclaredChanges | "changing"> {
    const { keeper, isGone, onFile, parse } = this.#options;
    const file = parse(content);
    const homes = await homesElsewhere(keeper, file);
    const changes = await declareFleets(
      keeper,
      file.source,
      // Read again under the lock: what is being written now is obeyed at the next look.
      () => (problemOr(this.#options.content) === content ? file.fleets : undefined),
      {
        previousSource: file.previousSource,
        elsewhere: file.elsewhere,
        leaving: file.leaving,
        homesElsewhere: homes,
        saysRunway: file.saysRunway,
        budgets: file.budgets,
        policies: file.policies,
        service: file.service ?? null,
        isGone,
      },
    );
    if (!changes) return "changing";
    await keeper.ledger.decide(keeper.account, (draft) => setShortRunway(draft, file.shortRunway));
    this.#file = file;
    onFile(file);
    return changes;
  }

  async #say(problem: string | undefined): Promise<void> {
    if (problem === this.#said) return;
    this.#said = problem;
    this.#options.onProblem(problem);
    if (problem !== undefined) await this.#note("notReloaded", problem);
  }

  async #note(kind: "reloaded" | "notReloaded", text: string): Promise<void> {
    const { keeper } = this.#options;
    await keeper.ledger.decide(keeper.account, (draft) =>
      note(draft, contextOf(keeper), kind, text.replaceAll("\n", "; ")),
    );
  }
}

/** WRONG_ACCOUNT: it names a fleet that another account of the ledger has. */
const OF_THE_FILE: readonly string[] = ["CONFIG", "WRONG_ACCOUNT"];

const GONE = "it is not there any more. To drain all of its fleets, write into it: fleets: []";

function problemOr<T>(read: () => T): T | FleetkeeperError {
  try {
    return read();
  } catch (error) {
    if (error instanceof FleetkeeperError) return error;
    throw error;
  }
}
