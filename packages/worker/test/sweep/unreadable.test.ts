import { StorageError } from "@bursar/core/engine/StorageError"
import { Queries } from "@bursar/core/store/Queries"
import { SweepAccount } from "@bursar/core/sweep/SweepAccount"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { mineUntil, processOver } from "../transactions/world.ts"
import { arrive, confirmed, custody, type Swept, sweeping, sweepsOf } from "./world.ts"

const slow = Effect.fail(
  new StorageError({ doing: "read records", cause: new Error("canceling statement due to statement timeout") })
)
const spoiled = Effect.die(new Error("a row that cannot be read"))

/** Sweeps three addresses of a tenant, of the first of which something cannot be read, and counts how often that was tried. */
const unreadable = Effect.fnUntraced(function* (
  network: Swept,
  currency: string,
  what: "deposits" | "account",
  failure: Effect.Effect<never, StorageError>
) {
  const fake = fakeNetwork({ network, charges: true })
  return yield* Effect.gen(function* () {
    const { addresses, id } = yield* custody(network, fake, 3)
    const [bad, ...others] = addresses
    if (bad === undefined) return assert.fail("nothing was issued")
    const queries = yield* Queries
    let tried = 0
    const fails = Effect.andThen(
      Effect.sync(() => tried++),
      failure
    )
    const failing = Queries.of({
      ...queries,
      largestSweepables: (tenantId, query) =>
        what === "deposits" && query.addressId === bad.id ? fails : queries.largestSweepables(tenantId, query),
      record: (tenantId, kind, key) =>
        what === "account" && kind.name === SweepAccount.name && kind.text(key).includes(bad.address)
          ? fails
          : queries.record(tenantId, kind, key)
    })
    for (const address of addresses) yield* confirmed(id, yield* arrive(id, fake, address, currency, 5_000n))
    yield* Effect.forkScoped(
      sweeping(fake, undefined, { reconsiderMs: 600_000 }).pipe(Effect.provideService(Queries, failing))
    )
    const areSwept = Effect.map(
      sweepsOf(id),
      (all) => all.filter(({ state }) => state === "SWEPT").length === others.length
    )
    yield* mineUntil(fake, "the others are swept", areSwept, 60)
    // on stellar it is looked at again as soon as the others are swept
    assert.isAtMost(tried, 2, "it is looked at again later")
  }).pipe(Effect.provide(processOver(emptyState(), fake)))
})

describe("an address of which something cannot be read", () => {
  for (const [network, currency] of [
    ["ethereum", "USDT_ETH"],
    ["bitcoin", "BTC"],
    ["stellar", "USDC_XLM"]
  ] as const)
    for (const [name, failure] of [
      ["its deposits take too long", slow],
      ["a deposit is spoiled", spoiled]
    ] as const)
      it.effect(`keeps no other of its tenant from being swept on ${network}: ${name}`, () =>
        unreadable(network, currency, "deposits", failure)
      )

  for (const [network, currency] of [
    ["ethereum", "USDT_ETH"],
    ["bitcoin", "BTC"]
  ] as const)
    for (const [name, failure] of [
      ["takes too long", slow],
      ["is spoiled", spoiled]
    ] as const)
      it.effect(`keeps no other of its tenant from being swept on ${network} where its account ${name}`, () =>
        unreadable(network, currency, "account", failure)
      )
})
