import { afterEach, expect, it } from "vitest";
import { moneyText } from "../../agent/fleet/text/format.ts";
import { contextOf } from "../../launch/keeper.ts";
import { billOf, costOf } from "../../launch/money/spend.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { befoul, HOSTILE } from "./hostile.ts";
import { read, section } from "./markup.ts";
import type { Scene } from "./scene.ts";
import { badDay, MINUTE, NORTH, scene } from "./scene.ts";

let on: Scene;
afterEach(() => on.close());

const HOUR = 60 * MINUTE;
const rows = async (): Promise<readonly DeploymentRow[]> =>
  (await on.ledger.read(on.keeper.account)).deployments;
const intents = async (): Promise<readonly IntentRow[]> => (await on.ledger.read(on.keeper.account)).intents;
const machine = (id: string): Promise<string> => on.text(`/machine?id=${encodeURIComponent(id)}`);

it("tells the whole story of a machine: what was asked and answered, what lists showed, what it cost, why it ended", async () => {
  on = await badDay();
  const lost = (await rows()).find(({ end, ended }) => end === "interrupted" && ended !== null);
  const markup = await machine(String(lost?.id));
  expect(section(markup, "story")).toMatch(
    /State interrupted since 1 Jan 00:2\d.* Place h100-8 north\/oslo , 8 GPUs Price \$16\.00 an hour Cost so far \$\d\.\d+, estimated, without its unused time/,
  );
  expect(section(markup, "story")).toMatch(/Kept for training How surely for certain Marker fk-/);
  expect(section(markup, "asked")).toMatch(
    /Launch intent\S+ For training Written down .*Asked for h100-8 @ north\/oslo, 8 GPUs Expected price \$16\.00 an hour Marker fk-\S+ .*Outcome it made a machine/,
  );
  expect(section(markup, "lists")).toMatch(/First shown .* Last shown /);
  expect(section(markup, "end")).toMatch(
    /End the service interrupted it, .* Stop reason provider_interrupted/,
  );
  const happened = section(markup, "events");
  expect(happened).toMatch(/launch .*running .*interrupted /s);
  const draft = await readDraft(on.keeper);
  const bill = billOf(draft, lost as DeploymentRow, contextOf(on.keeper));
  expect(section(markup, "story")).toContain(`Cost so far ${moneyText(costOf(bill).toFixed(4))}, estimated`);
});

it("tells of a launch that failed the text for support, and of one that was refused how", async () => {
  on = await badDay();
  const failed = (await rows()).find(({ end }) => end === "failed");
  const markup = await machine(String(failed?.id));
  expect(section(markup, "end")).toMatch(
    /End it failed, .* Failure code UNKNOWN Reason The launch failed for an unknown reason.* Text for support Deployment \S+ was launched/,
  );
  expect(section(markup, "story")).toContain("$0.00, estimated: all of it is refunded");
  const refused = (await intents()).find(({ state }) => state === "rejected");
  expect(section(await on.text(`/launch?id=${refused?.id}`), "asked")).toMatch(
    /Refused HTTP 503, offer_cooling_down .*Outcome the service refused it, and made nothing/,
  );
});

it.each([
  ["1794000001", /Made, by the service 6 Nov/],
  ["1794000001234", /Made, by the service 6 Nov/],
  ["179400000", /Made, by the service 179400000 /],
  ["yesterday", /Made, by the service yesterday /],
])("shows a moment that a service has as a number: %s", async (createdAt, shown) => {
  on = await scene({ balance: "5000.0000" });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const [row] = await rows();
  await on.ledger.decide(on.keeper.account, (draft) => {
    draft.putDeployment({ ...(row as DeploymentRow), createdAt });
  });
  expect(section(await machine(String(row?.id)), "lists")).toMatch(shown);
  expect((await rows())[0]?.createdAt).toBe(createdAt);
});

it("tells of a launch whose answer was lost that it counts until lists say more", async () => {
  on = await scene({ balance: "5000.0000" });
  on.simulator.control.faults.next("launch", { kind: "dropBefore" });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(MINUTE);
  const [open] = await intents();
  expect(open?.state).toBe("open");
  expect(section(await on.text("/"), "fleets")).toContain(`It counts as a machine until it is. ${open?.id}`);
  const asked = section(await on.text(`/launch?id=${open?.id}`), "asked");
  expect(asked).toMatch(/Answer lost, .*: \S/);
  expect(asked).toContain("Outcome not known yet: it counts as a machine until it is");
});

