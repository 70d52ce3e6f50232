import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileHeads } from "../src/assemble/fileHeads.ts"

const tenant = TenantId("0190b0a0-0000-7000-8000-000000000001")

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-heads-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("the file with the ends of chains of grants", () => {
  it.effect("gives back after a restart what was kept, and goes back to no earlier end", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "heads.json")
      const heads = yield* fileHeads(path)
      assert.isUndefined(heads.seen(tenant))
      yield* heads.keep(tenant, { number: 2, hash: "b" })
      yield* heads.keep(null, { number: 7, hash: "f" })
      yield* heads.keep(tenant, { number: 1, hash: "a" })
      const again = yield* fileHeads(path)
      assert.deepStrictEqual(
        [again.seen(tenant), again.seen(null)],
        [
          { number: 2, hash: "b" },
          { number: 7, hash: "f" }
        ]
      )
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(join(path, "..")), ["heads.json"])
    })
  )

  it.live(
    "is tidied at a start: what killed processes have left beside it goes, and what one is writing now stays",
    () =>
      Effect.gen(function* () {
        const there = yield* folder
        const path = join(there, "heads.json")
        const [left, young, foreign] = ["heads.json.1.new", "heads.json.2.new", "other.json.3.new"]
        for (const name of [left, young, foreign]) writeFileSync(join(there, name), "{}")
        for (const name of [left, foreign]) utimesSync(join(there, name), 1, 1)
        const heads = yield* fileHeads(path)
        yield* heads.keep(null, { number: 1, hash: "a" })
        assert.deepStrictEqual(readdirSync(there).toSorted(), ["heads.json", young, foreign].toSorted())
      })
  )

  it.effect("keeps what another process has kept in it, and believes the later of two ends", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "heads.json")
      const [one, other] = [yield* fileHeads(path), yield* fileHeads(path)]
      yield* one.keep(tenant, { number: 5, hash: "e" })
      yield* other.keep(null, { number: 7, hash: "f" })
      yield* other.keep(tenant, { number: 3, hash: "c" })
      assert.deepStrictEqual(other.seen(tenant), { number: 5, hash: "e" })
      const again = yield* fileHeads(path)
      assert.deepStrictEqual(
        [again.seen(tenant), again.seen(null)],
        [
          { number: 5, hash: "e" },
          { number: 7, hash: "f" }
        ]
      )
    })
  )

  it.effect("is refused where it cannot be read, so that nobody forgets by accident", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "heads.json")
      for (const text of ["", "{", "[]", '{"fleet":{"number":"1","hash":"a"}}', '{"fleet":5}']) {
        writeFileSync(path, text)
        const found = yield* Effect.result(fileHeads(path))
        assert.isTrue(Result.isFailure(found) && found.failure.message.includes(path), text)
      }
    })
  )

  it.effect("fails to keep what cannot be written, and does not believe that it did", () =>
    Effect.gen(function* () {
      const heads = yield* fileHeads(join(yield* folder, "gone", "heads.json"))
      const failed = yield* Effect.flip(heads.keep(tenant, { number: 1, hash: "a" }))
      assert.strictEqual(failed._tag, "StorageError")
      assert.isUndefined(heads.seen(tenant))
    })
  )
})
