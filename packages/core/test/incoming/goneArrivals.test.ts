import { nothingUndecided } from "@bursar/core/deposit/undecided"
import {
  confirmWalletTransfers,
  recordWalletTransfers,
  reorgWalletTransfers
} from "@bursar/core/incoming/walletTransfers"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import { Operation } from "@bursar/core/operation/Operation"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { adjust } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ledgerHolds, payer, store, submit } from "../payout/world.ts"

interface Wallet {
  readonly id: string
  readonly address: string
}

const arrive = Effect.fnUntraced(function* (id: TenantId, wallet: Wallet, hash: string, units = 7n) {
  const block = { number: 1, hash, time: 10 }
  const one = {
    ...{ network: "ethereum" as const, txHash: "0xa", transferIndex: 0, walletId: wallet.id, address: wallet.address },
    ...{ memo: null, paidTo: wallet.address, currency: "ETH", units, fromAddress: "0xstranger", block }
  }
  const recorded = yield* submit(id, recordWalletTransfers([one], presetNetworks))
  const found = recorded.map((incomingTransfer) => ({ incomingTransfer, block }))
  const [confirmed] = yield* submit(id, confirmWalletTransfers(found, presetNetworks, nothingUndecided))
  return { incomingTransfer: confirmed ?? (yield* Effect.die(new Error("it is not confirmed"))), block }
})

const said = Effect.fnUntraced(function* (id: TenantId) {
  yield* ledgerHolds(id)
  const all = yield* (yield* Queries).records(id, Operation, "0xa")
  return all.flatMap((one) => contradictionsOf(one).map((each) => each.said))
})

/** An arrival of 7 that operators have given to the float, and that the chain takes back. */
const gone = Effect.fnUntraced(function* (isNamed: boolean) {
  const { id, wallet } = yield* payer()
  const found = yield* arrive(id, wallet, "b1")
  const { bookedBy } = found.incomingTransfer
  yield* submit(id, adjust(7n, "ETH", { against: "suspense", assigns: isNamed ? bookedBy : null }))
  yield* submit(id, reorgWalletTransfers([found], presetNetworks))
  return { id, wallet, found }
})

describe("an arrival that operators have given away, and that the chain takes back", () => {
  for (const isNamed of [true, false])
    it.effect(`is noted, and no more once it is there again (named: ${isNamed})`, () =>
      Effect.gen(function* () {
        const { id, wallet } = yield* gone(isNamed)
        const [one, ...others] = yield* said(id)
        assert.match(one ?? "", /^it is not on the chain any more, and (operation .* has given it|it may have been)/u)
        assert.deepStrictEqual(others, [])
        const again = yield* arrive(id, wallet, "b2")
        assert.deepStrictEqual(yield* said(id), [])
        yield* submit(id, reorgWalletTransfers([again], presetNetworks))
        assert.deepStrictEqual(yield* said(id), [one])
      }).pipe(Effect.provide(store))
    )

  it.effect("stays noted where something else is there in its place", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* gone(true)
      yield* arrive(id, wallet, "b2", 5n)
      assert.strictEqual((yield* said(id)).length, 1)
    }).pipe(Effect.provide(store))
  )

  it.effect("is closed once operators have dealt with it, also when the same is said again", () =>
    Effect.gen(function* () {
      const { found, id } = yield* gone(true)
      for (const operation of yield* (yield* Queries).records(id, Operation, "0xa"))
        if (contradictionsOf(operation).length > 0)
          yield* submit(id, closeContradiction({ operation, by: "ann", reason: "taken from the float" }))
      yield* submit(id, reorgWalletTransfers([found], presetNetworks))
      assert.deepStrictEqual(yield* said(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is not noted where nobody was given anything", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const found = yield* arrive(id, wallet, "b1")
      yield* submit(id, reorgWalletTransfers([found], presetNetworks))
      assert.deepStrictEqual(yield* said(id), [])
    }).pipe(Effect.provide(store))
  )
})
