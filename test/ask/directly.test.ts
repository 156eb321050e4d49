import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { exchange, machineAgent } from "../../agent/ask/exchange.ts";
import { outsideAgent } from "../../agent/cli/commands/shared/notifying.ts";

/** Of no network (RFC 2606). */
const MACHINE = "http://machine.invalid/healthz";

test("a machine is asked directly, whatever proxies are named; a notification would go through them", async () => {
  let asked = 0;
  const proxy = createServer((_request, response) => {
    asked++;
    response.end();
  });
  proxy.on("connect", (_request, socket) => {
    asked++;
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const environment = { HTTP_PROXY: url, HTTPS_PROXY: url };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const ask = async (agent: ReturnType<typeof outsideAgent>): Promise<void> => {
    onTestFinished(() => agent.destroy());
    await exchange(agent, MACHINE, { method: "GET" }, 5_000, new AbortController().signal).catch(
      () => undefined,
    );
  };
  await ask(machineAgent());
  expect(asked).toBe(0);
  await ask(outsideAgent({ environment }));
  expect(asked).toBe(1);
});
