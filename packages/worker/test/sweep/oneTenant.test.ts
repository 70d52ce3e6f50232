import type { Command } from "@bursar/core/engine/Command"
import { schedule } from "@bursar/core/engine/Job"
import { StorageError } from "@bursar/core/engine/StorageError"
import { openSweepQueue, sweepQueue } from "@bursar/core/sweep/sweepQueues"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { emptyState } from "@bursar/memory"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { ledgerHolds, mineUntil, processOver, submit } from "../transactions/world.ts"
import { arrive, confirmed, custody, sweeping, sweepsOf } from "./world.ts"

/** Has a tenant looked at, whatever there is of it. */
const look = (queue: string): Command<null> => ({
  name: "Look",
  reads: [],
  decide: ({ now }) => Result.succeed({ changes: [schedule(queue, "whatever it is", now)], reply: null })
})

/** The queries of a storage that cannot read what a tenant has. */
const failingFor = (tenantOf: () => TenantId | undefined) =>
  Layer.effect(
    Queries,
    Effect.map(Queries, (queries) => {
      const unless = <A>(tenantId: TenantId, read: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
        tenantId === tenantOf()
          ? Effect.fail(new StorageError({ doing: "read its records", cause: new Error("it takes too long") }))
          : read
      return Queries.of({
        ...queries,
        record: (tenantId, kind, key) => unless(tenantId, queries.record(tenantId, kind, key)),
        records: (tenantId, kind, group) => unless(tenantId, queries.records(tenantId, kind, group)),
        largestSweepables: (tenantId, query) => unless(tenantId, queries.largestSweepables(tenantId, query))
      })
    })
  )

describe("a tenant whose records cannot be read", () => {
  for (const [what, queue] of [
    ["waits to be swept", sweepQueue("ethereum")],
    ["is being swept", openSweepQueue("ethereum")]
  ] as const)
    it.effect(`keeps nobody else's deposits from being swept where something of it ${what}`, () => {
      const fake = fakeNetwork({ network: "ethereum", charges: true })
      let broken: TenantId | undefined
      return Effect.gen(function* () {
        const { addresses, id } = yield* custody("ethereum", fake, 1)
        const [address] = addresses
        if (address === undefined) return assert.fail("no address")
        broken = (yield* newTenant()).id
        yield* submit(broken, look(queue))
        yield* Effect.forkScoped(sweeping(fake))
        yield* confirmed(id, yield* arrive(id, fake, address, "USDT_ETH", 5_000n))
        const isSwept = Effect.map(sweepsOf(id), (sweeps) => sweeps.some(({ state }) => state === "SWEPT"))
        yield* mineUntil(fake, "it is swept", isSwept)
        yield* ledgerHolds(id)
      }).pipe(
        Effect.provide(
          Layer.provideMerge(
            failingFor(() => broken),
            processOver(emptyState(), fake)
          )
        )
      )
    })
})
