import { launch, living, never, pause, service, wanted } from "./wire.ts";

/* As simple reconcilers work: every half a minute the list is the truth; what lacks is launched, what is too much is stopped. */

for (;;) {
  const ids = await living().catch(() => undefined);
  if (ids) {
    for (let missing = wanted() - ids.length; missing > 0; missing--) await launch();
    for (const id of ids.slice(wanted())) await service.stop({ id }, never);
  }
  await pause(30);
}
