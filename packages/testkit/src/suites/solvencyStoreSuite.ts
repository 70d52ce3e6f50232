import * as Writer from "@bursar/core/engine/Writer"
import type { Storage } from "@bursar/core/engine/Storage"
import { putRecord } from "@bursar/core/engine/Records"
import { type SolvencyLeaf, type SolvencyNode, SolvencyStore } from "@bursar/core/solvency/SolvencyStore"
import type { Tenants } from "@bursar/core/port/Tenants"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { adjust, writing } from "../fixtures/commands.ts"
import { newTenant } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

const takenAt = Date.UTC(2026, 10, 23, 12, 0, 0, 123)
const nothing = { available: 0n, held: 0n, customers: 0n, converting: 0n, ownAddresses: 0n }
const allAttributed = { ...nothing, unattributed: 0n }

const owedIn = (orderKey: string, tenants: ReadonlyArray<TenantId>, environment: "LIVE" | "SANDBOX" = "LIVE") =>
  Effect.map(
    Effect.flatMap(SolvencyStore, (store) => Stream.runCollect(store.owed({ environment, orderKey }))),
    (all) => all.filter(({ tenantId }) => tenants.includes(tenantId))
  )

const submit = (id: TenantId, ...given: Parameters<typeof adjust>) =>
  Effect.flatMap(Writer.Writer, (writer) => writer.submit(id, adjust(...given)))

const leafOf = (tenantId: TenantId, index: number, currency = "ETH"): SolvencyLeaf => ({
  tenantId,
  currency,
  index,
  units: 2n ** 100n + BigInt(index),
  salt: "0a".repeat(32),
  posting: 7,
  ...nothing,
  available: 2n ** 100n,
  held: -3n
})

const nodeOf = (level: number, index: number): SolvencyNode => ({
  currency: "ETH",
  level,
  index,
  hash: `${level}${index}`.repeat(16).padStart(64, "f"),
  units: 2n ** 127n + BigInt(index)
})

