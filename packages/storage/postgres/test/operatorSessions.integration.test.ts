import { type OperatorPass, OperatorSessions } from "@bursar/core/port/OperatorSessions"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { migratedDatabase } from "./database.ts"

const { ports } = await migratedDatabase()

const pass = (fill: string, more: Partial<OperatorPass> = {}): OperatorPass => ({
  ...{ digest: fill.repeat(64), kind: "SESSION", operator: "ada", credential: "token", seal: "seal", role: "admin" },
  ...{ createdAt: 1_000, expiresAt: 5_000, credentialExpiresAt: null },
  ...more
})

layer(ports(), { excludeTestServices: true })("passes of operators", (it) => {
  it.effect("are given back as they were kept, and a link is taken once", () =>
    Effect.gen(function* () {
      const passes = yield* OperatorSessions
      const [session, link] = [pass("a"), pass("b", { kind: "LINK", credentialExpiresAt: 9_000 })]
      for (const one of [session, link]) yield* passes.add(one)
      assert.deepStrictEqual(yield* passes.find(session.digest), session)
      assert.deepStrictEqual(yield* passes.open(4_999), [session])
      assert.isUndefined(yield* passes.take(link.digest, "SESSION"))
      assert.deepStrictEqual(yield* passes.take(link.digest, "LINK"), link)
      assert.isUndefined(yield* passes.take(link.digest, "LINK"))
    })
  )
})
