/** Asks the person at the terminal. Each function rejects after Ctrl-C. */
export interface Prompts {
  /** False unless the person says yes. */
  confirm(question: string): Promise<boolean>;
  /** A line of text, trimmed. `check` says what is wrong with it. */
  input(
    question: string,
    options?: { readonly initial?: string; readonly check?: (text: string) => string | undefined },
  ): Promise<string>;
  /** One of several choices. */
  select<T extends string>(
    question: string,
    choices: readonly { readonly value: T; readonly name: string; readonly description?: string }[],
  ): Promise<T>;
}

/** Asks on the terminal. Questions go to standard error: a command's output can then be piped. */
export function terminalPrompts(stopping: AbortController): Prompts {
  const context = { output: process.stderr, signal: stopping.signal };
  // Loaded only when something is asked: no other command waits for it.
  const library = () => import("@inquirer/prompts");
  return {
    confirm: async (message) =>
      told(stopping, (await library()).confirm({ message, default: false }, context)),
    input: async (message, { initial, check } = {}) => {
      const validate = (text: string): string | true => check?.(text.trim()) ?? true;
      const config = { message, validate, ...(initial === undefined ? {} : { default: initial }) };
      return (await told(stopping, (await library()).input(config, context))).trim();
    },
    select: async (message, choices) =>
      told(stopping, (await library()).select({ message, choices: [...choices] }, context)),
  };
}

/** Ctrl-C in a question is no signal of the process. It aborts here, so that the command ends as usual. */
async function told<T>(stopping: AbortController, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") stopping.abort(error);
    throw error;
  }
}
