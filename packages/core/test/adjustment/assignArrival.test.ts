import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import {
  approveAdjustment,
  rejectAdjustment,
  requestAdjustment,
  type RequestAdjustment
} from "@bursar/core/adjustment/requestAdjustment"
import type { BlockPoint } from "@bursar/core/deposit/Deposit"
import { nothingUndecided } from "@bursar/core/deposit/undecided"
import {
  confirmWalletTransfers,
  recordWalletTransfers,
  reorgWalletTransfers
} from "@bursar/core/incoming/walletTransfers"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { balanceOf, hear, payer, refusalOf, says, send, store, submit, wrong } from "../transfer/world.ts"

const block = { number: 1, hash: "b1", time: 10 }

/** What arrived at a wallet in a block and is for nobody, once for each amount, and is booked. */
const arrived = Effect.fnUntraced(function* (id: TenantId, block: BlockPoint, ...amounts: ReadonlyArray<bigint>) {
  const found = amounts.map((units, transferIndex) => ({
    network: "stellar",
    txHash: "t",
    transferIndex,
    walletId: "w",
    address: "G",
    paidTo: "G",
    memo: null,
    currency: "XLM",
    units,
    fromAddress: "x",
    block
  }))
  const noted = yield* submit(id, recordWalletTransfers(found, presetNetworks))
  return yield* submit(
    id,
    confirmWalletTransfers(
      noted.map((incomingTransfer) => ({ incomingTransfer, block })),
      presetNetworks,
      nothingUndecided
    )
  )
})

/** The operations that have booked what arrived. */
const arrivals = (id: TenantId, ...amounts: ReadonlyArray<bigint>) =>
  Effect.map(arrived(id, block, ...amounts), (all) =>
    all.map(({ bookedBy }) => bookedBy ?? assert.fail("it was not booked"))
  )

/** A tenant whose operators adjust alone, or never. */
const tenant = (adjustmentReviewUsd: string | null = null) =>
  Effect.map(newTenant({ policy: { ...defaultPolicy, adjustmentReviewUsd } }), ({ id }) => id)

const assigning = (assigns: string, units: bigint, more: Partial<RequestAdjustment> = {}) =>
  requestAdjustment({
    amount: of(units, "XLM"),
    against: "suspense",
    assigns,
    reason: "theirs",
    by: "anna",
    usd: null,
    currencies,
    ...more
  })

/** What the float has, and what belongs to nobody yet. */
const stand = Effect.fnUntraced(function* (id: TenantId) {
  return [yield* balanceOf(id, "float:available", "XLM"), -(yield* balanceOf(id, "suspense", "XLM"))] as const
})

const assignedTo = (id: TenantId, arrival: string) =>
  Effect.map(
    Effect.flatMap(Queries, (queries) => queries.record(id, Operation, arrival)),
    (operation) => operation?.details.assigned
  )