/** What every SolvencyStore must do. */
export const solvencyStoreSuite = (
  name: string,
  layer: Layer.Layer<SolvencyStore | Storage | Tenants, unknown>,
  options: SuiteOptions = {}
): void => {
  const services = Layer.provideMerge(Layer.fresh(Writer.layer), layer)
  layerTests(services, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: SolvencyStore`, (it) => {
    it.effect("tells what tenants of one environment are owed, and of which accounts", () =>
      Effect.gen(function* () {
        const [one, other, sandbox] = [yield* newTenant(), yield* newTenant(), yield* newTenant({ kind: "SANDBOX" })]
        const ids = [one.id, other.id, sandbox.id]
        yield* submit(one.id, 100n)
        yield* submit(one.id, 40n, "ETH", { against: "chain:ethereum:tenant" })
        yield* submit(one.id, -10n, "ETH", { against: "exchange" })
        yield* submit(one.id, 5n, "USDC_ETH", { against: "chain:ethereum:tenant" })
        yield* submit(other.id, 7n, "BTC")
        yield* submit(other.id, -7n, "BTC")
        yield* submit(other.id, 3n)
        yield* submit(other.id, 9n, "USDT_ETH")
        yield* submit(other.id, -9n, "USDT_ETH", { against: "suspense" })
        yield* submit(sandbox.id, 9n)
        const owed = yield* owedIn("key", ids)
        const byTenant = (id: TenantId) => owed.filter(({ tenantId }) => tenantId === id)
        assert.deepStrictEqual(byTenant(one.id), [
          {
            ...allAttributed,
            tenantId: one.id,
            currency: "ETH",
            posting: 4,
            available: 130n,
            converting: 10n,
            ownAddresses: 40n
          }
        ])
        assert.deepStrictEqual(byTenant(other.id), [
          { ...allAttributed, tenantId: other.id, currency: "ETH", posting: 5, available: 3n },
          { ...allAttributed, tenantId: other.id, currency: "USDT_ETH", posting: 5, unattributed: 9n }
        ])
        assert.deepStrictEqual(yield* owedIn("key", ids, "SANDBOX"), [
          { ...allAttributed, tenantId: sandbox.id, currency: "ETH", posting: 1, available: 9n }
        ])
      })
    )

    it.effect("puts tenants in an order that follows from the key alone", () =>
      Effect.gen(function* () {
        const ids = yield* Effect.forEach(Array.from({ length: 12 }), () => Effect.map(newTenant(), ({ id }) => id))
        for (const id of ids) yield* submit(id, 1n)
        const order = (key: string) => Effect.map(owedIn(key, ids), (all) => all.map(({ tenantId }) => tenantId))
        const first = yield* order("one")
        assert.strictEqual(first.length, ids.length)
        assert.deepStrictEqual(yield* order("one"), first)
        assert.notDeepEqual(yield* order("two"), first)
        assert.notDeepEqual(first, ids)
      })
    )

    it.effect("names the addresses with deposits that wait to be swept or are in a sweep that is open, once each", () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const store = yield* SolvencyStore
        const deposit = (transferIndex: number, more: Partial<SweepableDeposit>): SweepableDeposit => ({
          network: "ethereum",
          txHash: "0x1",
          transferIndex,
          depositId: crypto.randomUUID(),
          addressId: crypto.randomUUID(),
          address: "0xA1",
          currency: "ETH",
          contract: null,
          units: 1n,
          key: { _tag: "Imported" },
          gone: false,
          sweepId: null,
          bookedBy: null,
          unbacked: 0n,
          ...more
        })
        const sweep = (address: string, more: Partial<Sweep> = {}): Sweep => ({
          id: crypto.randomUUID(),
          network: "ethereum",
          addressId: crypto.randomUUID(),
          address,
          account: address,
          key: { _tag: "Imported" },
          currency: "ETH",
          contract: null,
          units: 1n,
          state: "ELIGIBLE",
          topUpTransactionId: null,
          sweepTransactionId: null,
          deposits: [],
          problem: null,
          createdAt: 0,
          endedAt: null,
          closedAt: null,
          ...more
        })
        const over = { state: "SWEPT", endedAt: 1 } as const
        const sweeps = [
          sweep("0xB2", { ...over, closedAt: 2 }),
          sweep("0xE5", { key: { _tag: "Issued", seedId: "seed", index: 5 } }),
          // swept, and not yet counted as such
          sweep("0xF6", over),
          sweep("0xA1")
        ]
        const all = [
          deposit(0, {}),
          deposit(1, {}),
          deposit(2, { address: "0xB2", sweepId: crypto.randomUUID() }),
          deposit(3, { address: "0xC3", gone: true }),
          deposit(4, { address: "0xD4", key: { _tag: "Issued", seedId: "seed", index: 4 } })
        ]
        const { submit: write } = yield* Writer.Writer
        yield* write(
          id,
          writing(() => [
            ...all.map((one) => putRecord(SweepableDeposit, one)),
            ...sweeps.map((one) => putRecord(Sweep, one))
          ])
        )
        assert.deepStrictEqual(yield* store.unswept(id), [
          { network: "ethereum", address: "0xA1", key: { _tag: "Imported" } },
          { network: "ethereum", address: "0xD4", key: { _tag: "Issued", seedId: "seed", index: 4 } },
          { network: "ethereum", address: "0xE5", key: { _tag: "Issued", seedId: "seed", index: 5 } },
          { network: "ethereum", address: "0xF6", key: { _tag: "Imported" } }
        ])
        assert.deepStrictEqual(yield* store.unswept((yield* newTenant()).id), [])
      })
    )

    it.effect("gives leaves to their tenant alone, nodes by their places, and all leaves in order", () =>
      Effect.gen(function* () {
        const store = yield* SolvencyStore
        const [id, another] = [crypto.randomUUID(), crypto.randomUUID()]
        const [one, other] = [(yield* newTenant()).id, (yield* newTenant()).id]
        yield* store.addNodes(id, { leaves: [leafOf(other, 1), leafOf(one, 0)], nodes: [nodeOf(0, 0), nodeOf(0, 1)] })
        yield* store.addNodes(id, { leaves: [leafOf(one, 0, "BTC")], nodes: [nodeOf(1, 0)] })
        yield* store.addNodes(another, { leaves: [leafOf(one, 5)], nodes: [] })
        assert.deepStrictEqual(yield* store.leavesOf(one, id), [leafOf(one, 0, "BTC"), leafOf(one, 0)])
        assert.deepStrictEqual(yield* store.leavesOf(other, id), [leafOf(other, 1)])
        assert.deepStrictEqual(yield* store.leavesOf(other, another), [])
        assert.deepStrictEqual(yield* Stream.runCollect(store.leaves(id)), [
          leafOf(one, 0, "BTC"),
          leafOf(one, 0),
          leafOf(other, 1)
        ])
        const places = [nodeOf(1, 0), nodeOf(0, 1), nodeOf(4, 4)].map(({ currency, index, level }) => ({
          currency,
          index,
          level
        }))
        const found = yield* store.nodesAt(id, places)
        assert.deepStrictEqual(
          found.toSorted((left, right) => left.level - right.level),
          [nodeOf(0, 1), nodeOf(1, 0)]
        )
        assert.deepStrictEqual(yield* store.nodesAt(another, places), [])
        // nodes whose places differ in one thing alone
        const alike = [nodeOf(2, 7), { ...nodeOf(2, 7), currency: "BTC" }, nodeOf(3, 7), nodeOf(2, 8)]
        yield* store.addNodes(id, { leaves: [], nodes: alike })
        // a node is a place, too
        for (const node of alike) assert.deepStrictEqual(yield* store.nodesAt(id, [node]), [node])
      })
    )

    it.effect("shows a snapshot once it is published, and publishes it once", () =>
      Effect.gen(function* () {
        const store = yield* SolvencyStore
        // far from those of other tests
        const later = takenAt + 10 ** 10
        const snapshot = (at: number) =>
          ({
            id: crypto.randomUUID(),
            environment: "LIVE",
            takenAt: at,
            takenBy: "alice",
            document: `{"at":${at}}`
          }) as const
        const [older, newer] = [snapshot(later), snapshot(later + 1)]
        yield* store.add(older)
        yield* store.add(newer)
        yield* store.add({ ...older, document: "another" })
        assert.deepStrictEqual(yield* store.byId(older.id), { ...older, published: null })
        assert.deepStrictEqual(
          (yield* store.list(2)).map(({ id }) => id),
          [newer.id, older.id]
        )
        const before = yield* store.latestPublished("LIVE")
        assert.isFalse(before?.id === older.id || before?.id === newer.id)
        const published = { at: later + 5, by: "bob" }
        assert.deepStrictEqual(yield* store.publish(older.id, published), { ...older, published })
        assert.deepStrictEqual(yield* store.publish(older.id, { at: later + 9, by: "carol" }), { ...older, published })
        assert.deepStrictEqual(yield* store.latestPublished("LIVE"), { ...older, published })
        yield* store.publish(newer.id, published)
        assert.strictEqual((yield* store.latestPublished("LIVE"))?.id, newer.id)
        // one from better days does not take its place
        const oldest = snapshot(later - 1)
        yield* store.add(oldest)
        yield* store.publish(oldest.id, { at: later + 20, by: "mallory" })
        assert.strictEqual((yield* store.latestPublished("LIVE"))?.id, newer.id)
        assert.notStrictEqual((yield* store.latestPublished("SANDBOX"))?.id, newer.id)
        for (const unknown of [crypto.randomUUID(), "no id"]) {
          assert.isUndefined(yield* store.byId(unknown))
          assert.isUndefined(yield* store.publish(unknown, published))
        }
      })
    )
  })
}
