import type { SealedKey } from "@bursar/core/port/SealedKey"
import { KeyStore, type KeyPosition } from "@bursar/core/port/KeyStore"
import type { Storage } from "@bursar/core/engine/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { difficultText } from "../fixtures/records.ts"
import { newTenant, past } from "../fixtures/tenants.ts"
import { type Second, secondOf, type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

const keyOf = (tenantId: TenantId, kind: SealedKey["kind"], sealed = difficultText): SealedKey => ({
  tenantId,
  id: crypto.randomUUID(),
  kind,
  sealed,
  createdAt: past
})

/** Settings of the suite of KeyStore. */
export interface KeyStoreSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<KeyStore>
}

/** The tests of the suite. */
export const keyStoreTests = (it: SuiteIt<KeyStore | Storage | Tenants>, options: KeyStoreSuiteOptions): void => {
  it.effect(
    "a tenant has one seed and one wrapping key: the first that is put, whichever process races for it",
    () =>
      Effect.gen(function* () {
        const store = yield* KeyStore
        const second = yield* secondOf(KeyStore, options.second)
        const [{ id: one }, { id: other }] = [yield* newTenant(), yield* newTenant()]
        const seeds = Array.from({ length: 20 }, (_, index) => keyOf(one, "SEED", `seed ${index}`))
        const stored = yield* Effect.forEach(seeds, (seed, n) => (n % 2 === 0 ? store : second).putFirst(seed), {
          concurrency: "unbounded"
        })
        assert.lengthOf(new Set(stored.map(({ id }) => id)), 1)
        assert.deepStrictEqual(yield* store.first(one, "SEED"), stored[0])
        assert.strictEqual(yield* store.first(one, "WRAPPING"), undefined)
        assert.strictEqual(yield* store.first(other, "SEED"), undefined)
        const wrapping = keyOf(one, "WRAPPING")
        assert.deepStrictEqual(yield* store.putFirst(wrapping), wrapping)
        assert.deepStrictEqual(yield* store.byId(one, wrapping.id), wrapping)
        assert.strictEqual(yield* store.byId(other, wrapping.id), undefined)
        assert.strictEqual(yield* store.byId(one, "no id"), undefined)
      }),
    timeoutOf(options)
  )

  it.effect(
    "pages lead through every key once, and another sealing takes the place of the one that was read, no other",
    () =>
      Effect.gen(function* () {
        const store = yield* KeyStore
        const tenants = [yield* newTenant(), yield* newTenant(), yield* newTenant()]
        const keys = tenants.flatMap(({ id }) => [keyOf(id, "SEED"), keyOf(id, "WRAPPING")])
        yield* Effect.forEach(keys, store.putFirst)
        const seen: Array<SealedKey> = []
        let after: KeyPosition | undefined
        for (;;) {
          const page: ReadonlyArray<SealedKey> = yield* store.page(after, 2)
          if (page.length === 0) break
          seen.push(...page)
          after = page.at(-1)
        }
        assert.lengthOf(new Set(seen.map(({ id }) => id)), seen.length)
        const own = new Set<string>(tenants.map(({ id }) => id))
        assert.sameDeepMembers(
          seen.filter(({ tenantId }) => own.has(tenantId)),
          keys
        )
        const [key] = keys
        if (key === undefined) return assert.fail("no key")
        const second = yield* secondOf(KeyStore, options.second)
        const resealed = yield* Effect.forEach(
          Array.from({ length: 8 }),
          (_, n) => (n % 2 === 0 ? store : second).reseal(key, "anew"),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          resealed.filter((done) => done),
          1
        )
        assert.isFalse(yield* store.reseal(key, "once more"))
        for (const { byId } of [store, second])
          assert.deepStrictEqual(yield* byId(key.tenantId, key.id), { ...key, sealed: "anew" })
        return undefined
      }),
    timeoutOf(options)
  )
}

/** What every KeyStore must do. */
export const keyStoreSuite = (
  name: string,
  layer: Layer.Layer<KeyStore | Storage | Tenants, unknown>,
  options: KeyStoreSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: KeyStore`, (it) =>
    keyStoreTests(it, options)
  )
}
