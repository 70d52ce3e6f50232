import type { CleanRange } from "@bursar/core/checker/checkSubjects"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkPlaces } from "../src/assemble/checkPlaces.ts"

const tenant = { id: TenantId("0190b0a0-0000-7000-8000-000000000001") }
const other = { id: TenantId("0190b0a0-0000-7000-8000-000000000002") }

const range = (from: string, to: string | null): CleanRange => ({
  from,
  to,
  seen: { own: 2, filed: 3, missing: 0, digest: -(2n ** 70n) }
})

const path = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-place-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
).pipe(Effect.map((folder) => join(folder, "place.jsonl")))

describe("the file of a check that is under way", () => {
  it.effect("gives back what was kept of each tenant, but for a line that was cut off, for its owner alone", () =>
    Effect.gen(function* () {
      const file = yield* path
      const first = yield* checkPlaces(file)
      yield* first.of(tenant).keep(range("", "a"))
      yield* first.of(other).keep(range("", null))
      yield* first.of(tenant).keep(range("b", null))
      appendFileSync(file, `{"tenant":"${tenant.id}","from":"a","to"`)
      const again = yield* checkPlaces(file)
      assert.deepStrictEqual(
        again.of(tenant).clean,
        [range("", "a"), range("b", null)].map((one) => ({ tenant: tenant.id, ...one }))
      )
      assert.lengthOf(again.of(other).clean, 1)
      assert.strictEqual(again.of(tenant).seed, first.of(tenant).seed)
      yield* again.of(tenant).keep(range("a", "b"))
      assert.lengthOf((yield* checkPlaces(file)).of(tenant).clean, 3)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      yield* again.forget
      assert.isFalse(existsSync(file))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("begins anew under other rules, and where it is no such file", () =>
    Effect.gen(function* () {
      const file = yield* path
      const first = yield* checkPlaces(file)
      yield* first.of(tenant).keep(range("", null))
      writeFileSync(file, readFileSync(file, "utf8").replace(/"rules":"./u, '"rules":"-'))
      assert.lengthOf((yield* checkPlaces(file)).of(tenant).clean, 0)
      writeFileSync(file, "not a file of this kind")
      assert.lengthOf((yield* checkPlaces(file)).of(tenant).clean, 0)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("says which file it cannot write", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(checkPlaces("/nowhere/place.jsonl"))
      assert.include(failed.message, "/nowhere/place.jsonl")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
