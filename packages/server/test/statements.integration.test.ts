import { putRecord } from "@bursar/core/engine/Records"
import * as Writer from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { Operation } from "@bursar/core/operation/Operation"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { StatementLine } from "@bursar/core/reconciliation/statement/StatementLine"
import { Statement } from "@bursar/core/reconciliation/statement/Statement"
import { layerOver, type State } from "@bursar/memory"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hashToken } from "../src/keys/operatorTokens.ts"
import { Operator } from "./support/Operator.ts"
import { type Answer, portsOver } from "./support/Partner.ts"
import { stored } from "./support/stored.ts"

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const operators = (["viewer", "operator", "approver"] as const).map((role) => ({
  name: role,
  role,
  tokenHash: hashToken(tokenOf(role)),
  expiresAt: null
}))

const { provider } = makeFakeFiat(() => assert.fail("nothing is ordered"), "bridge")

const ports = (state: State) => Layer.merge(portsOver(state), Layer.succeed(FiatProvider, provider))

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layerWith({ operators }, ports)))

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const place = "bank:bridge"

const lineOf = (id: string, amount = "-40.5", more: object = {}) => ({
  id,
  at: "2026-11-23T13:34:56Z",
  amount: { amount, currency: "EUR" },
  references: ["ref-1"],
  text: "SEPA transfer",
  ...more
})

const partOf = (more: object = {}) => ({
  place,
  id: "2026-11",
  currencies: ["EUR"],
  from: "2026-11-01T00:00:00Z",
  to: "2026-12-01T00:00:00Z",
  parts: 1,
  digest: "a".repeat(64),
  part: 0,
  lines: [lineOf("1")],
  ...more
})

/** A transfer that the provider calls `ref-1`, with a token for each role. */
const setUp = Effect.gen(function* () {
  const { operate, state } = yield* Operator
  const order = yield* Effect.gen(function* () {
    const { id } = yield* newTenant()
    const [put] = yield* (yield* Writer.Writer).submit(
      id,
      writing((view) => [
        putRecord(Operation, bareOperation(view, { kind: "OFF_RAMP", provider: "bridge", providerReference: "ref-1" }))
      ])
    )
    return put?.record ?? assert.fail("nothing was written")
  }).pipe(Effect.provide(Writer.layer), Effect.provide(layerOver(state)))
  const as = (role: string, method: "GET" | "POST", path: string, body?: unknown) =>
    operate(method, `/operator/v1/reconciliation${path === "" ? "" : `/${path}`}`, {
      key: tokenOf(role),
      ...(body === undefined ? {} : { body })
    })
  const send = (body: unknown) => as("approver", "POST", "statements", body)
  const linesKept = () => [...stored(state, fleetTenantId, StatementLine).values()]
  return { as, linesKept, order, send, state }
})

test(
  "an approver imports a statement in parts, each as often as wanted, and sees what its lines are about",
  Effect.gen(function* () {
    const { as, order, send } = yield* setUp
    const two = { parts: 2 }
    const first = partOf({ ...two, lines: [lineOf("ref-1"), lineOf("2", "7")] })
    const second = partOf({ ...two, part: 1, lines: [lineOf("3", "0.01", { references: [] })] })
    assert.deepStrictEqual((yield* send(first)).body, { added: 2, known: 0, missing_parts: 1 })
    assert.deepStrictEqual((yield* send(first)).body, { added: 0, known: 2, missing_parts: 1 })
    assert.deepStrictEqual((yield* send(second)).body, { added: 1, known: 0, missing_parts: 0 })
    assert.deepStrictEqual((yield* send(second)).body, { added: 0, known: 1, missing_parts: 0 })

    const { body: listed } = yield* as("viewer", "GET", `statements?place=${place}`)
    const [one, ...others] = listed.statements
    assert.deepStrictEqual(others, [])
    const { imported_at, ...rest } = one
    assert.isNotEmpty(imported_at)
    assert.deepStrictEqual(rest, {
      place,
      id: "2026-11",
      currencies: ["EUR"],
      from: "2026-11-01T00:00:00.000Z",
      to: "2026-12-01T00:00:00.000Z",
      parts: 2,
      missing_parts: 0,
      compared_to: "2026-11-01T00:00:00.000Z",
      imported_by: "approver"
    })
    const about = yield* as("viewer", "GET", `statement-lines?place=${place}&operation_id=${order.id}`)
    assert.deepStrictEqual(about.body.lines, [
      {
        ...lineOf("ref-1"),
        at: "2026-11-23T13:34:56.000Z",
        place,
        statement: "2026-11",
        operation_id: order.id,
        tenant_id: order.tenantId
      }
    ])
    // what a line only says is looked into later
    const unknown = yield* as("viewer", "GET", `statement-lines?place=${place}`)
    assert.sameMembers(
      unknown.body.lines.map(({ id }: { readonly id: string }) => id),
      ["2", "3"]
    )
  })
)

