module launch

/*
 * How a launch is kept from being paid for twice: docs/how/protocol.md, as a model to read in ten minutes. docs/how/model.md
 * says which file of the product each action stands for, what is left out, and how it goes wrong without each rule.
 *
 * The account is exclusive. `alike`: a list may not tell the machines of two launches apart. Where it tells nothing, all are. Each action is one transaction, one
 * request or one event at the service. Between any two of them any process may die or stand still for as long as it likes.
 */

// What is wanted, who acts, what is sent, what runs, and what moves a place from one account to another.
sig Place {}
sig Account { var portion: set Place }
sig Host { var list: set Machine, var settled: set Intent, var empty: set Place }
// A launch fills as many places as its machine has GPUs.
sig Intent { place: some Place, account: Account, sender: Host, alike: set Intent, var row: lone Row, var wire: set Wire }
sig Machine { var of: lone Intent, var life: lone Life }
sig Grant { from, to: Account, what: Place }
var sig Given, Received in Grant {}

// An intent's row in the ledger. Done: refused, or its machine is over.
enum Row { Open, Claimed, Absent, Done }
// Ready: its process has looked for the last time. Waiting: that process waits for the answer. Flying: the service may still act on it.
enum Wire { Ready, Waiting, Flying }
// Halted: it bills and does not serve. Hidden: lists lack it, and a GET says what the profile calls "missing". Only what is Over is paid for no more.
enum Life { Unlisted, Listed, Halted, Hidden, Over }

// Faults. Late: it takes effect or is listed after all waits. Liar: it is answered by an error, and may make a machine.
var sig Late in Intent {}
sig Liar in Intent {}

// The rules. A check takes none of them out, and each story one.
enum Rule {
  OneOpen, CountInside, WriteFirst, LastLook, PostOnce, TakesTime, LedgerTime, AbsentExplains, LateWaits,
  Uncertain, HaltedBills, ProvenMissing, VanishedExplains, GiveFree, LowerFirst, ReceiveOnce
}
one sig Out { rule: lone Rule }
pred kept[r: Rule] { r not in Out.rule }

fact { Intent <: iden in alike and alike = ~alike }

fun billing: set Machine { life.(Life - Over) }
// A claim is never deleted.
fun claimed: set Machine { of.(row.(Claimed + Done)) }
// What the rows of an account count: an open launch as much as a machine.
fun held[a: Account]: set Place { (row.(Open + Claimed) & account.a).place }
// It may have a machine that bills, now or later.
fun mayBill: set Intent { wire.Flying + (wire.Ready & row.Open) + billing.of }
// Nothing of it can come any more, unless it is late.
fun waitedFor: set Intent { Intent - (wire.Flying + life.Unlisted.of - Late) }

// ---- A launch, from the wish to its answer ----

pred admit[i: Intent] {
  now[Admit, i]
  no i.row and no i.wire and no of.i
  i.place in i.account.portion
  kept[OneOpen] implies no row.Open & i.alike
  kept[CountInside] implies no i.place & i.account.held else i.place in i.sender.empty
  row' = row + (kept[WriteFirst] implies i->Open else none->none)
  wire' = wire + i->Ready
  sameService and sameLists and sameShares
}
pred send[i: Intent] {
  now[Send, i]
  Ready in i.wire
  kept[LastLook] and kept[WriteFirst] implies i.row = Open
  wire' = wire - i->Ready + i->Flying or wire' = wire - i->Ready + i->Flying + i->Waiting
  sameRows and sameService and sameLists and sameShares
}
// Its process knows that nothing of it left.
pred giveUp[i: Intent] {
  now[GiveUp, i]
  i.row in Open + Absent and no i.wire - Ready and no of.i
  row' = row ++ i->Done
  wire' = wire - i->Ready
  sameService and sameLists and sameShares
}
pred sendAgain[i: Intent] {
  now[SendAgain, i]
  not kept[PostOnce] and i.row = Open and no i.wire
  wire' = wire + i->Waiting + i->Flying
  sameRows and sameService and sameLists and sameShares
}
// The answer is lost, the process dies, or what it was about to send never leaves.
pred lose[i: Intent] {
  now[Lose, i]
  some i.wire - Flying
  wire' = wire - i->Ready - i->Waiting
  sameRows and sameService and sameLists and sameShares
}
// Accepted with an id, which may show later, or never.
pred accepted[i: Intent] {
  now[Accepted, i]
  Waiting in i.wire and i.row in Open + Absent
  row' = row ++ i->Claimed
  wire' = wire - i->Waiting
  sameService and sameLists and sameShares
}
// An error that is no proven refusal is an unknown answer: the launch stays open.
pred refused[i: Intent] {
  now[Refused, i]
  Waiting in i.wire and i.row in Open + Absent
  i in Liar or (Flying not in i.wire and no of.i)
  row' = (i in Liar and kept[Uncertain] implies row else row ++ i->Done)
  wire' = wire - i->Waiting
  sameService and sameLists and sameShares
}

