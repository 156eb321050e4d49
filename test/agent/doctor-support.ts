import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Configuration } from "../../account/configuration.ts";
import { runDoctor } from "../../agent/doctor/doctor.ts";
import type { Check, DoctorReport } from "../../agent/doctor/report.ts";
import type { FleetDeclaration } from "../../agent/fleet/declare/fleets.ts";
import { type WishInput, wishSchema } from "../../agent/fleet/wish/wish.ts";
import type { HttpRequest, HttpResponse, Transport } from "../../service/contract/transport.ts";
import {
  createSimulator,
  type DialectName,
  dialectProfilePath,
  type Simulator,
  VirtualClock,
} from "../../simulator/index.ts";

const DOCTOR_URL = "https://simulator.invalid";
export const KEY = "canary-93ab-key";

export interface Visit {
  readonly report: DoctorReport;
  readonly requests: readonly HttpRequest[];
  /** The only check with this id; fails if there is none. */
  check(id: string): Check;
}

export interface VisitOptions {
  readonly profile: string;
  readonly transport: Transport;
  readonly clock?: VirtualClock;
  readonly configuration?: Partial<Configuration>;
  readonly fleets?: Readonly<Record<string, WishInput>>;
  /** They are parts of fleets in several services. */
  readonly areParts?: boolean;
}

/** Writes the profile to a file of its own, and lets the doctor look. */
export async function visit(options: VisitOptions): Promise<Visit> {
  const { profile, transport, clock = new VirtualClock(), configuration = {}, fleets = {} } = options;
  const requests: HttpRequest[] = [];
  const report = await clock.run(
    runDoctor({
      configuration: {
        baseUrl: DOCTOR_URL,
        apiKey: KEY,
        profile: profileFile(profile),
        ledger: ":memory:",
        account: "exclusive",
        ...configuration,
      },
      fleets: Object.entries(fleets).map(
        ([name, wish]): FleetDeclaration => ({
          name,
          source: "file:fleet.yaml",
          wish: wishSchema.parse(wish),
          ...(options.areParts && { part: { of: name } }),
        }),
      ),
      transport: async (request, signal) => {
        requests.push(request);
        return transport(request, signal);
      },
      clock: { now: () => clock.now(), sleep: (ms, signal) => clock.sleep(ms, signal) },
      signal: new AbortController().signal,
    }),
  );
  return {
    report,
    requests,
    check(id) {
      const found = report.checks.filter((each) => each.id === id);
      if (found.length === 1 && found[0] !== undefined) return found[0];
      throw new Error(`${found.length} checks ${id} in: ${report.checks.map((each) => each.id).join(", ")}`);
    },
  };
}

export interface World {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
}

/** A service with two machines that run, one that failed and one that was stopped; or with none. */
export async function world(
  dialect: DialectName,
  machines: "machines" | "no machines" = "machines",
): Promise<World> {
  const clock = new VirtualClock();
  const simulator = createSimulator({ clock, dialect, apiKey: KEY, settings: { stoppingSeconds: [5, 5] } });
  if (machines === "machines") {
    const { control } = simulator;
    control.failNext({ provider: "basalt" });
    control.launchByHand({ offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel" });
    control.launchByHand({ offer: "h100-80gb-x2", provider: "basalt", location: "is-rey" });
    control.launchByHand({ offer: "a100-80gb-x4", provider: "cirrus", location: "us-east" });
    const over = control.launchByHand({ offer: "l40s-48gb-x1", provider: "dune", location: "us-west" });
    await clock.advance(300_000);
    control.stopByHand(over);
    await clock.advance(60_000);
  }
  return { clock, simulator };
}

export function dialectText(dialect: DialectName): string {
  return readFileSync(dialectProfilePath(dialect), "utf8");
}

/** The profile of a dialect with nothing but its name and how the credential is sent. */
export function authOnly(dialect: DialectName): string {
  const text = dialectText(dialect);
  return text.slice(0, text.indexOf("\nlaunch:") + 1);
}

export const ACCOUNT = {
  id: "3f0c7d0e-5a34-4a55-9d52-0d4f5f0f3a10",
  email: "you@example.com",
  display_name: "You",
  created_at: "2026-01-02T03:04:05.678Z",
};
export const BALANCE = { balance: "100.0000", currency: "USD" };

/** A service of hand-made answers by path; a path without one is answered 404. */
export function handmade(
  answers: Readonly<Record<string, unknown>>,
  headers: HttpResponse["headers"] = {},
): Transport {
  const all: Readonly<Record<string, unknown>> = {
    "/api/v1/account": ACCOUNT,
    "/api/v1/account/balance": BALANCE,
    ...answers,
  };
  return async ({ url }) => {
    const { pathname } = new URL(url);
    if (!Object.hasOwn(all, pathname)) return { status: 404, headers, body: '{"error":"no_such_thing"}' };
    return { status: 200, headers, body: JSON.stringify(all[pathname]) };
  };
}

function profileFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "acme.profile.yaml");
  writeFileSync(file, text);
  return file;
}
