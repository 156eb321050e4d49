import type { StackCall } from "../../agent/tell/http/api/stacks.ts";
import { timeoutOf } from "./inputs/inputs.ts";
import type { Checked, Difference, Imported, Properties, ResourceKind } from "./inputs/resource-kind.ts";
import type { Environment, Session } from "./session/environment.ts";

/** How long an agent that was there may be away in a call that changes nothing. */
const LOOK_MS = 120_000;

/** A kind of resources that an agent keeps, where the settings name one: the same is done in its process. Else the stack does it itself. */
export function keptBy(name: StackCall["kind"], kind: ResourceKind): ResourceKind {
  const call = async <T>(
    method: Exclude<keyof ResourceKind, "secrets">,
    env: Environment,
    args: readonly unknown[],
    patience = LOOK_MS,
  ): Promise<T> => {
    const agent = env.agent?.();
    if (agent) return (await agent.call(name, method, args, env, patience)) as T;
    const run = kind[method] as (...all: readonly unknown[]) => Promise<T>;
    return run(asStack(env, args), ...args);
  };
  return {
    ...(kind.secrets && { secrets: kind.secrets }),
    check: (env, ...args) => call<Checked>("check", env, args),
    diff: (env, ...args) => call<Difference>("diff", env, args),
    create: (env, inputs) => call("create", env, [inputs], timeoutOf(inputs, "create")),
    read: (env, ...args) => call<Properties | undefined>("read", env, args),
    update: (env, id, olds, news) => call("update", env, [id, olds, news], timeoutOf(news, "update")),
    delete: (env, id, props) => call("delete", env, [id, props], timeoutOf(props, "delete")),
    ...(kind.import && { import: (env, ...args) => call<Imported>("import", env, args) }),
    ...(kind.list && { list: (env) => call<readonly string[]>("list", env, []) }),
  };
}

/**
 * What a resource decides on the stack's own key is the stack's: `stack:PROJECT/STACK`, the begin of its label. Engines tell no
 * provider of the organization. What lists show is nobody's.
 */
function asStack(env: Environment, args: readonly unknown[]): Environment {
  const labels = args.map((each) => (each as Properties | null | undefined)?.label);
  const [project, stack] = String(labels.findLast((each) => each !== undefined)).split("/");
  if (stack === undefined) return env;
  const actor = `stack:${project}/${stack}`;
  const by = async (session: Promise<Session>): Promise<Session> => {
    const opened = await session;
    return { ...opened, keeper: { ...opened.keeper, actor } };
  };
  return { ...env, session: () => by(env.session()), glimpse: () => by(env.glimpse()) };
}
