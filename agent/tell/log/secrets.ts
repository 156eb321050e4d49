import type { Deployment, Service } from "../../../service/contract/service.ts";
import { isUnread, type Unread } from "../../../service/contract/unread.ts";

const HIDDEN = "[secret]";
/** Shorter values, such as a secret port, are not hidden: every text would become unreadable. */
const SHORTEST = 4;

/**
 * Values that no text may hold that leaves this process: the credential, tokens and the machines' secret
 * connection details. The service may repeat any of them in its texts.
 */
export class Secrets {
  /** The longest first: if one value begins with another one, its rest would stay visible. */
  #forms: readonly string[] = [];

  constructor(values: readonly (string | undefined)[] = []) {
    this.addAll(values);
  }

  add(value: string | undefined): void {
    if (value === undefined || value.length < SHORTEST) return;
    // The value itself, inside JSON, inside a URL.
    const forms = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
    if (this.#forms.includes(value)) return;
    this.#forms = [...new Set([...this.#forms, ...forms])].sort((one, other) => other.length - one.length);
  }

  addAll(values: readonly (string | undefined)[]): void {
    for (const value of values) this.add(value);
  }

  hide(text: string): string {
    return this.#forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
  }
}

/** A service that remembers the secret connection details in its answers, to hide them. */
export function learningSecrets(service: Service, secrets: Secrets): Service {
  const learn = <D extends Pick<Partial<Deployment>, "secretConnection"> | Unread | undefined>(
    deployment: D,
  ): D => {
    if (deployment === undefined || isUnread(deployment)) return deployment;
    for (const value of Object.values(deployment.secretConnection ?? {})) secrets.add(value);
    return deployment;
  };
  return {
    ...service,
    deployments: async (signal) => {
      const list = await service.deployments(signal);
      for (const each of list ?? []) learn(each);
      return list;
    },
    deployment: async (id, signal, living) => learn(await service.deployment(id, signal, living)),
    launch: async (request, signal) => {
      const answer = await service.launch(request, signal);
      if (answer.kind === "accepted") learn(answer.deployment);
      return answer;
    },
  };
}
