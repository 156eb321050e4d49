/** What of the API is asked for. All below `/api/v1`, but for the folder of a service. */

const machine = (id: string): string => `/deployments/${encodeURIComponent(id)}`;
const FOLDERS = {
  fleet: (name: string) => `/fleets/${encodeURIComponent(name)}`,
  file: (name: string) => `/fleet-files/${encodeURIComponent(name)}`,
  deployment: machine,
  account: () => "/account",
} as const;

export const PATHS = {
  /** Before all of the API that is of this service's account. */
  service: (name: string) => `/services/${encodeURIComponent(name)}`,
  accounts: "/accounts",
  token: "/token",
  ledger: (name: string, query: Readonly<Record<string, unknown>>) => `/ledger/${name}${queryOf(query)}`,
  status: "/status",
  fleets: "/fleets",
  fleet: FOLDERS.fleet,
  plan: "/plan",
  deployments: (all: boolean) => `/deployments${queryOf({ all })}`,
  deployment: machine,
  hosts: (fleet: string | undefined) => `/hosts${queryOf({ fleet })}`,
  offers: "/offers",
  account: "/account",
  balance: "/balance",
  stopOfAll: "/account/stop",
  fleetFile: FOLDERS.file,
  fileOver: (name: string) => `/ledger${FOLDERS.file(name)}`,
  /** A fleet in whatever accounts of the ledger. */
  parts: (name: string) => `/ledger${FOLDERS.fleet(name)}`,
  /** An order about all parts of a fleet, or about all that fleets have in one service. */
  over: (about: "fleet" | "service", name: string, order: string) =>
    `/ledger/${about}s/${encodeURIComponent(name)}/${order}`,
  order: (about: keyof typeof FOLDERS, name: string, order: string) => `${FOLDERS[about](name)}/${order}`,
} as const;

function queryOf(given: Readonly<Record<string, unknown>>): string {
  const said = new URLSearchParams(
    Object.entries(given).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[key, String(value)]],
    ),
  );
  return said.size > 0 ? `?${said}` : "";
}