// ---- The service ----

pred make[i: Intent, m: Machine] {
  now[Make, i + m]
  Flying in i.wire and no m.life
  wire' = wire - i->Flying
  of' = of + m->i and Late' = Late
  life' = life + m->Unlisted or life' = life + m->Listed
  sameRows and sameLists and sameShares
}
pred makeNothing[i: Intent] {
  now[MakeNothing, i]
  Flying in i.wire
  wire' = wire - i->Flying
  sameRows and sameService and sameLists and sameShares
}
pred change[m: Machine, l: Life] {
  now[Change, m]
  some m.life and m.life->l in Unlisted->Listed + (Listed + Halted + Hidden + Unlisted)->Over + Listed->Halted + Halted->Listed + Hidden->Listed + Listed->Hidden
  l = Hidden implies m in claimed
  life' = life ++ m->l and of' = of and Late' = Late
  sameRows and sameWire and sameLists and sameShares
}

// ---- Lists, and what follows from them ----

fun listed: set Machine { life.(Listed + Halted + Over) }
// A list of a host that may act on it much later, and that may lack what is there. `settled`: for these a settle time of lists, by the
// ledger's clock, is over, and those have shown what these made.
pred ask[h: Host] {
  now[Ask, h]
  h.list' in listed and list' - h->Machine = list - h->Machine
  h.settled' in row.(Open + Claimed) & waitedFor and of.(h.settled') & listed in h.list' and settled' - h->Intent = settled - h->Intent
  empty' = empty - h->Place + h->(Place - Account.held)
  wire' = wire - (kept[LastLook] implies h.settled'->Ready else none->none)
  sameRows and sameService and sameShares
}
fun unclaimed[h: Host, i: Intent]: set Machine { h.list & of.(i.alike) - claimed }
pred take[h: Host, i: Intent, m: Machine] {
  now[Take, h + i + m]
  i.row = Open and m in h.unclaimed[i]
  no i.wire & (Ready + Waiting) or i in h.settled
  row' = row ++ i->Claimed and Late' = Late
  swap[i, m]
}
// Its answer or its marker says whose it is.
pred takeOwn[h: Host, i: Intent, m: Machine] {
  now[TakeOwn, h + i + m]
  i.row in Open + Absent and m in h.list and m.of = i
  row' = row ++ i->Claimed
  sameWire and sameService and sameLists and sameShares
}
// It is an absent launch's: adopted where a place is empty, else stopped.
pred takeLate[h: Host, i: Intent, m: Machine] {
  now[TakeLate, h + i + m]
  i.row = Absent and m in h.unclaimed[i]
  kept[LateWaits] implies no row.Open & i.alike
  row' = row ++ i->Claimed
  Late' = Late - (i + m.of) + (i in Late implies m.of else none) + (m.of in Late implies i else none)
  swap[i, m]
}
// Nothing tells which launch made which machine. So the one that takes m takes it for its own, and what is still to come of it is the other's.
pred swap[i: Intent, m: Machine] {
  let j = m.of {
    of' = of - m->j - of.i->i + m->i + (of.i - m)->j
    wire' = wire - (i + j)->Flying - j->Waiting + (Flying in i.wire implies j->Flying else none->none)
  }
  life' = life
  sameLists and sameShares
}
pred callAbsent[h: Host, i: Intent] {
  now[CallAbsent, h + i]
  i.row = Open and no h.unclaimed[i]
  kept[TakesTime] and (kept[LedgerTime] or h = i.sender) implies i in h.settled
  row' = row ++ i->(kept[AbsentExplains] implies Absent else Done)
  sameWire and sameService and sameLists and sameShares
}
// mayVanish: an accepted id that lists never showed.
pred callVanished[h: Host, i: Intent] {
  now[CallVanished, h + i]
  i.row = Claimed and i in h.settled and of.i in life.Unlisted
  row' = row ++ i->(kept[VanishedExplains] implies Absent else Done)
  sameWire and sameService and sameLists and sameShares
}
// The end is shown. Or the service only seems to show it: by `states.replace`, or by `get.missing`.
pred callGone[m: Machine] {
  now[CallGone, m]
  m.of.row = Claimed
  m.life = Over or (m.life = Halted and not kept[HaltedBills]) or (m.life = Hidden and not kept[ProvenMissing])
  row' = row ++ m.of->Done
  sameWire and sameService and sameLists and sameShares
}

