import { holdByOperator, releaseByOperator } from "@bursar/core/sweep/sweepHold"
import { emptyState } from "@bursar/memory"
import type { Place } from "@bursar/testkit/fixtures/Places"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { fakeNetwork } from "../fakeNetwork.ts"
import { processOver, submit, tick } from "../transactions/world.ts"
import { arrive, confirmed, custody, sweeping, sweepsOf } from "./world.ts"

/** What a worker runs over. */
type Ports = Layer.Success<ReturnType<typeof processOver>>

/** Does something the first time that a worker comes to a place. */
const once = (place: Place, effect: Effect.Effect<unknown, unknown, Ports>) =>
  Effect.gen(function* () {
    const ports = yield* Effect.context<Ports>()
    let isDone = false
    return (name: Place) =>
      Effect.suspend(() => {
        if (isDone || name !== place) return Effect.void
        isDone = true
        return Effect.asVoid(Effect.orDie(Effect.provideContext(effect, ports)))
      })
  })

describe("a hold that comes while a sweep is signed", () => {
  for (const [network, currency] of [
    ["ethereum", "ETH"],
    ["bitcoin", "BTC"],
    ["stellar", "XLM"]
  ] as const)
    for (const place of ["build.after", "sign.before", "sign.after"] as const)
      it.effect(`keeps it, though the signer has signed, until it is released (${network}, ${place})`, () => {
        const fake = fakeNetwork({ network, charges: true })
        const mineFor = Effect.fnUntraced(function* (seconds: number) {
          for (let left = seconds; left > 0; left--) {
            fake.mine(yield* Clock.currentTimeMillis)
            yield* tick
          }
        })
        const moved = () => fake.chain().filter(({ payments }) => payments.length > 0).length
        return Effect.gen(function* () {
          const { addresses, id } = yield* custody(network, fake, 1)
          const [address] = addresses
          if (address === undefined) return assert.fail("no address")
          const hold = submit(id, holdByOperator(address.id, "looked at"))
          yield* Effect.forkScoped(sweeping(fake, yield* once(place, hold)))
          yield* confirmed(id, yield* arrive(id, fake, address, currency, 10_000n))
          yield* mineFor(60)
          assert.strictEqual(moved(), 0)
          yield* submit(id, releaseByOperator(address.id))
          yield* mineFor(600)
          assert.strictEqual(moved(), 1)
          assert.strictEqual((yield* sweepsOf(id)).at(-1)?.state, "SWEPT")
        }).pipe(Effect.provide(processOver(emptyState(), fake)))
      })
})
