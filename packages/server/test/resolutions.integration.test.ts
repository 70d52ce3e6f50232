import { stored } from "./support/stored.ts"
import { inspect } from "node:util"
import { of } from "@bursar/core/money/Amount"
import { operationKinds, operationStatuses, Operation } from "@bursar/core/operation/Operation"
import { done } from "@bursar/core/port/ProviderResult"
import { resolvableKinds, Resolution } from "@bursar/core/resolution/Resolution"
import { recordSwap } from "@bursar/core/swap/recordSwap"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"
import { settings } from "./support/Partner.ts"
import { startSilentProviders, type Ordered, ordered, type Silence, silentServers } from "./support/SilentProviders.ts"
import { putRecord } from "@bursar/core/engine/Records"

const { currencies } = settings

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const test = <A, E>(name: string, body: (silence: Silence) => Effect.Effect<A, E, Operator>, working = true) =>
  it.live(
    name,
    () => {
      const silence: Silence = {
        says: new Map(),
        proof: { verdict: "UNREADABLE", reason: "not told" },
        parts: new Map(),
        working
      }
      return Effect.provide(body(silence), silentServers(silence))
    },
    60_000
  )

const failed = {
  outcome: "FAILED",
  basis: "PROVIDER",
  reference: "Ticket 4711",
  source: "Their support",
  statement: "It never left."
}

const euro = (amount: string) => ({ amount, currency: "EUR" })

/** What is said where it settled, by kind. */
const settled = {
  WITHDRAWAL: { provider_reference: "W-1", network_fee: { amount: "1", currency: "USDC_BASE", borne_by: "SERVICE" } },
  SWAP: { provider_reference: "S-1", received: { amount: "0.04", currency: "ETH" } },
  BANK_TRANSFER: { provider_reference: "B-1", received: euro("100") },
  ON_RAMP: { provider_reference: "O-1", received: euro("99") }
} as const satisfies Readonly<Record<Ordered, object>>

/** What is available and held afterwards. */
const floats = {
  WITHDRAWAL: { USDC_BASE: ["899", "0"], EUR: ["1000", "0"] },
  SWAP: { USDC_BASE: ["899", "0"], EUR: ["1000", "0"], ETH: ["0.04", "0"] },
  BANK_TRANSFER: { USDC_BASE: ["1000", "0"], EUR: ["899", "0"] },
  ON_RAMP: { USDC_BASE: ["1000", "0"], EUR: ["1098.01", "0"] }
} as const satisfies Readonly<Record<Ordered, object>>

const untouched = { USDC_BASE: ["1000", "0"], EUR: ["1000", "0"] }

