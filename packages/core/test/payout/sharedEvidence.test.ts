import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { givenBefore } from "@bursar/core/payout/givenBefore"
import { holdSignedBefore } from "@bursar/core/payout/holdSignedBefore"
import { settleHeld } from "@bursar/core/payout/settleHeld"
import type { Proof } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accepted, ethereum, ledgerHolds, payer, stateOf, store, submit, usdt } from "./world.ts"

const proven: Proof = { verdict: "PROVEN", detail: "it paid", fee: 7n }
const denied: Proof = { verdict: "NOT_PROVEN", reason: "not so" }
const lost = "0xlost"

const receiver = (n: number) => `0x00000000000000000000000000000000000000${(0xa0 + n).toString(16).toUpperCase()}`

/** Payouts to receivers of their own that wait for an operator, who was told of one transaction that only the signer knows. */
const heldAs = Effect.fnUntraced(function* (memos: ReadonlyArray<string | null>) {
  const { id } = yield* payer()
  const made = yield* Effect.forEach(
    memos,
    Effect.fnUntraced(function* (value, n) {
      // an id as stellar has it, where a muxed address is the same receiver as an account with a memo
      const memo = value === null ? null : ({ type: "id", value } as const)
      const { id: operationId } = yield* accepted(id, { order: usdt({ to: receiver(n), memo }) })
      const { payout } = yield* stateOf(id, operationId)
      yield* submit(id, holdSignedBefore({ payout, hashes: [lost], currencies }))
      return operationId
    })
  )
  return { id, made }
})

/** An operator gives the transaction for a payout, and the chain is asked about it where a proof is given: `given`, or why it is refused. */
const give = Effect.fnUntraced(function* (id: TenantId, operationId: string, proof?: Proof) {
  const { payout } = yield* stateOf(id, operationId)
  const before = yield* givenBefore(yield* Queries, id, { network: payout.network, payout, txHash: lost })
  return yield* submit(id, attachEvidence({ payout, txHash: lost, note: "seen", by: "alice", before })).pipe(
    Effect.flatMap((evidence) =>
      proof === undefined ? Effect.succeed(null) : submit(id, recordEvidence(evidence, proof, ethereum))
    ),
    Effect.as("given"),
    Effect.catchTag("Refusal", ({ code }) => Effect.succeed(code))
  )
})

/** What becomes of a payout by what was given for it: its status. */
const settle = Effect.fnUntraced(function* (id: TenantId, operationId: string) {
  const { payout } = yield* stateOf(id, operationId)
  yield* submit(id, settleHeld({ payout, asked: [lost], nextAt: 1, currencies }))
  return (yield* stateOf(id, operationId)).operation.status
})

