import { confirmWalletTransfers, recordWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Operation } from "@bursar/core/operation/Operation"
import { purposes } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { unconditional } from "@bursar/core/transaction/PurposeRule"
import { recordSigned } from "@bursar/core/transaction/recordSigned"
import { adjust, looking } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accepted, payer, reserved, store, submit } from "../payout/world.ts"

const block = { number: 1, hash: "b1", time: 10 }

/** What came to a wallet in a block that is deep enough: 7 units. */
const arrives = Effect.fnUntraced(function* (
  id: TenantId,
  wallet: { readonly id: string; readonly address: string },
  txHash: string
) {
  const one = {
    ...{ network: "ethereum", txHash, transferIndex: 0, walletId: wallet.id, address: wallet.address, memo: null },
    ...{ paidTo: wallet.address, currency: "ETH", units: 7n, fromAddress: null, block }
  }
  const recorded = yield* submit(id, recordWalletTransfers([one], presetNetworks))
  const found = recorded.map((incomingTransfer) => ({ incomingTransfer, block }))
  yield* submit(id, confirmWalletTransfers(found, presetNetworks, nothingUndecided))
})

const inSuspense = (id: TenantId) =>
  submit(
    id,
    looking(
      [{ _tag: "Balance", account: "suspense", currency: "ETH" }],
      (view) => -view.balance("suspense", "ETH").units
    )
  )

/** 7 units that a transaction of the service's own brought to a wallet, which nobody knows until the signer tells of it. */
const ownArrival = Effect.gen(function* () {
  const { id, wallet } = yield* payer()
  const operation = yield* accepted(id)
  const transaction = yield* reserved(id, wallet, [operation])
  yield* arrives(id, wallet, "0xlost")
  const signerTells = Effect.gen(function* () {
    const booked = yield* (yield* Queries).records(id, Operation, "0xlost")
    const signed = { hash: "0xlost", raw: new Uint8Array([1]), validUntil: null, feeMax: 9n, pays: [operation.id] }
    const known = { replaces: null, isLost: true, booked, conditions: unconditional("PAYOUT"), purposes }
    yield* submit(id, recordSigned({ transaction, ...signed, ...known }))
  })
  return { id, signerTells, wallet }
})

const credit = (units: bigint) => adjust(units, "ETH", { against: "suspense" })

const refusalOf = (id: TenantId, units: bigint) =>
  Effect.map(Effect.flip(submit(id, credit(units))), ({ message }) => message)

describe("an adjustment that credits what stands in suspense, and names no arrival", () => {
  it.effect("is refused once what an operator saw there was taken back", () =>
    Effect.gen(function* () {
      const { id, signerTells } = yield* ownArrival
      yield* signerTells
      assert.strictEqual(yield* inSuspense(id), 0n)
      assert.strictEqual(yield* refusalOf(id, 7n), "Suspense has 0 ETH.")
      assert.strictEqual(yield* inSuspense(id), 0n)
    }).pipe(Effect.provide(store))
  )

  it.effect("credits all that stands there, and no more", () =>
    Effect.gen(function* () {
      const { id } = yield* ownArrival
      assert.strictEqual(yield* refusalOf(id, 8n), "Suspense has 0.000000000000000007 ETH.")
      yield* submit(id, credit(7n))
      assert.strictEqual(yield* inSuspense(id), 0n)
      // a mistake is corrected
      yield* submit(id, credit(-7n))
      yield* submit(id, credit(7n))
      assert.strictEqual(yield* inSuspense(id), 0n)
    }).pipe(Effect.provide(store))
  )

  it.effect("is none where value is on its way from a place: it may arrive later", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* ownArrival
      yield* submit(id, adjust(20n, "ETH"))
      yield* submit(id, adjust(14n, "ETH", { from: "custodian", against: "suspense" }))
      assert.strictEqual(yield* inSuspense(id), -7n)
      yield* arrives(id, wallet, "0xrefill")
      assert.strictEqual(yield* inSuspense(id), 0n)
    }).pipe(Effect.provide(store))
  )
})
