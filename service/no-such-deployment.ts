import { FleetkeeperError, isDown } from "./contract/errors.ts";
import type { Deployment, Json } from "./contract/service.ts";
import type { WireProfile } from "./profile/profile.ts";

/*
 * What means that there is no such deployment. The specification's service says it by a 404. Another one may say it by a
 * status that means much else, or by an answer without a record (deployments.get.missing of a profile 2). A wrong key,
 * too many requests or a wrong path may be answered alike, and a living machine would be rented again. So it is
 * believed only if an id that cannot exist is answered so at the same time, and one that lists show is not.
 */

type Missing = NonNullable<NonNullable<WireProfile["deployments"]>["get"]>["missing"];

const BY_HTTP = { statuses: [404] } as const satisfies Missing;

/** True if a GET that failed so says that there is no such deployment. Nothing else is judged by this: no stop is. */
export function deniesIt({ status, said }: FleetkeeperError, missing: Missing = BY_HTTP): boolean {
  const { statuses, codes } = missing;
  if (status === undefined || status < 400 || (!statuses && !codes)) return false;
  return (statuses?.includes(status) ?? true) && (codes === undefined || codes.includes(said ?? ""));
}

/** True if nothing stands in the place of a record. */
export function isEmpty(record: Json | undefined): boolean {
  return record == null || (typeof record === "object" && Object.keys(record).length === 0);
}

/** An id of the form of this one that no service gives: zeros. Letters before the first `-` or `_` stay: vm-4711, vm-0000. */
export function impossibleId(id: string): string {
  const [, kind = "", rest = ""] = /^([a-z]+[-_])?(.*)$/is.exec(id) ?? [];
  return kind + rest.replaceAll(/[a-z0-9]/gi, "0");
}

/**
 * Why it is not believed that there is no such deployment; undefined: it is proven. `ask`: gives undefined for one that
 * the service denies. Throws if the service is down.
 */
export async function whyUnproven(
  id: string,
  ask: (id: string) => Promise<Deployment | undefined>,
  living: string | undefined,
): Promise<string | undefined> {
  const isDenied = async (other: string): Promise<boolean | string> => {
    try {
      return (await ask(other)) === undefined;
    } catch (error) {
      if (isDown(error) || !(error instanceof FleetkeeperError)) throw error;
      return error.message;
    }
  };
  const none = impossibleId(id);
  const denied = none === id || (await isDenied(none));
  if (denied !== true)
    return `${none}, which cannot exist, is answered otherwise${denied === false ? "" : `: ${denied}`}`;
  const other = living !== undefined && (await isDenied(living));
  if (other === false) return undefined;
  return other === true
    ? `so is ${living}, which lists show`
    : `nothing shows that ${living}, which lists show, is answered otherwise: ${other}`;
}
