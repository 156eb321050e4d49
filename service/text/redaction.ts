/** Makes texts of the service fit to be shown: no secret, no control characters, not too long. */
export interface Redaction {
  /** The text without the secret, else unchanged. */
  hide(foreign: string): string;
  /** A foreign text for use in our message. */
  text(foreign: string, limit?: number): string;
  /** A cause that can be printed whole: its messages, without the objects that libraries attach to errors. */
  cause(error: unknown): Error;
  /** From now on this is a secret, too. The newest few are: a late answer may show the one before. */
  alsoHide(secret: string): void;
}

const MOST_LEARNED = 5;

const HIDDEN = "[secret]";

export function createRedaction(secret: string | readonly string[] | undefined): Redaction {
  // A service may repeat the secret as it is, in JSON, or in an address.
  const given = [...new Set([secret ?? []].flat().flatMap(formsOf))];
  let learned: readonly string[] = [];
  let forms = given;
  const hide = (text: string): string => forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);

  const text = (foreign: string, limit = 200): string => {
    // Hidden before the cut: half a secret at the end of an excerpt is still secret.
    const shown = escapeControls(hide(foreign));
    return shown.length <= limit ? shown : `${shown.slice(0, limit)}…`;
  };

  const cause = (error: unknown): Error => {
    if (!(error instanceof Error)) return new Error(text(String(error)));
    const plain = new Error(
      text(error.message || error.name, 500),
      error.cause === undefined ? {} : { cause: cause(error.cause) },
    );
    plain.name = error.name;
    return plain;
  };

  const alsoHide = (another: string): void => {
    learned = [...learned.filter((each) => each !== another), another].slice(-MOST_LEARNED);
    forms = [...given, ...learned.flatMap(formsOf)];
  };

  return { hide, text, cause, alsoHide };
}

function formsOf(secret: string): readonly string[] {
  if (secret === "") return [];
  const inForm = new URLSearchParams({ "": secret }).toString().slice(1);
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), inForm];
}

/** Must not reach a terminal: control characters, and invisible ones that turn the writing direction. */
export const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A text that a terminal shows as it is. */
export function escapeControls(text: string): string {
  return text.replace(
    HARMFUL,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
