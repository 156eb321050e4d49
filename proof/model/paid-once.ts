/*
 * "Paid once" as an inductive invariant, for any number of places, accounts, hosts, launches, machines, grants and steps. It is the
 * model of launch.als once more, in the words of SMT-LIB, for a solver that needs no bounds: the names are the same, and what
 * they mean stands there. test/proof/model.test.ts holds the names of both to each other. finite.ts reads the same text: what the
 * product does must be these actions.
 */

/** An action: what must hold before it, and what it changes. `x` is whatever a line is about. All else stays as it is. */
export interface Action {
  readonly of: string;
  readonly when: readonly string[];
  readonly then: Readonly<Record<string, string>>;
}

/** What never changes. */
export const FIXED = `
(declare-sort Place 0) (declare-sort Account 0) (declare-sort Host 0) (declare-sort Intent 0) (declare-sort Machine 0) (declare-sort Grant 0)
(declare-datatypes ((Row 0) (Life 0)) (((None) (Open) (Claimed) (Absent) (Done)) ((Unborn) (Unlisted) (Listed) (Halted) (Hidden) (Over))))
(declare-fun fills (Intent Place) Bool) (declare-fun account (Intent) Account) (declare-fun sender (Intent) Host) (declare-fun liar (Intent) Bool)
(declare-fun from (Grant) Account) (declare-fun to (Grant) Account) (declare-fun what (Grant) Place)
(declare-fun alike (Intent Intent) Bool)
(assert (forall ((i Intent)) (alike i i))) (assert (forall ((i Intent) (j Intent)) (= (alike i j) (alike j i))))
(declare-fun chosen (Intent) Bool) (declare-fun shown (Machine) Bool) (declare-fun unanswered () Bool) (declare-fun listedAtOnce () Bool)`;

/** What steps change: the sorts that it is about, and its own. */
export const STATE: Readonly<Record<string, readonly [readonly string[], string]>> = {
  row: [["Intent"], "Row"],
  ready: [["Intent"], "Bool"],
  waiting: [["Intent"], "Bool"],
  flying: [["Intent"], "Bool"],
  late: [["Intent"], "Bool"],
  of: [["Machine"], "Intent"],
  life: [["Machine"], "Life"],
  list: [["Host", "Machine"], "Bool"],
  settled: [["Host", "Intent"], "Bool"],
  empty: [["Host", "Place"], "Bool"],
  portion: [["Account", "Place"], "Bool"],
  given: [["Grant"], "Bool"],
  received: [["Grant"], "Bool"],
};

/** Words for what the state comes to. */
export const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  born: ["(m Machine)", "(distinct (life m) Unborn)"],
  bills: ["(m Machine)", "(and (born m) (distinct (life m) Over))"],
  claimed: ["(m Machine)", "(and (born m) (or (= (row (of m)) Claimed) (= (row (of m)) Done)))"],
  has: ["(i Intent)", "(exists ((m Machine)) (and (born m) (= (of m) i)))"],
  mayBill: [
    "(i Intent)",
    "(or (flying i) (and (ready i) (= (row i) Open)) (exists ((m Machine)) (and (bills m) (= (of m) i))))",
  ],
  counts: ["(i Intent)", "(and (not (late i)) (or (= (row i) Open) (mayBill i)))"],
  held: [
    "(a Account) (p Place)",
    "(exists ((i Intent)) (and (or (= (row i) Open) (= (row i) Claimed)) (= (account i) a) (fills i p)))",
  ],
  openBeside: ["(i Intent)", "(exists ((j Intent)) (and (= (row j) Open) (alike i j)))"],
  waitedFor: [
    "(i Intent)",
    "(or (late i) (not (or (flying i) (exists ((m Machine)) (and (= (life m) Unlisted) (= (of m) i))))))",
  ],
  listed: ["(m Machine)", "(or (= (life m) Listed) (= (life m) Halted) (= (life m) Over))"],
  settles: [
    "(i Intent)",
    `(and (chosen i) (waitedFor i) (or (= (row i) Open) (= (row i) Claimed))
      (forall ((m Machine)) (=> (and (born m) (= (of m) i) (listed m)) (shown m))))`,
  ],
  unclaimed: ["(h Host) (i Intent) (m Machine)", "(and (list h m) (alike i (of m)) (not (claimed m)))"],
};

const SWAP = {
  of: "(ite (= x m) i (ite (and (= (of x) i) (born x)) (of m) (of x)))",
  flying: "(ite (= x (of m)) (flying i) (and (distinct x i) (flying x)))",
  waiting: "(and (waiting x) (distinct x (of m)))",
};

