/** What to do about a machine whose slot no stack's state holds. `owner`: as in `deployment web`. */
export function unheldText(id: string, owner: string): string {
  return (
    `${id} belongs to ${owner}, which its stack's state does not hold any more. To keep it: adopt: "${id}" in the program, and ` +
    `pulumi up. To end it: fleetkeeper deployments stop ${id}`
  );
}

/** The same for a machine whose id shows another offer and another size than before. */
export function reusedText(id: string, owner: string): string {
  return `${id} was of ${owner}, and shows another offer and size now: it counts there until you say whose it is`;
}