test(
  "a batch that one statement tells in parts and another as one line is known, whichever comes first",
  Effect.gen(function* () {
    const { send } = yield* setUp
    const whole = (id: string) => lineOf(id, "9")
    const inParts = (id: string) => {
      const entry = { id, amount: { amount: "9", currency: "EUR" } }
      return [lineOf(`${id}/1`, "4", { entry }), lineOf(`${id}/2`, "5", { entry })]
    }
    const counts = (id: string, ...lines: ReadonlyArray<ReturnType<typeof lineOf>>) =>
      Effect.map(send(partOf({ id, lines })), ({ body: { added, known } }) => [added, known])
    assert.deepStrictEqual(yield* counts("day", whole("A"), ...inParts("B")), [3, 0])
    assert.deepStrictEqual(yield* counts("month", ...inParts("A"), whole("B")), [0, 3])
  })
)

test(
  "entries that two statements give the same number are two lines, and each is known when it comes again",
  Effect.gen(function* () {
    const { linesKept, send } = yield* setUp
    const own = lineOf("1", "7", { of_statement: true })
    const [november, other] = [partOf({ lines: [own] }), partOf({ id: "other", lines: [own] })]
    for (const one of [november, other])
      for (const added of [1, 0])
        assert.deepStrictEqual((yield* send(one)).body, { added, known: 1 - added, missing_parts: 0 })
    assert.sameMembers(
      linesKept().map(({ id }) => id),
      ["2026-11:1", "other:1"]
    )
    const alike = [own, lineOf("third:1", "8")]
    assert.deepStrictEqual(codeOf(yield* send(partOf({ id: "third", lines: alike }))), [422, "invalid_request"])
  })
)

test(
  "an operator stops a provider's place alone, and an approver lets it go on",
  Effect.gen(function* () {
    const { as } = yield* setUp
    const stops = Effect.map(as("viewer", "GET", ""), ({ body }) => body.stops)
    const reason = { reason: "a transfer was booked twice" }
    assert.deepStrictEqual(codeOf(yield* as("viewer", "POST", `places/${place}/stop`, reason)), [403, "scope_missing"])
    assert.strictEqual((yield* as("operator", "POST", `places/${place}/stop`, {})).status, 422)
    assert.deepStrictEqual(codeOf(yield* as("operator", "POST", "places/bank:nobody/stop", reason)), [404, "not_found"])
    const stopped = yield* as("operator", "POST", `places/${place}/stop`, reason)
    assert.deepStrictEqual(stopped.body.stops, yield* stops)
    const [one, ...others] = stopped.body.stops
    assert.deepStrictEqual(others, [])
    assert.deepInclude(one, { stopped: place, by: "operator", ...reason })
    // coins on a network are stopped with their network
    yield* as("operator", "POST", "places/chain:ethereum:payouts/stop", reason)
    assert.sameMembers(
      (yield* stops).map((each: { readonly stopped: string }) => each.stopped),
      [place, "ethereum"]
    )
    assert.deepStrictEqual(codeOf(yield* as("operator", "POST", `places/${place}/resume`)), [403, "scope_missing"])
    const another = yield* as("approver", "POST", `places/${place}/resume?stopped_at=2026-11-30T12:00:00Z`)
    assert.deepStrictEqual(codeOf(another), [409, "state_conflict"])
    const resumed = yield* as("approver", "POST", `places/${place}/resume?stopped_at=${one.at}`)
    assert.deepStrictEqual(
      resumed.body.stops.map((each: { readonly stopped: string }) => each.stopped),
      ["ethereum"]
    )
  })
)

