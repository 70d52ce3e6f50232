import { Heads } from "@bursar/core/store/Heads"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { migratedDatabase } from "./database.ts"

const { ports } = await migratedDatabase()

layer(ports(), { excludeTestServices: true })("a service without tenants", (it) => {
  it.effect("has counts of what was committed, which a position in the operators' stream is written with", () =>
    Effect.gen(function* () {
      const { commits, deposits } = yield* (yield* Heads).read(0, 10)
      assert.deepStrictEqual([commits, deposits], ["0.0.0", "0"])
    })
  )
})
