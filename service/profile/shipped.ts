import { packageFile, packageProfilesWith } from "../process/package-file.ts";

type ShippedFile = "profile.yaml" | "cloud.yaml" | "about.yaml";

/** The names of the services whose profiles come with this package. A simulated one is no service. */
export function shippedNames(): readonly string[] {
  return packageProfilesWith("cloud.yaml").toSorted();
}

/** True for a name of a profile that comes with this package. A path has a dot or a slash in it, and is none. */
export function isShipped(name: string): boolean {
  return /^[a-z0-9-]+$/.test(name) && shippedNames().includes(name);
}

/** The text of a file that stands beside such a profile, or of the profile itself. */
export function shippedText(name: string, file: ShippedFile): string {
  return packageFile(shippedPath(name, file)).toString();
}

/** Its name for messages. */
export function shippedPath(name: string, file: ShippedFile): string {
  return `profiles/${name}/${file}`;
}
