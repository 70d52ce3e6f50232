import { RateLimits } from "@bursar/core/port/RateLimits"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { migratedDatabase } from "./database.ts"

const { ports } = await migratedDatabase()

const second = 1_700_000_000

describe("RateLimits over several processes", () => {
  it.live("hold while all of them take from the same new windows at once, in any order", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.forEach([1, 2, 3], () => Layer.build(ports()))
      const windows = Array.from({ length: 5 }, (_, n) => ({ subject: `shared:${n}`, limit: 40 + n }))
      // each process asks for pairs of neighbours, another order each, in batches that follow one another
      const taken = yield* Effect.forEach(
        processes,
        (context, process) =>
          Effect.gen(function* () {
            const { take } = yield* RateLimits
            return yield* Effect.forEach(
              Array.from({ length: 200 }, (_, n) => n),
              (n) => {
                const at = (n * (process + 1)) % windows.length
                const pair = [windows[at], windows[(at + 1) % windows.length]].filter((one) => one !== undefined)
                return Effect.map(take(process === 1 ? pair.toReversed() : pair, second * 1_000), ({ _tag }) =>
                  _tag === "Allowed" ? pair : []
                )
              },
              { concurrency: 20 }
            )
          }).pipe(Effect.provide(context)),
        { concurrency: "unbounded" }
      )
      const counts = Map.groupBy(taken.flat(2), ({ subject }) => subject)
      for (const { limit, subject } of windows) {
        const used = counts.get(subject)?.length ?? 0
        const [context] = processes
        const left = yield* RateLimits.pipe(
          Effect.flatMap(({ take }) => take([{ subject, limit: 1_000 }], second * 1_000)),
          Effect.provide(context ?? assert.fail("no process"))
        )
        assert.isAtMost(used, limit)
        assert.deepStrictEqual(left, { _tag: "Allowed", remaining: 1_000 - used - 1, resetSeconds: 60 })
      }
      // of two neighbours one is full: a request is refused for no other reason
      const full = windows.map(({ limit, subject }) => counts.get(subject)?.length === limit)
      assert.isTrue(full.every((one, n) => one || full[(n + 1) % full.length] === true))
    }).pipe(Effect.scoped)
  )
})
