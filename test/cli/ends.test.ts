import { expect, test } from "vitest";
import { alive, FLEET, place, running, until } from "./cli.ts";

/** Each closes what it opened: a process with an open socket or timer would not end. Most tests call them in their own process. */
test("commands that do one thing end by themselves, in a process of their own", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  const [one, other] = alive(on).map(({ id }) => id);
  const commands = [
    ["doctor"],
    ["plan"],
    ["offers"],
    ["account"],
    ["spend"],
    ["status"],
    ["hosts"],
    ["deployments", "list"],
    ["deployments", "show", `${one}`],
    ["history"],
    ["balance"],
    ["pause", "training"],
    ["resume"],
    ["disown", `${one}`],
    ["adopt", `${one}`, "--fleet", "training"],
    ["deployments", "stop", `${other}`, "--yes"],
    ["drain", "training", "--yes"],
  ];
  for (const args of commands) {
    const { code, said } = await on.start(args).ended;
    expect({ args, code, said: code === 0 ? "" : said }).toEqual({ args, code: 0, said: "" });
  }
});