describe("a transaction that was given for a payout to a muxed address", () => {
  const world = Effect.map(heldAs([null, null, "5"]), ({ id, made: [other = "", muxed = "", withMemo = ""] }) => ({
    ...{ id, other, muxed, withMemo }
  }))

  it.effect("is not given for one to the account with that memo, where the chain denied another one before", () =>
    Effect.gen(function* () {
      const { id, muxed, other, withMemo } = yield* world
      assert.strictEqual(yield* give(id, other, denied), "given")
      assert.strictEqual(yield* give(id, muxed, proven), "given")
      assert.strictEqual(yield* settle(id, muxed), "SETTLED")
      assert.strictEqual(yield* give(id, withMemo, proven), "state_conflict")
      assert.strictEqual(yield* settle(id, withMemo), "IN_REVIEW")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is not given for one to the account with that memo, where the chain denied another one since", () =>
    Effect.gen(function* () {
      const { id, muxed, other, withMemo } = yield* world
      assert.strictEqual(yield* give(id, other), "given")
      assert.strictEqual(yield* give(id, muxed, proven), "given")
      assert.strictEqual(yield* settle(id, muxed), "SETTLED")
      assert.strictEqual(yield* give(id, other, denied), "given")
      assert.strictEqual(yield* give(id, withMemo, proven), "state_conflict")
      assert.strictEqual(yield* settle(id, withMemo), "IN_REVIEW")
    }).pipe(Effect.provide(store))
  )

  it.effect("is not given for it either where a third has taken the place of the one that was denied", () =>
    Effect.gen(function* () {
      const { id, made } = yield* heldAs([null, null, null, "5"])
      const [other = "", muxed = "", third = "", withMemo = ""] = made
      assert.strictEqual(yield* give(id, other), "given")
      assert.strictEqual(yield* give(id, muxed, proven), "given")
      assert.strictEqual(yield* give(id, other, denied), "given")
      assert.strictEqual(yield* give(id, third, denied), "given")
      assert.strictEqual(yield* give(id, withMemo, proven), "state_conflict")
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is given for the one with the memo once the chain has denied each that it was given for, one after the other",
    () =>
      Effect.gen(function* () {
        const { id, muxed, other, withMemo } = yield* world
        assert.strictEqual(yield* give(id, other, denied), "given")
        assert.strictEqual(yield* give(id, muxed, denied), "given")
        assert.strictEqual(yield* give(id, withMemo, proven), "given")
        assert.strictEqual(yield* settle(id, withMemo), "SETTLED")
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
  )

  /** Two that the transaction was given for together, both of which the chain has denied, and the one with the memo. */
  const bothDenied = Effect.tap(
    world,
    Effect.fnUntraced(function* ({ id, muxed, other }) {
      for (const one of [other, muxed]) assert.strictEqual(yield* give(id, one), "given")
      for (const one of [other, muxed]) assert.strictEqual(yield* give(id, one, denied), "given")
    })
  )

  it.effect("is given for the one with the memo once the chain has denied all that it was given for together", () =>
    Effect.gen(function* () {
      const { id, muxed, withMemo } = yield* bothDenied
      assert.strictEqual(yield* give(id, withMemo, proven), "given")
      // whatever the chain says now: one payment is for one of them
      assert.strictEqual(yield* give(id, muxed, proven), "given")
      assert.strictEqual(yield* settle(id, muxed), "IN_REVIEW")
      assert.strictEqual(yield* settle(id, withMemo), "SETTLED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("speaks for the muxed address again where the chain denies the one with the memo, and for one alone", () =>
    Effect.gen(function* () {
      const { id, muxed, withMemo } = yield* bothDenied
      for (const [one, proof] of [
        [withMemo, denied],
        [muxed, proven],
        [withMemo, proven]
      ] as const)
        assert.strictEqual(yield* give(id, one, proof), "given")
      assert.strictEqual(yield* settle(id, withMemo), "IN_REVIEW")
      assert.strictEqual(yield* settle(id, muxed), "SETTLED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is not given for one with a memo where another of its receiver takes the place of one that is denied",
    () =>
      Effect.gen(function* () {
        const { id, muxed, withMemo } = yield* bothDenied
        const { id: twin } = yield* accepted(id, { order: usdt({ to: receiver(1) }) })
        const { payout } = yield* stateOf(id, twin)
        yield* submit(id, holdSignedBefore({ payout, hashes: [lost], currencies }))
        assert.strictEqual(yield* give(id, twin, proven), "given")
        assert.strictEqual(yield* give(id, withMemo, proven), "state_conflict")
        assert.strictEqual(yield* settle(id, twin), "SETTLED")
        assert.strictEqual(yield* settle(id, muxed), "IN_REVIEW")
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
  )
})

describe("what a transaction cost that has made several payouts", () => {
  /** What payouts say that they cost: the checker holds it against what is booked. */
  const costs = (id: TenantId, made: ReadonlyArray<string>) =>
    Effect.forEach(made, (one) => Effect.map(stateOf(id, one), ({ operation }) => operation.networkFee?.units ?? null))

  it.effect("is booked once where the chain denied that it made the one that it was given for first", () =>
    Effect.gen(function* () {
      const { id, made } = yield* heldAs([null, null, null])
      const [denies = "", one = "", other = ""] = made
      assert.strictEqual(yield* give(id, denies), "given")
      for (const paid of [one, other]) assert.strictEqual(yield* give(id, paid, proven), "given")
      assert.strictEqual(yield* give(id, denies, denied), "given")
      for (const paid of [one, other]) assert.strictEqual(yield* settle(id, paid), "SETTLED")
      assert.deepStrictEqual(yield* costs(id, made), [null, 7n, 0n])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is booked once where the one that it was given for first is denied and gives its place to another", () =>
    Effect.gen(function* () {
      const { id, made } = yield* heldAs([null, null, null])
      const [denies = "", one = "", other = ""] = made
      assert.strictEqual(yield* give(id, denies), "given")
      assert.strictEqual(yield* give(id, one, proven), "given")
      assert.strictEqual(yield* settle(id, one), "SETTLED")
      assert.strictEqual(yield* give(id, denies, denied), "given")
      assert.strictEqual(yield* give(id, other, proven), "given")
      assert.strictEqual(yield* settle(id, other), "SETTLED")
      assert.deepStrictEqual(yield* costs(id, made), [null, 7n, 0n])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is booked where the chain never answers for the one that it was given for first", () =>
    Effect.gen(function* () {
      const { id, made } = yield* heldAs([null, null])
      const [silent = "", paid = ""] = made
      assert.strictEqual(yield* give(id, silent), "given")
      assert.strictEqual(yield* give(id, paid, proven), "given")
      assert.strictEqual(yield* settle(id, paid), "SETTLED")
      assert.deepStrictEqual(yield* costs(id, made), [null, 7n])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})
