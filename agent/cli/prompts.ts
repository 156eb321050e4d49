/** Asks the person at the terminal. Each rejects when it is stopped by Ctrl-C. */
export interface Prompts {
  /** No, unless the person says yes. */
  confirm(question: string): Promise<boolean>;
  /** A line of text, trimmed; `check` says what is wrong with it. */
  input(
    question: string,
    options?: { readonly initial?: string; readonly check?: (text: string) => string | undefined },
  ): Promise<string>;
  /** One of several. */
  select<T extends string>(
    question: string,
    choices: readonly { readonly value: T; readonly name: string; readonly description?: string }[],
  ): Promise<T>;
}

/** On a real terminal. Questions go to standard error, so that what a command prints can be piped on. */
export function terminalPrompts(stopping: AbortController): Prompts {
  const context = { output: process.stderr, signal: stopping.signal };
  // Loaded when something is asked: no other command should wait for it.
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

/** Ctrl-C in a question is no signal of the process. It is made one here, so that the command ends. */
async function told<T>(stopping: AbortController, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") stopping.abort(error);
    throw error;
  }
}
