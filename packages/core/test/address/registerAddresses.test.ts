import {
  type AddressItem,
  type ItemRefusal,
  type ItemResult,
  namedByRequest,
  registerAddresses,
  type SignedAmong
} from "@bursar/core/address/registerAddresses"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { Queries } from "@bursar/core/store/Queries"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { putRecord } from "@bursar/core/engine/Records"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Storage } from "@bursar/core/engine/Storage"
import { WatchState } from "@bursar/core/store/WatchState"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { contextAt } from "@bursar/testkit/fixtures/commands"
import { addressItem, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { addressItems } from "@bursar/testkit/generators/addresses"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Result } from "effect"
import fc from "fast-check"

const register = Effect.fnUntraced(function* (
  tenantId: TenantId,
  items: ReadonlyArray<AddressItem | ItemRefusal>,
  now = past
) {
  const storage = yield* Storage
  const [exit] = yield* storage.commit(tenantId, [registerAddresses(items)], contextAt(now))
  if (exit === undefined || Exit.isFailure(exit)) return yield* Effect.die(exit)
  return exit.value as ReadonlyArray<ItemResult> // the reply of the one command
})

const said = (results: ReadonlyArray<ItemResult>) =>
  results.map((result) => (result.status === "refused" ? result.refusal.code : result.status))

