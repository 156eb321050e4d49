/** What the first version of the package had as `__provider` in every state. */
export function olderText(kind: string): string {
  return (
    `exports.handler=()=>{let c;const p={configure(r){c=r.config}};` +
    `for(const m of["check","diff","create","read","update","delete"])` +
    `p[m]=async(...a)=>(await import("fleetkeeper/provider/impl")).call("${kind}",m,c,a);return p}`
  );
}
