import { readFileSync } from "node:fs"
import { type Answer, type Call, refusal, result } from "./FakeNode.ts"

/** A question that was put to a node, and its answer. */
export interface Asked {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  /** Of HTTP. */
  readonly status: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** One step of a recording: the node's clock was set (in seconds), a block was added to its chain, or it was asked. */
export type Step = { readonly at: number } | { readonly block: string } | Asked

/** A part of a recording in which no question has two answers. */
export interface Phase {
  readonly name: string
  readonly steps: ReadonlyArray<Step>
}

/** What a node answered, and which node it was. */
export interface Recording {
  readonly origin: { readonly client: string; readonly network: string; readonly recorded: string; readonly by: string }
  readonly phases: ReadonlyArray<Phase>
}

/** A recording of `test/recorded`. */
export const recording = (name: "transactions" | "states"): Recording =>
  // Our own script wrote it.
  JSON.parse(readFileSync(new URL(`../recorded/${name}.json`, import.meta.url), "utf8")) as Recording

/** The phase of a name. Throws where there is none. */
export const phaseOf = ({ phases }: Recording, name: string): Phase => {
  const found = phases.find((phase) => phase.name === name)
  if (found === undefined) throw new Error(`nothing was recorded of ${name}`)
  return found
}

/** The questions of a phase, in their order. */
export const askedIn = ({ steps }: Phase): ReadonlyArray<Asked> => steps.filter((step) => "method" in step)

const isSame = (asked: Asked, { method, params }: Pick<Call, "method" | "params">): boolean =>
  asked.method === method && JSON.stringify(asked.params) === JSON.stringify(params)

const find = (phase: Phase, asked: Pick<Call, "method" | "params">): Asked | undefined =>
  askedIn(phase).find((one) => isSame(one, asked))

/** What was answered to a question in a phase, the first time it was asked. Throws where it was not asked. */
export const answerOf = (phase: Phase, method: string, ...params: ReadonlyArray<unknown>): Asked => {
  const found = find(phase, { method, params })
  if (found === undefined) throw new Error(`${method} ${JSON.stringify(params)} was not recorded in ${phase.name}`)
  return found
}

/** A node that answers as the recorded one did in a phase, and knows no other question. */
export const playing =
  (phase: Phase) =>
  (call: Call): Answer => {
    const found = find(phase, call)
    if (found === undefined) return refusal(call, -32_601, `${JSON.stringify(call)} was not recorded in ${phase.name}`)
    const { error, result: value } = found
    return error === undefined ? result(call, value) : refusal(call, error.code, error.message)
  }
