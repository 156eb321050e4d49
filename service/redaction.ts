/** Makes what the service sent fit to be shown: no secret, no control characters, not too long. */
export interface Redaction {
  /** The text as it is, without the secret. */
  hide(foreign: string): string;
  /** Foreign text inside a message of ours. */
  text(foreign: string, limit?: number): string;
  /** A cause that can be printed whole: the chain of messages, without the objects that libraries attach to errors. */
  cause(error: unknown): Error;
}

const HIDDEN = "[secret]";

export function createRedaction(secret: string | undefined): Redaction {
  // A service may echo the secret as it is, inside JSON, or inside an address.
  const forms = secret
    ? [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])]
    : [];
  const hide = (text: string): string => forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);

  const text = (foreign: string, limit = 200): string => {
    // Hidden before it is cut: half a secret at the end of an excerpt is a secret too.
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

  return { hide, text, cause };
}

/** What must not reach a terminal: control characters, and invisible ones such as those that turn the direction of writing. */
export const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function escapeControls(text: string): string {
  return text.replace(
    HARMFUL,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
