import MarkdownIt from "markdown-it";

/**
 * What a page has its reader do, in order. A block of commands is fenced with `sh`, and the next `text` block of its section
 * is its output, whatever sentences stand between. A comment before a block says more; no reader sees it:
 *
 *     <!-- run: stays as agent until page at -->    goes on beside the others, as in a terminal of its own
 *     <!-- run: again until running -->             is repeated until its output has this, and is what the page shows
 *     <!-- run: exits 1 -->                         ends with this exit code
 *     <!-- run: types TEXT -->                      reads this line, as the text says
 *     <!-- run: not here, REASON -->                is not run
 *     <!-- run: file fleet.yaml -->                 is the content of that file (any language)
 *     <!-- run: shows agent -->                     is what the one that stays comes to print
 *     <!-- run: nothing from here on, REASON -->    stands alone: the page is followed no further
 *     <!-- run: Ctrl-C in agent -->                 stands alone, where the text says so
 *     <!-- run: given a service -->                 stands alone, where a page goes on from an earlier one: see GIVEN
 */
export type Step = { readonly line: number } & (
  | { readonly kind: "run"; readonly script: string; readonly how: How; readonly output: string | undefined }
  | { readonly kind: "file"; readonly name: string; readonly content: string }
  | { readonly kind: "shows"; readonly name: string; readonly output: string }
  | { readonly kind: "interrupt"; readonly name: string }
);

type How =
  | { readonly kind: "ends"; readonly code: number; readonly typed?: string }
  | { readonly kind: "again"; readonly until: string }
  | { readonly kind: "stays"; readonly name: string; readonly until: string };

const ENDS: Extract<How, { kind: "ends" }> = { kind: "ends", code: 0 };

const SIMULATE = "npx fleetkeeper simulate --port 4010 --control-port 4011 --speed 20";
const FOLDER = "mkdir -p .fleetkeeper/try && cd .fleetkeeper/try";
const SERVICE = [
  staying("simulate", SIMULATE, "Ctrl-C ends it"),
  ending(`${FOLDER}\nexport FLEETKEEPER_API_KEY=simulator-key FLEETKEEPER_LEDGER=./ledger.db`),
];

/** Where most pages begin: what docs/start leaves its reader with. */
const GIVEN: Readonly<Record<string, readonly Given[]>> = {
  "given a service": SERVICE,
  "given a service that nobody described": [
    staying("simulate", `${SIMULATE} --dialect camel`, "Ctrl-C ends it"),
  ],
  "given a fleet": [...SERVICE, ending(init("exclusive"))],
  "given a service, a database and their settings": [
    staying("simulate", SIMULATE, "Ctrl-C ends it"),
    ending(`${FOLDER}
cp ../../profiles/simulated-plain/profile.yaml acme.profile.yaml
mkdir -p /etc/fleetkeeper && echo simulator-key > /run/secrets/gpu-key && chmod 600 /run/secrets/gpu-key
export FLEETKEEPER_HTTP=127.0.0.1:9470
printf 'fleets:\n  - name: training\n    gpus: 8\n    select: { gpuModel: h100-80gb }\n' > fleet.yaml`),
  ],
  "given the program of a stack": [
    ending(`cp -r ../../examples/deployment ../stack && cp acme.profile.yaml /etc/fleetkeeper/ledger-url ../stack && cd ../stack
export PULUMI_BACKEND_URL=file://~ PULUMI_CONFIG_PASSPHRASE=example
pulumi stack init dev`),
  ],
  "given an agent": [...SERVICE, ...agent("exclusive")],
  "given an agent on a shared account": [...SERVICE, ...agent("shared")],
};

type Given = Omit<Extract<Step, { kind: "run" }>, "line">;

function ending(script: string): Given {
  return { kind: "run", script: `${script}\n`, how: ENDS, output: undefined };
}

function staying(name: string, script: string, until: string): Given {
  return { kind: "run", script: `${script}\n`, how: { kind: "stays", name, until }, output: undefined };
}

