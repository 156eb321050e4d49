import { checkBaseUrl } from "../../service/http/base-url.ts";
import { createRedaction } from "../../service/text/redaction.ts";
import { problemOf } from "../fleet/text/problem.ts";
import { proposeErrors, proposeRest, proposeStates } from "./answers.ts";
import { proposeAuth } from "./auth.ts";
import { calledInMachine, placesInLaunch } from "./called.ts";
import { proposeCalls } from "./calls.ts";
import { proposeDeploymentFields, proposeOfferFields } from "./fields.ts";
import { proposeLaunch } from "./launch.ts";
import { proposeGet, proposeList } from "./lists.ts";
import { proposalInput } from "./proposal-input.ts";
import { addressOf } from "./saved/classify.ts";
import type { Gathered } from "./saved/gather.ts";
import { secretsIn } from "./saved/secrets.ts";
import { proposeStop } from "./stop.ts";
import type { Proposal, Wire } from "./wire.ts";

/**
 * A profile as far as the files show it. Nothing is in it that no file shows, and no value that may be a
 * secret. `key`: the credential, if it is set. It is looked for in saved requests, and shown nowhere.
 */
export function propose(gathered: Gathered, key: string | undefined): Proposal {
  const redact = createRedaction(secretsIn(gathered, key));
  const view = proposalInput(gathered, redact);
  const auth = proposeAuth(view, key);
  const calls = proposeCalls(view);
  const offersFields = proposeOfferFields(view);
  const places = placesInLaunch(view, offersFields.pointers);
  const fields = proposeDeploymentFields(view, offersFields, calledInMachine(view, places));
  const launch = proposeLaunch(view, offersFields, places);
  const list = proposeList("deployments", view);
  const offersList = proposeList("offers", view, offersFields.below);
  const get = proposeGet(view);
  const states = proposeStates(view);
  const stop = calls.wire.calls === undefined ? proposeStop(view) : { entries: {}, open: [] };
  const errors = proposeErrors(view);
  const { marker } = launch;
  const wire: Wire = {
    ...(auth.auth && { auth: auth.auth }),
    ...calls.wire,
    launch: launch.entries,
    "deployments.list": list.entries,
    "deployments.get": get.entries,
    "deployments.fields": { ...fields.entries, ...(marker && { marker }) },
    "deployments.states": states.entries,
    "offers.list": offersList.entries,
    "offers.fields": offersFields.entries,
    stop: stop.entries,
    errors: errors.entries,
    ...proposeRest(view),
  };
  const parts = [auth, calls, launch, list, get, fields, states, offersList, offersFields, stop, errors];
  return {
    wire,
    baseUrl: baseUrlOf(gathered),
    open: parts.flatMap(({ open }) => open).map(({ part, how }) => ({ part, how: redact.hide(how) })),
    states: states.words,
    read: gathered.read.map((line) => redact.text(line, 300)),
  };
}

/** The address that the requests went to, or that a document names, if it is one and the same. */
function baseUrlOf({ asked, documents }: Gathered): string | undefined {
  const sent = asked.flatMap((each) => (each.path === undefined ? [] : [addressOf(each.request).before]));
  const named = sent.filter((before) => /^https?:\/\//.test(before));
  const all = named.length > 0 ? named : documents.flatMap(({ baseUrl }) => baseUrl ?? []);
  const usable = [...new Set(all)].filter((url) => problemOf(() => checkBaseUrl(url)) === undefined);
  return usable.length === 1 ? usable[0] : undefined;
}