test(
  "another statement under a name that is taken, and a line that changes, are refused, and nothing of them is kept",
  Effect.gen(function* () {
    const { linesKept, send } = yield* setUp
    assert.strictEqual((yield* send(partOf())).status, 200)
    const conflict = [409, "state_conflict"]
    assert.deepStrictEqual(codeOf(yield* send(partOf({ digest: "b".repeat(64), lines: [lineOf("9")] }))), conflict)
    assert.deepStrictEqual(codeOf(yield* send(partOf({ to: "2026-12-02T00:00:00Z", lines: [lineOf("9")] }))), conflict)
    const other = { id: "again", digest: "c".repeat(64) }
    for (const changed of [
      lineOf("1", "-40.6"),
      lineOf("1", "40.5"),
      lineOf("1", "-40.5", { at: "2026-11-24T13:34:56Z" })
    ])
      assert.deepStrictEqual(codeOf(yield* send(partOf({ ...other, lines: [lineOf("8"), changed] }))), conflict)
    // the same line on another statement is the same line
    assert.deepStrictEqual((yield* send(partOf(other))).body, { added: 0, known: 1, missing_parts: 0 })
    assert.deepStrictEqual(
      linesKept().map(({ id }) => id),
      ["1"]
    )
  })
)

test(
  "a part that was imported already changes nothing, and is refused with other lines under its digest",
  Effect.gen(function* () {
    const { linesKept, send } = yield* setUp
    assert.deepStrictEqual((yield* send(partOf())).body, { added: 1, known: 0, missing_parts: 0 })
    // same id, same digest, same part: other lines
    const again = yield* send(partOf({ lines: [lineOf("made-up", "40.5", { at: "2026-11-02T00:00:00Z" })] }))
    assert.deepStrictEqual(codeOf(again), [409, "state_conflict"])
    assert.deepStrictEqual((yield* send(partOf({ lines: [] }))).body, { added: 0, known: 0, missing_parts: 0 })
    assert.deepStrictEqual(
      linesKept().map(({ id }) => id),
      ["1"]
    )
  })
)

test(
  "no imported statement takes the name of the one that an interface tells on and on",
  Effect.gen(function* () {
    const { send } = yield* setUp
    const reserved = yield* send(partOf({ id: "interface", to: "2099-01-01T00:00:00Z" }))
    assert.deepStrictEqual(codeOf(reserved), [422, "invalid_request"])
  })
)

