import { LONGEST_DETAIL } from "../contract/limits.ts";
import type { Deployment, Json } from "../contract/service.ts";
import { formOf, isSecret, placeOf } from "../profile/connection.ts";
import type { WireProfile } from "../profile/profile.ts";
import { keepingSame } from "../same/keeping-same.ts";
import { demandExact } from "../text/json.ts";
import { partReader } from "../text/text-form.ts";
import type { FieldProblem, Fields } from "./record-field.ts";
import type { RecordValues } from "./record-values.ts";

type Connection = NonNullable<NonNullable<WireProfile["deployments"]>["fields"]["connection"]>;
type Details = Readonly<Record<string, string>>;

interface BothDetails {
  readonly open: Details | undefined;
  readonly secret: Details | undefined;
}

const NONE: BothDetails = { open: undefined, secret: undefined };

/** Reads the connection details of a machine; the secret ones apart. */
export function detailsReader(
  fields: Fields,
  connection: Connection,
): (slots: RecordValues, before: Deployment | undefined, problems: FieldProblem[]) => BothDetails {
  const details = Object.entries(connection).map(([name, where]) => {
    const form = formOf(where);
    const part = form === undefined ? undefined : partReader(form, name);
    return {
      name,
      isSecret: isSecret(where),
      read: fields.add({
        name: `connection.${name}`,
        place: placeOf(where),
        read: part === undefined ? readAnything : (value) => part(readAnything(value) ?? ""),
        isChanged: part !== undefined,
        expected:
          form === undefined
            ? `a value of at most ${LONGEST_DETAIL} characters`
            : `a text as ${JSON.stringify(form)}`,
      }),
    };
  });
  return (slots, before, problems) => {
    const earlier = { open: before?.connection, secret: before?.secretConnection };
    const open: Record<string, string> = {};
    const secret: Record<string, string> = {};
    for (const { name, isSecret, read } of details) {
      const value = read(slots, earlier[isSecret ? "secret" : "open"]?.[name], problems);
      if (value !== undefined) (isSecret ? secret : open)[name] = value;
    }
    const hasSecret = Object.keys(secret).length > 0;
    if (!hasSecret && Object.keys(open).length === 0) return NONE;
    // Those of the record before, for as long as this one says the same.
    return {
      open: keepingSame(earlier.open, open),
      secret: hasSecret ? keepingSame(earlier.secret, secret) : undefined,
    };
  };
}

/** Connection details are only shown to people, so any value becomes a text. */
function readAnything(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "object") demandAllExact(value);
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > LONGEST_DETAIL ? undefined : text.toWellFormed();
}

function demandAllExact(value: Json): void {
  demandExact(value);
  if (typeof value === "object" && value !== null) Object.values(value).forEach(demandAllExact);
}
