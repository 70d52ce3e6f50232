import { holdByOperator, releaseByOperator } from "@bursar/core/sweep/sweepHold"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { mineFor, once } from "../transactions/stumbling.ts"
import { processOver, submit } from "../transactions/world.ts"
import { arrive, confirmed, custody, sweeping, sweepsOf } from "./world.ts"

describe("a hold that comes while a sweep is signed", () => {
  for (const [network, currency] of [
    ["ethereum", "ETH"],
    ["bitcoin", "BTC"],
    ["stellar", "XLM"]
  ] as const)
    for (const place of ["build.after", "sign.before", "sign.after"] as const)
      it.effect(`keeps it, though the signer has signed, until it is released (${network}, ${place})`, () => {
        const fake = fakeNetwork({ network, charges: true })
        const moved = () => fake.chain().filter(({ payments }) => payments.length > 0).length
        return Effect.gen(function* () {
          const { addresses, id } = yield* custody(network, fake, 1)
          const [address] = addresses
          if (address === undefined) return assert.fail("no address")
          const hold = submit(id, holdByOperator(address.id, "looked at"))
          yield* Effect.forkScoped(sweeping(fake, yield* once(place, hold)))
          yield* confirmed(id, yield* arrive(id, fake, address, currency, 10_000n))
          yield* mineFor(fake, 60)
          assert.strictEqual(moved(), 0)
          yield* submit(id, releaseByOperator(address.id))
          yield* mineFor(fake, 600)
          assert.strictEqual(moved(), 1)
          assert.strictEqual((yield* sweepsOf(id)).at(-1)?.state, "SWEPT")
        }).pipe(Effect.provide(processOver(emptyState(), fake)))
      })
})
