/**
 * What Pulumi keeps in the state of each resource instead of a provider: a text that the host of dynamic providers
 * compiles. It captures nothing and imports the implementation by name when a method is called, from the folder of the
 * user's program. Written by hand: a serialized class is five times as long, and it stands in the state twice for each
 * resource.
 *
 * The host caches a provider before it waits for `configure`, so `configure` only keeps what it is given; every method
 * hands it on.
 *
 * Never edited: a changed text is a change of every resource in every stack. A test compares the bytes.
 */
function serialized(kind: "slot" | "machine" | "fleet" | "wish"): string {
  return (
    `exports.handler=()=>{let c;const p={configure(r){c=r.config}};` +
    `for(const m of["check","diff","create","read","update","delete"])` +
    `p[m]=async(...a)=>(await import("fleetkeeper/provider/impl")).call("${kind}",m,c,a);return p}`
  );
}

export const SLOT_PROVIDER: string = serialized("slot");
export const MACHINE_PROVIDER: string = serialized("machine");
export const FLEET_PROVIDER: string = serialized("fleet");
export const WISH_PROVIDER: string = serialized("wish");
