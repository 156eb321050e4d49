import { z } from "zod";

export const BY_VARIABLE = "expected { env: NAME } of the variable that holds it";

/** `{ env: NAME }`: the variable that holds a secret. */
export const fromVariable = z.strictObject(
  {
    // A secret itself may look like a variable's name.
    env: z.string().regex(/^(?!whsec_)[A-Za-z_]\w*$/, "expected the name of an environment variable"),
  },
  { error: ({ code }) => (code === "invalid_type" ? BY_VARIABLE : undefined) },
);
