import { expect, test } from "vitest";
import { parse } from "yaml";
import { wireProfileSchema } from "../../service/profile/profile.ts";
import { createSimulator, VirtualClock } from "../../simulator/index.ts";
import { authOnly, dialectText, handmade, KEY, visit } from "./doctor-support.ts";

const OFFER = { provider: "aurora", location: "fi-hel", gpus: 8 };

/** A service whose offers say in these words what can be had, read by a profile with this line. */
const look = (words: readonly string[], line: string) =>
  visit({
    transport: handmade({
      "/api/v1/deployments": { deployments: [] },
      "/api/v1/offers": { offers: words.map((word, at) => ({ id: `x${at}`, ...OFFER, shelf: word })) },
    }),
    profile: dialectText("plain").replace(/ {4}available: \/available\n/, line),
  });

const SHELF = ["bare", "thin", "ample"];
const IN_WORDS =
  '    available: { pointer: /shelf, soldOut: [<each word that means sold out>] }  # seen: "bare", "thin", "ample"';

test("a list that says in words what can be had is told with the way out", async () => {
  const { check } = await look(SHELF, "    available: /shelf\n");
  const { says, remedy } = check("offers.list");
  expect(says).toContain(
    'available (/shelf) should be true, false or a number, but is "bare": where words say it, write "available: { pointer: /shelf, soldOut: [<each word that means sold out>] }"',
  );
  expect(remedy?.lines).toContain(IN_WORDS);
});

test("words are proposed where nothing is mapped, and what they mean is left open", async () => {
  const { check } = await look(SHELF, "");
  expect(check("offers.unmapped").remedy).toMatchObject({
    proposed: true,
    lines: expect.arrayContaining([IN_WORDS]),
  });
});

test("they are proposed with the list, too", async () => {
  const { check } = await visit({
    transport: handmade({
      "/api/v1/offers": { offers: SHELF.map((word) => ({ id: word, ...OFFER, shelf: word })) },
    }),
    profile: authOnly("plain"),
  });
  expect(check("operation.offers").remedy?.lines).toContain(IN_WORDS);
});

test("what is sold out by its word is not counted as available", async () => {
  const { report, check } = await look(SHELF, "    available: { pointer: /shelf, soldOut: [bare] }\n");
  expect(check("offers.list").says).toContain("3 offers, 2 of them available now.");
  expect(report.checks.map(({ id }) => id)).not.toContain("offers.soldOut");
});

test.each([
  ["in other letters", ["Bare", "ample"], "[bare, Bare]"],
  ["of another form that leaves no doubt", ["sold_out", "ample"], "[bare, sold_out]"],
])("a word %s is asked about: an offer with it counts as one that can be had", async (_, words, soldOut) => {
  const { check } = await look(words, "    available: { pointer: /shelf, soldOut: [bare] }\n");
  const { level, says, remedy } = check("offers.soldOut");
  expect(level).toBe("warning");
  expect(says).toBe(
    `The service writes "${words[0]}" at /shelf, and offers.fields.available names only "bare" as sold out. Words are compared letter for letter, so such an offer counts as one that can be had.`,
  );
  expect(remedy).toMatchObject({
    proposed: true,
    lines: [`    available: { pointer: /shelf, soldOut: ${soldOut} }`],
  });
});

test("a fleet is told that its offer is sold out, by the service's own word", async () => {
  const profile = dialectText("plain").replace(
    "available: /available",
    "available: { pointer: /shelf, soldOut: [bare] }",
  );
  const here = { offer: "box", provider: "aurora", location: "fi-hel" };
  const clock = new VirtualClock();
  const simulator = createSimulator({
    clock,
    dialect: wireProfileSchema.parse(parse(profile)),
    apiKey: KEY,
    offers: [{ ...here, gpus: 8, gpuModel: "h100", pricePerHour: "19", capacity: 1 }],
  });
  const fleets = { training: { gpus: 8, candidates: [{ ...here, gpus: 8 }] } };
  const seen = () => visit({ clock, transport: simulator.transport, profile, fleets });
  const told = async () =>
    (await seen()).report.checks.filter(({ says }) => says.includes("not available now"));
  expect(await told()).toEqual([]);
  simulator.control.launchByHand(here);
  expect(await told()).toMatchObject([{ level: "warning" }]);
});
