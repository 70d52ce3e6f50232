import { nothingUndecided } from "@bursar/core/deposit/undecided"
import {
  confirmWalletTransfers,
  recordWalletTransfers,
  reorgWalletTransfers
} from "@bursar/core/incoming/walletTransfers"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import { Operation } from "@bursar/core/operation/Operation"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { keptSignatures } from "@bursar/core/payout/keptSignatures"
import { purposes } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { unconditional } from "@bursar/core/transaction/PurposeRule"
import { recordSigned } from "@bursar/core/transaction/recordSigned"
import { adjust, looking } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accepted,
  ethereum,
  float,
  ledgerHolds,
  next,
  payer,
  reserved,
  signed,
  stateOf,
  store,
  submit,
  withStatus
} from "../payout/world.ts"

/** 7 of change at the wallet, which nobody knows to be that. */
const arrives = Effect.fnUntraced(function* (
  id: TenantId,
  wallet: { readonly id: string; readonly address: string },
  txHash: string,
  hash = "b1"
) {
  const block = { number: 1, hash, time: 10 }
  const one = {
    ...{ network: "ethereum" as const, txHash, transferIndex: 0, walletId: wallet.id, address: wallet.address },
    ...{ memo: null, paidTo: wallet.address, currency: "ETH", units: 7n, fromAddress: null, block }
  }
  const recorded = yield* submit(id, recordWalletTransfers([one], presetNetworks))
  const found = recorded.map((incomingTransfer) => ({ incomingTransfer, block }))
  const [confirmed] = yield* submit(id, confirmWalletTransfers(found, presetNetworks, nothingUndecided))
  return { incomingTransfer: confirmed ?? (yield* Effect.die(new Error("it is not confirmed"))), block }
})

const inSuspense = (id: TenantId) =>
  submit(
    id,
    looking(
      [{ _tag: "Balance", account: "suspense", currency: "ETH" }],
      (view) => -view.balance("suspense", "ETH").units
    )
  )

/** Those of some transactions of which something is noted. */
const noted = Effect.fnUntraced(function* (id: TenantId, hashes: ReadonlyArray<string>) {
  yield* ledgerHolds(id)
  const queries = yield* Queries
  const all = yield* Effect.forEach(hashes, (hash) => queries.records(id, Operation, hash))
  return hashes.filter((_, at) => all[at]?.some((one) => contradictionsOf(one).length > 0))
})

describe("what transactions of our own brought, and operators have given away", () => {
  for (const isMinedBefore of [false, true])
    it.effect(`is noted where its block went before the signer told (mined again before that: ${isMinedBefore})`, () =>
      Effect.gen(function* () {
        const { id, wallet } = yield* payer()
        const operation = yield* accepted(id)
        const transaction = yield* reserved(id, wallet, [operation])
        const found = yield* arrives(id, wallet, "0xlost")
        const before = (yield* float(id, "ETH")).available
        yield* submit(id, adjust(7n, "ETH", { against: "suspense", assigns: found.incomingTransfer.bookedBy }))
        yield* submit(id, reorgWalletTransfers([found], presetNetworks))
        if (isMinedBefore) yield* arrives(id, wallet, "0xlost", "b2")
        const booked = yield* (yield* Queries).records(id, Operation, "0xlost")
        yield* submit(
          id,
          recordSigned({
            ...{ transaction, hash: "0xlost", raw: new Uint8Array([1]), validUntil: null, feeMax: 9n },
            ...{ pays: [operation.id], replaces: null, isLost: true, booked },
            ...{ conditions: unconditional("PAYOUT"), purposes }
          })
        )
        if (!isMinedBefore) yield* arrives(id, wallet, "0xlost", "b2")
        assert.strictEqual((yield* float(id, "ETH")).available - before, 7n)
        assert.deepStrictEqual(yield* noted(id, ["0xlost"]), ["0xlost"])
      }).pipe(Effect.provide(store))
    )

  it.effect("is noted of each where a payout of two kept signatures is cancelled, and one was credited unnamed", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const one = yield* accepted(id)
      yield* reserved(id, wallet, [one])
      const hashes = ["0xk1", "0xk2"]
      for (const hash of hashes) yield* arrives(id, wallet, hash)
      yield* submit(id, adjust(7n, "ETH", { against: "suspense" }))
      const { payout, transaction } = yield* stateOf(id, one.id)
      const kept = keptSignatures(
        hashes.map((hash) => ({
          hash,
          raw: new Uint8Array([1]),
          validUntil: null,
          feeMax: 9n,
          shares: "same" as const
        }))
      )
      const queries = yield* Queries
      const booked = (yield* Effect.forEach(hashes, (hash) => queries.records(id, Operation, hash))).flat()
      yield* submit(id, cancelPayout({ payout, transaction, kept, booked, by: "ann", currencies }))
      assert.strictEqual(yield* inSuspense(id), -7n)
      assert.deepStrictEqual(yield* noted(id, hashes), hashes)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is noted of each where evidence settles two payouts by two transactions, and one was credited unnamed",
    () =>
      Effect.gen(function* () {
        const { id, wallet } = yield* payer()
        const made = [yield* accepted(id), yield* accepted(id)]
        const own = yield* signed(id, yield* reserved(id, wallet, made, next(wallet)), "0xown")
        const hashes = ["0xe1", "0xe2"]
        for (const hash of hashes) yield* arrives(id, wallet, hash)
        yield* submit(id, adjust(7n, "ETH", { against: "suspense" }))
        for (const [at, one] of made.entries()) {
          const { payout } = yield* stateOf(id, one.id)
          const given = yield* submit(id, attachEvidence({ payout, txHash: hashes[at] ?? "", note: "seen", by: "ann" }))
          yield* submit(id, recordEvidence(given, { verdict: "PROVEN", detail: "paid", fee: 7n }, ethereum))
        }
        yield* withStatus(id, own, { _tag: "Invalidated", reason: "replaced_on_chain", by: "0xe1", detail: "" }, hashes)
        for (const one of made) assert.strictEqual((yield* stateOf(id, one.id)).operation.status, "SETTLED")
        assert.strictEqual(yield* inSuspense(id), -7n)
        assert.deepStrictEqual(yield* noted(id, hashes), hashes)
      }).pipe(Effect.provide(store))
  )
})
