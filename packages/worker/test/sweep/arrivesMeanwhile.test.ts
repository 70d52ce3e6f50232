import type { Writer } from "@bursar/core/engine/Writer"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { mineUntil, processOver } from "../transactions/world.ts"
import { arrive, confirmed, custody, sweeping, sweepsOf } from "./world.ts"

it.effect("a deposit is swept that is confirmed while the worker reads that nothing waits on its address", () => {
  const fake = fakeNetwork({ network: "ethereum", charges: true })
  return Effect.gen(function* () {
    const { addresses, id } = yield* custody("ethereum", fake, 1)
    const [address] = addresses
    if (address === undefined) return assert.fail("nothing was issued")
    const queries = yield* Queries
    const ports = yield* Effect.context<Writer>()
    let isThere = false
    const second = Effect.gen(function* () {
      isThere = true
      yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
    }).pipe(Effect.provide(ports), Effect.orDie)
    const racing = Queries.of({
      ...queries,
      largestSweepables: (tenantId, query) =>
        Effect.tap(queries.largestSweepables(tenantId, query), (found) =>
          // the address is due for a last time after its sweep
          found.length === 0 && !isThere ? second : Effect.void
        )
    })
    yield* Effect.forkScoped(sweeping(fake).pipe(Effect.provideService(Queries, racing)))
    yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
    const areSwept = Effect.map(sweepsOf(id), (all) => all.filter(({ state }) => state === "SWEPT").length === 2)
    yield* mineUntil(fake, "both deposits are swept", areSwept)
    assert.isTrue(isThere)
  }).pipe(Effect.provide(processOver(emptyState(), fake)))
})
