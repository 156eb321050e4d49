import { expect } from "vitest";

/** The same signs that a browser puts into a form that stands on this server. */
const OWN = { "sec-fetch-site": "same-origin" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

export interface Shown {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
}

/** Somebody with a browser that runs no scripts: cookies, links and forms. `base`: with a slash at the end. */
export class Person {
  readonly base: string;
  cookie = "";

  constructor(base: string) {
    this.base = base;
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return shownOf(await fetch(this.base + path, { headers: this.#with(headers), redirect: "manual" }));
  }

  /** Without following where it leads. */
  async post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    const answer = await fetch(this.base + path, {
      method: "POST",
      headers: this.#with({ ...OWN, ...FORM, ...headers }),
      body: new URLSearchParams(fields).toString(),
      redirect: "manual",
    });
    const set = answer.headers.get("set-cookie");
    if (set !== null) this.cookie = /Max-Age=0/.test(set) ? "" : (set.split(";")[0] ?? "");
    return shownOf(answer);
  }

  async signIn(token: string, headers: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return this.post("sign-in", { token }, headers);
  }

  /** The second step, of a page that the first one gave. */
  async order({ html }: Pick<Shown, "html">, more: Readonly<Record<string, string>> = {}): Promise<Shown> {
    const { action, fields } = formIn(html);
    return this.post(action, { ...fields, ...more });
  }

  /** Both steps. */
  async does(path: string, more: Readonly<Record<string, string>> = {}): Promise<Shown> {
    const asked = await this.get(path);
    expect(asked.html, path).toContain('method="post"');
    return this.order(asked, more);
  }

  #with(headers: Readonly<Record<string, string>>): Record<string, string> {
    return { ...(this.cookie !== "" && { cookie: this.cookie }), ...headers };
  }
}

async function shownOf(answer: Response): Promise<Shown> {
  return { status: answer.status, html: await answer.text(), headers: answer.headers };
}

/** Where the form of a change is sent, and what it has. */
export function formIn(html: string): {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
} {
  const [, action = "", inside = ""] =
    /<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/s.exec(html) ?? [];
  const hidden = [...inside.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: action.replaceAll("&amp;", "&"),
    fields: Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value])),
  };
}
