import { CannotBuild } from "@bursar/core/port/ChainSender"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { ledgerHolds, mineUntil, processOver } from "../transactions/world.ts"
import { arrive, arriving, confirmed, custody, ledgerAgrees, movedOf, sweeping, sweepsOf } from "./world.ts"

/** A network on which nothing can be paid with a token: its issuer has frozen what holds it. */
const frozen = (fake: FakeSender): FakeSender => ({
  ...fake,
  sender: {
    ...fake.sender,
    build: (order) =>
      order.payments.some(({ contract }) => contract !== null)
        ? Effect.fail(
            new CannotBuild({
              network: fake.sender.network,
              reason: "asset_blocked",
              detail: "the issuer does not let it pay",
              missing: null
            })
          )
        : fake.sender.build(order)
  }
})

describe("a token that its issuer has frozen", () => {
  for (const network of ["ethereum", "tron", "stellar"] as const)
    it.effect(`does not keep the coin of its address from being swept (${network})`, () => {
      const plain = fakeNetwork({ network, charges: true })
      const [token, coin] = arriving[network]
      return Effect.gen(function* () {
        const { addresses, id } = yield* custody(network, plain, 1)
        const [address] = addresses
        if (address === undefined) return assert.fail("there is no address")
        const arrived = (currency: string, units: bigint) =>
          Effect.flatMap(arrive(id, plain, address, currency, units), (deposit) => confirmed(id, deposit))
        yield* arrived(token, 5_000_000n)
        yield* arrived(token, 6_000_000n)
        const first = yield* arrived(coin, 50_000_000n)
        yield* Effect.forkScoped(sweeping(frozen(plain)).pipe(Random.withSeed("a")))
        const isSwept = (deposit: string) => Effect.map(sweepsOf(id), (sweeps) => movedOf(sweeps).includes(deposit))
        yield* mineUntil(plain, "the coin is swept", isSwept(first.id))
        // and so is what comes later, after more sweeps of the token were given up
        const givenUp = Effect.map(sweepsOf(id), (sweeps) => sweeps.filter(({ state }) => state === "ABANDONED").length)
        const before = yield* givenUp
        yield* mineUntil(
          plain,
          "the token is tried again",
          Effect.map(givenUp, (now) => now > before + 1)
        )
        const second = yield* arrived(coin, 60_000_000n)
        yield* mineUntil(plain, "the next coin is swept", isSwept(second.id))
        yield* ledgerHolds(id)
        yield* ledgerAgrees(network, plain, id, addresses)
        return undefined
      }).pipe(Effect.provide(processOver(emptyState(), frozen(plain))))
    })
})