describe("an order of which its provider says nothing", () => {
  for (const kind of ordered) {
    test(`a ${kind} that did not happen is given back by two operators, and by no one alone`, () =>
      Effect.gen(function* () {
        const { as, ask, float, key, shown, sound, state, tenant, unanswered } = yield* startSilentProviders
        const id = yield* unanswered(kind)
        const before = yield* float
        const path = `/operations/${id}`
        const legs = () => state.tenants.get(tenant)?.legs.length
        const posted = legs()

        assert.deepStrictEqual(codeOf(yield* as("vera", "POST", `${path}/resolve`, failed)), [403, "scope_missing"])
        const proposed = yield* as("anna", "POST", `${path}/resolve`, failed)
        assert.strictEqual(proposed.status, 200, proposed.text)
        const [{ id: resolution }] = proposed.body.resolutions
        assert.deepStrictEqual([proposed.body.unresolved, legs(), yield* float], [true, posted, before])
        assert.deepStrictEqual(codeOf(yield* as("ben", "POST", `${path}/resolve`, failed)), [409, "state_conflict"])

        const approve = (name: string) => as(name, "POST", `${path}/resolutions/${resolution}/approve`)
        assert.deepStrictEqual(codeOf(yield* approve("otto")), [403, "scope_missing"])
        assert.deepStrictEqual(codeOf(yield* approve("anna")), [409, "state_conflict"])
        assert.deepStrictEqual([legs(), yield* float], [posted, before])

        const approved = yield* approve("ben")
        assert.strictEqual(approved.status, 200, approved.text)
        assert.deepInclude(approved.body, { status: "FAILED", unresolved: false, contradiction: null })
        assert.isNull(approved.body.provider_reference)
        assert.deepInclude(approved.body.resolutions[0], { state: "APPLIED", proposed_by: "anna", decided_by: "ben" })
        assert.deepStrictEqual(codeOf(yield* approve("ben")), [409, "state_conflict"])
        assert.deepStrictEqual(yield* float, untouched)
        const told = (yield* shown(id)).timeline.map(({ by, what }: { by: string | null; what: string }) => [what, by])
        assert.deepInclude(told, ["resolution_proposed", "anna"])
        assert.deepInclude(told, ["resolution_applied", "ben"])
        const { body } = yield* ask("GET", "/v1/events", { key })
        const kinds = body.events.map((event: { kind: string }) => event.kind.split(".")[1])
        assert.deepStrictEqual(kinds, ["unresolved", "failed"])
        yield* sound
      }))

    test(`a ${kind} that did happen is settled by what its provider states, to the last unit`, () =>
      Effect.gen(function* () {
        const { as, float, sound, unanswered } = yield* startSilentProviders
        const id = yield* unanswered(kind)
        const statement = { ...failed, outcome: "SETTLED", statement: "It was done.", ...settled[kind] }
        const proposed = yield* as("otto", "POST", `/operations/${id}/resolve`, statement)
        assert.strictEqual(proposed.status, 200, proposed.text)
        const [{ id: resolution }] = proposed.body.resolutions
        const approved = yield* as("ben", "POST", `/operations/${id}/resolutions/${resolution}/approve`)
        assert.deepInclude(approved.body, { status: "SETTLED", unresolved: false })
        assert.deepStrictEqual(yield* float, floats[kind])
        yield* sound
      }))
  }

  test("a bank transfer that paid out too little is what came back of it, and never settled as if it had paid all", () =>
    Effect.gen(function* () {
      const { as, float, sound, unanswered } = yield* startSilentProviders
      const id = yield* unanswered("BANK_TRANSFER")
      const stated = (outcome: string, amount: string) =>
        as("otto", "POST", `/operations/${id}/resolve`, {
          ...failed,
          provider_reference: "B-1",
          outcome,
          received: euro(amount)
        })
      assert.deepStrictEqual(codeOf(yield* stated("SETTLED", "90")), [409, "state_conflict"])
      const { body } = yield* stated("RETURNED", "10")
      const approved = yield* as("ben", "POST", `/operations/${id}/resolutions/${body.resolutions[0].id}/approve`)
      assert.strictEqual(approved.body.status, "RETURNED", approved.text)
      assert.deepStrictEqual((yield* float)["EUR"], ["909", "0"])
      yield* sound
    }))

  test("a proposal may be taken back, and the next one is another: approving the first does nothing", () =>
    Effect.gen(function* () {
      const { as, float, unanswered } = yield* startSilentProviders
      const id = yield* unanswered("SWAP")
      const before = yield* float
      const first = yield* as("otto", "POST", `/operations/${id}/resolve`, failed)
      const one = first.body.resolutions[0].id
      const back = yield* as("otto", "POST", `/operations/${id}/resolutions/${one}/reject`, { reason: "A slip." })
      assert.deepInclude(back.body.resolutions[0], { state: "REJECTED", rejected_reason: "A slip." })
      const second = yield* as("otto", "POST", `/operations/${id}/resolve`, failed)
      assert.lengthOf(second.body.resolutions, 2)
      const late = yield* as("ben", "POST", `/operations/${id}/resolutions/${one}/approve`)
      assert.deepStrictEqual(codeOf(late), [409, "state_conflict"])
      assert.deepStrictEqual(yield* float, before)
    }))

  test("what a provider says after operators have resolved it is not booked, and is shown as a contradiction", () =>
    Effect.gen(function* () {
      const { as, float, seeder, key, ask, shown, sound, state, tenant, unanswered } = yield* startSilentProviders
      const ids = { WITHDRAWAL: "", SWAP: "", BANK_TRANSFER: "" }
      for (const kind of ["WITHDRAWAL", "SWAP", "BANK_TRANSFER"] as const) {
        const id = yield* unanswered(kind)
        const { body } = yield* as("otto", "POST", `/operations/${id}/resolve`, failed)
        yield* as("ben", "POST", `/operations/${id}/resolutions/${body.resolutions[0].id}/approve`)
        ids[kind] = id
      }
      const count = () => state.tenants.get(tenant)?.legs.length
      const posted = count()
      const operationOf = (id: string) => stored(state, tenant, Operation).get(id) ?? assert.fail("it is gone")
      const providerReference = "late"
      yield* seeder.submit(
        tenant,
        recordWithdrawal({
          operation: operationOf(ids.WITHDRAWAL),
          answer: done({ _tag: "Settled", providerReference, txHash: null, networkFee: null }),
          networkFeeBorneBy: "RECEIVER",
          currencies
        })
      )
      yield* seeder.submit(
        tenant,
        recordSwap({
          operation: operationOf(ids.SWAP),
          answer: done({ _tag: "Settled", providerReference, received: of(1n, "ETH") }),
          currencies
        })
      )
      yield* seeder.submit(
        tenant,
        recordTransfer({
          operation: operationOf(ids.BANK_TRANSFER),
          answer: done({
            providerReference,
            status: "SETTLED",
            received: of(10_000n, "EUR"),
            returned: null,
            sender: null,
            reason: null
          }),
          currencies
        })
      )
      for (const id of Object.values(ids)) {
        const body = yield* shown(id)
        assert.strictEqual(body.status, "FAILED")
        assert.match(body.contradiction.said, /settled/iu)
      }
      assert.deepStrictEqual([count(), yield* float], [posted, untouched])
      const { body: listed } = yield* as("vera", "GET", "/operator/v1/operations?contradicted=true")
      assert.sameMembers(
        listed.operations.map((one: { id: string }) => one.id),
        Object.values(ids)
      )
      const { body: feed } = yield* ask("GET", "/v1/events", { key })
      assert.lengthOf(feed.events, 6)
      yield* sound
    }))

  test("what contradicts an operation is closed as it was shown, by an operator who says why, and comes back where more is said", () =>
    Effect.gen(function* () {
      const { as, float, seeder, shown, sound, state, tenant, unanswered } = yield* startSilentProviders
      const { logged, operate } = yield* Operator
      const id = yield* unanswered("SWAP")
      const proposed = yield* as("otto", "POST", `/operations/${id}/resolve`, failed)
      yield* as("ben", "POST", `/operations/${id}/resolutions/${proposed.body.resolutions[0].id}/approve`)
      const operation = stored(state, tenant, Operation).get(id) ?? assert.fail("it is gone")
      const says = (providerReference: string) =>
        seeder.submit(
          tenant,
          recordSwap({
            operation,
            answer: done({ _tag: "Settled", providerReference, received: of(1n, "ETH") }),
            currencies
          })
        )
      const counted = Effect.map(operate("GET", "/metrics"), ({ text }) =>
        /^bursar_operations_contradicted (\d+)$/mu.exec(text)?.at(1)
      )
      const listed = Effect.map(
        as("vera", "GET", "/operator/v1/operations?contradicted=true"),
        ({ body }) => body.operations.length
      )
      const seen = () => Effect.map(shown(id), ({ contradiction }) => contradiction)
      const close = (who: "ben" | "otto" | "vera", contradiction: string, reason = "They have sent it back.") =>
        as(who, "POST", `/operations/${id}/contradiction/close`, { contradiction, reason })

      assert.deepStrictEqual(codeOf(yield* close("otto", "none")), [409, "state_conflict"])
      yield* says("late")
      const first = yield* seen()
      assert.deepStrictEqual([yield* counted, yield* listed], ["1", 1])
      assert.deepStrictEqual(codeOf(yield* close("vera", first.id)), [403, "scope_missing"])
      assert.strictEqual((yield* close("otto", first.id, "")).status, 422)
      // more is said while the dialog is open
      yield* says("later")
      assert.deepStrictEqual(codeOf(yield* close("otto", first.id)), [409, "state_conflict"])
      assert.deepStrictEqual([yield* counted, yield* listed], ["1", 1])

      const before = [yield* float, state.tenants.get(tenant)?.legs.length]
      const both = yield* seen()
      assert.notStrictEqual(both.id, first.id)
      const { body: closed } = yield* close("otto", both.id)
      assert.isNull(closed.contradiction)
      assert.deepStrictEqual([yield* counted, yield* listed], ["0", 0])
      assert.deepStrictEqual(codeOf(yield* close("ben", both.id)), [409, "state_conflict"])
      const closings = logged.filter((line) => line.includes("operation.contradiction_closed"))
      assert.lengthOf(closings, 1)
      for (const part of ["otto", id, "settled"]) assert.include(closings[0], part)
      const told = closed.timeline.filter(({ what }: { what: string }) => what.startsWith("contradict"))
      assert.deepStrictEqual(
        told.map(({ by, what }: { by: string | null; what: string }) => [what, by]),
        [
          ["contradicted", null],
          ["contradicted", null],
          ["contradiction_closed", "otto"]
        ]
      )
      assert.strictEqual(told[2].detail, "They have sent it back.")
      assert.deepStrictEqual([yield* float, state.tenants.get(tenant)?.legs.length], before)

      for (const reference of ["late", "later"]) yield* says(reference)
      assert.isNull(yield* seen())
      yield* says("third")
      assert.match((yield* seen()).said, /settled/u)
      assert.deepStrictEqual([yield* counted, yield* listed], ["1", 1])
      yield* sound
    }))

  test("a withdrawal that the chain has proven is settled by its transaction, which speaks for no other", (silence) =>
    Effect.gen(function* () {
      const { as, float, sound, unanswered } = yield* startSilentProviders
      const [id, other] = [yield* unanswered("WITHDRAWAL"), yield* unanswered("WITHDRAWAL")]
      const tx_hash = `0x${"ab".repeat(32)}`
      const statement = { ...failed, outcome: "SETTLED", basis: "CHAIN", tx_hash }
      const resolve = (whose: string) => as("otto", "POST", `/operations/${whose}/resolve`, statement)
      const give = (whose: string) =>
        as("otto", "POST", `/operations/${whose}/evidence`, { note: "Found it.", tx_hash })
      assert.deepStrictEqual(codeOf(yield* resolve(id)), [409, "state_conflict"])
      silence.proof = { verdict: "NOT_PROVEN", reason: "it pays less" }
      assert.deepInclude((yield* give(id)).body.evidence[0], { verdict: "NOT_PROVEN", found: "it pays less" })
      assert.deepStrictEqual(codeOf(yield* resolve(id)), [409, "state_conflict"])
      silence.proof = { verdict: "PROVEN", detail: "it pays that", fee: null }
      const { body } = yield* give(id)
      assert.deepInclude(body.evidence[0], { verdict: "PROVEN", given_by: "otto" })
      assert.lengthOf(body.evidence, 1)
      assert.deepStrictEqual(codeOf(yield* give(other)), [409, "state_conflict"])
      assert.deepStrictEqual(codeOf(yield* resolve(other)), [409, "state_conflict"])
      const proposed = yield* resolve(id)
      assert.strictEqual(proposed.status, 200, proposed.text)
      const path = `/operations/${id}/resolutions/${proposed.body.resolutions[0].id}/approve`
      // Its block was replaced before the second operator looked.
      for (const proof of [
        { verdict: "NOT_PROVEN", reason: "its block is not on the chain" },
        { verdict: "UNREADABLE", reason: "the node does not answer" }
      ] as const) {
        silence.proof = proof
        const refused = yield* as("anna", "POST", path)
        assert.deepStrictEqual(codeOf(refused), [409, "state_conflict"])
        assert.include(refused.body.error.message, proof.reason)
      }
      silence.proof = { verdict: "PROVEN", detail: "it pays that", fee: null }
      assert.deepInclude((yield* as("anna", "POST", path)).body, { status: "SETTLED", tx_hash })
      assert.deepStrictEqual((yield* float)["USDC_BASE"], ["798", "101"])
      yield* sound
    }))

  test("a transaction that has paid another tenant's withdrawal to the same receiver, or left our own wallet, proves nothing", (silence) =>
    Effect.gen(function* () {
      const { as, seeder, state, tenant, unanswered } = yield* startSilentProviders
      const id = yield* unanswered("WITHDRAWAL")
      const operation = stored(state, tenant, Operation).get(id) ?? assert.fail("it is gone")
      const tx_hash = `0x${"ab".repeat(32)}`
      const other = yield* seeder.tenant()
      const known = (more: Partial<Operation>) =>
        seeder.submit(
          other,
          writing(() => [
            putRecord(Operation, { ...operation, id: crypto.randomUUID(), tenantId: other, txHash: tx_hash, ...more })
          ])
        )
      const give = as("otto", "POST", `/operations/${id}/evidence`, { note: "Found it.", tx_hash })
      silence.proof = { verdict: "PROVEN", detail: "it pays that", fee: null }
      const address = "0x00000000000000000000000000000000000000bb"
      yield* known({ details: { destination: { address } } })
      assert.strictEqual((yield* give).status, 200)
      const statement = { ...failed, outcome: "SETTLED", basis: "CHAIN", tx_hash }
      const { body } = yield* as("otto", "POST", `/operations/${id}/resolve`, statement)
      // its custodian tells of the other in between
      yield* known({})
      const approved = as("anna", "POST", `/operations/${id}/resolutions/${body.resolutions[0].id}/approve`)
      for (const refused of [yield* give, yield* approved])
        assert.deepStrictEqual(codeOf(refused), [409, "state_conflict"])
    }))

  test("nor does one that has paid the account with a memo of which the receiver is a part", (silence) =>
    Effect.gen(function* () {
      const { as, seeder, state, tenant, unanswered } = yield* startSilentProviders
      const id = yield* unanswered("WITHDRAWAL")
      const operation = stored(state, tenant, Operation).get(id) ?? assert.fail("it is gone")
      const address = "0x00000000000000000000000000000000000000bb"
      silence.parts.set(`${address}|42`, operation.details.destination?.address ?? assert.fail("it goes nowhere"))
      silence.proof = { verdict: "PROVEN", detail: "it pays that", fee: null }
      const given = Effect.fnUntraced(function* (tx_hash: string, memo: string | null) {
        const other = yield* seeder.tenant()
        const details = { destination: { address, memo } }
        const known = { ...operation, id: crypto.randomUUID(), tenantId: other, txHash: tx_hash, details }
        yield* seeder.submit(
          other,
          writing(() => [putRecord(Operation, known)])
        )
        return yield* as("otto", "POST", `/operations/${id}/evidence`, { note: "Found it.", tx_hash })
      })
      assert.deepStrictEqual(codeOf(yield* given(`0x${"ab".repeat(32)}`, "42")), [409, "state_conflict"])
      assert.strictEqual((yield* given(`0x${"cd".repeat(32)}`, null)).status, 200)
      assert.strictEqual((yield* given(`0x${"ef".repeat(32)}`, "43")).status, 200)
    }))

  test("nor is it stated in its provider's name, unless it paid another receiver: a provider pays several at once", (silence) =>
    Effect.gen(function* () {
      const { as, seeder, state, tenant, unanswered } = yield* startSilentProviders
      silence.proof = { verdict: "PROVEN", detail: "it pays that", fee: null }
      const id = yield* unanswered("WITHDRAWAL")
      const operation = stored(state, tenant, Operation).get(id) ?? assert.fail("it is gone")
      const known = Effect.fnUntraced(function* (txHash: string, more: Partial<Operation>) {
        const tenantId = yield* seeder.tenant()
        const one = { ...operation, id: crypto.randomUUID(), tenantId, txHash, ...more }
        yield* seeder.submit(
          tenantId,
          writing(() => [putRecord(Operation, one)])
        )
      })
      const [taken, free, later] = [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`, `0x${"ef".repeat(32)}`]
      yield* known(taken, {})
      yield* known(free, { details: { destination: { address: "0x00000000000000000000000000000000000000bb" } } })
      const saying = (tx_hash: string) =>
        as("otto", "POST", `/operations/${id}/resolve`, {
          ...failed,
          ...settled.WITHDRAWAL,
          outcome: "SETTLED",
          tx_hash
        })
      const path = `/operations/${id}/resolutions`
      assert.deepStrictEqual(codeOf(yield* saying(taken)), [409, "state_conflict"])
      const { body } = yield* saying(later)
      const [{ id: first }] = body.resolutions
      yield* known(later, {})
      assert.deepStrictEqual(codeOf(yield* as("anna", "POST", `${path}/${first}/approve`)), [409, "state_conflict"])
      yield* as("anna", "POST", `${path}/${first}/reject`, { reason: "It is another's." })
      const proposed = yield* saying(free)
      const open = proposed.body.resolutions.find((one: { state: string }) => one.state === "PROPOSED")
      assert.strictEqual((yield* as("anna", "POST", `${path}/${open.id}/approve`)).body.status, "SETTLED")
    }))
})

describe("what is refused", () => {
  test("what is stated must fit the operation, and nothing is assumed", () =>
    Effect.gen(function* () {
      const { as, float, sound, state, tenant, unanswered } = yield* startSilentProviders
      const ids = {
        WITHDRAWAL: yield* unanswered("WITHDRAWAL"),
        SWAP: yield* unanswered("SWAP"),
        ON_RAMP: yield* unanswered("ON_RAMP")
      }
      const before = [yield* float, state.tenants.get(tenant)?.legs.length]
      const nameless = { ...failed, outcome: "SETTLED" }
      const done = { ...nameless, provider_reference: "P-1" }
      const wrong: ReadonlyArray<readonly [keyof typeof ids, object, ReadonlyArray<unknown>]> = [
        ["SWAP", done, [422, "invalid_request"]],
        ["SWAP", { ...nameless, received: { amount: "1", currency: "ETH" } }, [422, "invalid_request"]],
        ["WITHDRAWAL", nameless, [422, "invalid_request"]],
        ["ON_RAMP", done, [422, "invalid_request"]],
        ["SWAP", { ...done, received: { amount: "0", currency: "ETH" } }, [422, "amount_invalid"]],
        ["SWAP", { ...done, received: { amount: "1", currency: "BTC" } }, [409, "state_conflict"]],
        ["SWAP", { ...done, received: { amount: "1", currency: "DOGE" } }, [422, "unsupported_asset"]],
        ["ON_RAMP", { ...done, received: { amount: "1", currency: "USDC_BASE" } }, [409, "state_conflict"]],
        ["WITHDRAWAL", { ...done, received: { amount: "1", currency: "USDC_BASE" } }, [422, "invalid_request"]],
        ["WITHDRAWAL", { ...done, basis: "CHAIN" }, [422, "invalid_request"]],
        ["WITHDRAWAL", { ...done, tx_hash: "0x12" }, [422, "invalid_request"]],
        ["SWAP", { ...done, basis: "CHAIN", tx_hash: "x" }, [422, "invalid_request"]],
        ["SWAP", { ...failed, outcome: "RETURNED" }, [422, "invalid_request"]],
        ["SWAP", { ...failed, statement: "" }, [422, "invalid_request"]],
        ["SWAP", { ...failed, by: "ben" }, [422, "unknown_field"]]
      ]
      for (const [kind, statement, code] of wrong) {
        const answer = yield* as("otto", "POST", `/operations/${ids[kind]}/resolve`, statement)
        assert.deepStrictEqual(codeOf(answer), code, JSON.stringify([kind, statement, answer.body]))
      }
      assert.deepStrictEqual([yield* float, state.tenants.get(tenant)?.legs.length], before)
      assert.strictEqual(stored(state, tenant, Resolution).size ?? 0, 0)
      yield* sound
    }))

  test("an operation of another tenant, or none, is not found by any way", () =>
    Effect.gen(function* () {
      const { as, seeder, unanswered } = yield* startSilentProviders
      const id = yield* unanswered("SWAP")
      const { body } = yield* as("otto", "POST", `/operations/${id}/resolve`, failed)
      const resolution = body.resolutions[0].id
      const other = `/operator/v1/tenants/${yield* seeder.tenant()}/operations`
      const absent = "019845e1-682f-7b02-a706-00000000ffff"
      for (const path of [`${other}/${id}`, `/operations/${absent}`, "/operations/none"]) {
        const answers = [
          yield* as("ben", "GET", path),
          yield* as("ben", "POST", `${path}/evidence`, { note: "n" }),
          yield* as("ben", "POST", `${path}/resolve`, failed),
          yield* as("ben", "POST", `${path}/cancel`),
          yield* as("ben", "POST", `${path}/resolutions/${resolution}/approve`),
          yield* as("ben", "POST", `${path}/resolutions/${resolution}/reject`, { reason: "r" })
        ]
        assert.deepStrictEqual(
          answers.map(codeOf),
          answers.map(() => [404, "not_found"]),
          path
        )
      }
      const missing = yield* as("ben", "POST", `/operations/${id}/resolutions/${absent}/approve`)
      assert.deepStrictEqual(codeOf(missing), [404, "not_found"])
    }))
})

describe("every status of every kind", () => {
  test(
    "where nothing can be resolved or cancelled, trying says why and changes nothing",
    () =>
      Effect.gen(function* () {
        const { as, seeder, state, tenant } = yield* startSilentProviders
        const legsOf = () => state.tenants.get(tenant)?.legs.length
        const stands = (id: string) => inspect(stored(state, tenant, Operation).get(id), { depth: 8 })
        const over = new Set(["SETTLED", "FAILED", "RETURNED"])
        const statement = { ...failed, provider_reference: "P-1" }
        let tried = 0
        for (const kind of operationKinds) {
          for (const status of operationStatuses) {
            for (const sent of [true, false]) {
              const isOurs = resolvableKinds.some((one) => one === kind) && !over.has(status)
              const details = sent ? { sent_at: 1 } : {}
              const [made] = yield* seeder.submit(
                tenant,
                writing((view) => [putRecord(Operation, bareOperation(view, { kind, status, details }))])
              )
              const id = made?.record.id ?? assert.fail("nothing was written")
              const path = `/operations/${id}`
              const before = stands(id)
              const legs = legsOf()
              const answers = [
                ...(isOurs && sent ? [] : [yield* as("otto", "POST", `${path}/resolve`, statement)]),
                ...(isOurs && !sent ? [] : [yield* as("otto", "POST", `${path}/cancel`)])
              ]
              for (const answer of answers) {
                // a chain payout without the record of one is none
                const code = kind === "CHAIN_PAYOUT" && answer.status === 404 ? 404 : 409
                assert.strictEqual(answer.status, code, `${kind} ${status} ${sent} ${answer.text}`)
                assert.isNotEmpty(answer.body.error.message)
                tried += 1
              }
              assert.strictEqual(stands(id), before)
              assert.strictEqual(legsOf(), legs)
            }
          }
        }
        assert.strictEqual(stored(state, tenant, Resolution).size, 0)
        assert.isAbove(tried, 200)
      }),
    false
  )
})

describe("what was not sent", () => {
  for (const kind of ordered) {
    test(
      `a ${kind} is cancelled by one operator and gives back all that it held or took; what was sent is not`,
      () =>
        Effect.gen(function* () {
          const { as, float, order, sound } = yield* startSilentProviders
          const id = yield* order(kind)
          assert.deepStrictEqual(codeOf(yield* as("otto", "POST", `/operations/${id}/resolve`, failed)), [
            409,
            "state_conflict"
          ])
          assert.deepStrictEqual(codeOf(yield* as("vera", "POST", `/operations/${id}/cancel`)), [403, "scope_missing"])
          const cancelled = yield* as("otto", "POST", `/operations/${id}/cancel`)
          assert.strictEqual(cancelled.status, 200, cancelled.text)
          assert.strictEqual(cancelled.body.state, "cancelled")
          assert.deepInclude(cancelled.body.operation, { status: "FAILED", failure_reason: "cancelled_by_operator" })
          assert.deepStrictEqual(yield* float, untouched)
          assert.deepStrictEqual(codeOf(yield* as("otto", "POST", `/operations/${id}/cancel`)), [409, "state_conflict"])
          yield* sound
        }),
      false
    )

    test(`a ${kind} that was sent cannot be cancelled`, () =>
      Effect.gen(function* () {
        const { as, float, unanswered } = yield* startSilentProviders
        const id = yield* unanswered(kind)
        const before = yield* float
        assert.deepStrictEqual(codeOf(yield* as("ben", "POST", `/operations/${id}/cancel`)), [409, "state_conflict"])
        assert.deepStrictEqual(yield* float, before)
      }))
  }
})

describe("operations of all tenants", () => {
  test("are listed by every filter, in both orders, a page after the other", () =>
    Effect.gen(function* () {
      const one = yield* startSilentProviders
      const other = yield* startSilentProviders
      const swap = yield* one.unanswered("SWAP")
      const theirs = yield* other.unanswered("BANK_TRANSFER")
      const listed = (query: string) =>
        Effect.map(one.as("vera", "GET", `/operator/v1/operations?${query}`), ({ body, text }) =>
          body.operations === undefined ? assert.fail(text) : body.operations.map(({ id }: { id: string }) => id)
        )
      assert.deepStrictEqual(yield* listed("unresolved=true"), [theirs, swap])
      assert.deepStrictEqual(yield* listed("unresolved=true&order=oldest"), [swap, theirs])
      assert.deepStrictEqual(yield* listed(`unresolved=true&tenant_id=${one.tenant}`), [swap])
      assert.deepStrictEqual(yield* listed("kind=SWAP"), [swap])
      assert.deepStrictEqual(yield* listed("kind=BANK_TRANSFER&provider=fake"), [theirs])
      assert.deepStrictEqual(yield* listed("kind=SWAP&provider=nobody"), [])
      assert.deepStrictEqual(yield* listed("unresolved=true&created_before=2020-01-01T00:00:00Z"), [])
      assert.deepStrictEqual(yield* listed("waiting_reason=switched_off"), [])
      assert.deepStrictEqual(yield* listed("network=tron"), [])
      assert.deepStrictEqual(yield* listed("contradicted=true"), [])
      const all: Array<string> = []
      let cursor = ""
      do {
        const page = yield* one.as("vera", "GET", `/operator/v1/operations?limit=2&order=oldest${cursor}`)
        all.push(...page.body.operations.map(({ id }: { id: string }) => id))
        cursor = page.body.next_cursor === null ? "" : `&cursor=${page.body.next_cursor}`
      } while (cursor !== "")
      assert.lengthOf(all, 6)
      assert.deepStrictEqual(yield* listed("order=oldest"), all)
      const first = yield* one.as("vera", "GET", "/operator/v1/operations?limit=1")
      for (const [query, code] of [
        [`cursor=${first.body.next_cursor}&order=oldest&limit=1`, "invalid_cursor"],
        ["kind=GIFT", "unknown_kind"],
        ["status=GONE", "unknown_status"],
        ["network=moon", "unknown_network"],
        ["limit=0", "limit_out_of_range"]
      ]) {
        const answer = yield* one.as("vera", "GET", `/operator/v1/operations?${query}`)
        assert.deepStrictEqual(codeOf(answer), [422, code])
      }
    }))
})