export const ACTIONS: Readonly<Record<string, Action>> = {
  Admit: {
    of: "(i Intent)",
    when: [
      "(= (row i) None) (not (ready i)) (not (waiting i)) (not (flying i)) (not (has i))",
      "(=> OneOpen (not (openBeside i)))",
      "(forall ((p Place)) (=> (fills i p) (portion (account i) p)))",
      "(forall ((p Place)) (=> (fills i p) (ite CountInside (not (held (account i) p)) (empty (sender i) p))))",
    ],
    then: { row: "(ite (and WriteFirst (= x i)) Open (row x))", ready: "(or (ready x) (= x i))" },
  },
  Send: {
    of: "(i Intent)",
    when: ["(ready i)", "(=> (and LastLook WriteFirst) (= (row i) Open))"],
    then: {
      ready: "(and (ready x) (distinct x i))",
      flying: "(or (flying x) (= x i))",
      waiting: "(or (waiting x) (and (= x i) (not unanswered)))",
    },
  },
  GiveUp: {
    of: "(i Intent)",
    when: ["(or (= (row i) Open) (= (row i) Absent)) (not (waiting i)) (not (flying i)) (not (has i))"],
    then: { row: "(ite (= x i) Done (row x))", ready: "(and (ready x) (distinct x i))" },
  },
  SendAgain: {
    of: "(i Intent)",
    when: ["(not PostOnce)", "(= (row i) Open) (not (ready i)) (not (waiting i)) (not (flying i))"],
    then: { flying: "(or (flying x) (= x i))" },
  },
  Lose: {
    of: "(i Intent)",
    when: ["(or (ready i) (waiting i))"],
    then: { ready: "(and (ready x) (distinct x i))", waiting: "(and (waiting x) (distinct x i))" },
  },
  Accepted: {
    of: "(i Intent)",
    when: ["(waiting i) (or (= (row i) Open) (= (row i) Absent))"],
    then: { row: "(ite (= x i) Claimed (row x))", waiting: "(and (waiting x) (distinct x i))" },
  },
  Refused: {
    of: "(i Intent)",
    when: [
      "(waiting i) (or (= (row i) Open) (= (row i) Absent))",
      "(or (liar i) (not (or (flying i) (has i))))",
    ],
    then: {
      row: "(ite (and (= x i) (not (and (liar i) Uncertain))) Done (row x))",
      waiting: "(and (waiting x) (distinct x i))",
    },
  },
  Make: {
    of: "(i Intent) (m Machine)",
    when: ["(flying i) (not (born m))"],
    then: {
      flying: "(and (flying x) (distinct x i))",
      of: "(ite (= x m) i (of x))",
      life: "(ite (= x m) (ite listedAtOnce Listed Unlisted) (life x))",
    },
  },
  MakeNothing: {
    of: "(i Intent)",
    when: ["(flying i)"],
    then: { flying: "(and (flying x) (distinct x i))" },
  },
  Change: {
    of: "(m Machine) (l Life)",
    when: [
      `(or (and (= (life m) Unlisted) (= l Listed)) (and (bills m) (= l Over)) (and (= (life m) Listed) (= l Halted))
        (and (= (life m) Halted) (= l Listed)) (and (= (life m) Hidden) (= l Listed)) (and (= (life m) Listed) (= l Hidden) (claimed m)))`,
    ],
    then: { life: "(ite (= x m) l (life x))" },
  },
  Ask: {
    of: "(h Host)",
    when: [],
    then: {
      // Which of those that may be listed and settled are so is left open: lists may lack what is there, and cover less than they could.
      list: "(ite (= x h) (and (shown y) (listed y)) (list x y))",
      settled: "(ite (= x h) (settles y) (settled x y))",
      ready: "(and (ready x) (=> LastLook (not (settles x))))",
      empty: "(ite (= x h) (forall ((a Account)) (not (held a y))) (empty x y))",
    },
  },
  Take: {
    of: "(h Host) (i Intent) (m Machine)",
    when: ["(= (row i) Open) (unclaimed h i m)", "(or (settled h i) (not (or (ready i) (waiting i))))"],
    then: { ...SWAP, row: "(ite (= x i) Claimed (row x))" },
  },
  TakeOwn: {
    of: "(h Host) (i Intent) (m Machine)",
    when: ["(or (= (row i) Open) (= (row i) Absent)) (list h m) (= (of m) i)"],
    then: { row: "(ite (= x i) Claimed (row x))" },
  },
  TakeLate: {
    of: "(h Host) (i Intent) (m Machine)",
    when: ["(= (row i) Absent) (unclaimed h i m)", "(=> LateWaits (not (openBeside i)))"],
    then: {
      ...SWAP,
      row: "(ite (= x i) Claimed (row x))",
      late: "(ite (= x i) (late (of m)) (ite (= x (of m)) (late i) (late x)))",
    },
  },
  CallAbsent: {
    of: "(h Host) (i Intent)",
    when: [
      "(= (row i) Open) (forall ((m Machine)) (not (unclaimed h i m)))",
      "(=> (and TakesTime (or LedgerTime (= h (sender i)))) (settled h i))",
    ],
    then: { row: "(ite (= x i) (ite AbsentExplains Absent Done) (row x))" },
  },
  CallVanished: {
    of: "(h Host) (i Intent)",
    when: [
      "(= (row i) Claimed) (settled h i)",
      "(forall ((m Machine)) (=> (and (born m) (= (of m) i)) (= (life m) Unlisted)))",
    ],
    then: { row: "(ite (= x i) (ite VanishedExplains Absent Done) (row x))" },
  },
  CallGone: {
    of: "(m Machine)",
    when: [
      "(born m) (= (row (of m)) Claimed)",
      "(or (= (life m) Over) (and (= (life m) Halted) (not HaltedBills)) (and (= (life m) Hidden) (not ProvenMissing)))",
    ],
    then: { row: "(ite (= x (of m)) Done (row x))" },
  },
  Give: {
    of: "(g Grant)",
    when: [
      "(not (given g)) (not (received g)) (portion (from g) (what g)) (distinct (from g) (to g))",
      "(=> GiveFree (not (held (from g) (what g))))",
    ],
    then: {
      portion: "(and (portion x y) (not (and LowerFirst (= x (from g)) (= y (what g)))))",
      given: "(or (given x) (= x g))",
    },
  },
  Receive: {
    of: "(g Grant)",
    when: ["(given g)", "(=> ReceiveOnce (not (received g)))"],
    then: {
      portion: "(or (portion x y) (and (= x (to g)) (= y (what g))))",
      received: "(or (received x) (= x g))",
    },
  },
  Forget: {
    of: "(g Grant)",
    when: ["(given g) (received g)"],
    then: {
      portion: "(and (portion x y) (or LowerFirst (distinct x (from g)) (distinct y (what g))))",
      given: "(and (given x) (distinct x g))",
    },
  },
};

