import { StorageError } from "@bursar/core/engine/StorageError"
import type { GrantHeads } from "@bursar/core/grant/GrantHeads"
import type { GrantHead } from "@bursar/core/grant/GrantState"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { Grants, layer } from "@bursar/core/grant/Grants"
import type { GrantEntry } from "@bursar/core/grant/verifyChain"
import { grantTenant } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { settled } from "./chain.ts"

type World = Effect.Success<ReturnType<typeof settled>>

/** What a process reads that starts now, of rows that somebody may have changed. */
const started = (
  { entries, trust }: Pick<World, "entries" | "trust">,
  heads: GrantHeads,
  /** What happens between the reading of a chain and its verification. */
  meanwhile: (chain: string | null) => void = () => undefined
) => {
  const of = (chain: string | null): ReadonlyArray<GrantEntry> => (chain === null ? entries.fleet : entries.tenant)
  const store = GrantStore.of({
    after: (chain, number, limit) =>
      Effect.sync(() => {
        meanwhile(chain)
        return of(chain)
          .slice(number, number + limit)
          .map((entry, at) => ({ ...entry, number: number + at + 1, hash: "", recordedAt: 0, proposalId: null }))
      }),
    ends: Effect.succeed([]),
    proposals: () => Effect.succeed([]),
    proposal: () => Effect.succeed(undefined)
  })
  const read = Effect.flatMap(Grants, ({ stateOf }) => stateOf(grantTenant))
  return Effect.flip(Effect.flip(read)).pipe(
    Effect.provide(layer(trust, heads).pipe(Layer.provide(Layer.succeed(GrantStore, store))))
  )
}

/** What outlives a process. */
const remembered = () => {
  const kept = new Map<string | null, GrantHead>()
  const heads: GrantHeads = {
    seen: (chain) => kept.get(chain),
    keep: (chain, head) => Effect.sync(() => void kept.set(chain, head))
  }
  return { kept, heads }
}

const cutBy = (world: World, fleet: number, tenant: number) => ({
  trust: world.trust,
  entries: {
    fleet: world.entries.fleet.slice(0, world.entries.fleet.length - fleet),
    tenant: world.entries.tenant.slice(0, world.entries.tenant.length - tenant)
  }
})

describe("a process that remembers the ends of chains of grants", () => {
  it.effect("goes by them again after a restart, also where they have grown since", () =>
    Effect.gen(function* () {
      const world = yield* settled()
      const { heads, kept } = remembered()
      yield* started(cutBy(world, 1, 1), heads)
      const { tenant } = yield* started(world, heads)
      assert.strictEqual(tenant.head.number, world.entries.tenant.length)
      assert.deepStrictEqual(kept.get(grantTenant), tenant.head)
      assert.strictEqual(kept.get(null)?.number, world.entries.fleet.length)
    })
  )

  it.effect("takes a chain for no cut one that another look saw grow after it was read", () =>
    Effect.gen(function* () {
      const world = yield* settled()
      const { tenant: grown } = yield* started(world, remembered().heads)
      const { heads, kept } = remembered()
      const { tenant } = yield* started(cutBy(world, 0, 1), heads, (chain) => {
        if (chain !== null) kept.set(chain, grown.head)
      })
      assert.strictEqual(tenant.head.number, grown.head.number - 1)
      assert.deepStrictEqual(kept.get(grantTenant), grown.head)
    })
  )

  for (const [what, fleet, tenant] of [
    ["the tenant's", 0, 1],
    ["the fleet's", 1, 0]
  ] as const)
    it.effect(`believes nothing after a restart where the end of ${what} was cut off meanwhile`, () =>
      Effect.gen(function* () {
        const world = yield* settled()
        const { heads } = remembered()
        yield* started(world, heads)
        const broken = yield* Effect.flip(started(cutBy(world, fleet, tenant), heads))
        assert.strictEqual(broken._tag === "GrantChainBroken" && broken.code, "cut")
        // without a memory the suspension is simply not there; what the tenant's grants name of the fleet is missed in any case
        if (tenant === 1) yield* started(cutBy(world, fleet, tenant), remembered().heads)
      })
    )

  it.effect("believes nothing where another grant that people have signed stands in the place of one", () =>
    Effect.gen(function* () {
      const world = yield* settled()
      const { heads, kept } = remembered()
      yield* started(world, heads)
      const [number, hash] = [world.entries.tenant.length, "0".repeat(64)]
      kept.set(grantTenant, { number, hash })
      const broken = yield* Effect.flip(started(world, heads))
      assert.strictEqual(broken._tag === "GrantChainBroken" && broken.code, "cut")
    })
  )

  it.effect("goes by no end that it could not remember", () =>
    Effect.gen(function* () {
      const world = yield* settled()
      const full = new StorageError({ doing: "remember", cause: new Error("no space left on device") })
      const failed = yield* Effect.flip(started(world, { seen: () => undefined, keep: () => Effect.fail(full) }))
      assert.strictEqual(failed._tag, "StorageError")
    })
  )
})
