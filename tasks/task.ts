/** What a model is asked, and how its answer is held to what truly is. */
export interface Task {
  readonly name: string;
  /** Pages of the docs that hold what it takes, as links of the site. */
  readonly pages: readonly string[];
  /** Begins a world of its own: the same each time. */
  begin(): Promise<Begun>;
}

export interface Begun {
  /** Without the docs. */
  readonly prompt: string;
  /** Why the answer is wrong, by the simulator's truth. Undefined: it is right. Called once: it may play the world on. */
  check(answer: string): Promise<string | undefined>;
  /** An answer that is right, made from the prompt and the docs as a reader would. */
  readonly right: string;
  /** One that is wrong, and looks as if it were right. */
  readonly wrong: string;
  end(): Promise<void>;
}

/** What stands in the last block between ``` and ```, or all of it. */
export function answerIn(said: string): string {
  return [...said.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].at(-1)?.[1] ?? said;
}

/** Undefined: it is no JSON object. */
export function objectIn(answer: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export function shown(title: string, value: unknown): string {
  const text = typeof value === "string" ? value.trimEnd() : JSON.stringify(value, null, 1);
  return `${title}:\n\n\`\`\`\n${text}\n\`\`\`\n`;
}
