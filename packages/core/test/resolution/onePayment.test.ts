import { beginCustody } from "@bursar/core/custody/beginCustody"
import { settledBy } from "@bursar/core/custody/contradiction"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { done } from "@bursar/core/port/ProviderResult"
import { noteEvidence } from "@bursar/core/resolution/noteEvidence"
import type { Statement } from "@bursar/core/resolution/Resolution"
import { approveResolution, proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stated, stored } from "./world.ts"
import { store, submit, withdraw, withdrawer, wrong } from "../withdrawal/world.ts"

const [one, other] = ["0x00000000000000000000000000000000000000aa", "0x00000000000000000000000000000000000000bb"]
const [txHash, another] = [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`]
const proof = { verdict: "PROVEN", detail: "it paid", fee: null } as const
const byChain = stated({ basis: "CHAIN", providerReference: null, txHash })

type Receiver = readonly [address: string, memo: string | null]

/** The other address is the part of the one that the memo 42 names. */
const partOf = (account: string, memo: string) => (account === one && memo === "42" ? other : undefined)

/** A withdrawal of 100 USDC of a tenant of its own, whose order went out. */
const sentTo = Effect.fnUntraced(function* (address: string, memo: string | null = null) {
  const id = yield* withdrawer()
  const wish = { currency: "USDC_BASE", network: "base", address, memo, label: address, by: "alice" } as const
  yield* submit(id, verifyDestination((yield* submit(id, proposeDestination(wish))).id, "bob"))
  const made = yield* withdraw(id, 100_000_000n)
  if (typeof made === "string") return assert.fail(made)
  const task = yield* submit(id, beginCustody(made, { name: "fake", environment: "LIVE" }))
  return task._tag === "Send" ? task.operation : assert.fail(task._tag)
})

const standing = (operation: Operation) =>
  Effect.map(stored(operation.tenantId, operation), ({ status, unresolved }) => [status, unresolved])

/** Operators propose to settle it by their word, once the chain has proven the transaction; gives the approval, which is still to be made. */
const proposed = Effect.fnUntraced(function* (operation: Operation, statement: Statement) {
  const { tenantId } = operation
  yield* submit(tenantId, noteEvidence({ operation, note: "seen", by: "anna", transaction: { hash: txHash, proof } }))
  const asked = { operation, currencies: defaultCurrencies, partOf }
  const resolution = yield* submit(tenantId, proposeResolution({ ...asked, statement, by: "anna" }))
  return submit(tenantId, approveResolution({ ...asked, resolution, by: "ben", proof }))
})

const settle = Effect.fnUntraced(function* (operation: Operation, statement: Statement) {
  yield* yield* proposed(operation, statement)
  return yield* standing(operation)
})

/** The custodian says that it is settled by the transaction. */
const hear = Effect.fnUntraced(function* (
  operation: Operation,
  providerReference: string,
  told: string | null = txHash,
  _tag: "Pending" | "Settled" = "Settled"
) {
  const answer = done({ _tag, providerReference, txHash: told, networkFee: null })
  const report = { operation, answer, networkFeeBorneBy: "RECEIVER" as const, currencies: defaultCurrencies, partOf }
  yield* submit(operation.tenantId, recordWithdrawal(report))
  return yield* standing(operation)
})

describe("one transaction of a custodian", () => {
  it.effect("proves the withdrawals of two tenants that it pays to two receivers", () =>
    Effect.gen(function* () {
      for (const to of [one, other]) {
        const operation = yield* sentTo(to)
        assert.deepStrictEqual(yield* settle(operation, byChain), ["SETTLED", false])
        const { providerReference, txHash: told } = yield* stored(operation.tenantId, operation)
        assert.deepStrictEqual([providerReference, told], [txHash, txHash])
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("proves one of two tenants' withdrawals to one receiver, whatever the other's is said to be called", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* sentTo(one), yield* sentTo(one)]
      assert.deepStrictEqual(yield* settle(first, byChain), ["SETTLED", false])
      for (const again of [byChain, { ...byChain, providerReference: "o-2" }, stated({ txHash })]) {
        const refused = yield* Effect.flip(settle(second, again))
        assert.strictEqual(refused._tag, "Refusal")
        assert.include(refused.message, first.id)
      }
      // that its provider has paid it otherwise is its provider's to say
      assert.deepStrictEqual(yield* settle(second, stated()), ["SETTLED", false])
    }).pipe(Effect.provide(store))
  )

  it.effect("that was stated for one withdrawal settles no other that an order looks like", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* sentTo(one), yield* sentTo(one)]
      yield* settle(first, byChain)
      assert.deepStrictEqual(yield* hear(second, "o-1"), ["PROCESSING", true])
    }).pipe(Effect.provide(store))
  )

  const forms: ReadonlyArray<readonly [what: string, former: Receiver, later: Receiver]> = [
    ["the same", [one, null], [one, null]],
    ["an account with a memo, and the part of it", [one, "42"], [other, null]],
    ["a part of an account, and that with the memo", [other, null], [one, "42"]]
  ]
  for (const [what, former, later] of forms) {
    it.effect(`settles one withdrawal, where operators state it first: ${what}`, () =>
      Effect.gen(function* () {
        const [first, second] = [yield* sentTo(...former), yield* sentTo(...later)]
        yield* settle(first, byChain)
        assert.deepStrictEqual(yield* hear(second, "o-1"), ["PROCESSING", true])
        const refused = yield* Effect.flip(settle(yield* stored(second.tenantId, second), stated({ txHash })))
        assert.include(refused.message, first.id)
      }).pipe(Effect.provide(store))
    )

    it.effect(`settles one withdrawal of two that are approved at one instant: ${what}`, () =>
      Effect.gen(function* () {
        const both = [yield* sentTo(...former), yield* sentTo(...later)]
        const approvals = yield* Effect.forEach(both, (each) => proposed(each, byChain))
        yield* Effect.forEach(approvals, Effect.exit, { concurrency: "unbounded" })
        assert.sameDeepMembers(yield* Effect.forEach(both, standing), [
          ["SETTLED", false],
          ["PROCESSING", false]
        ])
      }).pipe(Effect.provide(store))
    )

    it.effect(`settles one withdrawal, where its custodian names it first: ${what}`, () =>
      Effect.gen(function* () {
        const [first, second] = [yield* sentTo(...former), yield* sentTo(...later)]
        assert.deepStrictEqual(yield* hear(first, "o-1"), ["SETTLED", false])
        for (const again of [byChain, stated({ txHash })])
          assert.include((yield* Effect.flip(settle(second, again))).message, first.id)
      }).pipe(Effect.provide(store))
    )
  }

  it.effect("settles one withdrawal, however its custodian writes the transaction", () =>
    Effect.gen(function* () {
      const first = yield* sentTo(one)
      yield* settle(first, byChain)
      const digits = "AB".repeat(32)
      for (const told of [digits, `0X${digits}`, `0x${digits}`, `${txHash}:0`, `${txHash}-1`, ` ${txHash} `])
        assert.deepStrictEqual(yield* hear(yield* sentTo(one), told, told), ["PROCESSING", true], told)
    }).pipe(Effect.provide(store))
  )

  it.effect("settles one withdrawal, also where its custodian names it as under way and not again", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* sentTo(one), yield* sentTo(one)]
      yield* hear(second, "o-1", txHash, "Pending")
      yield* settle(first, byChain)
      const under = yield* stored(second.tenantId, second)
      assert.deepStrictEqual(yield* hear(under, "o-1", null), ["SENT", true])
    }).pipe(Effect.provide(store))
  )

  it.effect("settles one withdrawal, also where its custodian names it as settled, and not again", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* sentTo(one), yield* sentTo(one)]
      yield* settle(first, byChain)
      for (const told of [txHash, null, txHash, null])
        assert.deepStrictEqual(yield* hear(yield* stored(second.tenantId, second), "o-1", told), ["PROCESSING", true])
      assert.isNull((yield* stored(second.tenantId, second)).txHash)
      // its own settles it
      assert.deepStrictEqual(yield* hear(yield* stored(second.tenantId, second), "o-1", another), ["SETTLED", false])
      const after = yield* stored(second.tenantId, second)
      assert.strictEqual(after.txHash, another)
      assert.notProperty(after.details, "told_tx")
      assert.deepStrictEqual(yield* wrong(second.tenantId), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("settles one withdrawal, also where it is recorded as it was read before its custodian named it", () =>
    Effect.gen(function* () {
      const [first, stale] = [yield* sentTo(one), yield* sentTo(one)]
      yield* hear(stale, "o-1", txHash, "Pending")
      yield* settle(first, byChain)
      assert.deepStrictEqual(yield* hear(stale, "o-1", null), ["SENT", true])
      const refused = yield* Effect.flip(proposed(stale, stated({ providerReference: "o-1" })))
      assert.strictEqual(refused._tag, "Refusal")
    }).pipe(Effect.provide(store))
  )

  for (const told of [txHash, null])
    it.effect(
      `settles both where operators state the second by its order, and its custodian has named it before ${told ? "and again" : "alone"}`,
      () =>
        Effect.gen(function* () {
          const [first, second] = [yield* sentTo(one), yield* sentTo(one)]
          yield* hear(second, "o-1", txHash, "Pending")
          yield* settle(first, byChain)
          assert.deepStrictEqual(yield* hear(yield* stored(second.tenantId, second), "o-1", told), ["SENT", true])
          const open = yield* stored(second.tenantId, second)
          assert.deepStrictEqual(yield* settle(open, stated({ providerReference: "o-1" })), ["SETTLED", false])
        }).pipe(Effect.provide(store))
    )

  it.effect(
    "is not named as that of a second that operators have settled by its order: what that was paid by is no second payment",
    () =>
      Effect.gen(function* () {
        const [first, second] = [yield* sentTo(one), yield* sentTo(one)]
        yield* hear(second, "o-1", txHash, "Pending")
        yield* settle(first, byChain)
        yield* hear(yield* stored(second.tenantId, second), "o-1")
        yield* settle(yield* stored(second.tenantId, second), stated({ providerReference: "o-1" }))
        assert.isNull((yield* stored(second.tenantId, second)).txHash)
        yield* hear(yield* stored(second.tenantId, second), "o-1", another)
        const after = yield* stored(second.tenantId, second)
        assert.deepStrictEqual([settledBy(after), contradictionsOf(after)], [another, []])
      }).pipe(Effect.provide(store))
  )

  for (const isNamedBefore of [false, true])
    it.effect(
      `is noted once where it has settled one, and is said to have settled a second that operators settled by its order${isNamedBefore ? ", which it was before" : ""}`,
      () =>
        Effect.gen(function* () {
          const [first, second] = [yield* sentTo(one), yield* sentTo(one)]
          if (isNamedBefore) yield* hear(second, "o-1", txHash, "Pending")
          yield* settle(first, byChain)
          yield* settle(yield* stored(second.tenantId, second), stated({ providerReference: "o-1" }))
          for (const told of [txHash, `${txHash}:1`]) yield* hear(yield* stored(second.tenantId, second), "o-1", told)
          const after = yield* stored(second.tenantId, second)
          assert.isNull(settledBy(after))
          assert.deepStrictEqual(
            contradictionsOf(after).map(({ moved, said }) => [moved, said]),
            [[true, `it says that the transaction ${txHash} has settled it, which has paid operation ${first.id}`]]
          )
          assert.deepStrictEqual(yield* wrong(second.tenantId), [])
        }).pipe(Effect.provide(store))
    )

  for (const named of ["o-1", "c-9"])
    it.effect(
      `is kept of one that operators settled by its order, once its custodian names it, as ${named}: it proves no other`,
      () =>
        Effect.gen(function* () {
          const [first, second] = [yield* sentTo(one), yield* sentTo(one)]
          yield* settle(first, stated({ providerReference: "o-1" }))
          // what is named within the custodian is no transaction
          for (const told of [null, "internal transfer 17", txHash.toUpperCase()])
            yield* hear(yield* stored(first.tenantId, first), named, told)
          const known = yield* stored(first.tenantId, first)
          assert.deepStrictEqual([settledBy(known), contradictionsOf(known)], [txHash, []])
          for (const again of [byChain, stated({ txHash })])
            assert.include((yield* Effect.flip(settle(second, again))).message, first.id)
          // a second one is heard
          yield* hear(known, named, another)
          const after = yield* stored(first.tenantId, first)
          assert.deepInclude(after.details.contradiction, {
            said: `it says that the transaction ${another.slice(2)} has settled it${named === "o-1" ? "" : `, under the id ${named}`}`,
            moved: true
          })
          assert.strictEqual(settledBy(after), txHash)
          assert.deepStrictEqual(yield* wrong(first.tenantId), [])
        }).pipe(Effect.provide(store))
    )

  it.effect(
    "is not kept of one that operators settled by another order than its custodian had told: that is a second payment of it, and proves no other",
    () =>
      Effect.gen(function* () {
        const [first, second] = [yield* sentTo(one), yield* sentTo(one)]
        yield* hear(first, "mine", null, "Pending")
        yield* settle(yield* stored(first.tenantId, first), stated({ providerReference: "o-1" }))
        yield* hear(yield* stored(first.tenantId, first), "mine")
        const after = yield* stored(first.tenantId, first)
        assert.deepInclude(after.details.contradiction, {
          said: `it says that the order is settled by ${txHash.slice(2)}, under the id mine`
        })
        assert.isNull(settledBy(after))
        assert.include((yield* Effect.flip(settle(second, byChain))).message, first.id)
      }).pipe(Effect.provide(store))
  )

  it.effect("settles all that the custodian has paid by it under orders of their own", () =>
    Effect.gen(function* () {
      for (const reference of ["o-1", "o-2"])
        assert.deepStrictEqual(yield* hear(yield* sentTo(one), reference), ["SETTLED", false])
    }).pipe(Effect.provide(store))
  )
})
