import { type AccountApi, agentClientOver } from "../../../remote/agent-client.ts";
import type { Env } from "../reach/guard.ts";
import type { App } from "../reach/listening.ts";

/** Asks the API of this process, as a request from outside would: each rule of it holds, and none is written twice. */
export function ownApi(
  app: App,
  env: Env["Bindings"],
  {
    url,
    host,
    token,
  }: { readonly url: string; readonly host?: string | undefined; readonly token?: string | undefined },
  signal: AbortSignal,
): AccountApi {
  const client = agentClientOver({ url, token }, async ({ method, url: at, headers, body }, until) => {
    const sent = {
      method,
      headers: { ...headers, ...(host && { host }) },
      signal: until,
      ...(body !== undefined && { body }),
    };
    const answer = await app.fetch(new Request(at, sent), env);
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  });
  return {
    read: (path, answers) => client.read(path, answers, signal),
    order: (order, answers) => client.order(order, answers, signal),
  };
}
