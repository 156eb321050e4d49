import { launch, never, pause, service, wanted } from "./wire.ts";

/* As resources of a stack are kept: a launch is sent until an id comes back; an id that is not found, or has ended, is replaced. */

const ids: string[] = [];
for (;;) {
  for (const id of [...ids]) {
    const found = await service.deployment(id, never).catch(() => "unknown" as const);
    if (found === "unknown") continue;
    if (!found || service.isTerminal(found.status)) ids.splice(ids.indexOf(id), 1);
  }
  while (ids.length < wanted()) {
    const answer = await launch();
    if (answer.kind === "accepted") ids.push(answer.id);
    else await pause(10);
  }
  while (ids.length > wanted()) {
    const [id = ""] = ids;
    const { kind } = await service.stop({ id }, never);
    if (kind === "failed") await pause(10);
    else ids.shift();
  }
  await pause(30);
}
