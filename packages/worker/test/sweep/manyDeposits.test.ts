import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { ledgerHolds, mineUntil, processOver, tick } from "../transactions/world.ts"
import { arrive, confirmed, custody, ledgerAgrees, movedOf, sweeping, sweepsOf } from "./world.ts"

describe("more deposits than one transaction moves", () => {
  for (const [network, currency, most, transactions] of [
    // those of one address in turn; of a shared account, those of two addresses
    ["ethereum", "USDT_ETH", 4, 3 + 3],
    ["ethereum", "ETH", 4, 3 + 3],
    ["tron", "TRX", 4, 3 + 3],
    ["stellar", "USDC_XLM", 4, 5],
    ["bitcoin", "BTC", 4, 5]
  ] as const)
    it.effect(`are swept one part after the other, the largest first, on ${network} (${currency})`, () => {
      const fake = fakeNetwork({ network, charges: true })
      return Effect.gen(function* () {
        const { addresses, id } = yield* custody(network, fake, 2)
        const came: Array<{ readonly id: string; readonly units: bigint }> = []
        for (let n = 0n; n < 10n; n++)
          for (const address of addresses)
            came.push(yield* confirmed(id, yield* arrive(id, fake, address, currency, 5_000n + n)))
        yield* Effect.forkScoped(sweeping(fake, undefined, { depositsPerSweepMax: most }))
        const areSwept = Effect.map(sweepsOf(id), (sweeps) => movedOf(sweeps).length === came.length)
        yield* mineUntil(fake, "all are swept", areSwept, 200)
        for (let n = 0; n < 10; n++) {
          fake.mine(yield* Clock.currentTimeMillis)
          yield* tick
        }
        const sweeps = yield* sweepsOf(id)
        const byTransaction = [...Map.groupBy(sweeps, ({ sweepTransactionId }) => sweepTransactionId).values()]
        assert.lengthOf(byTransaction, transactions)
        const unitsOf = new Map(came.map((one) => [one.id, one.units]))
        for (const shared of byTransaction) {
          assert.isAtMost(shared.flatMap(({ deposits }) => deposits).length, most)
          for (const { deposits, units } of shared) {
            const sum = deposits.reduce((total, { depositId }) => total + (unitsOf.get(depositId) ?? 0n), 0n)
            assert.strictEqual(units, sum, "a sweep is of its deposits, whatever else stands at the address")
          }
        }
        const first = byTransaction[0]?.flatMap(({ deposits }) => deposits) ?? []
        assert.isTrue(first.some(({ depositId }) => unitsOf.get(depositId) === 5_009n))
        yield* ledgerAgrees(network, fake, id, addresses)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
})
