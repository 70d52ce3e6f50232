import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { batched, sharedRead } from "../src/internal/batched.ts"

const one = TenantId("0190b0a0-0000-7000-8000-000000000001")
const other = TenantId("0190b0a0-0000-7000-8000-000000000002")

const lost = new SqlError({
  reason: new UnknownError({ cause: new Error("gone"), message: "gone", operation: "read" })
})

/** A table of texts per tenant, which counts how it is asked. */
const table = (rows: Map<string, string>) => {
  const asked: Array<readonly [TenantId, ReadonlyArray<string>]> = []
  const read = batched<string, string | undefined>({
    doing: "read a text",
    none: undefined,
    text: (key) => key,
    read: (tenantId, keys) =>
      Effect.suspend(() => {
        asked.push([tenantId, keys])
        if (keys.includes("broken")) return Effect.fail(lost)
        if (keys.includes("corrupt")) return Effect.die("a row cannot be read")
        return Effect.succeed(
          new Map(
            keys.flatMap((key) => {
              const found = rows.get(`${tenantId} ${key}`)
              return found === undefined ? [] : [[key, found] as const]
            })
          )
        )
      })
  })
  return { asked, read }
}

describe("reads that share a statement", () => {
  it.effect("gives each what it asked for, of its own tenant, and asks for a key once", () =>
    Effect.gen(function* () {
      const { asked, read } = table(
        new Map([
          [`${one} a`, "one's a"],
          [`${one} b`, "one's b"],
          [`${other} a`, "the other's a"]
        ])
      )
      const found = yield* Effect.all(
        [read(one, "a"), read(one, "b"), read(one, "a"), read(one, "c"), read(other, "a"), read(other, "b")],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(found, ["one's a", "one's b", "one's a", undefined, "the other's a", undefined])
      assert.deepStrictEqual(asked, [
        [one, ["a", "b", "c"]],
        [other, ["a", "b"]]
      ])
    })
  )

  it.effect("reads again what was read before: nothing is remembered", () =>
    Effect.gen(function* () {
      const rows = new Map([[`${one} a`, "before"]])
      const { read } = table(rows)
      assert.strictEqual(yield* read(one, "a"), "before")
      rows.set(`${one} a`, "after")
      assert.strictEqual(yield* read(one, "a"), "after")
    })
  )

  it.effect("answers who asks while the one before is being finished, wherever its fiber gives way", () =>
    Effect.gen(function* () {
      let steps = 0
      const read = sharedRead<number>({
        doing: "count",
        none: 0,
        read: () =>
          Effect.gen(function* () {
            for (let done = 0; done < steps; done++) yield* Effect.sync(() => done)
            return steps
          })
      })
      // a fiber gives way after a number of operations: the loop moves that place through all of what ends a reading
      for (steps = 1_800; steps < 2_100; steps++) {
        const first = yield* Effect.forkChild(read(one))
        while (first.pollUnsafe() === undefined) yield* Effect.yieldNow
        assert.strictEqual(yield* read(one), steps)
      }
    })
  )

  it.effect("does not answer with what was read before it was asked", () =>
    Effect.gen(function* () {
      const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let [stored, reads] = ["before", 0]
      const read = sharedRead<string>({
        doing: "read a text",
        none: "",
        read: () =>
          Effect.suspend(() => {
            const found = stored
            reads += 1
            return reads > 1
              ? Effect.succeed(found)
              : Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Deferred.await(goOn), found))
          })
      })
      const early = yield* Effect.forkChild(read(one))
      yield* Deferred.await(begun)
      stored = "after"
      // the first answer is still on its way: who asks now shares the next
      const late = [yield* Effect.forkChild(read(one)), yield* Effect.forkChild(read(one))]
      yield* Effect.yieldNow
      yield* Deferred.succeed(goOn, undefined)
      const all = yield* Effect.forEach([early, ...late], Fiber.join)
      assert.deepStrictEqual([all, reads], [["before", "after", "after"], 2])
    })
  )

  it.effect("fails for all who share a statement that fails, and for nobody else", () =>
    Effect.gen(function* () {
      const { read } = table(new Map([[`${other} a`, "there"]]))
      const [broken, beside, elsewhere] = yield* Effect.all(
        [Effect.flip(read(one, "broken")), Effect.flip(read(one, "a")), read(other, "a")],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([broken.doing, beside.doing, elsewhere], ["read a text", "read a text", "there"])
    })
  )

  it.effect("keeps a row that cannot be read from whoever wants it, and from nobody else", () =>
    Effect.gen(function* () {
      const { read } = table(
        new Map([
          [`${one} a`, "there"],
          [`${one} b`, "there, too"]
        ])
      )
      const [before, corrupt, again, after] = yield* Effect.all(
        ["a", "corrupt", "corrupt", "b"].map((key) => Effect.exit(read(one, key))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([before, after], [Exit.succeed("there"), Exit.succeed("there, too")])
      for (const exit of [corrupt, again]) assert.isTrue(exit !== undefined && Exit.hasDies(exit))
    })
  )

  it.effect("tells everybody where a statement cannot even be made, and reads on for who asks afterwards", () =>
    Effect.gen(function* () {
      let broken = true
      const read = batched<string, string>({
        doing: "read a text",
        none: "",
        text: (key) => key,
        read: (_tenantId, keys) => {
          if (broken) throw new Error("no table")
          return Effect.succeed(new Map(keys.map((key) => [key, "there"])))
        }
      })
      const all = yield* Effect.all([Effect.exit(read(one, "a")), Effect.exit(read(one, "b"))], {
        concurrency: "unbounded"
      })
      for (const exit of all) assert.isTrue(Exit.hasDies(exit))
      broken = false
      assert.strictEqual(yield* read(one, "a"), "there")
    })
  )

  it.effect("goes on for the others where who asked first gives up", () =>
    Effect.gen(function* () {
      const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const read = sharedRead<string>({
        doing: "read a text",
        none: "",
        read: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Deferred.await(goOn), "there"))
      })
      const first = yield* Effect.forkChild(read(one))
      const second = yield* Effect.forkChild(read(one))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(goOn, undefined)
      assert.strictEqual(yield* Fiber.join(second), "there")
    })
  )

  it.effect("asks nothing for a tenant that cannot be", () =>
    Effect.gen(function* () {
      const { asked, read } = table(new Map())
      assert.isUndefined(yield* read(TenantId("' or true"), "a"))
      assert.deepStrictEqual(asked, [])
    })
  )
})
