import type * as wire from "@pulumi/pulumi/proto/provider_pb.js";
import { messages } from "./sdk.ts";

/** The only resource that a service has before anybody declares it. */
export const LISTED = "fleetkeeper:index:Deployment";

const { ListResponse } = messages;

/** One page of these ids, in their order: what an engine asked for, and where the next page begins. */
export function pageOf(ids: readonly string[], request: wire.ListRequest): readonly wire.ListResponse[] {
  const after = request.getContinuationToken();
  const rest = [...ids].sort().filter((id) => id > after);
  const most = [request.getPageSize(), request.getLimit()].filter((each) => each > 0);
  const page = rest.slice(0, Math.min(rest.length, ...most));
  const last = page.at(-1);
  const isMore = page.length < rest.length && page.length !== request.getLimit();
  return [
    ...page.map((id) => new ListResponse().setResult(new ListResponse.Result().setId(id))),
    ...(isMore && last !== undefined
      ? [new ListResponse().setContinuation(new ListResponse.Continuation().setContinuationToken(last))]
      : []),
  ];
}
