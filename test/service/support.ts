import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createService, type ServiceOptions } from "../../service/client.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { LaunchRequest, Service } from "../../service/contract/service.ts";
import type { HttpRequest, HttpResponse, Transport } from "../../service/contract/transport.ts";
import { type LoadedProfile, readProfile } from "../../service/profile/profile-file.ts";

export const BASE_URL = "https://gpu.example.com";
export const SECRET = "canary-7f3a-secret";

export function never(): AbortSignal {
  return new AbortController().signal;
}

/** A profile of the parts that a test is about. JSON is YAML. */
export function profileOf(parts: Record<string, unknown>): LoadedProfile {
  return readProfile(JSON.stringify({ profile: 1, name: "test", ...parts }), "test.profile.yaml");
}

export const AUTH = { header: "X-Key", value: "Key {secret}" };
export const LAUNCH = {
  body: { offer: "{offer}", provider: "{provider}", location: "{location}" },
  id: "/deployment/id",
};
export const ORDER: LaunchRequest = { offer: "o", provider: "p", location: "l", marker: "m", parameters: {} };

export interface VirtualClock {
  readonly waits: number[];
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Time passes only while somebody sleeps. */
export function virtualClock(start = Date.UTC(2026, 0, 1)): VirtualClock {
  let now = start;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
  };
}

export interface FakeTransport {
  readonly transport: Transport;
  readonly requests: HttpRequest[];
}

type Reply = Partial<HttpResponse> | Error;

export function json(value: unknown, rest: Partial<HttpResponse> = {}): Partial<HttpResponse> {
  return { body: JSON.stringify(value), ...rest };
}

/** Answers with the replies in turn (the last one again and again), or as a function says. */
export function fakeTransport(replies: readonly Reply[] | ((request: HttpRequest) => Reply)): FakeTransport {
  const requests: HttpRequest[] = [];
  const transport: Transport = async (request) => {
    requests.push(request);
    const reply =
      typeof replies === "function"
        ? replies(request)
        : (replies[Math.min(requests.length, replies.length) - 1] ?? new Error("no reply"));
    if (reply instanceof Error) throw reply;
    return { status: 200, headers: {}, body: "", ...reply };
  };
  return { transport, requests };
}

export interface Fixture {
  readonly service: Service;
  readonly requests: HttpRequest[];
  readonly clock: VirtualClock;
}

export function serviceOf(
  parts: Record<string, unknown>,
  replies: Parameters<typeof fakeTransport>[0],
  rest: Partial<ServiceOptions> = {},
): Fixture {
  const { transport, requests } = fakeTransport(replies);
  const clock = virtualClock();
  const service = createService({
    baseUrl: BASE_URL,
    secret: parts.auth === undefined ? undefined : SECRET,
    profile: profileOf(parts),
    transport,
    clock,
    random: () => 0,
    ...rest,
  });
  return { service, requests, clock };
}

/** The error of a call that must fail on purpose. */
export async function failureOf(call: () => unknown): Promise<FleetkeeperError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof FleetkeeperError) return error;
    throw error;
  }
  throw new Error("expected a FleetkeeperError, but nothing was thrown");
}

export interface Server {
  readonly url: string;
  readonly requests: { readonly method: string; readonly port: number; readonly body: string }[];
}

/** A real HTTP server on loopback, closed when the test ends. Every request that arrives whole is recorded. */
export async function serve(
  answer: (request: IncomingMessage, response: Parameters<RequestListener>[1], count: number) => void,
): Promise<Server> {
  const requests: Server["requests"] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      requests.push({ method: request.method ?? "", port: request.socket.remotePort ?? 0, body });
      answer(request, response, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
