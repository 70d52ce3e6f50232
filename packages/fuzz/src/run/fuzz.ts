import { Clock, Effect } from "effect"
import { type Contract, readContract } from "../contract/Contract.ts"
import { type Entry, judgeEffects, readRegister } from "../judge/judgeEffects.ts"
import { judgeFeed, readFeed } from "../judge/judgeFeed.ts"
import { judgeMemory, type Sample, trendOf } from "../judge/judgeMemory.ts"
import { type Caller, callerOf } from "../isolation/Caller.ts"
import { checkIsolation } from "../isolation/checkIsolation.ts"
import { checkOperators } from "../isolation/checkOperators.ts"
import { type Furnished, furnish } from "../isolation/furnish.ts"
import { publishSolvency } from "../isolation/publishSolvency.ts"
import { insist, NotReady } from "../service/ask.ts"
import { openPartner } from "../service/people.ts"
import { type Service, startService } from "../service/service.ts"
import type { Call } from "../call/buildCall.ts"
import { type Finding, type Outcome, runCalls, type RunOptions } from "./runCalls.ts"
import type { Answer, Silence } from "../wire/sendBytes.ts"

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

/** A service with two tenants that have something of everything. */
export interface Stage {
  readonly service: Service
  readonly contract: Contract
  readonly tenants: readonly [Furnished, Furnished]
}

/** A key may write 120 times a minute: so many calls share one. */
const callsPerKey = 150

const keysMax = 400

/** Starts a service, gives two of its tenants one of everything, and proves to both what is there for them. */
export const openStage = Effect.fn("fuzz.openStage")(function* (calls: number) {
  const service = yield* startService
  const { partner_url: url, tenants } = service.handshake
  const contract = readContract((yield* insist("GET", `${url}/openapi.json`)).body)
  const keys = Math.min(keysMax, 6 + Math.ceil(calls / callsPerKey))
  const open = (index: number) =>
    Effect.gen(function* () {
      const tenant = tenants[index]
      if (tenant === undefined) return yield* new NotReady({ message: "the service has too few tenants" })
      const partner = yield* openPartner(service, tenant, keys)
      return yield* furnish(contract, service, callerOf(url, partner))
    })
  const stage: Stage = { service, contract, tenants: yield* Effect.all([open(0), open(1)], { concurrency: 2 }) }
  yield* publishSolvency(service)
  return stage
})

/** The command that makes a call again. */
export const replayOf = (seed: number, { index }: Call): string =>
  `npm run fuzz -- --seed ${seed} --from ${index} --calls 1`

const wordsOf = (seed: number, { answer, call, what }: Finding): string =>
  [
    `${call.operation.name}${call.what === "" ? "" : ` with ${call.what}`}: ${what.join("; ")}`,
    `  again: ${replayOf(seed, call)}`,
    `  sent: ${JSON.stringify(Buffer.from(call.bytes).toString("latin1").slice(0, 1_500))}`,
    `  heard: ${JSON.stringify(answer).slice(0, 800)}`
  ].join("\n")

/** What a run has found. */
export interface Fuzzed {
  readonly outcome: Outcome
  readonly wrong: ReadonlyArray<string>
}

/** Of so many calls one may come when the signer of a busy machine does not answer in time. */
const callsPerUnavailable = 400

const isUnavailable = (answer: Answer | Silence): answer is Answer => answer._tag === "Answer" && answer.status === 503

const judgeAvailability = ({ calls, statuses }: Outcome): ReadonlyArray<string> => {
  const times = [...statuses.values()].reduce((sum, row) => sum + (row.get("503") ?? 0), 0)
  return times > Math.ceil(calls / callsPerUnavailable) ? [`${times} calls were answered 503`] : []
}

/** How many findings are told at length. */
const toldMax = 25