it("says of a stopped machine who asked for that, and that its calls were sent", async () => {
  on = await scene({ balance: "5000.0000" });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  await on.declare({});
  await on.clock.advance(HOUR);
  const [row] = await rows();
  const markup = await machine(String(row?.id));
  expect(section(markup, "end")).toMatch(
    /End it was stopped, .*Stop asked for the fleet was removed, .*Stop calls POST \S+\/stop was sent once, and the service answered 200/,
  );
  expect(section(markup, "events")).toMatch(/stop .*stopped /);
});

it("each id on the status page leads to its page, and that one leads on", async () => {
  on = await badDay();
  const markup = await on.text("/");
  const links = [
    ...new Set([...markup.matchAll(/href="((?:machine|launch|fleet)\?[^"]*)"/g)].map(([, link]) => link)),
  ];
  for (const { id, end } of await rows())
    if (end === null || end !== "stopped") expect(markup).toContain(`href="machine?id=${id}"`);
  expect(links).toContain("fleet?name=training");
  for (const link of links) {
    const answer = await on.get(`/${link?.replaceAll("&amp;", "&")}`);
    expect(answer.status, link).toBe(200);
    expect(await answer.text()).toMatch(/aria-labelledby="(?:story|owner)"/);
  }
});

it("knows archived machines, with their launches and their cost", async () => {
  on = await scene({ balance: "90000.0000", protocol: { archiveKept: 0, archive: HOUR, poll: 2 * MINUTE } });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  for (let times = 0; times < 4; times++) {
    const living = on.simulator.truth().machines.find(({ endedAt }) => endedAt === null);
    on.simulator.control.interrupt(living?.id ?? "", { now: true });
    await on.clock.advance(40 * MINUTE);
  }
  await on.clock.advance(3 * HOUR);
  const draft = await readDraft(on.keeper);
  const [id = ""] = draft.archive.ids();
  expect(draft.deployments.has(id)).toBe(false);
  const text = read(await machine(id));
  expect(text).toContain("Archived yes: it ended long ago");
  expect(text).toMatch(/Asked for h100-8 @ north\/oslo/);
  expect(text).toMatch(/Cost so far \$\d+\.\d+, estimated, without its unused time/);
  const intent = draft.deployments.ever(id)?.intent;
  expect(read(await on.text(`/launch?id=${intent}`))).toContain(`Machine ${id}`);
  expect(draft.archive.size).toBeGreaterThan(1);
});

it("answers 404 for what the ledger does not know, with a way to search for it", async () => {
  on = await scene();
  for (const path of [
    "/machine?id=nobody",
    "/launch?id=nobody",
    "/fleet?name=nobody",
    "/deployment?name=nobody",
    "/machine",
  ]) {
    const answer = await on.get(path);
    expect(answer.status, path).toBe(404);
    expect(read(await answer.text())).toContain("The ledger knows nothing of this name");
  }
  expect(await on.text("/machine?id=nobody%3Cb%3E")).toContain('href="search?q=nobody%3Cb%3E"');
});

it("shows what a hostile service says of a machine as text, and finds it by its hostile id", async () => {
  on = await badDay();
  await befoul(on);
  for (const text of HOSTILE) {
    const markup = await machine(`a0${text}`.replace("a0", `a${HOSTILE.indexOf(text)}`));
    expect(markup).toContain('aria-labelledby="story"');
    expect(markup).not.toMatch(/<script>|<img|<style|<svg onload|<\/title>[\s\S]*<\/title>/);
  }
});

it("has no secret that the service repeats, and none of a machine's connection details", async () => {
  on = await badDay();
  await on.close();
  on = await scene({ hide: (text) => text.replaceAll("s3cret-key", "[secret]") });
  on.start();
  await on.clock.advance(MINUTE);
  on.simulator.control.launchByHand({ offer: "h100-1", provider: "north", location: "oslo" });
  await on.clock.advance(MINUTE);
  await on.ledger.decide(on.keeper.account, (draft) => {
    const [row] = [...draft.deployments.values()];
    if (!row) throw new Error("no machine");
    deploymentAsFound(draft, {
      ...row,
      end: "failed",
      ended: on.keeper.clock.now(),
      claim: "certain",
      owner: "fleet:training",
      failureReason: "login with s3cret-key failed",
      connection: { ssh: "root@10.9.8.7" },
    });
    draft.note({ at: 1, kind: "failed", owner: null, deployment: row.id, text: "it said s3cret-key" });
  });
  const [row] = await rows();
  for (const path of ["/", `/machine?id=${row?.id}`]) {
    const markup = await on.text(path);
    expect(markup).toContain("login with [secret] failed");
    expect(markup).not.toMatch(/s3cret-key|10\.9\.8\.7/);
  }
});