// ---- Shares of a fleet over accounts ----

pred give[g: Grant] {
  now[Give, g]
  g not in Given + Received and g.what in g.from.portion and g.from != g.to
  kept[GiveFree] implies g.what not in g.from.held
  portion' = portion - (kept[LowerFirst] implies g.from->g.what else none->none)
  Given' = Given + g and Received' = Received
  sameRows and sameWire and sameService and sameLists
}
pred receive[g: Grant] {
  now[Receive, g]
  g in Given
  kept[ReceiveOnce] implies g not in Received
  portion' = portion + g.to->g.what
  Given' = Given and Received' = Received + g
  sameRows and sameWire and sameService and sameLists
}
pred forget[g: Grant] {
  now[Forget, g]
  g in Given & Received
  portion' = portion - (kept[LowerFirst] implies none->none else g.from->g.what)
  Given' = Given - g and Received' = Received
  sameRows and sameWire and sameService and sameLists
}

// ---- What is demanded ----

// Each place is paid for once. What came late is one machine more, until it is found and stopped.
pred paidOnce { all p: Place | lone (mayBill & place.p - Late) }
pred onceEach { all i: Intent | lone of.i }
// What bills is claimed, or a launch that is still looked for explains it.
pred nothingLost { mayBill in row.(Open + Claimed + Absent) }
pred sharesAreTheWhole { all p: Place | lone portion.p and (some portion.p iff no (Given - Received) & what.p) and lone (Given - Received) & what.p }
pred good { paidOnce and onceEach and nothingLost and sharesAreTheWhole }

// ---- Why it holds: an invariant that each step keeps. proof/model/paid-once.ts has the same for any number of all things ----

pred written { (all i: Intent | (some i.wire or some of.i) implies some i.row) and life.Life = of.Intent }
pred sentOnce { all i: Intent { (Flying in i.wire implies no of.i) and (Ready in i.wire implies i.wire = Ready and i.row = Open and no of.i) } }
pred oneOpen { all disj i, j: row.Open | j not in i.alike }
pred counted { all i: mayBill + row.Open - Late | i in row.(Open + Claimed) and i.place in i.account.portion }
pred apart { all disj i, j: mayBill + row.Open - Late | no i.place & j.place }
pred looked {
  all h: Host, i: h.settled | some i.row and Ready not in i.wire and (i in Late or (i in waitedFor and (i.row = Open implies of.i in h.list)))
  all i: row.Absent | (Flying in i.wire or some of.i) implies i in Late
  Host.list in life.(Life - Unlisted) and life.Hidden in claimed
}
pred invariant { good and written and sentOnce and oneOpen and counted and apart and looked }

// ---- Steps ----