/** What calls have told of operations that they made. */
const makeLedger = () => {
  const made = new Map<string, Set<string>>()
  const silent = new Set<string>()
  const of = (tenant: string) => {
    const set = made.get(tenant) ?? new Set()
    made.set(tenant, set)
    return set
  }
  const note = ({ draft, partner, unique }: Call, answer: Answer | Silence) => {
    if (answer._tag === "Silence") silent.add(unique)
    // swaps, withdrawals, transfers, payouts: the operations of the register are what is made by a POST with a status
    else if (draft.method === "POST" && answer.status === 201) {
      const body = JSON.parse(answer.body)
      if (typeof body.id === "string" && body.amount !== undefined) of(partner.slug).add(body.id)
    }
  }
  return { note, of, silent }
}

const judgeBooks = Effect.fnUntraced(function* (
  contract: Contract,
  caller: Caller,
  before: ReadonlyArray<Entry>,
  ledger: ReturnType<typeof makeLedger>
) {
  const after = yield* readRegister(contract, caller)
  const events = yield* readFeed(contract, caller)
  const told = { made: ledger.of(caller.partner.slug), silent: ledger.silent }
  return [...judgeEffects(before, after, told), ...judgeFeed(after, events)]
})

/** Checks that the two tenants of a service are kept apart. */
export const isolate = Effect.fn("fuzz.isolate")(function* ({ contract, service, tenants: [one, two] }: Stage) {
  const partners = yield* checkIsolation(contract, one, two)
  const operators = [yield* checkOperators(service, one, two), yield* checkOperators(service, two, one)]
  const all = [partners, ...operators]
  return { cases: all.reduce((sum, { cases }) => sum + cases, 0), wrong: all.flatMap(({ wrong }) => wrong) }
})

/** Makes calls on a service and has judges look at each answer, and in the end at the books, the feed and the memory. */
export const fuzz = Effect.fn("fuzz.fuzz")(function* (
  { contract, service, tenants: [one, two] }: Stage,
  { calls, concurrency, from, isOver, print, seed }: FuzzOptions
) {
  const url = service.handshake.partner_url
  const callers = [one.caller, two.caller] as const
  const before = yield* Effect.forEach(callers, (caller) => readRegister(contract, caller))
  const ledger = makeLedger()
  const samples: Array<Sample> = []
  const every = Math.max(1, Math.floor(calls / 100))
  const started = yield* Clock.currentTimeMillis
  let done = 0
  let told = 0
  const onCall = Effect.fnUntraced(function* (call: Call, answer: Answer | Silence, finding: Finding | undefined) {
    ledger.note(call, answer)
    if (finding !== undefined && ++told <= toldMax) print(wordsOf(seed, finding))
    if (isUnavailable(answer)) print(`${replayOf(seed, call)} was answered 503: ${answer.body.slice(0, 300)}`)
    if (++done % every !== 0) return
    samples.push({ calls: done, bytes: yield* service.memory })
    if (done % (every * 10) !== 0) return
    const seconds = ((yield* Clock.currentTimeMillis) - started) / 1_000
    print(`${done} calls in ${seconds.toFixed(0)} s, ${told} findings, ${trendOf(samples).toMiB} MiB`)
  })
  const setting = { contract, partners: [one.caller.partner, two.caller.partner] as const, seed, url }
  const outcome = yield* runCalls(setting, { from, calls, concurrency, isOver, onCall })
  const books = yield* Effect.forEach(callers, (caller, index) =>
    judgeBooks(contract, caller, before[index] ?? [], ledger)
  )
  const check = yield* service.check
  const { fromMiB, toMiB } = trendOf(samples)
  print(`memory after the warm-up: ${fromMiB} MiB, in the end ${toMiB} MiB`)
  const fuzzed: Fuzzed = {
    outcome,
    wrong: [
      ...(outcome.findings.length === 0 ? [] : [`${outcome.findings.length} answers are not right`]),
      ...books.flat(),
      ...(check === undefined ? [] : [`bursar check finds: ${check}`]),
      ...judgeAvailability(outcome),
      ...judgeMemory(samples)
    ]
  }
  return fuzzed
})
