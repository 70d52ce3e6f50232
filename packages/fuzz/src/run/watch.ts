import { Clock, Effect } from "effect"
import type { Call } from "../call/Call.ts"
import { callsMin, inMiB, judgeMemory, type Sample, trendOf } from "../judge/judgeMemory.ts"
import type { Service } from "../service/service.ts"
import type { Answer, Silence } from "../wire/sendBytes.ts"
import type { Finding, Outcome, RunOptions } from "./runCalls.ts"

/** Which interface is called. */
export type Interface = "partners" | "operators"

/** What is to be fuzzed, and how it is told. */
export interface FuzzOptions {
  readonly seed: number
  /** The number of the first call. */
  readonly from: number
  readonly calls: number
  readonly concurrency: number
  readonly isOver: RunOptions["isOver"]
  readonly print: (line: string) => void
}

/** What a run has found. */
export interface Fuzzed {
  readonly outcome: Outcome
  readonly wrong: ReadonlyArray<string>
}

/**
 * How often in a run it is told how far it is, and the heap is looked at: its garbage is collected each time, and everything stands
 * still meanwhile. A run that is too short for what is held to be judged has it looked at once, in its end.
 */
const samplesCount = 20

/** How many findings are told at length. */
const toldMax = 25

/** Of so many calls one may come when the signer of a busy machine does not answer in time. */
const callsPerUnavailable = 400

const replayOf = (to: Interface, seed: number, { index }: Call): string =>
  `npm run fuzz -- --interface ${to} --seed ${seed} --from ${index} --calls 1`

const wordsOf = (replay: string, { answer, call, what }: Finding): string =>
  [
    `${call.operation.name}${call.what === "" ? "" : ` with ${call.what}`}: ${what.join("; ")}`,
    `  again: ${replay}`,
    `  sent: ${JSON.stringify(Buffer.from(call.bytes).toString("latin1").slice(0, 1_500))}`,
    `  heard: ${JSON.stringify(answer).slice(0, 800)}`
  ].join("\n")

const isUnavailable = (answer: Answer | Silence): answer is Answer => answer._tag === "Answer" && answer.status === 503

const judgeAvailability = ({ calls, statuses }: Outcome): ReadonlyArray<string> => {
  const times = [...statuses.values()].reduce((sum, row) => sum + (row.get("503") ?? 0), 0)
  return times > Math.ceil(calls / callsPerUnavailable) ? [`${times} calls were answered 503`] : []
}

/** Watches a run: tells what is found and how far it is, and looks at the heap of the service. */
export const watch = Effect.fnUntraced(function* (
  service: Service,
  to: Interface,
  { calls, print, seed }: FuzzOptions
) {
  const samples: Array<Sample> = []
  const every = Math.max(1, Math.floor(calls / samplesCount))
  const started = yield* Clock.currentTimeMillis
  let done = 0
  let told = 0
  const onCall: RunOptions["onCall"] = Effect.fnUntraced(function* (call, answer, finding) {
    const replay = replayOf(to, seed, call)
    if (finding !== undefined && ++told <= toldMax) print(wordsOf(replay, finding))
    if (isUnavailable(answer)) print(wordsOf(replay, { call, answer, what: ["answered 503"] }))
    if (++done % every !== 0) return
    const seconds = ((yield* Clock.currentTimeMillis) - started) / 1_000
    const progress = `${done} calls in ${seconds.toFixed(0)} s, ${told} findings`
    if (calls < callsMin && done + every <= calls) return print(progress)
    const bytes = yield* Effect.orDie(service.heap)
    samples.push({ calls: done, bytes })
    print(`${progress}, ${inMiB(bytes)} MiB held`)
  })
  /** What a run has come to, by its answers, the service's checker and its memory. */
  const judged = Effect.fnUntraced(function* (outcome: Outcome) {
    const check = yield* service.check
    const { fromMiB, toMiB } = trendOf(samples)
    print(`held after garbage is collected: ${fromMiB} MiB in the middle, ${toMiB} MiB in the end`)
    return [
      ...(outcome.findings.length === 0 ? [] : [`${outcome.findings.length} answers are not right`]),
      ...(check === undefined ? [] : [`bursar check finds: ${check}`]),
      ...judgeAvailability(outcome),
      ...judgeMemory(samples)
    ]
  })
  return { onCall, judged }
})
