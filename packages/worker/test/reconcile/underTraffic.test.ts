import { Positions } from "@bursar/core/reconciliation/Positions"
import type { KnownTransaction } from "@bursar/core/reconciliation/chainMovements"
import { newTransaction } from "@bursar/core/transaction/newTransaction"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { begin, caughtUp, ethereum, oneProcess, ticks, until, watching } from "../watch/world.ts"
import {
  allBreaks,
  mineFrom,
  newWallet,
  observationOf,
  observedAgain,
  reconciling,
  shownBreaks,
  thief,
  wallet,
  wallets
} from "./world.ts"

const payout = (tenantId: TenantId, id: number): KnownTransaction => ({
  tenantId,
  transaction: {
    ...newTransaction(
      { now: 0 },
      {
        id: `t${id}`,
        network: "ethereum",
        purpose: "PAYOUT",
        walletId: "w",
        from: wallet,
        guard: { _tag: "Sequence", account: wallet, sequence: BigInt(id) },
        counterId: "w",
        payments: [{ operationId: `o${id}`, to: "r", contract: null, units: 1n, memo: null }],
        trustlines: [],
        drain: false,
        salt: id
      }
    ),
    phase: "BROADCAST"
  }
})

/** A wallet of a million; each time that it is looked at, another payout of one unit is under way, and nobody knows whether it is in a block. */
const busy = Effect.gen(function* () {
  yield* begin
  const chain = ethereum()
  const id = yield* newWallet
  yield* Effect.forkScoped(watching(chain))
  yield* caughtUp(chain)
  const positions = yield* Positions
  let sent = 0
  const sending: typeof positions = {
    ...positions,
    chain: (network, above) =>
      Effect.map(positions.chain(network, above), (found) => {
        sent += 1
        return { ...found, transactions: Array.from({ length: sent }, (_, index) => payout(id, index)) }
      })
  }
  yield* Effect.forkScoped(reconciling([chain]).pipe(Effect.provideService(Positions, sending)))
  mineFrom(chain, "0x00000000000000000000000000000000000000F0", wallet, 1_000_000n)
  yield* until(
    "the wallet is in the books",
    Effect.map(observationOf(wallets, "ETH"), (found) => found?.ledger === 1_000_000n)
  )
  return chain
})

describe("while payouts leave all the time", () => {
  it.effect("clean books show no break", () =>
    Effect.gen(function* () {
      yield* busy
      yield* ticks(300)
      assert.deepStrictEqual(yield* allBreaks, [])
      assert.strictEqual((yield* observationOf(wallets, "ETH"))?.difference, 0n)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("a theft is a break all the same and stays one, and is none any more once its block is replaced", () =>
    Effect.gen(function* () {
      const chain = yield* busy
      chain.mine([transferTo(thief, 1_000_000n, { from: wallet })])
      yield* until(
        "it is a break",
        Effect.map(allBreaks, (all) => all.length > 0)
      )
      yield* ticks(100)
      const [broken, ...others] = yield* shownBreaks
      assert.isEmpty(others)
      assert.isTrue(broken?.open)
      // what is under way could be a part of it
      assert.isTrue(broken !== undefined && broken.units > 999_000n && broken.units < 1_000_000n)
      chain.reorg(1, [[], []])
      yield* until(
        "it is closed",
        Effect.map(shownBreaks, (all) => all.every(({ open }) => !open))
      )
      assert.strictEqual((yield* allBreaks).length, 1)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("what is seen once and not a second time is no break", () =>
    Effect.gen(function* () {
      const chain = yield* busy
      yield* observedAgain(wallets, "ETH")
      chain.mine([transferTo(thief, 1_000_000n, { from: wallet })])
      const asked = chain.asked("holdings")
      yield* until(
        "it was looked at once",
        Effect.sync(() => chain.asked("holdings") > asked)
      )
      chain.reorg(1, [[], []])
      yield* ticks(30)
      assert.deepStrictEqual(yield* allBreaks, [])
    }).pipe(Effect.provide(oneProcess()))
  )
})