function agent(account: "exclusive" | "shared"): readonly Given[] {
  const look = "npx fleetkeeper status 2>&1 || true\n";
  return [
    ending(init(account)),
    staying("agent", "npx fleetkeeper agent --http 127.0.0.1:9470", "status page"),
    { kind: "run", script: look, how: { kind: "again", until: "16 of 16 GPUs running" }, output: undefined },
  ];
}

function init(account: "exclusive" | "shared"): string {
  return `npx fleetkeeper init --yes --base-url http://127.0.0.1:4010 --account ${account} --fleet training --gpus 16 \
    --gpu-model h100-80gb --profile ../../profiles/simulated-plain/profile.yaml`;
}

/** @throws Error for a comment that it does not know or that has no block, and for an output without its commands */
export function stepsOf(page: string): readonly Step[] {
  const tokens = new MarkdownIt({ html: true }).parse(page, {});
  const steps: Step[] = [];
  let said: string | undefined;
  /** Whose output a block of text would be. */
  let printing: "the last step" | "what is not run" | undefined;
  for (const { type, content, info, map } of tokens) {
    const line = (map?.[0] ?? 0) + 1;
    const [, comment] = type === "html_block" ? (/^<!-- run: (.+?) -->\s*$/s.exec(content) ?? []) : [];
    if (comment !== undefined) {
      if (said !== undefined) throw new Error(`line ${line}: "run: ${said}" has no block`);
      const [, name] = /^Ctrl-C in (\S+)$/.exec(comment) ?? [];
      const given = GIVEN[comment];
      if (comment.startsWith("nothing from here on, ")) return steps;
      if (name !== undefined) steps.push({ kind: "interrupt", name, line });
      else if (given) steps.push(...given.map((each) => ({ ...each, line })));
      else said = comment;
    }
    if (type === "heading_open") printing = undefined;
    if (type !== "fence") continue;
    if (info.trim() === "") throw new Error(`line ${line}: a block says what it is: sh, text, yaml ...`);
    const isSkipped = said?.startsWith("not here, ") ?? false;
    const step = isSkipped ? undefined : stepOf(info.trim(), content, said, line);
    const last = steps.at(-1);
    if (step) steps.push(step);
    else if (said !== undefined && !isSkipped)
      throw new Error(`line ${line}: "run: ${said}" does not fit a block of ${info}`);
    else if (info.trim() === "text" && !isSkipped) {
      if (printing === undefined)
        throw new Error(`line ${line}: no block of commands in this section has this output`);
      if (printing === "the last step" && last?.kind === "run")
        steps[steps.length - 1] = { ...last, output: content };
    }
    if (step?.kind === "run") printing = "the last step";
    else if (isSkipped && info.trim() === "sh") printing = "what is not run";
    else if (step || info.trim() === "text") printing = undefined;
    said = undefined;
  }
  if (said !== undefined) throw new Error(`"run: ${said}" has no block`);
  return steps;
}

function stepOf(language: string, content: string, said: string | undefined, line: number): Step | undefined {
  const [, file] = /^file (\S+)$/.exec(said ?? "") ?? [];
  if (file !== undefined) return { kind: "file", name: file, content, line };
  const [, shown] = /^shows (\S+)$/.exec(said ?? "") ?? [];
  if (shown !== undefined) return { kind: "shows", name: shown, output: content, line };
  return language === "sh"
    ? { kind: "run", script: content, how: how(said, line), output: undefined, line }
    : undefined;
}

function how(said: string | undefined, line: number): How {
  if (said === undefined) return ENDS;
  const [, code] = /^exits (\d+)$/.exec(said) ?? [];
  if (code !== undefined) return { kind: "ends", code: Number(code) };
  const [, typed] = /^types (.+)$/.exec(said) ?? [];
  if (typed !== undefined) return { ...ENDS, typed };
  const [, again] = /^again until (.+)$/.exec(said) ?? [];
  if (again !== undefined) return { kind: "again", until: again };
  const [, name, until] = /^stays as (\S+) until (.+)$/.exec(said) ?? [];
  if (name !== undefined && until !== undefined) return { kind: "stays", name, until };
  throw new Error(`line ${line}: "run: ${said}" is not known`);
}
