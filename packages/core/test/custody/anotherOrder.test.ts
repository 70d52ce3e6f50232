import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { putRecord } from "@bursar/core/engine/Records"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import { Operation } from "@bursar/core/operation/Operation"
import { orderIds } from "@bursar/core/operation/orderIds"
import type { ConversionState } from "@bursar/core/port/Custodian"
import { done } from "@bursar/core/port/ProviderResult"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { beginCustody } from "@bursar/core/custody/beginCustody"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bought, fake, says as saysOfSwap, sent as sentSwap } from "../swap/world.ts"
import { resolved } from "../resolution/world.ts"
import { float, hear, paidIn, payer, says, send, settledWith } from "../transfer/world.ts"
import { store, submit, verified, withdraw, withdrawer, wrong } from "../withdrawal/world.ts"

const units = 10_000n

const stored = (id: TenantId, operation: Operation) =>
  Effect.flatMap(Queries, (queries) =>
    Effect.map(queries.operation(id, operation.id), (found) => found ?? assert.fail("it is gone"))
  )

const swap = Effect.gen(function* () {
  const id = yield* withdrawer()
  const operation = yield* sentSwap(id, units, false)
  const pending = done<ConversionState>({ _tag: "Pending", providerReference: "mine" })
  const settled = (providerReference: string) =>
    done<ConversionState>({ _tag: "Settled", providerReference, received: of(units, bought) })
  yield* saysOfSwap(id, operation, pending)
  return {
    id,
    operation,
    settle: (reference: string) => saysOfSwap(id, operation, settled(reference))
  }
})

const withdrawal = Effect.gen(function* () {
  const id = yield* withdrawer()
  yield* verified(id, "0x00000000000000000000000000000000000000aa")
  const made = yield* withdraw(id, 5_000_000n)
  if (typeof made === "string") return assert.fail(made)
  const task = yield* submit(id, beginCustody(made, fake))
  const operation = task._tag === "Send" ? task.operation : assert.fail(task._tag)
  const record = (_tag: "Pending" | "Settled", providerReference: string) =>
    submit(
      id,
      recordWithdrawal({
        operation,
        answer: done({ _tag, providerReference, txHash: null, networkFee: null }),
        networkFeeBorneBy: "RECEIVER",
        currencies: defaultCurrencies
      })
    )
  yield* record("Pending", "mine")
  return { id, operation, settle: (reference: string) => record("Settled", reference) }
})

const transfer = Effect.gen(function* () {
  const id = yield* payer()
  const operation = yield* send(id)
  yield* hear(id, operation, says("SENT", { providerReference: "mine" }))
  return {
    id,
    operation,
    settle: (providerReference: string) =>
      submit(
        id,
        recordTransfer({ operation, answer: says("SETTLED", { providerReference }), currencies: defaultCurrencies })
      )
  }
})

