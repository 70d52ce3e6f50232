import { deriveAddresses } from "@bursar/core/address/deriveAddresses"
import { registerXpub } from "@bursar/core/address/registerXpub"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { retireXpub } from "@bursar/core/address/retireXpub"
import { indexMax, type Xpub } from "@bursar/core/address/Xpub"
import { Writer } from "@bursar/core/engine/Writer"
import * as WriterLive from "@bursar/core/engine/Writer"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { addressItem, keyed } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { xpubItem } from "@bursar/testkit/fixtures/xpubs"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import fc from "fast-check"

const ports = WriterLive.layer.pipe(Layer.provideMerge(Memory.layer))

/** The address of an index of a key: what derivation is to these tests. */
const addressAt = (canonical: string, index: number) => `${canonical}/0/${index}`

const window = (xpub: Xpub, from: number, length: number) => ({
  xpubId: xpub.id,
  from,
  addresses: Array.from({ length }, (_, offset) => keyed(addressAt(xpub.canonical, from + offset)))
})

const submit = <A>(tenant: TenantId, command: Parameters<Writer["Service"]["submit"]>[1] & { decide: unknown }) =>
  Effect.flatMap(Writer, (writer) => writer.submit(tenant, command)) as Effect.Effect<A, { code: string }, Writer>

const derive = (tenant: TenantId, xpub: Xpub, count: number, from: number, length = count) =>
  Effect.flatMap(Writer, (writer) =>
    writer.submit(
      tenant,
      deriveAddresses({
        network: xpub.network,
        reference: "customer",
        count,
        prederived: window(xpub, from, length)
      })
    )
  )

const codeOf = <A, E>(effect: Effect.Effect<A, E, Writer>) =>
  Effect.map(Effect.flip(effect), (error) => (error as { readonly code?: string }).code) // refusals have one