/** What every step keeps. The first four are what is demanded. */
export const INVARIANT: Readonly<Record<string, string>> = {
  paidOnce: `(forall ((i Intent) (j Intent) (p Place)) (=> (and (mayBill i) (mayBill j) (not (late i)) (not (late j)) (fills i p) (fills j p)) (= i j)))`,
  onceEach: `(forall ((m Machine) (n Machine)) (=> (and (born m) (born n) (= (of m) (of n))) (= m n)))`,
  nothingLost: `(forall ((i Intent)) (=> (mayBill i) (or (= (row i) Open) (= (row i) Claimed) (= (row i) Absent))))`,
  sharesNeverAbove: `(and (forall ((p Place) (a Account) (b Account)) (=> (and (portion a p) (portion b p)) (= a b)))
    (forall ((g Grant) (k Grant)) (=> (and (given g) (not (received g)) (given k) (not (received k)) (= (what g) (what k))) (= g k)))
    (forall ((g Grant) (a Account)) (=> (and (given g) (not (received g))) (not (portion a (what g))))))`,
  written: `(forall ((i Intent)) (=> (or (ready i) (waiting i) (flying i) (has i)) (distinct (row i) None)))`,
  sentOnce: `(forall ((i Intent)) (and (=> (flying i) (not (has i)))
    (=> (ready i) (and (= (row i) Open) (not (waiting i)) (not (flying i)) (not (has i))))))`,
  oneOpen: `(forall ((i Intent) (j Intent)) (=> (and (= (row i) Open) (= (row j) Open) (alike i j)) (= i j)))`,
  counted: `(forall ((i Intent)) (=> (counts i) (and (or (= (row i) Open) (= (row i) Claimed)) (forall ((p Place)) (=> (fills i p) (portion (account i) p))))))`,
  apart: `(forall ((i Intent) (j Intent) (p Place)) (=> (and (counts i) (counts j) (fills i p) (fills j p)) (= i j)))`,
  looked: `(and (forall ((h Host) (i Intent)) (=> (settled h i) (and (distinct (row i) None) (not (ready i)) (waitedFor i)
      (=> (= (row i) Open) (forall ((m Machine)) (=> (and (born m) (= (of m) i) (not (late i))) (list h m)))))))
    (forall ((i Intent)) (=> (and (= (row i) Absent) (or (flying i) (has i))) (late i)))
    (forall ((h Host) (m Machine)) (=> (list h m) (and (born m) (distinct (life m) Unlisted))))
    (forall ((m Machine)) (=> (= (life m) Hidden) (claimed m))))`,
};

/** How everything begins: each place is in one account, and nothing else is there. */
export const BEGIN = `
(forall ((i Intent)) (and (= (row i) None) (not (ready i)) (not (waiting i)) (not (flying i))))
(forall ((m Machine)) (= (life m) Unborn))
(forall ((h Host) (i Intent)) (not (settled h i))) (forall ((h Host) (m Machine)) (not (list h m)))
(forall ((g Grant)) (and (not (given g)) (not (received g))))
(forall ((p Place) (a Account) (b Account)) (=> (and (portion a p) (portion b p)) (= a b)))`;

export const RULES = [
  "OneOpen",
  "CountInside",
  "WriteFirst",
  "LastLook",
  "PostOnce",
  "TakesTime",
  "LedgerTime",
  "AbsentExplains",
  "LateWaits",
  "Uncertain",
  "HaltedBills",
  "ProvenMissing",
  "VanishedExplains",
  "GiveFree",
  "LowerFirst",
  "ReceiveOnce",
] as const;
