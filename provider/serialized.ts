/**
 * The text that Pulumi keeps in the state of each resource in place of a provider. The host of dynamic
 * providers compiles it. It captures nothing: each call imports the implementation by name, from the folder
 * of the user's program. It is written by hand, since a serialized class is five times as long and stands in
 * the state twice for each resource.
 *
 * The host caches a provider before it awaits `configure`: that stores its argument, and methods pass it on.
 *
 * Do not edit it: each stack has it four times for each machine. States with other texts are called, too, so what
 * it calls may only grow (test/support/older-text.ts). A test compares the bytes.
 */
function serialized(kind: "slot" | "machine" | "fleet" | "wish"): string {
  return (
    "exports.handler=(c,p={configure(r){c=r.config}})=>{for(let m of['check','diff','create','read','update','delete'])" +
    `p[m]=(...a)=>import('fleetkeeper/provider/impl').then(i=>i.call('${kind}',m,c,a));return p}`
  );
}

export const SLOT_PROVIDER: string = serialized("slot");
export const MACHINE_PROVIDER: string = serialized("machine");
export const FLEET_PROVIDER: string = serialized("fleet");
export const WISH_PROVIDER: string = serialized("wish");
