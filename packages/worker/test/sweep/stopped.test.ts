import { Grants } from "@bursar/core/grant/Grants"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { emptyState } from "@bursar/memory"
import { importingKey, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { chainsOf } from "../grantChains.ts"
import { processOver, submit, tick } from "../transactions/world.ts"
import { arrive, confirmed, custody, sweeping, sweepsOf } from "./world.ts"

type Grant = Effect.Success<ReturnType<typeof chainsOf>>["grant"]

/** What stops top-ups, and lets them go on. */
const stops = {
  suspension: (grant: Grant, is: boolean) => grant("suspension", { suspended: is, reason: "A thief." }),
  network: (grant: Grant, is: boolean) => grant("network", { network: "ethereum", stopped: is, reason: "A thief." })
} as const

describe("an imported address that lacks coin for its sweep", () => {
  for (const [kind, stop] of Object.entries(stops)) {
    it.effect(`is given none while a grant stops the tenant or the network, and is swept later (${kind})`, () => {
      const fake = fakeNetwork({ network: "ethereum", charges: true })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { addresses, id } = yield* custody("ethereum", fake, 1)
        const [issued] = addresses
        const { address: imported } = yield* submit(id, importingKey(newEvmAddress()))
        if (issued === undefined) return assert.fail("no address")
        const { grant, grants } = yield* chainsOf(id)
        yield* stop(grant, true)
        fake.refuseToSign(imported.address, { reason: "it is stopped by a grant" })
        for (const address of [issued, imported])
          yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
        yield* Effect.forkScoped(Effect.provideService(sweeping(fake), Grants, grants))
        const run = Effect.gen(function* () {
          for (let n = 0; n < 120; n++) {
            fake.mine(yield* Clock.currentTimeMillis)
            yield* tick
          }
          return (yield* sweepsOf(id)).map(({ address, state }) => ({ address, state }))
        })
        const first = { address: issued.address, state: "SWEPT" } as const
        assert.deepStrictEqual(yield* run, [first])
        const all = yield* (yield* Queries).records(id, OutboundTransaction)
        assert.deepStrictEqual(all.map(({ purpose }) => purpose).toSorted(), ["SWEEP", "TOP_UP"])
        yield* stop(grant, false)
        fake.refuseToSign(imported.address, null)
        assert.sameDeepMembers([...(yield* run)], [first, { address: imported.address, state: "SWEPT" }])
        return undefined
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})
