import type { Context } from "hono";
import type { Keeper } from "../../../../launch/keeper.ts";
import { here } from "../../../../ledger/instant.ts";
import { duration } from "../../../fleet/text/format.ts";
import { AGENT_TOKEN } from "../../../orders/actor.ts";
import { basicsOf, type PageOptions } from "../pages/basics.ts";
import { html } from "../pages/html.ts";
import { actLinks } from "../pages/offered.ts";
import { accountPage, shell } from "../pages/shell.ts";
import type { Env } from "../reach/guard.ts";
import type { App } from "../reach/listening.ts";
import { isSafeWay } from "../reach/origin.ts";
import { Rate } from "../reach/rate.ts";
import { SESSION_MS, type Session, type Sessions } from "../reach/sessions.ts";
import { foreignForm, formOf, formPage, isOwnForm } from "./forms.ts";

export interface SignInOptions extends PageOptions {
  readonly keeper: Keeper;
  readonly sessions: Sessions;
}

/** Wrong tokens that one address may try at once, and a minute. */
const MOST_TRIES = [5, 10] as const;
/** A page of the same folder, and nothing else. */
const OWN_PAGE = /^(?:act|machine|launch|fleet|deployment|search|places)\?[\x21-\x7e]*$/;

/** Where a token is exchanged for a session, and a session ends. */
export function addSignIn(app: App, options: SignInOptions): void {
  const { sessions, keeper } = options;
  const tries = new Rate(...MOST_TRIES);
  app.get("/sign-in", async (c) => {
    const { session } = c.env;
    const over = c.req.query("over") === undefined ? undefined : "Your session is over: nothing was done.";
    return formPage(c, session ? await whoPage(options, session) : signInPage(c, over));
  });
  app.post("/sign-in", async (c) => {
    const again = (status: 403 | 422 | 429, problem: string): Response =>
      formPage(c, signInPage(c, problem), status);
    if (!isSafeWay(c))
      return again(
        403,
        "Here a token would go over the network in clear. Open this page by TLS (the proxy in front says X-Forwarded-Proto: https), or on this machine.",
      );
    const form = await formOf(c);
    if (form instanceof Response) return form;
    const actor = await c.env.whoHas?.((form.get("token") ?? "").trim());
    // Behind a proxy all come from one address: who guesses there must not keep anybody from stopping.
    const isWrong = !actor || "refused" in actor;
    const waits = isWrong
      ? tries.take(c.env.incoming.socket.remoteAddress ?? "", here(keeper.clock).mono)
      : 0;
    if (waits > 0) {
      c.header("retry-after", `${waits}`);
      return again(429, `Too many sign-ins from this address: again in ${waits} s.`);
    }
    if (!actor) return again(422, "No open token is this one. fleetkeeper token list shows which there are.");
    if ("refused" in actor || (actor.token === undefined && actor !== AGENT_TOKEN))
      return again(
        422,
        "A token of a CI's issuer opens no session. fleetkeeper token create makes one that does.",
      );
    c.header("set-cookie", sessions.begin(c, actor));
    return c.redirect(wayOn(c) ?? "./", 303);
  });
  app.post("/sign-out", async (c) => {
    const form = await formOf(c);
    if (form instanceof Response) return form;
    const { session } = c.env;
    if (session && !isOwnForm(form, session)) return foreignForm(c);
    c.header("set-cookie", sessions.end(c));
    return c.redirect("sign-in", 303);
  });
}

function wayOn(c: Context<Env>): string | undefined {
  const { then = "" } = c.req.query();
  return OWN_PAGE.test(then) ? then : undefined;
}

/** It tells nothing of the account: everybody may read it. */
function signInPage(c: Context<Env>, problem?: string): string {
  const then = wayOn(c);
  const action = then === undefined ? "sign-in" : `sign-in?${new URLSearchParams({ then })}`;
  return shell({
    title: problem === undefined ? "Sign in" : "Not signed in",
    main: html`<section class="act" aria-labelledby="sign-in"><h2 id="sign-in">Sign in to act</h2>
${problem !== undefined && html`<p class="told bad" role="alert" id="problem">${problem}</p>`}
<form class="card choices" method="post" action="${action}">
<p class="broad"><label for="token">Token</label><input id="token" name="token" type="password" required maxlength="600" autocomplete="current-password" autofocus aria-describedby="token-help${problem !== undefined && " problem"}"></p>
<p class="broad quiet" id="token-help">It is sent once, and this page keeps it nowhere: the browser gets a session that ends after ${duration(SESSION_MS)}, with the token, or when you sign out. To make a token, beside the ledger: <code>fleetkeeper token create --name NAME --may operate</code></p>
<p class="broad buttons"><button type="submit">Sign in</button> <a class="button" href="./">Back</a></p></form></section>`,
  });
}

async function whoPage(options: SignInOptions, { actor, csrf }: Session): Promise<string> {
  const basics = await basicsOf(options, { isGuest: false, actor });
  return accountPage(basics, {
    title: "Signed in",
    at: "other",
    hasForm: true,
    main: html`<section class="act" aria-labelledby="who"><h2 id="who">You are signed in</h2>
<p>As <strong>${actor.name}</strong>, who may ${actor.may}${actor.fleets && `, for fleets ${actor.fleets.join(", ")}`}. The name stands beside all that you order.</p>
${actLinks(basics, "account", "")}
<form method="post" action="sign-out"><input type="hidden" name="csrf" value="${csrf}"><p class="buttons"><button type="submit">Sign out</button> <a class="button" href="./">To the status page</a></p></form></section>`,
  });
}