layer(ports)("deriving addresses", (it) => {
  const setUp = Effect.fnUntraced(function* (more: Parameters<typeof xpubItem>[0] = {}) {
    const { id: tenant } = yield* newTenant()
    const item = xpubItem(more)
    const xpub = yield* submit<Xpub>(tenant, registerXpub(item))
    return { tenant, item, xpub }
  })

  it.effect("takes the next indexes under one reference and says which comes next", () =>
    Effect.gen(function* () {
      const { tenant, xpub } = yield* setUp({ indexFrom: 5 })
      const first = yield* derive(tenant, xpub, 2, 5)
      const second = yield* derive(tenant, xpub, 1, 7)
      assert.deepStrictEqual(
        [...first.addresses, ...second.addresses].map((one) => [
          one.derivationIndex,
          one.address,
          one.xpubId,
          one.origin,
          one.reference
        ]),
        [5, 6, 7].map((index) => [index, addressAt(xpub.canonical, index), xpub.id, "DERIVED", "customer"])
      )
      assert.deepStrictEqual([first.xpub.nextIndex, second.xpub.nextIndex], [7, 8])
    })
  )

  it.effect("takes all or none: of a range with two left, three are refused and two are given", () =>
    Effect.gen(function* () {
      const { tenant, xpub } = yield* setUp({ indexFrom: indexMax - 1, indexTo: indexMax })
      assert.strictEqual(yield* codeOf(derive(tenant, xpub, 3, indexMax - 1)), "xpub_range_exhausted")
      const queries = yield* Queries
      assert.deepStrictEqual(yield* queries.addresses(tenant, { includeRetired: true, limit: 10 }), [])
      const { addresses, xpub: used } = yield* derive(tenant, xpub, 2, indexMax - 1)
      assert.lengthOf(addresses, 2)
      assert.strictEqual(used.nextIndex, indexMax + 1)
      assert.strictEqual(yield* codeOf(derive(tenant, xpub, 1, indexMax + 1)), "xpub_range_exhausted")
    })
  )

  it.effect("passes over an address that the tenant watches, and refuses the whole for another tenant's", () =>
    Effect.gen(function* () {
      const { tenant, xpub } = yield* setUp()
      const { id: stranger } = yield* newTenant()
      yield* submit(tenant, registerAddresses([addressItem(addressAt(xpub.canonical, 1))]))
      yield* submit(stranger, registerAddresses([addressItem(addressAt(xpub.canonical, 4))]))
      const { addresses } = yield* derive(tenant, xpub, 2, 0, 3)
      assert.deepStrictEqual(
        addresses.map(({ derivationIndex }) => derivationIndex),
        [0, 2]
      )
      assert.strictEqual(yield* codeOf(derive(tenant, xpub, 2, 3)), "address_unavailable")
      const queries = yield* Queries
      const [live] = yield* queries.xpubs(tenant, { includeRetired: false })
      assert.strictEqual(live?.nextIndex, 3)
    })
  )

  it.effect(
    "is asked to prepare anew where the candidates are not the next, and no idempotency key remembers that",
    () =>
      Effect.gen(function* () {
        const { item, tenant, xpub } = yield* setUp()
        yield* derive(tenant, xpub, 2, 0)
        assert.strictEqual(yield* codeOf(derive(tenant, xpub, 2, 0)), "stale")
        assert.strictEqual(yield* codeOf(derive(tenant, xpub, 2, 0, 3)), "stale")
        assert.strictEqual(yield* codeOf(derive(tenant, xpub, 2, 3)), "stale")
        const blind = deriveAddresses({ network: item.network, reference: "r", count: 1, prederived: null })
        assert.strictEqual(yield* codeOf(submit(tenant, blind)), "stale")
        const claimed = (from: number) =>
          idempotent({
            key: "k",
            endpoint: "POST /x",
            fingerprint: "f",
            render: ({ addresses }: { addresses: ReadonlyArray<unknown> }) => addresses.length,
            command: deriveAddresses({
              network: item.network,
              reference: "r",
              count: 1,
              prederived: window(xpub, from, 1)
            })
          })
        assert.strictEqual(yield* codeOf(submit(tenant, claimed(0))), "stale")
        const answered = yield* submit<{ replayed: boolean }>(tenant, claimed(2))
        assert.isFalse(answered.replayed)
      })
  )

  it.effect("needs a live key of that network", () =>
    Effect.gen(function* () {
      const { item, tenant, xpub } = yield* setUp()
      const none = deriveAddresses({ network: "bsc", reference: "r", count: 1, prederived: null })
      assert.strictEqual(yield* codeOf(submit(tenant, none)), "no_live_xpub")
      yield* submit(tenant, retireXpub(xpub.id))
      assert.strictEqual(yield* codeOf(derive(tenant, xpub, 1, 0)), "no_live_xpub")
      const next = yield* submit<Xpub>(tenant, registerXpub(xpubItem({ network: item.network })))
      assert.strictEqual(yield* codeOf(derive(tenant, xpub, 1, 0)), "stale")
      assert.strictEqual((yield* derive(tenant, next, 1, 0)).addresses.length, 1)
    })
  )

  it.effect("registers one live key per network, in a range that is one, and goes on where the same key was left", () =>
    Effect.gen(function* () {
      const { item, tenant, xpub } = yield* setUp()
      assert.strictEqual(yield* codeOf(submit(tenant, registerXpub(item))), "xpub_already_live")
      assert.strictEqual(yield* codeOf(submit(tenant, registerXpub(xpubItem()))), "xpub_already_live")
      assert.strictEqual(yield* codeOf(submit(tenant, retireXpub(crypto.randomUUID()))), "not_found")
      const ranges: ReadonlyArray<readonly [number, number]> = [
        [-1, 3],
        [4, 3],
        [0, indexMax + 1],
        [0.5, 3],
        [Number.NaN, 3]
      ]
      for (const [indexFrom, indexTo] of ranges) {
        const wrong = registerXpub(xpubItem({ network: "tron", indexFrom, indexTo }))
        assert.strictEqual(yield* codeOf(submit(tenant, wrong)), "invalid_request")
      }
      yield* derive(tenant, xpub, 3, 0)
      const retired = yield* submit<Xpub>(tenant, retireXpub(xpub.id))
      assert.deepStrictEqual(yield* submit(tenant, retireXpub(xpub.id)), retired)
      const used = yield* codeOf(submit(tenant, registerXpub({ ...item, indexFrom: 0, indexTo: 2 })))
      assert.strictEqual(used, "xpub_range_exhausted")
      const again = yield* submit<Xpub>(tenant, registerXpub({ ...item, xpub: "another spelling" }))
      assert.strictEqual(again.nextIndex, 3)
      assert.deepStrictEqual(
        (yield* derive(tenant, again, 1, 3)).addresses.map(({ derivationIndex }) => derivationIndex),
        [3]
      )
    })
  )

  it.effect("whatever is registered, derived and retired in whatever order, no index of a key is used twice", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.oneof(
              fc.record({ what: fc.constant("derive" as const), count: fc.integer({ min: 1, max: 7 }) }),
              fc.record({ what: fc.constant("retire" as const) }),
              fc.record({
                what: fc.constant("register" as const),
                key: fc.constantFrom("a", "b"),
                from: fc.integer({ min: 0, max: 20 }),
                width: fc.integer({ min: 0, max: 20 })
              }),
              fc.record({ what: fc.constant("own" as const), index: fc.integer({ min: 0, max: 30 }) })
            ),
            { maxLength: 30 }
          ),
          (steps) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const { id: tenant } = yield* newTenant()
                const queries = yield* Queries
                const seen = new Set<string>()
                for (const step of steps) {
                  const [live] = yield* queries.xpubs(tenant, { includeRetired: false })
                  if (step.what === "register") {
                    const item = xpubItem({
                      canonical: step.key,
                      indexFrom: step.from,
                      indexTo: step.from + step.width
                    })
                    yield* Effect.exit(submit(tenant, registerXpub(item)))
                  } else if (step.what === "own") {
                    yield* submit(tenant, registerAddresses([addressItem(addressAt("a", step.index))]))
                  } else if (live !== undefined && step.what === "retire") {
                    yield* submit(tenant, retireXpub(live.id))
                  } else if (live !== undefined && step.what === "derive") {
                    const before = (yield* queries.addresses(tenant, { includeRetired: true, limit: 500 })).length
                    const ended = yield* Effect.exit(derive(tenant, live, step.count, live.nextIndex, 40))
                    const after = (yield* queries.addresses(tenant, { includeRetired: true, limit: 500 })).length
                    assert.strictEqual(after - before, ended._tag === "Success" ? step.count : 0)
                    if (ended._tag !== "Success") continue
                    for (const { derivationIndex } of ended.value.addresses) {
                      const key = `${live.canonical} ${derivationIndex}`
                      assert.isFalse(seen.has(key), key)
                      seen.add(key)
                      assert.isTrue(
                        (derivationIndex ?? -1) >= live.indexFrom && (derivationIndex ?? -1) <= live.indexTo
                      )
                    }
                  }
                }
              }).pipe(Effect.provide(ports))
            )
        ),
        { numRuns: 100 }
      )
    )
  )
})
