import { Effect } from "effect"
import { buildCall } from "../call/buildCall.ts"
import type { Call } from "../call/Call.ts"
import { type Contract, readContract } from "../contract/Contract.ts"
import { type Entry, judgeEffects, readRegister } from "../judge/judgeEffects.ts"
import { judgeFeed, readFeed } from "../judge/judgeFeed.ts"
import { type Caller, callerOf } from "../isolation/Caller.ts"
import { checkIsolation } from "../isolation/checkIsolation.ts"
import { checkOperators } from "../isolation/checkOperators.ts"
import { type Furnished, furnish } from "../isolation/furnish.ts"
import { publishSolvency } from "../isolation/publishSolvency.ts"
import { insist, NotReady } from "../service/ask.ts"
import { openPartner } from "../service/people.ts"
import { ownPrograms, type Programs, type Service, startService } from "../service/service.ts"
import { runCalls } from "./runCalls.ts"
import { type Fuzzed, type FuzzOptions, watch } from "./watch.ts"
import type { Answer, Silence } from "../wire/sendBytes.ts"

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
export const openStage = Effect.fn("fuzz.openStage")(function* (calls: number, programs: Programs = ownPrograms) {
  const service = yield* startService(programs)
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

/** What calls have told of operations that they made. */
const makeLedger = () => {
  const made = new Map<string, Set<string>>()
  const silent = new Set<string>()
  const of = (tenant: string) => {
    const set = made.get(tenant) ?? new Set()
    made.set(tenant, set)
    return set
  }
  const note = ({ caller, draft, unique }: Call, answer: Answer | Silence) => {
    if (answer._tag === "Silence") silent.add(unique)
    // swaps, withdrawals, transfers, payouts: the operations of the register are what is made by a POST with a status
    else if (draft.method === "POST" && answer.status === 201) {
      const body = JSON.parse(answer.body)
      if (typeof body.id === "string" && body.amount !== undefined) of(caller).add(body.id)
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

/** Makes calls of partners, and has judges look at each answer, and in the end at the books, the feed and the memory. */
export const fuzz = Effect.fn("fuzz.fuzz")(function* (
  { contract, service, tenants: [one, two] }: Stage,
  options: FuzzOptions
) {
  const url = service.handshake.partner_url
  const callers = [one.caller, two.caller] as const
  const before = yield* Effect.forEach(callers, (caller) => readRegister(contract, caller))
  const ledger = makeLedger()
  const { judged, onCall } = yield* watch(service, "partners", options)
  const setting = { contract, partners: [one.caller.partner, two.caller.partner] as const, seed: options.seed, url }
  const outcome = yield* runCalls(
    { contract, url, build: (index) => buildCall(setting, index) },
    {
      ...options,
      onCall: (call, answer, finding) => {
        ledger.note(call, answer)
        return onCall(call, answer, finding)
      }
    }
  )
  const books = yield* Effect.forEach(callers, (caller, index) =>
    judgeBooks(contract, caller, before[index] ?? [], ledger)
  )
  const fuzzed: Fuzzed = { outcome, wrong: [...books.flat(), ...(yield* judged(outcome))] }
  return fuzzed
})