layer(Memory.layer)("registerAddresses", (it) => {
  it.effect("each item ends on its own, in the order of the request", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
      const [mine, theirs, fresh] = Array.from({ length: 3 }, newEvmAddress) as [string, string, string]
      yield* register(one.id, [addressItem(mine)])
      yield* register(other.id, [addressItem(theirs)])
      const invalid: ItemRefusal = { _tag: "Refused", code: "address_invalid", message: "wrong checksum" }
      const items = [
        addressItem(mine, { reference: "another" }),
        addressItem(theirs),
        invalid,
        addressItem(fresh),
        addressItem(fresh, { reference: "again" }),
        addressItem(fresh, { network: "base" }),
        addressItem(newEvmAddress(), { watchFrom: past + 60_001 }),
        addressItem(newEvmAddress(), { watchFrom: past + 60_000 })
      ]
      const results = yield* register(one.id, items)
      assert.deepStrictEqual(said(results), [
        "existing",
        "address_unavailable",
        "address_invalid",
        "registered",
        "existing",
        "registered",
        "invalid_request",
        "registered"
      ])
      const [first, , , third, fourth] = results
      assert.deepStrictEqual(third?.status === "registered" ? third.address.reference : "", "customer-1")
      assert.deepStrictEqual(
        fourth?.status === "existing" ? fourth.address : null,
        third?.status === "registered" ? third.address : undefined
      )
      assert.deepStrictEqual(first?.status === "existing" ? first.address.reference : "", "customer-1")
    })
  )

  it.effect("says the same of an address of another tenant whatever else is known of it", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
      const address = newEvmAddress()
      yield* register(other.id, [addressItem(address, { reference: "secret" })])
      const [result] = yield* register(one.id, [addressItem(address)])
      assert.notInclude(JSON.stringify(result), "secret")
      assert.notInclude(JSON.stringify(result), other.id)
    })
  )

  it.effect("a retired address is registered anew, as another record", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const address = newEvmAddress()
      const [first] = yield* register(id, [addressItem(address)])
      if (first?.status !== "registered") return assert.fail("not registered")
      yield* (yield* Storage).commit(id, [retireAddress(first.address.id)], contextAt(past + 1))
      const [second] = yield* register(id, [addressItem(address)], past + 2)
      assert.strictEqual(second?.status, "registered")
      assert.notStrictEqual(second?.status === "registered" ? second.address.id : "", first.address.id)
      const all = yield* (yield* Queries).addresses(id, { includeRetired: true, limit: 10 })
      assert.deepStrictEqual(
        all.map(({ retiredAt }) => retiredAt),
        [past + 1, null]
      )
      return undefined
    })
  )

  it.effect("the past is read for those who ask, once per network and start", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const [a, b, c, d, e, f] = Array.from({ length: 6 }, newEvmAddress) as [
        string,
        string,
        string,
        string,
        string,
        string
      ]
      yield* register(id, [
        addressItem(a),
        addressItem(b, { watchFrom: past - 10 }),
        addressItem(c, { watchFrom: past - 10 }),
        addressItem(d, { watchFrom: past - 20 }),
        addressItem(e, { watchFromBlock: 7 }),
        addressItem(f, { watchFrom: past - 10, network: "base" })
      ])
      const watch = yield* WatchState
      const jobs = [...(yield* watch.backfills("ethereum", 100)), ...(yield* watch.backfills("base", 100))]
      assert.sameDeepMembers(
        jobs
          .filter(({ tenantId }) => tenantId === id)
          .map(({ addresses, fromBlock, fromTime, network }) => ({ addresses, fromBlock, fromTime, network })),
        [
          { addresses: [b, c], fromBlock: null, fromTime: past - 10, network: "ethereum" },
          { addresses: [d], fromBlock: null, fromTime: past - 20, network: "ethereum" },
          { addresses: [e], fromBlock: 7, fromTime: past, network: "ethereum" },
          { addresses: [f], fromBlock: null, fromTime: past - 10, network: "base" }
        ]
      )
    })
  )

  it.effect("one start by a block is the same start, whatever time is named beside it", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const [a, b, c] = Array.from({ length: 3 }, newEvmAddress) as [string, string, string]
      const [result] = yield* register(id, [
        addressItem(a, { watchFromBlock: 7, watchFrom: past - 10 }),
        addressItem(b, { watchFromBlock: 7, watchFrom: past - 20 }),
        addressItem(c, { watchFromBlock: 8 })
      ])
      assert.strictEqual(result?.status === "registered" ? result.address.watchFrom : 0, past - 10)
      const jobs = yield* (yield* WatchState).backfills("ethereum", 1_000)
      assert.sameDeepMembers(
        jobs.filter(({ tenantId }) => tenantId === id).map(({ addresses, fromBlock }) => [fromBlock, addresses]),
        [
          [7, [a, b]],
          [8, [c]]
        ]
      )
    })
  )

  /** Registers addresses by a request that is kept under an id, by a key of its own where none is said. */
  const registerSigned = Effect.fnUntraced(function* (
    id: TenantId,
    registrationId: string,
    items: ReadonlyArray<AddressItem>,
    { keyid = `key-${registrationId}`, replaceable = [] }: Partial<Pick<SignedAmong, "keyid" | "replaceable">> = {}
  ) {
    const command = registerAddresses(items, { networks: presetNetworks, keyid, replaceable })
    const named: typeof command = {
      ...command,
      decide: (view) =>
        Result.map(command.decide(view), (decided) => ({
          ...decided,
          changes: namedByRequest(decided.changes, { id: registrationId, keyid })
        }))
    }
    const [exit] = yield* (yield* Storage).commit(id, [named], contextAt(past))
    if (exit === undefined || Exit.isFailure(exit)) return yield* Effect.die(exit)
    return said(exit.value as ReadonlyArray<ItemResult>) // the reply of the one command
  })

  /** By which requests the tenant's records of an address are named, with their networks. */
  const namesOf = Effect.fnUntraced(function* (id: TenantId, address: string) {
    const all = yield* (yield* Queries).addresses(id, { includeRetired: true, limit: 20 })
    const own = all.filter((one) => one.address === address)
    return own.map(({ network, registrations }) => [network, ...registrations.map((named) => named.id)])
  })

  it.effect(
    "a signed request names what is registered by it, whatever did before, and what follows from a key not at all",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const [old, fresh] = [newEvmAddress(), newEvmAddress()]
        const items = [addressItem(old), addressItem(fresh), addressItem(fresh)]
        yield* register(id, [addressItem(old)])
        assert.deepStrictEqual(yield* namesOf(id, old), [["ethereum"]])
        assert.deepStrictEqual(yield* registerSigned(id, "first", items), ["existing", "registered", "existing"])
        assert.deepStrictEqual(yield* namesOf(id, old), [["ethereum", "first"]])
        yield* register(id, [addressItem(old)])
        assert.deepStrictEqual(yield* namesOf(id, old), [["ethereum", "first"]])
        // all of them that is looked at
        const others = [putRecord(DepositAddress, { origin: "DERIVED" } as DepositAddress), { _tag: "Other" } as never]
        assert.deepStrictEqual(namedByRequest(others, { id: "third", keyid: "k" }), others)
      })
  )

  it.effect(
    "a signed request is named beside those of other keys, and takes the place of those that count for nothing",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const items = [addressItem(newEvmAddress()), addressItem(newEvmAddress())] as const
        const [old, good] = [items[0].address, items[1].address]
        yield* registerSigned(id, "first", items)
        const all = yield* (yield* Queries).addresses(id, { includeRetired: false, limit: 20 })
        const replaceable = all.flatMap((one) =>
          one.address === old ? { addressId: one.id, registrationId: "first" } : []
        )
        const second = registerSigned(id, "second", items, { replaceable })
        assert.deepStrictEqual(yield* second, ["existing", "existing"])
        assert.deepStrictEqual(yield* namesOf(id, old), [["ethereum", "second"]])
        assert.deepStrictEqual(yield* namesOf(id, good), [["ethereum", "first", "second"]])
        // it was named anew since it was judged
        yield* registerSigned(id, "third", items, { replaceable })
        assert.deepStrictEqual(yield* namesOf(id, old), [["ethereum", "second", "third"]])
      })
  )

  it.effect("of a key, the first request that counts is named, however often it registers an address again", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const items = [addressItem(newEvmAddress())] as const
      const [{ address }] = items
      for (const name of ["first", "second"]) yield* registerSigned(id, name, items, { keyid: "k" })
      assert.deepStrictEqual(yield* namesOf(id, address), [["ethereum", "first"]])
      const [record] = yield* (yield* Queries).addresses(id, { includeRetired: false, limit: 20 })
      const replaceable = [{ addressId: record?.id ?? "", registrationId: "first" }]
      yield* registerSigned(id, "third", items, { keyid: "k", replaceable })
      assert.deepStrictEqual(yield* namesOf(id, address), [["ethereum", "third"]])
    })
  )

  it.effect("a signed request names the records that were retired and those on sibling networks, and no others", () =>
    Effect.gen(function* () {
      const [{ id }, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
      const address = newEvmAddress()
      const [first] = yield* register(id, [addressItem(address)])
      yield* register(id, [addressItem(address, { network: "base" }), addressItem(address, { network: "tron" })])
      if (first?.status !== "registered") return assert.fail("not registered")
      yield* (yield* Storage).commit(id, [retireAddress(first.address.id)], contextAt(past))
      assert.deepStrictEqual(yield* registerSigned(id, "signed", [addressItem(address)]), ["registered"])
      assert.sameDeepMembers(yield* namesOf(id, address), [
        ["ethereum", "signed"],
        ["ethereum", "signed"],
        ["base", "signed"],
        ["tron"]
      ])
      // what was the tenant's stays so when the address is another's
      const moved = newEvmAddress()
      const [mine] = yield* register(id, [addressItem(moved)])
      if (mine?.status !== "registered") return assert.fail("not registered")
      yield* (yield* Storage).commit(id, [retireAddress(mine.address.id)], contextAt(past))
      yield* register(other.id, [addressItem(moved)])
      assert.deepStrictEqual(yield* registerSigned(id, "late", [addressItem(moved)]), ["address_unavailable"])
      assert.deepStrictEqual(yield* namesOf(id, moved), [["ethereum", "late"]])
      assert.deepStrictEqual(yield* namesOf(other.id, moved), [["ethereum"]])
      return undefined
    })
  )

  it.effect("whatever is asked for, every address ends up with one live record, and asking again changes nothing", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(addressItems, (items) =>
          Effect.runPromise(
            Effect.gen(function* () {
              const { id } = yield* newTenant({ createdAt: past })
              const wanted = new Set(items.map(({ address, network }) => `${network}|${address}`))
              const results = yield* register(id, items)
              assert.strictEqual(results.filter(({ status }) => status === "registered").length, wanted.size)
              const queries = yield* Queries
              const stored = yield* queries.addresses(id, { includeRetired: true, limit: 100 })
              assert.sameMembers(
                stored.map(({ address, network }) => `${network}|${address}`),
                [...wanted]
              )
              assert.isTrue((yield* register(id, items)).every(({ status }) => status === "existing"))
              assert.deepStrictEqual(yield* queries.addresses(id, { includeRetired: true, limit: 100 }), stored)
            }).pipe(Effect.provide(Layer.fresh(Memory.layer)))
          )
        )
      )
    )
  )
})