describe("an arrival in suspense", () => {
  it.effect("is assigned once, whoever else has its screen open", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const [arrival = "", other = ""] = yield* arrivals(id, 7n, 7n)
      const said = yield* submit(id, assigning(arrival, 7n))
      if (said.state !== "booked") return assert.fail("it was proposed")
      assert.strictEqual(said.operation.details.assigns, arrival)
      assert.deepStrictEqual(yield* assignedTo(id, arrival), { adjustment_id: null, operation_id: said.operation.id })
      assert.strictEqual(yield* refusalOf(id, assigning(arrival, 7n, { by: "ben" })), "state_conflict")
      assert.deepStrictEqual(yield* stand(id), [7n, 7n])
      assert.strictEqual(yield* refusalOf(id, assigning(other, 7n)), null)
      assert.deepStrictEqual(yield* stand(id), [14n, 0n])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is assigned only while suspense holds it: not once an adjustment that names none has credited it", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const [arrival = ""] = yield* arrivals(id, 7n)
      yield* submit(id, adjustFloat({ amount: of(1n, "XLM"), against: "suspense", reason: "theirs" }))
      assert.strictEqual(yield* refusalOf(id, assigning(arrival, 7n)), "state_conflict")
      assert.deepStrictEqual(yield* stand(id), [1n, 6n])
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is not assigned once the chain took it back, nor again when it comes in another block, nor is what took it",
    () =>
      Effect.gen(function* () {
        const queries = yield* Queries
        for (const assignedBefore of [false, true]) {
          const id = yield* tenant()
          const [incomingTransfer] = yield* arrived(id, block, 7n)
          if (incomingTransfer === undefined) return assert.fail("it is not there")
          if (assignedBefore) yield* submit(id, assigning(incomingTransfer.bookedBy ?? "", 7n))
          yield* submit(id, reorgWalletTransfers([{ incomingTransfer, block }], presetNetworks))
          // what was given already is not there a second time
          if (assignedBefore) yield* arrived(id, { ...block, hash: "b2" }, 7n)
          assert.deepStrictEqual(yield* stand(id), [assignedBefore ? 7n : 0n, 0n])
          const operations = yield* queries.operations({ tenantId: id, order: "oldest", limit: 10 })
          const booked = operations.filter(({ details }) => details.assigns === undefined)
          assert.lengthOf(booked, assignedBefore ? 3 : 2)
          for (const { id: arrival } of booked)
            assert.strictEqual(yield* refusalOf(id, assigning(arrival, 7n)), "state_conflict")
        }
        return undefined
      }).pipe(Effect.provide(store))
  )

  it.effect(
    "is not assigned once the chain took it back, though another stands in suspense, and is when it is there again",
    () =>
      Effect.gen(function* () {
        const id = yield* tenant()
        const [, gone] = yield* arrived(id, block, 10n, 7n)
        if (gone === undefined) return assert.fail("it is not there")
        yield* submit(id, reorgWalletTransfers([{ incomingTransfer: gone, block }], presetNetworks))
        assert.strictEqual(yield* refusalOf(id, assigning(gone.bookedBy ?? "", 7n)), "state_conflict")
        assert.deepStrictEqual(yield* stand(id), [0n, 10n])
        assert.deepStrictEqual(yield* wrong(id), [])
        const [, again] = yield* arrived(id, { ...block, hash: "b2" }, 10n, 7n)
        assert.strictEqual(yield* refusalOf(id, assigning(gone.bookedBy ?? "", 7n)), "state_conflict")
        yield* submit(id, assigning(again?.bookedBy ?? "", 7n))
        assert.deepStrictEqual(yield* stand(id), [7n, 10n])
        assert.deepStrictEqual(yield* wrong(id), [])
        return undefined
      }).pipe(Effect.provide(store))
  )

  it.effect("is not assigned by a proposal that has waited while the chain took it back; it can be rejected", () =>
    Effect.gen(function* () {
      const id = yield* tenant("0")
      const [, gone] = yield* arrived(id, block, 10n, 7n)
      if (gone === undefined) return assert.fail("it is not there")
      const said = yield* submit(id, assigning(gone.bookedBy ?? "", 7n))
      if (said.state !== "proposed") return assert.fail("it was booked")
      const { adjustment } = said
      yield* submit(id, reorgWalletTransfers([{ incomingTransfer: gone, block }], presetNetworks))
      const granted = adjustFloat({ ...adjustment, proposal: adjustment.id, by: { made: "anna", approved: "grant:7" } })
      for (const command of [approveAdjustment({ adjustment, by: "ben", currencies }), granted])
        assert.strictEqual(yield* refusalOf(id, command), "state_conflict")
      const [, again] = yield* arrived(id, { ...block, hash: "b2" }, 10n, 7n)
      assert.strictEqual(
        yield* refusalOf(id, approveAdjustment({ adjustment, by: "ben", currencies })),
        "state_conflict"
      )
      yield* submit(id, rejectAdjustment(adjustment, "ben", "gone"))
      assert.isNull(yield* assignedTo(id, gone.bookedBy ?? ""))
      const anew = yield* submit(id, assigning(again?.bookedBy ?? "", 7n))
      if (anew.state !== "proposed") return assert.fail("it was booked")
      yield* submit(id, approveAdjustment({ adjustment: anew.adjustment, by: "ben", currencies }))
      assert.deepStrictEqual(yield* stand(id), [7n, 10n])
      assert.deepStrictEqual(yield* wrong(id), [])
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is assigned already when it comes in another block, and in a third, and the other one can be assigned",
    () =>
      Effect.gen(function* () {
        const id = yield* tenant()
        const [other, first] = yield* arrived(id, block, 10n, 7n)
        const said = yield* submit(id, assigning(first?.bookedBy ?? "", 7n))
        if (said.state !== "booked") return assert.fail("it was proposed")
        let stands = first
        for (const hash of ["b2", "b3"]) {
          if (stands === undefined) return assert.fail("it is not there")
          const lost = { incomingTransfer: stands, block: stands.block }
          yield* submit(id, reorgWalletTransfers([lost], presetNetworks))
          // the float has it, and suspense is short of it
          assert.deepStrictEqual(yield* stand(id), [7n, 3n])
          assert.strictEqual(yield* refusalOf(id, assigning(other?.bookedBy ?? "", 10n)), "state_conflict")
          const found = { ...stands, block: { ...block, hash } }
          const noted = yield* submit(id, recordWalletTransfers([found], presetNetworks))
          const again = noted.map((incomingTransfer) => ({ incomingTransfer, block: found.block }))
          stands = (yield* submit(id, confirmWalletTransfers(again, presetNetworks, nothingUndecided)))[0]
          const booking = stands?.bookedBy ?? ""
          assert.deepStrictEqual(yield* assignedTo(id, booking), {
            adjustment_id: null,
            operation_id: said.operation.id
          })
          assert.strictEqual(yield* refusalOf(id, assigning(booking, 7n)), "state_conflict")
          assert.deepStrictEqual(yield* stand(id), [7n, 10n])
          assert.deepStrictEqual(yield* wrong(id), [])
        }
        assert.strictEqual(yield* refusalOf(id, assigning(other?.bookedBy ?? "", 10n)), null)
        assert.deepStrictEqual(yield* stand(id), [17n, 0n])
        return undefined
      }).pipe(Effect.provide(store))
  )

  it.effect(
    "is taken back from the float by operators where it is gone for good, so that another can be assigned",
    () =>
      Effect.gen(function* () {
        for (const others of [[], [10n]]) {
          const id = yield* tenant()
          const [gone, other] = yield* arrived(id, block, 7n, ...others)
          if (gone === undefined) return assert.fail("it is not there")
          yield* submit(id, assigning(gone.bookedBy ?? "", 7n))
          yield* submit(id, reorgWalletTransfers([{ incomingTransfer: gone, block }], presetNetworks))
          const [left = 0n] = others
          assert.deepStrictEqual(yield* stand(id), [7n, left - 7n])
          assert.deepStrictEqual(yield* wrong(id), [])
          const taken = yield* submit(id, adjustFloat({ amount: of(-7n, "XLM"), against: "suspense", reason: "gone" }))
          assert.deepStrictEqual(yield* stand(id), [0n, left])
          if (other !== undefined) assert.isNull(yield* refusalOf(id, assigning(other.bookedBy ?? "", left)))
          assert.strictEqual(yield* refusalOf(id, assigning(taken.id, 7n)), "state_conflict")
          // it is there after all: what was taken back is given again
          const [again] = yield* arrived(id, { ...block, hash: "b2" }, 7n)
          assert.strictEqual(yield* refusalOf(id, assigning(again?.bookedBy ?? "", 7n)), "state_conflict")
          assert.isNull(yield* refusalOf(id, assigning(taken.id, 7n)))
          assert.deepStrictEqual(yield* stand(id), [left + 7n, 0n])
          assert.deepStrictEqual(yield* wrong(id), [])
        }
        return undefined
      }).pipe(Effect.provide(store))
  )

  it.effect(
    "is for nobody yet where it was assigned, and its transaction is mined again and brings something else",
    () =>
      Effect.gen(function* () {
        const id = yield* tenant()
        const [first, other] = yield* arrived(id, block, 7n, 9n)
        if (first === undefined || other === undefined) return assert.fail("they are not there")
        yield* submit(id, assigning(first.bookedBy ?? "", 7n))
        yield* submit(id, assigning(other.bookedBy ?? "", 9n))
        const lost = [first, other].map((incomingTransfer) => ({ incomingTransfer, block }))
        yield* submit(id, reorgWalletTransfers(lost, presetNetworks))
        const [more = "", same = ""] = (yield* arrived(id, { ...block, hash: "b2" }, 8n, 9n)).map(
          ({ bookedBy }) => bookedBy ?? ""
        )
        assert.isUndefined(yield* assignedTo(id, more))
        assert.deepStrictEqual(yield* assignedTo(id, same), yield* assignedTo(id, other.bookedBy ?? ""))
        assert.deepStrictEqual(yield* stand(id), [16n, 1n])
        assert.strictEqual(yield* refusalOf(id, assigning(more, 8n)), "state_conflict", "the float has what is gone")
        yield* submit(id, adjustFloat({ amount: of(-7n, "XLM"), against: "suspense", reason: "gone" }))
        assert.strictEqual(yield* refusalOf(id, assigning(more, 8n)), null)
        assert.deepStrictEqual(yield* stand(id), [17n, 0n])
        assert.deepStrictEqual(yield* wrong(id), [])
        return undefined
      }).pipe(Effect.provide(store))
  )

  it.effect("is assigned whole, in its currency, to the float and against suspense", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const [arrival = ""] = yield* arrivals(id, 7n)
      for (const [more, code] of [
        [{ amount: of(6n, "XLM") }, "amount_invalid"],
        [{ amount: of(8n, "XLM") }, "amount_invalid"],
        [{ amount: of(7n, "ETH") }, "amount_invalid"],
        [{ against: "custodian" }, "invalid_request"],
        [{ from: "chain:stellar:payouts" }, "invalid_request"],
        [{ assigns: crypto.randomUUID() }, "not_found"]
      ] as const)
        assert.strictEqual(yield* refusalOf(id, assigning(arrival, 7n, more)), code, JSON.stringify(Object.keys(more)))
      const stranger = yield* tenant()
      assert.strictEqual(yield* refusalOf(stranger, assigning(arrival, 7n)), "not_found")
      assert.deepStrictEqual(yield* stand(id), [0n, 7n])
    }).pipe(Effect.provide(store))
  )

  it.effect("is taken by a proposal that waits, and free again once that is rejected", () =>
    Effect.gen(function* () {
      const id = yield* tenant("0")
      const [arrival = ""] = yield* arrivals(id, 7n)
      const propose = Effect.map(submit(id, assigning(arrival, 7n)), (said) =>
        said.state === "proposed" ? said.adjustment : assert.fail("it was booked")
      )
      const first = yield* propose
      assert.deepStrictEqual(yield* assignedTo(id, arrival), { adjustment_id: first.id, operation_id: null })
      assert.strictEqual(yield* refusalOf(id, assigning(arrival, 7n, { by: "ben" })), "state_conflict")
      yield* submit(id, rejectAdjustment(first, "ben", "no"))
      assert.isNull(yield* assignedTo(id, arrival))
      const second = yield* propose
      const { id: booked } = yield* submit(id, approveAdjustment({ adjustment: second, by: "ben", currencies }))
      assert.deepStrictEqual(yield* assignedTo(id, arrival), { adjustment_id: second.id, operation_id: booked })
      assert.strictEqual(yield* refusalOf(id, assigning(arrival, 7n)), "state_conflict")
      assert.deepStrictEqual(yield* stand(id), [7n, 0n])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("stays assigned when the proposal is rejected that a grant has booked", () =>
    Effect.gen(function* () {
      const id = yield* tenant("0")
      const [arrival = ""] = yield* arrivals(id, 7n)
      const said = yield* submit(id, assigning(arrival, 7n))
      if (said.state !== "proposed") return assert.fail("it was booked")
      const { adjustment } = said
      const { id: booked } = yield* submit(
        id,
        adjustFloat({ ...adjustment, proposal: adjustment.id, by: { made: "anna", approved: "grant:7" } })
      )
      const approval = approveAdjustment({ adjustment, by: "ben", currencies })
      assert.strictEqual(yield* refusalOf(id, approval), "state_conflict")
      yield* submit(id, rejectAdjustment(adjustment, "ben", "granted"))
      assert.deepStrictEqual(yield* assignedTo(id, arrival), { adjustment_id: adjustment.id, operation_id: booked })
      assert.deepStrictEqual(yield* stand(id), [7n, 0n])
    }).pipe(Effect.provide(store))
  )

  it.effect("is placed by resolving the operation where an ON_RAMP brought it, and not assigned", () =>
    Effect.gen(function* () {
      const id = yield* payer()
      const sent = yield* send(id, { kind: "ON_RAMP", payee: null })
      yield* hear(id, sent, says("SETTLED", { received: of(9_000n, "USD") }))
      assert.strictEqual(yield* balanceOf(id, "suspense", "USD"), -9_000n)
      const command = assigning(sent.id, 9_000n, { amount: of(9_000n, "USD") })
      assert.strictEqual(yield* refusalOf(id, command), "state_conflict")
    }).pipe(Effect.provide(store))
  )
})
