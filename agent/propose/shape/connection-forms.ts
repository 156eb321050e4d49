import { partReader } from "../../../service/text/text-form.ts";

/** The names that `hosts --ssh-config` and the examples read. */
export type OpenSshName = "host" | "port" | "user";

const isWord = (value: unknown): boolean => typeof value === "string" && /^[\w.-]+$/.test(value);

/** Whether a value may be an address, a port, a user. */
export const FITS: Readonly<Record<OpenSshName, (value: unknown) => boolean>> = {
  host: isWord,
  port: (value) => /^\d{1,5}$/.test(String(value)),
  user: isWord,
};

interface Form {
  readonly form: string;
  readonly names: readonly OpenSshName[];
}

/** How services write all of it as one text. */
const FORMS: readonly Form[] = [
  { form: "ssh://{user}@{host}:{port}", names: ["host", "port", "user"] },
  { form: "ssh://{user}@{host}", names: ["host", "user"] },
  { form: "ssh {user}@{host} -p {port}", names: ["host", "port", "user"] },
  { form: "ssh -p {port} {user}@{host}", names: ["host", "port", "user"] },
  { form: "ssh {user}@{host}", names: ["host", "user"] },
  { form: "{user}@{host} -p {port}", names: ["host", "port", "user"] },
  { form: "{user}@{host}:{port}", names: ["host", "port", "user"] },
  { form: "{user}@{host}", names: ["host", "user"] },
  { form: "{host}:{port}", names: ["host", "port"] },
];

/** The form that all these values have. Undefined if there is none, or no value. */
export function formOfAll(values: readonly unknown[]): Form | undefined {
  if (values.length === 0) return undefined;
  return FORMS.find(({ form, names }) =>
    names.every((name) => {
      const read = partReader(form, name);
      return values.every((value) => typeof value === "string" && FITS[name](read(value)));
    }),
  );
}

/** True for a text that says itself that it is for SSH. */
export function isSshText(value: unknown): boolean {
  return typeof value === "string" && /^ssh(:\/\/| )/.test(value);
}
