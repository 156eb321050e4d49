import { userInfo } from "node:os";

/** The name of whoever runs this process; undefined: no list of users has one. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
