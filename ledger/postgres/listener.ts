import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { Address } from "./address.ts";
import type { Hosts } from "./hosts.ts";
import { CHANNEL, GIVEN_BACK } from "./statements.ts";

/** In milliseconds. */
export interface HearingTimes {
  /** How long a connection, or what this process tells itself on it, may take. */
  readonly answer: number;
  /** Between two checks whether it still hears. */
  readonly check: number;
  /** Until it is tried again, where it did not hear. */
  readonly retry: number;
}

/**
 * Hears what is notified, on a connection of its own: a pooler in transaction mode gives its connections to
 * others, too, and loses what is said to them. Behind one it hears only if the URL says where the server itself
 * is (`listen`). `heard` is called at each notification, with its text, and without one whenever it begins or ceases
 * to hear: something may have been missed.
 */
export class Listener {
  /** It heard itself at the newest check. */
  hears = false;
  readonly #address: Address;
  readonly #hosts: Hosts;
  readonly #times: HearingTimes;
  readonly #heard: (text?: string) => void;

  constructor(address: Address, hosts: Hosts, times: HearingTimes, heard: (text?: string) => void) {
    this.#address = address;
    this.#hosts = hosts;
    this.#times = times;
    this.#heard = heard;
  }

  /** Listens, again and again, until the signal aborts. Throws nothing. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#listen(signal).catch(() => undefined);
      this.#set(false);
      await sleep(this.#times.retry, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Until it hears no more. Rejects, too, where it cannot hear. */
  async #listen(signal: AbortSignal): Promise<void> {
    const { database, user, password, listen } = this.#address;
    const { answer, check } = this.#times;
    const client = new Client({
      ...(listen ?? this.#hosts.current),
      ...{ database, user },
      password: () => password ?? "",
      application_name: "fleetkeeper",
      connectionTimeoutMillis: answer,
      query_timeout: answer,
      keepAlive: true,
    });
    const over = new AbortController();
    const ended = AbortSignal.any([signal, over.signal]);
    client.on("error", () => over.abort());
    client.on("end", () => over.abort());
    client.on("notification", ({ payload }) => {
      // What a process tells itself is a number.
      if (payload === "" || payload === GIVEN_BACK) this.#heard(payload);
    });
    try {
      await client.connect();
      if (await isPooled(client)) return;
      await client.query(`LISTEN ${CHANNEL}`);
      while (!ended.aborted) {
        if (!(await hearsItself(client, AbortSignal.any([ended, AbortSignal.timeout(answer)])))) return;
        this.#set(true);
        await sleep(check, undefined, { signal: ended, ref: false }).catch(() => undefined);
      }
    } finally {
      // A server that is gone would never take leave.
      void client.end().catch(() => undefined);
    }
  }

  #set(hears: boolean): void {
    if (this.hears === hears) return;
    this.hears = hears;
    this.#heard();
  }
}

/** A pooler says another process than the one that answers. What listens there stays behind on its connection. */
async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid !== (client as unknown as { readonly processID: number | null }).processID;
}

/** Others ignore what a process tells itself. */
async function hearsItself(client: Client, signal: AbortSignal): Promise<boolean> {
  const { processID } = client as unknown as { readonly processID: number };
  const heard = (async () => {
    for (;;) {
      const [{ payload }] = (await once(client, "notification", { signal })) as [{ payload?: string }];
      if (payload === String(processID)) return true;
    }
  })();
  heard.catch(() => undefined);
  await client.query("SELECT pg_notify($1, $2)", [CHANNEL, String(processID)]);
  return heard.catch(() => false);
}
