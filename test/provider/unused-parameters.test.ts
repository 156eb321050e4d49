import { describe, expect, it } from "vitest";
import { slot } from "../../provider/kinds.ts";
import { parametersOf } from "../../provider/runtime/inputs/parameters.ts";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";
import { stage } from "../support/stage.ts";
import { COMBINATION, type Desk, deskOn, slotOf } from "./support.ts";

/** A desk whose profile sends `image`, and no other parameter. */
async function sendingImage(): Promise<Desk> {
  return { ...deskOn(await stage()), usedParameters: () => ["image"] };
}

async function diffOf(
  desk: Desk,
  olds: Properties,
  news: Properties,
): Promise<{ changes: boolean; replaces: readonly string[] }> {
  const { slot: made } = await slotOf(desk, { parameters: olds });
  const { changes, replaces } = await slot.diff(desk, made.id, made.outs, { ...made.outs, parameters: news });
  return { changes, replaces };
}

describe("a parameter that the launch body does not use", () => {
  it("is named in the preview", async () => {
    const desk = await sendingImage();
    const inputs = { label: "project/dev/web", ...COMBINATION, parameters: { image: "a", sise: 1 } };
    expect((await slot.check(desk, inputs)).failures).toEqual([]);
    expect(desk.lines.join("\n")).toContain(
      "web: parameters.sise: launch.body of the profile does not use it, so the service never sees it",
    );
  });

  it("replaces no machine when it changes, comes or goes", async () => {
    const desk = await sendingImage();
    expect(await diffOf(desk, { image: "a", sise: 1 }, { image: "a", sise: 2 })).toEqual({
      changes: true,
      replaces: [],
    });
    expect((await diffOf(desk, { image: "a" }, { image: "a", sise: 2 })).replaces).toEqual([]);
    expect((await diffOf(desk, { image: "a", sise: 2 }, { image: "a" })).replaces).toEqual([]);
  });

  it("control: one that it uses does, and any where nobody knows what is sent", async () => {
    const desk = await sendingImage();
    expect((await diffOf(desk, { image: "a" }, { image: "b" })).replaces).toEqual(["parameters"]);
    const blind = { ...desk, usedParameters: () => undefined };
    expect((await diffOf(blind, { image: "a" }, { image: "a", sise: 2 })).replaces).toEqual(["parameters"]);
  });
});

it("what a launch body uses is read from its placeholders, wherever they stand", () => {
  const body = { a: "{offer}", b: ["{parameters.image}", { c: "x-{parameters.size}" }] };
  expect(parametersOf({ launch: { body } } as never)).toEqual(["image", "size"]);
  expect(parametersOf({} as never)).toBeUndefined();
});
