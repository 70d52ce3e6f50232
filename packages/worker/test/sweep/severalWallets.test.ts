import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { seedOf } from "@bursar/testkit/fixtures/seedOf"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { ledgerHolds, mineUntil, processOver, submit } from "../transactions/world.ts"
import { arrive, confirmed, custody, sweeping, sweepsOf } from "./world.ts"

describe("the sweeps of a tenant with two wallets", () => {
  it.effect("go to both, with the coin for their fees from whichever has some", () => {
    const [network, fake] = ["ethereum", fakeNetwork({ network: "ethereum", charges: true })] as const
    return Effect.gen(function* () {
      const { addresses, id, wallet } = yield* custody(network, fake, 24)
      const address = "0x00000000000000000000000000000000000000B0"
      const more = { another: true, seedId: seedOf(wallet), index: 1, ...keyed(address) }
      const second = yield* submit(id, addWallet({ network, role: "PAYOUT", ...more }, presetNetworks))
      // all coin stands in the first
      for (const one of addresses) yield* confirmed(id, yield* arrive(id, fake, one, "USDT_ETH", 5_000n))
      yield* Effect.forkScoped(sweeping(fake))
      const areSwept = Effect.map(
        sweepsOf(id),
        (sweeps) => sweeps.filter(({ state }) => state === "SWEPT").length >= 24
      )
      yield* mineUntil(fake, "all are swept", areSwept)
      const all = yield* (yield* Queries).records(id, OutboundTransaction)
      const receivers = all
        .filter(({ purpose }) => purpose === "SWEEP")
        .flatMap(({ payments }) => payments.map(({ to }) => to))
      assert.sameMembers([...new Set(receivers)], [wallet.address, second.address])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
