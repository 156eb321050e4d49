import { expect, test } from "vitest";
import { parseFleetFile } from "../../../agent/fleet/fleet-file.ts";
import { configure, ledgerPath } from "../../../launch/configuration.ts";

const URL_ = "postgres://me:sesame@db.example.com/fleets";
const SETTINGS = { baseUrl: "https://gpus.example.com", profile: "acme.yaml" };

test.each([
  ["a flag", () => ledgerPath({ ledger: URL_ }, {})],
  ["a stack's configuration", () => configure({ ...SETTINGS, ledger: URL_ }, {})],
  [
    "the environment",
    () => configure(SETTINGS, { FLEETKEEPER_LEDGER: URL_.replace("postgres", "postgresql") }),
  ],
  ["a fleet file", () => parseFleetFile(`service: { ledger: "${URL_}" }\nfleets: []\n`, "/etc/f.yaml")],
])(
  "%s that names PostgreSQL is refused while all processes must run on one host, and the URL is not shown",
  (_by, read) => {
    expect(read).toThrow(expect.objectContaining({ code: "CONFIG" }));
    expect(read).toThrow(/no ledger in PostgreSQL yet/);
    expect(read).not.toThrow(/sesame|example\.com/);
  },
);
