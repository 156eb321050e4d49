/** A bug that is put into the product on purpose, to check that the proof finds it. */
export interface Plant {
  readonly name: string;
  /** The rule of the design that it breaks. */
  readonly rule: string;
  readonly edits: readonly Edit[];
  /** Scenarios of directed.ts that must catch it. Without any, random seeds must. */
  readonly directed?: readonly string[];
  /** The rule of the oracle that must catch it. Without one, any rule may. */
  readonly oracle?: string;
  /** The explorer's case in which it must lead to a bad state, too. */
  readonly explored?: string;
  /** No story and no seed reaches the place where it shows. */
  readonly onlyExplored?: true;
  /** The ledger's unique index would stop it first, so the explorer leaves the index out. */
  readonly withoutIndex?: true;
}

interface Edit {
  readonly file: string;
  /** Must stand in the file exactly once. */
  readonly text: string;
  readonly instead: string;
}

const edit = (file: string, text: string, instead: string): Edit => ({ file, text, instead });

export const PLANTS: readonly Plant[] = [
  {
    name: "server-error-is-rejection",
    rule: "4.3 a 5xx is unknown",
    edits: [
      edit(
        "service/launch-answer.ts",
        "if (status < 400) return false;",
        "if (status < 400) return false;\n  if (status >= 500) return true;",
      ),
    ],
  },
  {
    name: "conflict-is-rejection",
    rule: "4.3 408 and 409 are unknown",
    edits: [edit("service/launch-answer.ts", "new Set([401, 403,", "new Set([408, 409, 401, 403,")],
  },
  {
    name: "no-answer-is-not-sent",
    rule: "4.3 only what never reached a socket was not sent",
    edits: [
      edit(
        "service/launch-answer.ts",
        'error.code === "NOT_SENT" ? "notSent" : "unknown"',
        '"notSent" ? "notSent" : "unknown"',
      ),
    ],
  },
  {
    name: "unreadable-is-not-sent",
    rule: "4.3 an unreadable 2xx is unknown",
    edits: [
      edit(
        "service/launch-answer.ts",
        'const unknown = (why: string): LaunchAnswer => ({\n    kind: "unknown",',
        'const unknown = (why: string): LaunchAnswer => ({\n    kind: "notSent",',
      ),
    ],
  },
  {
    name: "post-repeated-after-no-answer",
    rule: "4.3 no layer resends a POST",
    edits: [
      edit(
        "service/client.ts",
        "return classifyLaunchError(error, redact);",
        'try { response = await wire.send({ method: "POST", url: baseUrl + PATHS.deployments, body: text }, signal); } catch { return classifyLaunchError(error, redact); }',
      ),
    ],
  },
  {
    name: "not-written-first",
    rule: "4.2 the intent is stored before the POST",
    edits: [edit("launch/admit.ts", 'detail: "sending",', 'state: "notSent", detail: "sending",')],
  },
  {
    name: "baseline-after-the-post",
    rule: "4.2 the baseline is older than the POST",
    explored: "exclusive, 2 slots",
    directed: ["seen-before-its-answer"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/answer.ts",
        "draft.putIntent({ ...intent, answer: { at: context.now, id: null, reason }, detail: reason });",
        "draft.putIntent({ ...intent, baseline: draft.account.sequence, answer: { at: context.now, id: null, reason }, detail: reason });",
      ),
    ],
  },
  {
    name: "old-list-as-baseline",
    rule: "4.2 the baseline is a list from the last poll interval",
    directed: ["launched-by-hand-after-the-list"],
    oracle: "4.2 baseline",
    edits: [
      edit(
        "launch/slow-list.ts",
        "if (old <= settings.poll) return undefined;",
        "if (old <= 100 * settings.poll) return undefined;",
      ),
      edit(
        "launch/admit.ts",
        "if (!list || age(list, now) > settings.poll + settings.stampAge) return",
        "if (!list) return",
      ),
    ],
  },
  {
    name: "count-not-checked-in-the-transaction",
    rule: "4.2 and 4.10 the count is checked where the intent is written",
    directed: ["two-writers"],
    oracle: "4.10 count",
    edits: [edit("launch/admit.ts", "if (full) return", "if (full && wish.gpus < 0) return")],
  },
  {
    name: "paused-sender-sends",
    rule: "4.2 a launch that was given up is not sent",
    explored: "exclusive, two processes",
    directed: ["paused-before-the-stamp"],
    oracle: "4.10 count",
    edits: [
      edit("launch/admit.ts", 'if (age(intent.stamped, now) > settings.stampAge) return "too late";', ""),
      edit(
        "launch/admit.ts",
        "if (!list || age(list, now) > settings.poll + settings.stampAge) return",
        "if (!list) return",
      ),
      edit(
        "launch/admit.ts",
        'if (intent?.state !== "open" || intent.answer !== null) return false;',
        "if (!intent) return false;",
      ),
    ],
  },
  {
    name: "post-not-held-to-its-stamp",
    rule: "4.2 a sender that stood still after its last look does not send",
    directed: ["paused-before-the-post"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/admit.ts",
        "return age(stamped, now) <= STAMPS_TO_LEAVE * settings.stampAge;",
        "return age(stamped, now) <= 1e9 * settings.stampAge;",
      ),
    ],
  },
  {
    name: "sender-alive-ignored",
    rule: "4.2 nothing is called absent while its sender may still send",
    directed: ["slow-to-answer"],
    oracle: "4.10 count",
    edits: [
      edit("launch/candidates.ts", "context.isAlive(intent.sender) &&", 'intent.id === "" &&'),
      edit(
        "launch/absence.ts",
        "if (!rebooted && elapsed(intent.stamped, begun) < intent.timeout) return;",
        "",
      ),
    ],
  },
  {
    name: "two-open-intents-in-a-group",
    rule: "4.1 one open intent a group: the check, the unique index, and what is explained beside it",
    directed: ["two-answers-lost"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/groups.ts",
        'if (abilities.marker && known.shown.includes("marker")) return',
        'if (intent.id !== "") return',
      ),
      edit("launch/resolve.ts", "if (unclear) {", "if (unclear && intent.baseline < 0) {"),
      edit("launch/resolve.ts", "[intent, ...beside, ...absent]", "[intent]"),
    ],
  },
  {
    name: "baseline-id-taken-as-an-answer",
    rule: "4.3 an id that was there before is no answer",
    directed: ["answers-an-old-id"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/answer.ts",
        "if (row && (row.sequence <= intent.baseline || (row.claim !== null && row.intent !== null))) {",
        "if (row && row.sequence < 0) {",
      ),
      edit(
        "launch/answer.ts",
        "if (row && row.sequence > intent.baseline && takenByLooking(draft, intent, row)) {",
        "if (row && row.sequence < 0) {",
      ),
    ],
  },
  {
    name: "first-launch-not-waited-for",
    rule: "4.3 the first launch under a profile stays open until its id is shown",
    directed: ["answers-ids-that-are-none"],
    oracle: "4.3 halt",
    edits: [
      edit(
        "launch/answer.ts",
        'if (intent.state === "open" && row?.lastSeen == null && !knowledgeOf(draft, intent.profile).proven) {',
        "if (intent.baseline < 0) {",
      ),
    ],
  },
  {
    name: "halted-profile-ignored",
    rule: "4.3 a profile that reads ids wrong launches nothing more",
    directed: ["answers-ids-that-are-none"],
    oracle: "4.3 halt",
    edits: [
      edit("launch/price-doubt.ts", "return halted ? `launches", 'return halted?.reason === "" ? `launches'),
      edit(
        "launch/admit.ts",
        'if (knowledgeOf(draft, intent.profile).halted) return "launches were halted";',
        "",
      ),
    ],
  },
  {
    name: "price-believed",
    rule: "4.10 a price that a machine's own record contradicts halts launches with limits",
    directed: ["offers-show-the-price-of-one-gpu"],
    oracle: "4.10 perHour",
    edits: [
      edit(
        "launch/price-doubt.ts",
        "if (!costs || !expected || !isBeyondRounding(costs, expected, intent.gpus)) return;",
        "if (costs !== undefined) return;",
      ),
    ],
  },
  {
    name: "contradicted-price-counts",
    rule: "4.10 no limit is judged by a price that was contradicted, resumed or not",
    directed: ["offers-show-the-price-of-one-gpu"],
    oracle: "4.10 perHour",
    edits: [
      edit("launch/price-doubt.ts", "filter(({ looked }) => !looked);", "filter(() => false);"),
      edit(
        "launch/price.ts",
        "return higher(price, parsePrice(doubtOf(doubts, combination)?.costs ?? null));",
        "return price ?? parsePrice(doubtOf(doubts, combination)?.costs ?? null);",
      ),
    ],
  },
  {
    name: "balance-not-asked",
    rule: "4.10 on an exclusive account a price is compared with what the balance lost",
    directed: ["only-the-balance-shows-the-price"],
    oracle: "4.10 perHour",
    edits: [
      edit(
        "launch/price-balance.ts",
        "if (isBeyondRounding(lost, expected, intent.gpus)) {",
        "if (lost.lt(-1e9)) {",
      ),
    ],
  },
  {
    name: "cooldown-not-stored",
    rule: "4.3 a cooldown is stored",
    directed: ["restarted-while-cooling"],
    oracle: "4.3 cooldown",
    edits: [
      edit(
        "launch/answer.ts",
        "draft.putCooldown({ offer, provider, location, since: context.now, seconds });",
        "draft.putCooldown({ offer, provider, location, since: context.now, seconds: 0 });",
      ),
    ],
  },
  {
    name: "cooldown-lost-on-restart",
    rule: "4.3 a cooldown outlives the process",
    directed: ["restarted-while-cooling"],
    oracle: "4.3 cooldown",
    edits: [
      edit(
        "agent/reconcile/loop.ts",
        "const { agent } = draft.account;",
        "const { agent } = draft.account;\n    for (const row of draft.cooldowns.values()) draft.putCooldown({ ...row, seconds: 0 });",
      ),
    ],
  },
  {
    name: "absence-believed-at-once",
    rule: "4.4 an absence is believed after the settle time",
    explored: "exclusive, 2 slots",
    directed: ["late-and-listed-late"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/absence.ts",
        "if (!rebooted && elapsed(intent.stamped, begun) < intent.timeout) return;",
        "",
      ),
      edit(
        "launch/absence.ts",
        "return waited.covered >= ms && waited.lists >= settings.settleLists;",
        "return waited.lists >= 1 || ms < settings.poll;",
      ),
    ],
  },
  {
    name: "settle-time-cut-short",
    rule: "4.4 an absence is believed after the settle time",
    directed: ["late-and-listed-late"],
    oracle: "4.10 count",
    edits: [edit("launch/absence.ts", "context.settings.settle + (rebooted", "60_000 + (rebooted")],
  },
  {
    name: "settled-by-one-long-sleep",
    rule: "4.4 a list covers at most one poll interval",
    directed: ["lists-fail-while-it-settles"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/absence.ts",
        "covered: settle.covered + Math.min(gap, context.settings.poll),",
        "covered: settle.covered + gap,",
      ),
    ],
  },
  {
    name: "wall-clock-for-durations",
    rule: "4.4 durations come from the monotonic clock",
    directed: ["clock-jumps-while-cooling"],
    oracle: "4.3 cooldown",
    edits: [
      edit(
        "ledger/instant.ts",
        "from.boot === to.boot ? to.mono - from.mono : to.wall - from.wall",
        "to.wall - from.wall",
      ),
    ],
  },
  {
    name: "late-arrivals-forgotten",
    rule: "4.5 an absent intent explains one machine for a day",
    directed: ["commits-late"],
    oracle: "no duplicate, no leak",
    edits: [edit("launch/candidates.ts", "intent.reported === undefined &&", 'intent.reported === "" &&')],
  },
  {
    name: "late-arrival-beside-an-open-intent",
    rule: "4.5 late arrivals are judged only while the group has nothing open",
    explored: "exclusive, 2 slots",
    directed: ["late-beside-open"],
    oracle: "4.10 stops",
    edits: [
      edit(
        "launch/absence.ts",
        'if (inState(draft, "open").some((open) => overlap(open, intent))) return;',
        "",
      ),
      edit(
        "launch/absence.ts",
        "const found = lateOnes(draft, intent, context, trust).filter((each) => !isContested(draft, each, context));",
        "const found = lateOnes(draft, intent, context, trust);",
      ),
    ],
  },
  {
    name: "inferred-claim-stopped",
    rule: "4.6 only certain claims are stopped",
    explored: "shared, stranger",
    directed: ["stranger-in-our-place"],
    oracle: "4.6 only certain claims",
    edits: [
      edit(
        "launch/stop.ts",
        'return row.claim === "certain" && row.end === null;',
        'return (row.claim === "certain" || row.claim === "inferred") && row.end === null;',
      ),
    ],
  },
  {
    name: "stop-not-repeated",
    rule: "4.6 a stop is retried for ever",
    directed: ["stops-fail"],
    oracle: "no duplicate, no leak",
    edits: [
      edit(
        "launch/stop.ts",
        "return age(row.stop.attempted, context.now) >= backoff(row.stop, context);",
        "return row.stop.attempts > 1_000;",
      ),
    ],
  },
  {
    name: "stopping-is-the-end",
    rule: "4.6 a stop is done when the service shows the end",
    directed: ["down-and-up-again"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/record-observation.ts",
        "if (isActive(row.status)) return {",
        'if (row.status === "stopping") return { ...row, end: "stopped", ended: now };\n  if (isActive(row.status)) return {',
      ),
    ],
  },
  {
    name: "unnamed-state-is-an-end",
    rule: "4.6 an unnamed state is no end before a stop, nor in one list",
    directed: ["warms-up"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/record-observation.ts",
        'if (!stopping || look.by !== "list") return',
        'if (!stopping && look.by !== "list") return',
      ),
      edit(
        "launch/record-observation.ts",
        "if (same + 1 < UNNAMED_LISTS) return",
        "if (same + 1 < 1) return",
      ),
    ],
  },
  {
    name: "old-state-is-an-end",
    rule: "4.6 a state from before the stop is no end while lists may be old",
    directed: ["stopped-while-it-warms-up"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/record-observation.ts",
        "const doubtful = isDoubtfulEnd(row, known);",
        "const doubtful = false;",
      ),
    ],
  },
  {
    name: "learned-end-is-for-ever",
    rule: "4.6 a state that a fresh launch is in is no end, whatever was learned",
    directed: ["learned-from-old-lists"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/record-observation.ts",
        "const doubtful = isDoubtfulEnd(row, known);",
        "const doubtful = isDoubtfulEnd(row, known) && false;",
      ),
      edit(
        "launch/unnamed-state.ts",
        "return answered ? row.status : undefined;",
        "return answered ? undefined : undefined;",
      ),
    ],
  },
  {
    name: "match-first-takes-what-is-in-flight",
    rule: "4.7 never a machine in a group with an open intent",
    directed: ["born-beside-a-launch"],
    oracle: "4.10 count",
    edits: [
      edit("agent/planning/initial-adoption.ts", "&& openLaunch(draft) === undefined)", ")"),
      edit(
        "agent/planning/initial-adoption.ts",
        "const open = openLaunch(draft);",
        "const open = openLaunch(draft) && undefined;",
      ),
    ],
  },
  {
    name: "removed-fleet-forgotten",
    rule: "4.8 a removed fleet drains",
    edits: [
      edit(
        "agent/planning/plan.ts",
        'if (stands.kind === "drained") return { ...base, ...planDrain(draft, fleet, counted, inputs, stands) };',
        'if (stands.kind === "drained") return { ...base, reasons: [] };',
      ),
    ],
  },
  {
    name: "slot-destroyed-with-an-open-launch",
    rule: "4.9 a slot's delete settles it first",
    directed: ["destroyed-before-its-answer"],
    oracle: "4.9 destroy",
    edits: [
      edit(
        "provider/runtime/empty-slot.ts",
        "return alive.length === 0 && open.length === 0 && disputed.length === 0;",
        "return alive.length === 0 && disputed.length === 0;",
      ),
    ],
  },
  {
    name: "machine-delete-stops-the-new-one",
    rule: "4.9 the machine's delete does nothing where the ledger knows the slot",
    directed: ["replaced-by-pulumi"],
    oracle: "count reached",
    edits: [
      edit(
        "provider/runtime/machine.ts",
        "const isKnown = !(await isOfAnotherLedger(session, props));",
        "const isKnown = (await isOfAnotherLedger(session, props)) && false;",
      ),
    ],
  },
  {
    name: "unknown-not-counted",
    rule: "4.10 an unknown outcome is capacity",
    edits: [
      edit(
        "launch/occupancy.ts",
        "(intent) => intent.owner === owner && isUnresolved(draft, intent),",
        '(intent) => intent.owner === owner && intent.state !== "open" && isUnresolved(draft, intent),',
      ),
    ],
  },
  {
    name: "surplus-counts-unknown-ones",
    rule: "4.10 a launch of unknown outcome is no reason to stop a machine",
    directed: ["down-while-unknown"],
    oracle: "4.10 stops",
    edits: [
      edit(
        "agent/planning/plan-stops.ts",
        "if (there <= wish.gpus) return { stops: [], reasons };",
        "if (counted.live <= wish.gpus) return { stops: [], reasons };",
      ),
      edit(
        "agent/planning/plan-stops.ts",
        "surplus(draft, machines, wish.gpus, context, ",
        "surplus(draft, machines, wish.gpus - (counted.live - there), context, ",
      ),
    ],
  },
  {
    name: "unknown-price-is-zero",
    rule: "4.10 with a budget, a machine of unknown price is not launched",
    directed: ["prices-not-known"],
    oracle: "4.10 perHour",
    edits: [
      edit(
        "launch/budget.ts",
        "const price = parsePrice(pricePerHour);",
        "const price = parsePrice(pricePerHour) ?? ZERO_USD;",
      ),
      edit(
        "launch/budget.ts",
        "const known = hourOf(draft, each);",
        "const known = hourOf(draft, each) ?? ZERO_USD;",
      ),
      edit(
        "agent/fleet/remaining-budget.ts",
        "perHour(draft, owner, budget.perHour, context),",
        "undefined,",
      ),
    ],
  },
  {
    name: "reservation-dropped-early",
    rule: "4.10 a reservation lasts until the balance shows it",
    directed: ["just-above-the-floor"],
    oracle: "4.10 floor",
    edits: [
      edit(
        "launch/budget.ts",
        "elapsed(intent.resolved, balance.begun) < context.settings.settle",
        "elapsed(intent.resolved, balance.begun) < 0",
      ),
    ],
  },
  {
    name: "surge-without-end",
    rule: "4.10 live and stopping are never above what is wanted, the overshoot and the surge",
    directed: ["wanted-again-while-it-stops"],
    oracle: "4.10 count",
    edits: [
      edit(
        "agent/planning/plan-launches.ts",
        "wish.overshoot + wish.surge - live - stopping;",
        "wish.overshoot - live;",
      ),
      edit(
        "agent/planning/count.ts",
        "if (live + stopping + gpus <= most + wish.surge) return undefined;",
        "return undefined;",
      ),
    ],
  },
  {
    name: "deadline-ignored",
    rule: "5 at its deadline a fleet drains",
    directed: ["past-its-deadline"],
    oracle: "no duplicate, no leak",
    edits: [
      edit(
        "agent/fleet/fleet-phase.ts",
        "if (hasPassed || untilDeadline(wish, context) === 0)",
        "if (hasPassed || untilDeadline(wish, context) === -1)",
      ),
      edit(
        "agent/planning/plan.ts",
        "sooner(untilDeadline(wish, context), stands.kind",
        "sooner(undefined, stands.kind",
      ),
    ],
  },
  {
    name: "deadline-not-asked-before-the-post",
    rule: "5 a launch that was admitted is not sent after the deadline",
    directed: ["deadline-before-the-post"],
    oracle: "5 until",
    edits: [
      edit(
        "launch/admit.ts",
        "whyNotSend(draft, intent, context) ?? closed(draft)",
        "whyNotSend(draft, intent, context) ?? (closed(draft) && undefined)",
      ),
    ],
  },
  {
    name: "paused-fleet-launches",
    rule: "5 a paused fleet launches nothing",
    directed: ["paused-by-an-operator"],
    oracle: "5 pause",
    edits: [edit("agent/fleet/fleet-phase.ts", "if (fleet.paused)", 'if (fleet.name === "")')],
  },
  {
    name: "drained-fleet-launches",
    rule: "5 a fleet that an operator drains launches nothing",
    directed: ["drained-by-an-operator"],
    oracle: "5 pause",
    edits: [
      edit("agent/fleet/fleet-phase.ts", 'if (fleet.drained?.by === "operator")', 'if (fleet.name === "")'),
    ],
  },
  {
    name: "total-looks-back",
    rule: "5 a total drains before the next hour has to be paid",
    directed: ["total-of-one-hour"],
    oracle: "5 total",
    edits: [
      edit(
        "agent/fleet/fleet-phase.ts",
        "billsOf(draft, owner, context, stopLead(context.settings))",
        "billsOf(draft, owner, context)",
      ),
    ],
  },
  {
    name: "total-not-checked-by-launches",
    rule: "5 no launch goes above the total, by the choice, the check and the last look",
    directed: ["total-for-one-machine"],
    oracle: "5 total",
    edits: [
      edit("launch/budget.ts", "if (sum.gt(total)) return", "if (sum.lt(0)) return"),
      edit("agent/fleet/remaining-budget.ts", "inTotal(draft, owner, budget.total, context),", "undefined,"),
      edit("agent/fleet/fleet-phase.ts", "if (next.lte(total) &&", "if (next.gte(0) &&"),
    ],
  },
  {
    name: "day-not-checked",
    rule: "5 no launch goes above the budget of a day, by the choice and by the check",
    directed: ["day-for-one-machine"],
    oracle: "5 perDay",
    edits: [
      edit("launch/budget.ts", "if (sum.gt(perDay))", "if (sum.lt(0))"),
      edit("agent/fleet/remaining-budget.ts", "perDay(draft, owner, budget.perDay, context),", "undefined,"),
    ],
  },
  {
    name: "churn-not-checked",
    rule: "5 launches wait once too much went into machines that ended young",
    directed: ["machines-that-do-not-live"],
    oracle: "5 churn",
    edits: [
      edit("launch/budget.ts", "churn !== undefined && lost.gte(churn)", "churn !== undefined && lost.lt(0)"),
    ],
  },
  {
    name: "gpu-price-not-checked",
    rule: "5 nothing dearer for a GPU is launched, by the choice and by the check",
    directed: ["dear-gpus"],
    oracle: "5 perGpuHour",
    edits: [
      edit("agent/planning/options.ts", "pricePerHour.lte(ceiling.times(gpus))", "pricePerHour.gte(0)"),
      edit("launch/budget.ts", "price.lte(perGpuHour.times(gpus))", "price.gte(0)"),
    ],
  },
  {
    name: "field-trusted-before-it-was-shown",
    rule: "4, Words: a field tells apart once it was shown back",
    directed: ["marker-not-echoed"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/groups.ts",
        'if (known.shown.includes("marker") || ledgerOf(deployment.marker) !== undefined) return true;',
        "return true;",
      ),
    ],
  },
  {
    name: "no-marker-yet-is-a-strangers",
    rule: "4, Words: the lack of a marker tells apart only once the machine has run",
    directed: ["marker-shown-once-it-runs"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/groups.ts",
        'known.shown.includes("marker") && ledgerOf(marker) === undefined',
        'known.shown.includes("marker") && marker === ""',
      ),
    ],
  },
  {
    name: "no-place-yet-is-of-one-launch",
    rule: "4.4 a machine that does not show its combination yet may be any launch's that is looked for",
    directed: ["places-shown-once-they-run"],
    oracle: "4.10 count",
    edits: [
      edit("launch/resolve.ts", "if (unclear) {", "if (unclear && intent.baseline < 0) {"),
      edit("launch/resolve.ts", "[intent, ...beside, ...absent]", "[intent, ...absent]"),
    ],
  },
  {
    name: "second-machine-of-a-launch-left-alone",
    rule: "4, Words: what carries our marker is certainly ours",
    directed: ["sent-twice-by-a-gateway"],
    oracle: "no duplicate, no leak",
    edits: [
      edit("launch/resolve.ts", "row.marker === null || row.end !== null ||", "row.end !== undefined ||"),
    ],
  },
  {
    name: "foreign-marker-is-ours",
    rule: "4, Words: another ledger's marker is a stranger's",
    directed: ["another-ledgers-marker"],
    oracle: "4.6 only certain claims",
    edits: [
      edit(
        "launch/groups.ts",
        "if (deployment.marker === intent.marker) return false;",
        'if (deployment.marker?.startsWith("fk-")) return false;',
      ),
      edit(
        "launch/resolve.ts",
        "const [marked, ...doubles] = found.filter((row) => row.marker === intent.marker);",
        'const [marked, ...doubles] = found.filter((row) => row.marker?.startsWith("fk-"));',
      ),
    ],
  },
  {
    name: "gone-after-one-list",
    rule: "5 an absence is asked by id, and believed after two lists",
    explored: "exclusive, cut lists",
    edits: [
      edit(
        "launch/missing.ts",
        "if (asked && missing.lists >= 2 && elapsed(missing.since, begun) >= long) {",
        "if (asked || missing.lists >= 1) {",
      ),
    ],
  },
  {
    name: "missing-from-lists-is-gone",
    rule: "5 an absence is asked by id",
    directed: ["left-out-of-lists"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/missing.ts",
        "const asked = missing.notFound || !context.wire.abilities.get;",
        "const asked = missing.lists > 0;",
      ),
    ],
  },
  {
    name: "gone-within-a-minute",
    rule: "5 two lists that believe an absence are 60 s apart",
    directed: ["denied-for-less-than-a-minute"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/missing.ts",
        "elapsed(missing.since, begun) >= long",
        "elapsed(missing.since, begun) >= 0",
      ),
    ],
  },
  {
    name: "cut-list-believed",
    rule: "5 a list that lacks half of a fleet is distrusted",
    directed: ["lists-lack-another-half-each-time"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/missing.ts",
        "if (lacking.length === 0 || agreed) {",
        "if (lacking.length >= 0 || agreed) {",
      ),
    ],
  },
  {
    name: "surplus-left-alone",
    rule: "4.4 on an exclusive account all are ours, and the surplus is stopped",
    directed: ["one-more-than-was-launched"],
    oracle: "no duplicate, no leak",
    edits: [
      edit(
        "launch/resolve.ts",
        "for (const row of surplus) claimSurplus(draft, intent, row, NOBODY_ELSE, context);",
        "",
      ),
      edit(
        "launch/resolve.ts",
        "for (const each of surplus) claimSurplus(draft, intent, each, NOBODY_ELSE, context);",
        "return;",
      ),
    ],
  },
  {
    name: "surplus-on-a-shared-account-is-ours",
    rule: "4.4 on a shared account more than a launch explains is disputed",
    directed: ["two-for-one-launch"],
    oracle: "4.6 only certain claims",
    edits: [
      edit("launch/resolve.ts", "if (surplus.length > 0 && !exclusive) {", "if (surplus.length < 0) {"),
    ],
  },
  {
    name: "answer-after-absent-dropped",
    rule: "4.4 an answer for an intent that was called absent is still claimed",
    directed: ["answered-after-it-was-called-absent"],
    oracle: "4.9 destroy",
    edits: [
      edit(
        "launch/answer.ts",
        "const row = draft.deployments.get(id);\n  const answered",
        'if (intent.state === "absent") return { kind: "open", reason: "too late" };\n  const row = draft.deployments.get(id);\n  const answered',
      ),
    ],
  },
  {
    name: "late-arrivals-for-half-a-day",
    rule: "4.5 an absent intent explains one machine for 24 h",
    directed: ["commits-after-twenty-hours"],
    oracle: "no duplicate, no leak",
    edits: [
      edit(
        "launch/candidates.ts",
        "elapsed(intent.resolved, context.now) < context.settings.lateArrival",
        "elapsed(intent.resolved, context.now) < context.settings.lateArrival / 2",
      ),
    ],
  },
  {
    name: "stopping-counts-for-ever",
    rule: "4.6 after 15 minutes in stopping a machine leaves the count",
    directed: ["stops-for-ever"],
    oracle: "count reached",
    edits: [
      edit(
        "launch/occupancy.ts",
        'return row.status === "stopping" && elapsed',
        'return row.status === "" && elapsed',
      ),
    ],
  },
  {
    name: "open-intent-explains-alone",
    rule: "4.4 the absent intents of its group explain machines beside an open one",
    directed: ["late-and-lost-at-once"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/resolve.ts",
        "explain(draft, found, [intent, ...beside, ...absent], context)",
        "explain(draft, found, [intent, ...absent.slice(0, 0)], context)",
      ),
    ],
  },
  {
    name: "launched-before-the-late-one-is-judged",
    rule: "4.5 launches of the group hold while a late arrival is to be judged",
    directed: ["late-before-the-next-launch"],
    oracle: "4.10 count",
    edits: [edit("launch/admit.ts", "  if (late)\n", "  if (late && wish.gpus < 0)\n")],
  },
  {
    name: "contested-taken",
    rule: "4.4 nothing is taken that a launch under way may be answered with",
    directed: ["a-launch-of-another-place-while-one-may-be-late"],
    oracle: "4.10 stops",
    edits: [
      edit(
        "launch/absence.ts",
        "const found = lateOnes(draft, intent, context, trust).filter((each) => !isContested(draft, each, context));",
        "const found = lateOnes(draft, intent, context, trust);",
      ),
    ],
  },
  {
    name: "pace-is-kept",
    rule: "5 slow start: back to 1 after a refusal or a cooldown",
    directed: ["refused-here-and-then-there"],
    oracle: "launches at most",
    edits: [
      edit(
        "agent/reconcile/launch-fleet.ts",
        "if (bad) await setPace(keeper, fleet, 1);",
        "if (bad) await setPace(keeper, fleet, 64);",
      ),
    ],
  },
  {
    name: "stuck-stopping-is-not-paid-for",
    rule: "4.6 after 15 minutes in stopping a machine leaves the count, not the budget",
    directed: ["stops-for-ever-within-a-budget"],
    oracle: "4.10 perHour",
    edits: [
      edit(
        "launch/budget.ts",
        "...claimedBy(draft, owner).filter((row) => row.end === null),",
        "...occupancy(draft, owner, context).machines,",
      ),
      edit(
        "agent/fleet/remaining-budget.ts",
        "const billing = claimedBy(draft, owner).filter((row) => row.end === null);",
        "const billing = occupancy(draft, owner, context).machines;",
      ),
    ],
  },
  {
    name: "unnamed-state-ends-in-one-list",
    rule: "4.6 an unnamed state is an end in two full lists",
    directed: ["began-to-warm-up-when-it-was-stopped"],
    oracle: "4.10 count",
    edits: [edit("launch/record-observation.ts", "const UNNAMED_LISTS = 2;", "const UNNAMED_LISTS = 1;")],
  },
  {
    name: "match-first-takes-what-stops",
    rule: "4.7 never a machine that is stopping",
    directed: ["stopping-when-it-was-born"],
    oracle: "count reached",
    edits: [edit("agent/planning/initial-adoption.ts", '.filter((row) => row.status !== "stopping")', "")],
  },
  {
    name: "reboot-is-a-wait",
    rule: "4.4 after a reboot the POST's timeout is waited for by looking, too",
    explored: "exclusive, booted anew",
    directed: ["booted-anew-before-it-is-there"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/absence.ts",
        "context.settings.settle + (rebooted ? intent.timeout : 0)",
        "context.settings.settle",
      ),
    ],
  },
  {
    name: "not-found-before-it-was-shown",
    rule: "4.6 a 404 before a list or a GET showed a machine is no end",
    directed: ["denied-before-it-was-shown"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/missing.ts",
        "row.lastSeen !== null && isLater(begun, row.lastSeen) && !shown.has(row.id)",
        "(row.lastSeen === null || isLater(begun, row.lastSeen)) && !shown.has(row.id)",
      ),
    ],
  },
  {
    name: "born-of-one-list",
    rule: "4.7 a fleet is born after two agreeing lists",
    directed: ["first-list-is-empty"],
    oracle: "launches at most",
    edits: [
      edit(
        "agent/planning/initial-adoption.ts",
        "if (first === null || !ids.every((id) => first.ids.includes(id))) {",
        "if (ids.length < 0) {",
      ),
      edit(
        "agent/planning/initial-adoption.ts",
        "if (!isLater(list, first.begun) || untilSecondLook(draft, fleet, list, context) > 0) return;",
        "",
      ),
    ],
  },
  {
    name: "born-of-two-looks-at-once",
    rule: "4.7 the two lists of a birth are as far apart as two that agree on a machine being gone",
    directed: ["first-lists-are-empty", "born-where-lists-lag"],
    oracle: "launches at most",
    edits: [
      edit(
        "agent/planning/initial-adoption.ts",
        "return Math.max(0, settings.gone - ",
        "return Math.max(0, 0 * settings.gone - ",
      ),
    ],
  },
  {
    name: "grown-beside-what-fits",
    rule: "4.7 on an exclusive account nothing is rented beside a machine that fits",
    directed: ["grown-beside-what-fits"],
    oracle: "4.7 match first",
    edits: [
      edit(
        "agent/planning/initial-adoption.ts",
        "if (!fleet.born || draft.account.tenure",
        "if (fleet.born || draft.account.tenure",
      ),
    ],
  },
  {
    name: "born-beside-machines-of-others",
    rule: "4.7 on a shared account the fleet waits until each machine is adopted or disowned",
    directed: ["born-where-others-launch"],
    oracle: "launches at most",
    edits: [
      edit("agent/planning/initial-adoption.ts", 'if (tenure === "shared") {', "if (there.length < 0) {"),
    ],
  },
  {
    name: "previous-name-ignored",
    rule: "4.8 previousName renames",
    directed: ["renamed"],
    oracle: "4.10 stops",
    edits: [
      edit(
        "agent/fleet/fleets.ts",
        "const old = previousName === undefined ? undefined : draft.fleets.get(previousName);",
        'const old = previousName === undefined ? undefined : draft.fleets.get("");',
      ),
    ],
  },
  {
    name: "inferred-claim-left-by-a-destroy",
    rule: "4.9 deleting an inferred claim on a shared account is an error",
    directed: ["destroyed-and-only-inferred"],
    oracle: "4.9 destroy",
    edits: [
      edit(
        "provider/runtime/empty-slot.ts",
        "return alive.length === 0 && open",
        'return alive.every(({ claim }) => claim === "inferred") && open',
      ),
    ],
  },
  {
    name: "taken-out-of-the-state-rented-twice",
    rule: "12 a slot is not filled while another one of its resource, in no state, has a machine",
    directed: ["taken-out-of-the-state"],
    oracle: "launches at most",
    edits: [
      edit(
        "launch/unheld.ts",
        "if (slot.id === to.id || slot.closing ||",
        'if (slot.id !== "" || slot.closing ||',
      ),
    ],
  },
  {
    name: "slot-of-another-ledger-is-empty",
    rule: "4.9 a slot that this ledger does not know is an error",
    directed: ["destroyed-by-another-ledger"],
    oracle: "4.9 destroy",
    edits: [
      edit(
        "provider/runtime/slot.ts",
        "if (!isMadeWith(made, ledger)) throw",
        'if (!isMadeWith(made, ledger) && id === "") throw',
      ),
    ],
  },
  {
    name: "key-of-another-account-accepted",
    rule: "4.10 a key that opens another account than the owner's rows name is refused",
    directed: ["destroyed-by-another-key"],
    oracle: "4.9 destroy",
    edits: [
      edit(
        "launch/open.ts",
        "if (owner !== undefined && owner !== keeper.account) {",
        'if (owner !== undefined && owner === "") {',
      ),
    ],
  },
  {
    name: "account-in-the-state-ignored",
    rule: "4.10 a machine in the state is looked for in the account that it is in",
    directed: ["destroyed-by-another-ledger-and-key"],
    oracle: "4.9 destroy",
    edits: [
      edit(
        "provider/runtime/machine.ts",
        "sameAccount(session.keeper, account as string | undefined, id);",
        'sameAccount(session.keeper, account === "" ? account : undefined, id);',
      ),
    ],
  },
  {
    name: "all-launches-at-once",
    rule: "5 slow start: 1, 2, 4, ... launches at a time",
    directed: ["six-more-where-it-cools"],
    oracle: "launches at most",
    edits: [
      edit("agent/reconcile/launch-fleet.ts", "batch.length >= row.pace || probed", "row.pace < 0 || probed"),
    ],
  },
  {
    name: "lost-place-not-avoided",
    rule: "5 no launch into a place that just lost machines while others are to be had",
    directed: ["a-place-that-goes-on-losing"],
    oracle: "launches at most",
    edits: [edit("agent/planning/options.ts", "if (lost.has(spot(option))) {", 'if (lost.has("")) {')],
  },
  {
    name: "half-a-fleet-kept",
    rule: "5 an all-or-nothing fleet gives back what it got",
    directed: ["half-of-it-is-to-be-had"],
    oracle: "5 all or nothing",
    edits: [
      edit(
        "agent/planning/all-or-nothing.ts",
        "Math.max(0, milliseconds(allOrNothing.within) - ",
        "Math.max(0, 1_000 * milliseconds(allOrNothing.within) - ",
      ),
    ],
  },
  {
    name: "end-taken-back-by-an-old-list",
    rule: "4.6 nothing comes back from a terminal state by a list that may be from before it",
    directed: ["shown-as-before-it-was-interrupted"],
    oracle: "4.10 stops",
    edits: [
      edit(
        "launch/record-observation.ts",
        "if (before && isFromBeforeItsEnd(before, ",
        'if (before?.id === "" && isFromBeforeItsEnd(before, ',
      ),
    ],
  },
  {
    name: "refunded-by-an-old-look",
    rule: "5 a machine that may have run before its stop counts as paid",
    directed: ["ran-by-the-time-it-was-stopped"],
    oracle: "5 perDay",
    edits: [
      edit(
        "launch/stop.ts",
        '<= settings.stampAge ? status : "running";',
        '<= 1e9 * settings.stampAge ? status : "running";',
      ),
    ],
  },
  {
    name: "launches-while-it-ends",
    rule: "4.2 a process that is to end sends nothing more",
    directed: ["told-to-end-in-a-launch"],
    oracle: "4.2 ends",
    edits: [
      edit(
        "agent/reconcile/launch-fleet.ts",
        "while (left.length > 0 && !signal.aborted) {",
        "while (left.length > 0) {",
      ),
      edit("launch/protocol.ts", "  return !signal.aborted;", "  return true;"),
      edit("launch/protocol.ts", 'if (signal.aborted) return "nobody waits for it any more";', ""),
      edit(
        "launch/protocol.ts",
        "mayLeave: () => !signal.aborted && mayLeave(send.stamped",
        "mayLeave: () => mayLeave(send.stamped",
      ),
    ],
  },
  {
    name: "taken-without-a-marker-is-kept",
    rule: "4.5 a machine that was taken without a marker is let go once it shows another launch's",
    directed: ["twin-taken-before-it-shows-its-marker"],
    oracle: "count reached",
    edits: [
      edit(
        "launch/resolve.ts",
        "if (!isGuess && !isShownToBeOthers(draft, row, intent)) return;",
        "if (!isGuess) return;",
      ),
    ],
  },
  {
    name: "taken-by-looking-is-kept",
    rule: "4.5 a machine that was taken by looking is let go once it shows that it is another's",
    directed: ["taken-before-the-marker-was-proven"],
    oracle: "count reached",
    edits: [
      edit(
        "launch/protocol.ts",
        "for (const row of draft.deployments.values()) withdraw(draft, row, context);",
        "",
      ),
    ],
  },
  {
    name: "more-gpus-are-believed",
    rule: "4.10 a count of GPUs above its launch's is doubted, as one below it is",
    directed: ["shows-thousands-of-gpus"],
    oracle: "4.10 stops",
    edits: [
      edit(
        "agent/planning/count.ts",
        "(expected > 0 ? expected : (row.gpus ?? 0))",
        "Math.max(expected, row.gpus ?? 0)",
      ),
    ],
  },
  {
    name: "end-after-a-return-at-once",
    rule: "4.6 a machine that came back ends slowly",
    directed: ["ends-in-every-second-list"],
    oracle: "launches at most",
    edits: [
      edit(
        "launch/returned.ts",
        "if (!returned || before?.end != null) return row;",
        "if (returned || !returned || before?.end != null) return row;",
      ),
    ],
  },
  {
    name: "returns-hold-nobody",
    rule: "4.6 the second return of an owner's machines holds its launches",
    directed: ["ends-again-and-again"],
    oracle: "launches at most",
    edits: [edit("launch/returned.ts", "const isHeld = isSure && (", "const isHeld = !isSure && (")],
  },
  {
    name: "no-churn-without-a-limit",
    rule: "5 a fleet without budget.churn loses four hours of all its GPUs a day at most",
    directed: ["none-lives-for-an-hour"],
    oracle: "launches at most",
    edits: [
      edit(
        "agent/planning/churn.ts",
        "if (budget.churn !== undefined || lost < most) return undefined;",
        "if (budget.churn !== undefined || lost < 1000 * most) return undefined;",
      ),
    ],
  },
  {
    name: "absent-launches-forgotten",
    rule: "a launch is forgotten only if it made nothing and no rule reads it any more",
    directed: ["commits-late"],
    edits: [
      edit("launch/spent-refusals.ts", "const READ_FOR_MS = 8 * HOUR_MS;", "const READ_FOR_MS = -HOUR_MS;"),
      edit("launch/spent-refusals.ts", "const AT_ONCE = 64;", "const AT_ONCE = 0;"),
      edit(
        "launch/spent-refusals.ts",
        "const isNewest = !answered.has(combination);",
        "const isNewest = false;",
      ),
      edit(
        "launch/spent-refusals.ts",
        'return state === "rejected" || state === "notSent";',
        'return state === "rejected" || state === "notSent" || state === "absent";',
      ),
      // The table of a launch's life would refuse it.
      edit(
        "ledger/lifecycle.ts",
        'const FORGETTABLE: readonly IntentState[] = ["rejected", "notSent"];',
        'const FORGETTABLE: readonly IntentState[] = ["rejected", "notSent", "absent"];',
      ),
    ],
  },
  {
    name: "renewal-launches-first",
    rule: "10 other triggers: no machine is launched before the one that it replaces has made room",
    directed: ["other-triggers-of-a-fleet"],
    oracle: "4.10 count",
    edits: [
      edit(
        "agent/planning/count.ts",
        "const machines = all.filter((row) => !isStopping(row));",
        "const machines = all.filter((row) => !isStopping(row) && !row.renew);",
      ),
    ],
  },
  {
    name: "renewal-all-at-once",
    rule: "10 other triggers: machines are replaced one after the other",
    directed: ["other-triggers-of-a-fleet"],
    oracle: "4.10 stops",
    edits: [
      edit(
        "agent/planning/renewal.ts",
        "if (counted.stopping > 0 || counted.starting > 0) return",
        "if (rows.length < 0) return",
      ),
      edit(
        "agent/planning/renewal.ts",
        "return { stops: [{ id: next.id, why: WHY }], reasons: [] };",
        "return { stops: rows.map(({ id }) => ({ id, why: WHY })), reasons: [] };",
      ),
    ],
  },
  {
    name: "triggers-are-not-looked-at",
    rule: "10 other triggers make another machine",
    directed: ["other-triggers-of-a-deployment"],
    oracle: "launches at least",
    edits: [
      edit(
        "provider/runtime/slot.ts",
        'if (!same(olds.triggers, news.triggers)) replaces.push("triggers");',
        "",
      ),
    ],
  },
  {
    name: "unused-parameter-replaces",
    rule: "7 a change of a parameter that no launch sends changes nothing",
    directed: ["other-parameters-that-are-not-sent"],
    oracle: "launches at most",
    edits: [
      edit(
        "provider/runtime/parameters.ts",
        "return used.some((name) => !same(before[name], after[name]));",
        "return !same(before, after);",
      ),
    ],
  },
  {
    name: "lock-is-waited-for-for-ever",
    rule: "21 what must be stopped is stopped as soon as the ledger can be written",
    directed: ["ledger-locked-across-a-deadline"],
    oracle: "no duplicate, no leak",
    edits: [
      edit(
        "agent/reconcile/loop.ts",
        "const wait = Math.min(settings.poll, LEDGER_RETRY_MS);",
        "const wait = 1_000 * LEDGER_RETRY_MS;",
      ),
    ],
  },
  {
    name: "lock-ends-the-stops",
    rule: "21 a round of stops that meets a locked ledger does not hold up the next round",
    directed: ["ledger-locked-across-a-stop"],
    oracle: "no duplicate, no leak",
    edits: [
      edit(
        "agent/reconcile/in-flight.ts",
        "        await run();\n        return true;\n      } finally {\n        this.#stopping = false;\n      }",
        "        await run();\n        this.#stopping = false;\n        return true;\n      } finally {}",
      ),
    ],
  },
  {
    name: "another-account-is-accepted",
    rule: "12 a key of another account is refused once the service says whose it is",
    directed: ["starts-into-an-outage-with-another-key"],
    oracle: "launches at most",
    edits: [edit("launch/known-keeper.ts", "if (id === accountId) return;", 'if (id !== "") return;')],
  },
  {
    name: "reused-id-stays-certain",
    rule: "4.6 an id that shows another offer and another size is not certainly ours any more",
    directed: ["given-anew-while-it-lives"],
    oracle: "4.6 only certain claims",
    edits: [
      edit(
        "launch/reused.ts",
        'if (end === null && claim !== "certain") return false;',
        "if (end === null) return false;",
      ),
    ],
  },
  {
    name: "reused-id-revives",
    rule: "4.6 an id that ended and shows another machine is nobody's",
    directed: ["given-anew-after-it-ended"],
    oracle: "4.6 only certain claims",
    edits: [
      edit(
        "launch/reused.ts",
        'if (end === null && claim !== "certain") return false;',
        'if (end !== null || claim !== "certain") return false;',
      ),
    ],
  },
  {
    name: "nameless-is-missing",
    rule: "4.7 while a list has a record without an id nothing counts as gone",
    directed: ["ids-that-nobody-can-read"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/missing.ts",
        "if (namelessLeft(draft.account) > 0) {",
        "if (namelessLeft(draft.account) > 1e9) {",
      ),
    ],
  },
  {
    name: "nameless-is-nobody",
    rule: "4.5 a launch is not absent beside a record without an id that came after it",
    directed: ["made-a-machine-that-nobody-can-read"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/absence.ts",
        "if (mayBeNameless(draft.account, intent)) {",
        "if (mayBeNameless(draft.account, { ...intent, nameless: 1e9 })) {",
      ),
    ],
  },
  {
    name: "unread-is-missing",
    rule: "4.7 a record that cannot be read is no absence",
    directed: ["states-that-nobody-can-read"],
    oracle: "4.10 count",
    edits: [
      edit(
        "launch/protocol.ts",
        "list.deployments.flatMap((each) => (each.id === undefined ? []",
        "list.deployments.flatMap((each) => (each.id === undefined || isUnread(each) ? []",
      ),
    ],
  },
  {
    name: "two-open-in-one-group",
    rule: "4.2 a group has one open launch at most",
    explored: "exclusive, 2 slots",
    onlyExplored: true,
    withoutIndex: true,
    edits: [
      {
        file: "launch/admit.ts",
        text: `other.state === "open" && overlap(other, ours)`,
        instead: `other.state === "open" && other.owner === wish.owner && overlap(other, ours)`,
      },
    ],
  },
  {
    name: "two-open-for-one-slot",
    rule: "4.2 a slot has one open launch at most",
    explored: "marker, 2 slots",
    onlyExplored: true,
    edits: [
      {
        file: "launch/slot.ts",
        text: `if (intents.length > 0) return "a launch into it is not resolved yet";`,
        instead: "",
      },
    ],
  },
  {
    name: "taken-from-a-launch-under-way",
    rule: "4.4 nothing is taken that a launch under way may be answered with",
    explored: "combination, 3 slots",
    onlyExplored: true,
    edits: [
      {
        file: "launch/candidates.ts",
        text: "(other) => underWay(other, context) && isCandidate(draft, row, other, context),",
        instead: "(other) => underWay(other, context) && isCandidate(draft, row, other, context) && false,",
      },
    ],
  },
  {
    name: "second-seeming-machine-unreported",
    rule: "4.6 a second machine that only seems to be a slot's is reported",
    explored: "shared, late",
    onlyExplored: true,
    edits: [
      {
        file: "launch/slot.ts",
        text: "return [...unaccounted(draft), ...seeming, ...reused]",
        instead: "return [...unaccounted(draft), ...reused]",
      },
    ],
  },
  {
    name: "disowned-not-looked-for",
    rule: "4.8 a launch whose machine was disowned is looked for again",
    explored: "shared, stranger",
    onlyExplored: true,
    edits: [
      {
        file: "launch/claim.ts",
        text: "if (!seemed && (!disputed || others)) return true;",
        instead: "if (!seemed || !disputed || others) return true;",
      },
    ],
  },
  {
    name: "sent-into-a-deletion",
    rule: "6 nothing is sent for a slot that is being deleted",
    explored: "pulumi, exclusive",
    onlyExplored: true,
    edits: [
      {
        file: "launch/admit.ts",
        text: `if (slot?.closing) return "its deployment is being deleted";`,
        instead: "",
      },
    ],
  },
  {
    name: "unanswered-stop-not-repeated",
    rule: "4.6 a stop is retried for ever",
    explored: "pulumi, exclusive",
    onlyExplored: true,
    edits: [
      {
        file: "launch/stop.ts",
        text: "if (row.stop.attempted === null) return true;",
        instead: "return row.stop.attempted === null;",
      },
    ],
  },
];
