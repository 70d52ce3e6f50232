import { Effect } from "effect"
import type { Contract } from "../contract/Contract.ts"
import { makeSchemaChecks } from "../contract/schemaChecks.ts"
import { recordsIn } from "../generate/kinds.ts"
import { makeAnswerJudge } from "../judge/judgeAnswer.ts"
import { type Answer, sendBytes, type Silence } from "../wire/sendBytes.ts"
import type { Call } from "../call/Call.ts"

/** What a judge has against an answer. */
export interface Finding {
  readonly call: Call
  readonly answer: Answer | Silence
  readonly what: ReadonlyArray<string>
}

/** What came of some calls. */
export interface Outcome {
  readonly calls: number
  /** How often each status came, by operation. */
  readonly statuses: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** How often each thing was broken. */
  readonly broken: ReadonlyMap<string, number>
  readonly findings: ReadonlyArray<Finding>
}

/** Which calls, how many at once, and what is done after each. */
export interface RunOptions {
  readonly from: number
  readonly calls: number
  readonly concurrency: number
  /** Whether no further call is to be made: those under way are waited for, and what has been done is judged. */
  readonly isOver: () => boolean
  readonly onCall: (call: Call, answer: Answer | Silence, finding: Finding | undefined) => Effect.Effect<void>
}

/** How long an answer may take, also that of a check of all books on a busy machine. Beyond it a worker hangs somewhere. */
const patienceMs = 120_000

/** How long is waited for an answer to what is no whole request. */
const brokenPatienceMs = 1_500

/** The lists that go on by a cursor. */
const withCursor: ReadonlySet<string> = new Set(["/v1/register", "/operator/v1/operations"])

const learn = ({ resolve }: Contract, { draft, known, operation }: Call, answer: Answer): void => {
  const schema = operation.responses.get(String(answer.status))?.schema ?? null
  if (answer.status >= 300 || schema === null || draft.method !== operation.method) return
  const body: unknown = JSON.parse(answer.body)
  for (const [kind, id] of recordsIn({ ...schema }, body, (one) => ({ ...resolve(one) }))) known.learn(kind, id)
  const cursor = withCursor.has(operation.path) ? Reflect.get(Object(body), "next_cursor") : undefined
  if (typeof cursor === "string") known.learn("cursor", cursor)
  const key = draft.headers.find(([name]) => name === "idempotency-key")?.[1]
  if (operation.keyed && key !== undefined) known.learn("key", key)
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

/** Where calls go, by which contract, and how the one of a number is made. */
export interface Calling {
  readonly contract: Contract
  readonly url: string
  readonly build: (index: number) => Effect.Effect<Call>
}

/** Makes calls, learns from the answers, and has each judged. */
export const runCalls = Effect.fnUntraced(function* (
  { build, contract, url }: Calling,
  { calls, concurrency, from, isOver, onCall }: RunOptions
) {
  const judge = makeAnswerJudge(contract, makeSchemaChecks(contract))
  const statuses = new Map<string, Map<string, number>>()
  const broken = new Map<string, number>()
  const findings: Array<Finding> = []
  let next = from
  const one = Effect.gen(function* () {
    const index = next++
    const call = yield* build(index)
    const { bytes, draft, from: address } = call
    const waits = draft.allows === "transport" ? brokenPatienceMs : patienceMs
    const answer = yield* sendBytes({ url, from: address, bytes, patienceMs: waits })
    const what = judge(call, answer)
    const finding = what.length === 0 ? undefined : { call, answer, what }
    if (finding !== undefined) findings.push(finding)
    else if (answer._tag === "Answer") learn(contract, call, answer)
    const row = statuses.get(call.operation.name) ?? new Map<string, number>()
    statuses.set(call.operation.name, row)
    count(row, answer._tag === "Answer" ? String(answer.status) : "none")
    if (call.what !== "") count(broken, call.what)
    yield* onCall(call, answer, finding)
  })
  const worker = Effect.whileLoop({ while: () => next < from + calls && !isOver(), body: () => one, step: () => {} })
  yield* Effect.all(
    Array.from({ length: concurrency }, () => worker),
    { concurrency: "unbounded", discard: true }
  )
  const outcome: Outcome = { calls: next - from, statuses, broken, findings }
  return outcome
})