test(
  "what cannot be a statement of the place is refused with the reason",
  Effect.gen(function* () {
    const { as, linesKept, send, state } = yield* setUp
    for (const role of ["viewer", "operator"])
      assert.deepStrictEqual(codeOf(yield* as(role, "POST", "statements", partOf())), [403, "scope_missing"])
    const elsewhere = yield* send(partOf({ place: "bank:nobody" }))
    assert.strictEqual(elsewhere.status, 404)
    assert.include(elsewhere.body.error.message, "Providers are at: bank:bridge.")
    const usd = { amount: { amount: "1", currency: "USD" } }
    const cases: ReadonlyArray<readonly [object, string]> = [
      [{ lines: [lineOf("1", "1", { amount: { amount: "1", currency: "XAU" } })] }, "unsupported_asset"],
      [{ lines: [lineOf("1", "1", usd)] }, "invalid_request"],
      [{ lines: [lineOf("1", "0.001")] }, "amount_too_precise"],
      [{ lines: [lineOf("1", "0")] }, "amount_invalid"],
      [{ lines: [lineOf("1", "1e3")] }, "invalid_request"],
      [{ lines: [lineOf("1"), lineOf("1")] }, "invalid_request"],
      [{ lines: [lineOf("1", "1", { at: "2026-12-01T00:00:00Z" })] }, "invalid_request"],
      [{ lines: [lineOf("1", "1", { at: "yesterday" })] }, "invalid_request"],
      [{ from: "2026-12-01T00:00:00Z" }, "invalid_request"],
      [{ part: 1 }, "invalid_request"],
      [{ parts: 0 }, "invalid_request"],
      [{ digest: "a" }, "invalid_request"],
      [{ currencies: [] }, "invalid_request"],
      [{ lines: Array.from({ length: 1_001 }, (_, n) => lineOf(`${n}`)) }, "invalid_request"],
      [{ lines: [lineOf("1", "1", { text: "a".repeat(281) })] }, "invalid_request"],
      [{ lines: [lineOf("1", "1", { account: "DE1" })] }, "unknown_field"]
    ]
    for (const [more, code] of cases) {
      const answer = yield* send(partOf(more))
      assert.strictEqual(answer.body?.error?.code, code, JSON.stringify(more).slice(0, 200))
    }
    assert.strictEqual(linesKept().length, 0)
    assert.strictEqual(stored(state, fleetTenantId, Statement).size, 0)
  })
)

test(
  "a file is read into the requests that import it, by approvers, and nothing of it is kept before they are sent",
  Effect.gen(function* () {
    const { operate, state } = yield* Operator
    const as = (role: string, path: string, body: unknown) =>
      operate("POST", `/operator/v1/reconciliation/${path}`, { key: tokenOf(role), body })
    const file = {
      place,
      format: "csv",
      content: "date,amount,reference\n2026-11-23T13:34:56Z,-40.5,ref-1\n2026-11-24T00:00:00Z,7,\n",
      mapping: { columns: { at: "date", amount: "amount", references: ["reference"] }, currency: "EUR" },
      id: "2026-11",
      from: "2026-11-01T00:00:00Z",
      to: "2026-12-01T00:00:00Z"
    }
    assert.deepStrictEqual(codeOf(yield* as("operator", "statement-files", file)), [403, "scope_missing"])
    for (const wrong of [
      { content: "<!DOCTYPE a><a/>", format: "camt053" },
      { content: "date,amount,reference\n2027-01-01T00:00:00Z,1,\n" },
      { mapping: { columns: { at: "nowhere", amount: "amount" }, currency: "EUR" } },
      { mapping: { columns: {}, robbed: true } }
    ])
      assert.deepStrictEqual(codeOf(yield* as("approver", "statement-files", { ...file, ...wrong })), [
        422,
        "invalid_request"
      ])
    const { id: _, ...nameless } = file
    assert.strictEqual((yield* as("approver", "statement-files", nameless)).status, 422)
    const { body } = yield* as("approver", "statement-files", file)
    const [{ requests }] = body.statements
    assert.deepStrictEqual(
      requests[0].lines.map(({ amount }: { amount: { amount: string } }) => amount.amount),
      ["-40.5", "7"]
    )
    assert.strictEqual(stored(state, fleetTenantId, StatementLine).size, 0)
    const imported = yield* as("approver", "statements", requests[0])
    assert.deepStrictEqual(imported.body, { added: 2, known: 0, missing_parts: 0 })
    const again = yield* as("approver", "statement-files", file)
    assert.deepStrictEqual((yield* as("approver", "statements", again.body.statements[0].requests[0])).body, {
      added: 0,
      known: 2,
      missing_parts: 0
    })
  })
)