enum Act {
  Admit, Send, GiveUp, SendAgain, Lose, Accepted, Refused, Make, MakeNothing, Change, Ask, Take, TakeOwn, TakeLate, CallAbsent, CallVanished,
  CallGone, Give, Receive, Forget, Rest
}
one sig Now { var act: Act, var on: set Host + Intent + Machine + Grant }
pred now[a: Act, x: set Host + Intent + Machine + Grant] { Now.act = a and Now.on = x }
pred rest { now[Rest, none] and sameRows and sameWire and sameService and sameLists and sameShares }
pred sameRows { row' = row }
pred sameWire { wire' = wire }
pred sameService { of' = of and life' = life and Late' = Late }
pred sameLists { list' = list and settled' = settled and empty' = empty }
pred sameShares { portion' = portion and Given' = Given and Received' = Received }

pred step {
  rest
  or (some i: Intent | admit[i] or send[i] or giveUp[i] or sendAgain[i] or lose[i] or accepted[i] or refused[i] or makeNothing[i])
  or (some i: Intent, m: Machine | make[i, m])
  or (some m: Machine | callGone[m] or some l: Life | change[m, l])
  or (some h: Host | ask[h] or some i: Intent | callAbsent[h, i] or callVanished[h, i])
  or (some h: Host, i: Intent, m: Machine | take[h, i, m] or takeOwn[h, i, m] or takeLate[h, i, m])
  or (some g: Grant | give[g] or receive[g] or forget[g])
}
pred begin {
  no row and no wire and no of and no life and no list and no settled and no empty and no Given and no Received
  all p: Place | one portion.p
}
// Without a rule it goes wrong. `promptly`: without a late launch, too.
pred without[r: Rule] { Out.rule = r and begin and always step and eventually not good }
pred promptly[r: Rule] { without[r] and no Late }

// ---- Checks. Each is for all that may happen within its bounds, faults of any number among them ----

begins: check { no Out.rule and begin implies invariant }
  for 3 but exactly 3 Place, exactly 2 Host, exactly 2 Account, 4 Intent, 4 Machine, 3 Grant, 1 steps
stays: check { no Out.rule and invariant and step implies after invariant }
  for 3 but exactly 3 Place, exactly 2 Host, exactly 2 Account, 4 Intent, 4 Machine, 3 Grant, 2..2 steps

// What the rules allow does happen: a machine more by a late launch, until it is stopped; a place that moved, and is filled there.
lateTwin: run { no Out.rule and begin and always step and eventually (some disj i, j: row.Claimed | some i.place & j.place and some of.i & billing and some of.j & life.Listed) }
  for 2 but exactly 1 Place, exactly 1 Account, exactly 1 Host, 0 Grant, exactly 2 Intent, 12 steps
moved: run { no Out.rule and begin and always step and some g: Grant | eventually (g in Received and some i: row.Claimed | i.account = g.to and g.what in i.place) }
  for 2 but exactly 1 Place, exactly 2 Account, exactly 1 Host, exactly 1 Grant, 1 Intent, 1 Machine, 8 steps

// Without a rule: the shortest story that goes wrong.
noOneOpen: run { promptly[OneOpen] } for 3 but exactly 2 Place, exactly 1 Account, exactly 2 Host, 0 Grant, exactly 3 Intent, 2 Machine, 10..10 steps
noCountInside: run { promptly[CountInside] } for 2 but exactly 1 Place, exactly 1 Account, exactly 2 Host, 0 Grant, 6 steps
noWriteFirst: run { promptly[WriteFirst] } for 2 but exactly 1 Place, exactly 1 Account, exactly 1 Host, 0 Grant, 7 steps
noLastLook: run { promptly[LastLook] } for 2 but exactly 1 Place, exactly 1 Account, exactly 1 Host, 0 Grant, 7 steps
noPostOnce: run { promptly[PostOnce] and eventually not onceEach } for 2 but exactly 1 Place, exactly 1 Account, exactly 1 Host, 0 Grant, 7 steps
noTakesTime: run { promptly[TakesTime] } for 2 but exactly 1 Place, exactly 1 Account, exactly 1 Host, 0 Grant, 7 steps
noLedgerTime: run { promptly[LedgerTime] } for 2 but exactly 1 Place, exactly 1 Account, exactly 2 Host, 0 Grant, 6 steps
noAbsentExplains: run { without[AbsentExplains] } for 2 but exactly 1 Place, exactly 1 Account, exactly 1 Host, 0 Grant, 7 steps
noLateWaits: run { promptly[LateWaits] } for 3 but exactly 2 Place, exactly 1 Account, exactly 1 Host, 0 Grant, exactly 3 Intent, 1 Machine, 13..13 steps
noUncertain: run { promptly[Uncertain] } for 2 but exactly 1 Place, exactly 1 Account, exactly 1 Host, 0 Grant, 7 steps
noHaltedBills: run { promptly[HaltedBills] } for 2 but exactly 1 Place, exactly 1 Account, exactly 1 Host, 0 Grant, 7 steps
noProvenMissing: run { promptly[ProvenMissing] } for 2 but exactly 1 Place, exactly 1 Account, exactly 1 Host, 0 Grant, 7 steps
noVanishedExplains: run { without[VanishedExplains] } for 2 but exactly 1 Place, exactly 1 Account, exactly 1 Host, 0 Grant, 7 steps
noGiveFree: run { promptly[GiveFree] } for 2 but exactly 1 Place, exactly 2 Account, exactly 1 Host, exactly 1 Grant, 2 Intent, 1 Machine, 6 steps
noLowerFirst: run { promptly[LowerFirst] } for 2 but exactly 1 Place, exactly 2 Account, exactly 1 Host, exactly 2 Grant, 1 Intent, 1 Machine, 6 steps
noReceiveOnce: run { promptly[ReceiveOnce] } for 2 but exactly 1 Place, exactly 2 Account, exactly 1 Host, exactly 2 Grant, 1 Intent, 1 Machine, 6 steps