describe("an answer about another order than the provider has told of an operation", () => {
  for (const [kind, sent] of Object.entries({ swap, withdrawal, transfer }))
    it.effect(`settles no ${kind}, which its own order settles`, () =>
      Effect.gen(function* () {
        const { id, operation, settle } = yield* sent
        const before = yield* stored(id, operation)
        yield* settle("anothers")
        const after = yield* stored(id, operation)
        assert.deepInclude(after, { status: before.status, providerReference: "mine", unresolved: true })
        assert.strictEqual(
          after.details.unresolved_because,
          "the order is mine, and the provider answered with anothers"
        )
        yield* settle("mine")
        assert.deepInclude(yield* stored(id, operation), { status: "SETTLED", providerReference: "mine" })
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
    )

  it.effect("flags a transfer that has settled, and books no return by it, until its own order is told again", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const operation = yield* send(tenant)
      yield* hear(tenant, operation, says("SETTLED", { providerReference: "mine" }))
      const booked = yield* float(tenant)
      const back = yield* hear(tenant, operation, says("RETURNED", { providerReference: "anothers" }))
      assert.deepInclude(back, { status: "SETTLED", providerReference: "mine", unresolved: true })
      assert.strictEqual(back.details.unresolved_because, "the order is mine, and the provider answered with anothers")
      assert.deepStrictEqual(yield* float(tenant), booked)
      const same = yield* hear(tenant, operation, says("SETTLED", { providerReference: "anothers" }))
      assert.isTrue(same.unresolved, "only its own order takes it back")
      const again = yield* hear(tenant, operation, says("SETTLED", { providerReference: "mine" }))
      assert.deepInclude(again, { status: "SETTLED", unresolved: false })
      assert.deepStrictEqual(yield* wrong(tenant), [])
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "flags no transfer of which a part came back where it tells that part, and one where it tells another",
    () =>
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        const part = (providerReference: string, units: bigint, currency = "EUR") =>
          hear(tenant, operation, says("RETURNED", { providerReference, returned: of(units, currency) }))
        yield* hear(tenant, operation, says("SETTLED", { providerReference: "mine" }))
        yield* part("mine", 4_000n)
        assert.isFalse((yield* part("anothers", 4_000n)).unresolved)
        for (const [units, currency] of [
          [5_000n, "EUR"],
          [4_000n, "USD"]
        ] as const) {
          assert.isTrue((yield* part("anothers", units, currency)).unresolved)
          assert.isFalse((yield* part("mine", 4_000n)).unresolved)
        }
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }).pipe(Effect.provide(store))
  )

  it.effect("flags a transfer that has settled where the order is another operation's, too", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const [one, two] = [yield* send(tenant), yield* send(tenant)]
      yield* hear(tenant, one, says("SETTLED", { providerReference: "mine" }))
      yield* hear(tenant, two, says("SETTLED", { providerReference: "anothers" }))
      const back = yield* hear(tenant, one, says("RETURNED", { providerReference: "anothers" }))
      assert.deepInclude(back, { status: "SETTLED", unresolved: true })
      assert.strictEqual(back.details.unresolved_because, `the order anothers belongs to operation ${two.id}`)
      assert.deepStrictEqual(yield* wrong(tenant), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is noted of a transfer that is over, with the id, and books nothing", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const operation = yield* send(tenant)
      yield* hear(tenant, operation, says("FAILED", { providerReference: "mine" }))
      const booked = yield* float(tenant)
      const late = yield* hear(tenant, operation, says("SETTLED", { providerReference: "anothers" }))
      assert.deepInclude(late, { status: "FAILED", providerReference: "mine" })
      assert.deepInclude(late.details.contradiction, {
        said: "it says SETTLED with 10000 base units of EUR, under the id anothers"
      })
      assert.deepStrictEqual(yield* float(tenant), booked)
      assert.deepStrictEqual(yield* wrong(tenant), [])
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "gives way to what is said of its own order where a transfer is over, and is taken back once it is another's",
    () =>
      Effect.gen(function* () {
        const tenant = yield* payer()
        const [one, two] = [yield* send(tenant), yield* send(tenant)]
        for (const each of [one, two])
          yield* hear(tenant, each, says("FAILED", { providerReference: `its own ${each.id}` }))
        const stranger = says("SETTLED", { providerReference: "anothers" })
        for (const each of [one, two]) assert.isDefined((yield* hear(tenant, each, stranger)).details.contradiction)
        const own = yield* hear(tenant, one, says("SETTLED", { providerReference: `its own ${one.id}` }))
        assert.deepInclude(own.details.contradiction, { said: "it says SETTLED with 10000 base units of EUR" })
        const late = yield* hear(tenant, one, stranger)
        assert.deepStrictEqual(late.details.contradiction, own.details.contradiction)
        yield* hear(tenant, yield* send(tenant), stranger)
        assert.isUndefined((yield* hear(tenant, two, stranger)).details.contradiction)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }).pipe(Effect.provide(store))
  )

  it.effect("leaves the order to the operation that it is of", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const [one, two] = [yield* send(tenant), yield* send(tenant)]
      yield* hear(tenant, one, says("SENT", { providerReference: "mine" }))
      yield* hear(tenant, one, says("SETTLED", { providerReference: "anothers" }))
      const settled = yield* hear(tenant, two, says("SETTLED", { providerReference: "anothers" }))
      assert.deepInclude(settled, { status: "SETTLED", providerReference: "anothers" })
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "counts where operators state it; what is told under the id that it had before is noted, and books nothing",
    () =>
      Effect.gen(function* () {
        const tenant = yield* payer()
        const known = yield* hear(tenant, yield* send(tenant), says("UNRESOLVED", { providerReference: "mine" }))
        const stated = { ...settledWith(10_000n, "EUR"), providerReference: "anothers" }
        const settled = yield* resolved(tenant, known, stated)
        assert.deepInclude(settled, { status: "SETTLED", providerReference: "anothers" })
        const booked = yield* float(tenant)
        const hears = (status: "SENT" | "SETTLED" | "RETURNED", units = 10_000n) => {
          const returned = status === "RETURNED" ? of(units, "EUR") : null
          return hear(tenant, settled, says(status, { providerReference: "mine", returned }))
        }
        assert.isUndefined((yield* hears("SENT")).details.contradiction)
        for (const [said, answer] of [
          // both orders were carried out
          ["it says SETTLED with 10000 base units of EUR", hears("SETTLED")],
          ["it says RETURNED of 40 EUR", hears("RETURNED", 4_000n)],
          ["it says RETURNED of 100 EUR", hears("RETURNED")],
          ["it says RETURNED of 100 EUR", hears("SENT")]
        ] as const) {
          const after = yield* answer
          assert.deepInclude(after, { status: "SETTLED", providerReference: "anothers", unresolved: false })
          assert.deepInclude(after.details.contradiction, { said: `${said}, under the id mine`, reference: "mine" })
        }
        assert.deepStrictEqual(yield* float(tenant), booked)
        assert.deepStrictEqual(
          contradictionsOf(yield* stored(tenant, settled)).map(({ said }) => said),
          ["100 EUR", "40 EUR"]
            .map((each) => `it says RETURNED of ${each}, under the id mine`)
            .concat("it says SETTLED with 10000 base units of EUR, under the id mine")
        )
        // it was one order, under two names: operators say so
        const came = { ...stated, outcome: "RETURNED", providerReference: "mine" } as const
        const back = yield* resolved(tenant, yield* stored(tenant, settled), came)
        assert.deepInclude(back, { status: "RETURNED", providerReference: "mine" })
        // what they have decided on hides nothing that is said of it later
        assert.isUndefined(back.details.contradiction)
        assert.deepInclude((yield* hears("SETTLED")).details.contradiction, {
          said: "it says SETTLED with 10000 base units of EUR"
        })
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }).pipe(Effect.provide(store))
  )

  it.effect("is noted under each id that it had before, and nothing that says that money has moved is forgotten", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const known = yield* hear(tenant, yield* send(tenant), says("UNRESOLVED", { providerReference: "first" }))
      const stated = settledWith(10_000n, "EUR")
      const second = yield* resolved(tenant, known, { ...stated, providerReference: "second" })
      const flagged = yield* hear(tenant, second, says("UNRESOLVED", { providerReference: "second" }))
      const third = yield* resolved(tenant, flagged, { ...stated, providerReference: "third" })
      assert.deepStrictEqual(orderIds(third), ["third", "second", "first"])
      const booked = yield* float(tenant)
      const all = [
        ["SETTLED", "first"],
        ["SETTLED", "second"],
        ["FAILED", "second"],
        ["SETTLED", "first"]
      ] as const
      for (const [status, providerReference] of all) yield* hear(tenant, third, says(status, { providerReference }))
      const after = yield* stored(tenant, third)
      assert.deepInclude(after, { status: "SETTLED", providerReference: "third", unresolved: false })
      assert.deepStrictEqual(
        contradictionsOf(after).map(({ said }) => said),
        [
          "it says SETTLED with 10000 base units of EUR, under the id second",
          "it says SETTLED with 10000 base units of EUR, under the id first"
        ]
      )
      assert.deepStrictEqual(yield* float(tenant), booked)
      assert.deepStrictEqual(yield* wrong(tenant), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is noted under the id that it had before though an upgrade has noted something of no order", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const known = yield* hear(tenant, yield* send(tenant), says("UNRESOLVED", { providerReference: "mine" }))
      const settled = yield* resolved(tenant, known, {
        ...settledWith(10_000n, "EUR"),
        providerReference: "anothers"
      })
      const details = { ...settled.details, contradiction: { said: "it belongs to another", at: 0 } }
      yield* submit(
        tenant,
        writing(() => [putRecord(Operation, { ...settled, details })])
      )
      const late = yield* hear(tenant, settled, says("SETTLED", { providerReference: "mine" }))
      assert.deepInclude(late.details.contradiction, {
        said: "it says SETTLED with 10000 base units of EUR, under the id mine"
      })
    }).pipe(Effect.provide(store))
  )

  for (const [what, before, stated] of [
    ["against it", says("RETURNED", { providerReference: "anothers" }), "mine"],
    ["about an amount", says("SETTLED", { providerReference: "mine", received: of(9_999n, "EUR") }), null]
  ] as const)
    it.effect(`books no return by it once operators have decided ${what}, and takes no other operation's order`, () =>
      Effect.gen(function* () {
        const [tenant, other] = [yield* payer(), yield* payer()]
        const operation = yield* send(tenant)
        yield* hear(tenant, operation, says("SETTLED", { providerReference: "mine" }))
        const booked = yield* float(tenant)
        const flagged = yield* hear(tenant, operation, before)
        const settled = yield* resolved(tenant, flagged, {
          ...settledWith(10_000n, "EUR"),
          providerReference: stated
        })
        assert.deepInclude(settled, { status: "SETTLED", providerReference: "mine", unresolved: false })
        const after = yield* hear(tenant, settled, says("RETURNED", { providerReference: "anothers" }))
        assert.deepInclude(after, { status: "SETTLED", providerReference: "mine" })
        assert.deepStrictEqual(yield* float(tenant), booked)
        const its = yield* hear(other, yield* send(other), says("SETTLED", { providerReference: "anothers" }))
        assert.deepInclude(its, { status: "SETTLED", unresolved: false })
        assert.deepStrictEqual([yield* wrong(tenant), yield* wrong(other)], [[], []])
      }).pipe(Effect.provide(store))
    )

  it.effect("makes no ON_RAMP refundable once more by the return of a REFUND that operators have decided on", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const source = yield* paidIn(tenant)
      const refund = yield* send(tenant, { kind: "REFUND", refund: { refundOf: source.id, name: "" } })
      yield* hear(tenant, refund, says("SETTLED", { providerReference: "mine" }))
      const told = says("SETTLED", { providerReference: "mine", received: of(9_999n, "EUR") })
      const flagged = yield* hear(tenant, refund, told)
      const settled = yield* resolved(tenant, flagged, settledWith(10_000n, "EUR"))
      yield* hear(tenant, settled, says("RETURNED", { providerReference: "anothers" }))
      assert.strictEqual((yield* stored(tenant, source)).details.refunded, "10000")
    }).pipe(Effect.provide(store))
  )
})
