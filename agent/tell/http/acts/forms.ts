import type { Context } from "hono";
import { html } from "../pages/html.ts";
import { shell } from "../pages/shell.ts";
import { textOf } from "../reach/body.ts";
import { type Env, isEqual } from "../reach/guard.ts";
import type { Session } from "../reach/sessions.ts";

const MOST_BYTES = 64 * 1024;

type Status = 200 | 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 503;

/**
 * A page with a form, or after one. Else these pages send no referrer, and a browser that does so says of a form that it came
 * from nowhere.
 */
export function formPage(c: Context<Env>, page: string, status: Status = 200): Response {
  c.header("referrer-policy", "same-origin");
  return c.html(page, status) as Response;
}

/** Says why nothing was done. */
export function notice(c: Context<Env>, status: Status, title: string, text: string): Response {
  return formPage(
    c,
    shell({
      title,
      main: html`<section class="act" aria-labelledby="act"><h2 id="act" tabindex="-1" autofocus>${title}</h2>
<p class="told bad" role="alert">${text}</p><p class="buttons"><a class="button" href="./">To the status page</a></p></section>`,
    }),
    status,
  );
}

/** What a form has sent. A response: it is none. */
export async function formOf(c: Context<Env>): Promise<URLSearchParams | Response> {
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(c.req.header("content-type") ?? ""))
    return notice(c, 415, "Not done", "This is no form of these pages.");
  const text = await textOf(c.req.raw.body, MOST_BYTES);
  return text === undefined
    ? notice(c, 413, "Not done", "This is longer than any form here.")
    : new URLSearchParams(text);
}

/** Whether a form was made for this session. */
export function isOwnForm(form: URLSearchParams, { csrf }: Session): boolean {
  return isEqual(form.get("csrf") ?? "", csrf);
}

export function foreignForm(c: Context<Env>): Response {
  return notice(c, 403, "Not done", "This form is of another session. Load the page again.");
}
