import type { Deployment, Service } from "../../../service/service.ts";
import { isUnread, type Unread } from "../../../service/unread.ts";

const HIDDEN = "[secret]";
/** Hiding shorter ones, such as a secret port, would make every text unreadable and protect nothing. */
const SHORTEST = 4;

/**
 * Values that must stand in no text that leaves this process: the credential, tokens, and the secret
 * connection details of machines as answers show them. A service may echo any of them, in whatever it says.
 */
export class Secrets {
  /** The longest first: what is left of one whose beginning is another one would still be told. */
  #forms: readonly string[] = [];

  constructor(values: readonly (string | undefined)[] = []) {
    this.addAll(values);
  }

  add(value: string | undefined): void {
    if (value === undefined || value.length < SHORTEST) return;
    // As it is, inside JSON, inside an address.
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

/** The same service; the secret connection details that pass through are known from then on. */
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
    deployments: async (signal) => (await service.deployments(signal)).map(learn),
    deployment: async (id, signal) => learn(await service.deployment(id, signal)),
    launch: async (request, signal) => {
      const answer = await service.launch(request, signal);
      if (answer.kind === "accepted") learn(answer.deployment);
      return answer;
    },
  };
}
