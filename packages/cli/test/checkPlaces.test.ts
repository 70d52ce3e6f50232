import type { CleanRange } from "@bursar/core/checker/checkSubjects"
import { makeCurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { TenantId } from "@bursar/core/tenant/Tenant"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { checkPlaces } from "../src/assemble/checkPlaces.ts"
import { checkRules } from "../src/assemble/checkRules.ts"

const rules = checkRules(defaultCurrencies)

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
      const first = yield* checkPlaces(file, rules)
      yield* first.of(tenant).keep(range("", "a"))
      yield* first.of(other).keep(range("", null))
      yield* first.of(tenant).keep(range("b", null))
      appendFileSync(file, `{"tenant":"${tenant.id}","from":"a","to"`)
      const again = yield* checkPlaces(file, rules)
      assert.deepStrictEqual(
        again.of(tenant).clean,
        [range("", "a"), range("b", null)].map((one) => ({ tenant: tenant.id, ...one }))
      )
      assert.lengthOf(again.of(other).clean, 1)
      assert.strictEqual(again.of(tenant).seed, first.of(tenant).seed)
      yield* again.of(tenant).keep(range("a", "b"))
      assert.lengthOf((yield* checkPlaces(file, rules)).of(tenant).clean, 3)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      yield* again.forget
      assert.isFalse(existsSync(file))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("begins anew under other rules, and where it is no such file", () =>
    Effect.gen(function* () {
      const file = yield* path
      const first = yield* checkPlaces(file, rules)
      yield* first.of(tenant).keep(range("", null))
      assert.lengthOf((yield* checkPlaces(file, "others")).of(tenant).clean, 0)
      writeFileSync(file, "not a file of this kind")
      assert.lengthOf((yield* checkPlaces(file, rules)).of(tenant).clean, 0)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("says which file it cannot write", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(checkPlaces("/nowhere/place.jsonl", rules))
      assert.include(failed.message, "/nowhere/place.jsonl")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("begins anew where the currencies are others than before", () =>
    Effect.gen(function* () {
      const file = yield* path
      const { all, networks } = defaultCurrencies
      yield* (yield* checkPlaces(file, rules)).of(tenant).keep(range("", null))
      const others = makeCurrencyTable(
        all.map((one) => (one.code === "EUR" ? { ...one, decimals: 3 } : one)),
        networks
      )
      assert.lengthOf((yield* checkPlaces(file, checkRules(makeCurrencyTable(all, networks)))).of(tenant).clean, 1)
      assert.lengthOf((yield* checkPlaces(file, checkRules(others))).of(tenant).clean, 0)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("the rules of a check", () => {
  it.effect("are others where anything that they call is", () =>
    Effect.gen(function* () {
      const folder = dirname(yield* path)
      mkdirSync(join(folder, "within"))
      writeFileSync(join(folder, "rule.js"), "rule")
      const helper = join(folder, "within", "helper.js")
      writeFileSync(helper, "helps")
      const before = checkRules(defaultCurrencies, [folder])
      assert.strictEqual(checkRules(defaultCurrencies, [folder]), before)
      writeFileSync(helper, "helps otherwise")
      assert.notStrictEqual(checkRules(defaultCurrencies, [folder]), before)
    })
  )
})
