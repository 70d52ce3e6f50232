import type { KeyHolder } from "@bursar/core/engine/Directory"
import { type ItemResult, registerAddresses } from "@bursar/core/address/registerAddresses"
import { orderOwner } from "@bursar/core/custody/orderOwner"
import { ProviderOrder, providerOrderKey } from "@bursar/core/custody/ProviderOrder"
import { putRecord, readFact } from "@bursar/core/engine/Records"
import { retireAddress } from "@bursar/core/address/retireAddress"
import type { Network } from "@bursar/core/money/Network"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import fc from "fast-check"
import { looking, writing } from "../../fixtures/commands.ts"
import { addressItem, newEvmAddress } from "../../fixtures/deposits.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { TwoWriters } from "../harness.ts"
import { commit, ends, type StorageIt } from "./services.ts"

const said = (result: ItemResult | undefined): string =>
  result === undefined ? "nothing" : result.status === "refused" ? result.refusal.code : result.status

const evm: ReadonlyArray<Network> = ["ethereum", "bsc", "base"]

const newKey = () => `test:${crypto.randomUUID()}`

const claiming = (keys: ReadonlyArray<string>, holder: KeyHolder, by: string = crypto.randomUUID()) =>
  writing(() => [{ _tag: "KeysClaimed", keys, holder, by }])

const ownerOf = (key: string) =>
  looking([{ _tag: "KeyOwner", key }], (view) => {
    const found = view.keyOwner(key)
    return found === undefined ? undefined : ([found.owner, found.holder] as const)
  })

/** A key has one owner among all tenants, on all networks and in all forms of its addresses. */
export const ownershipTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "an order of a provider is one operation's among all tenants, and each sees whose it is",
    () =>
      Effect.gen(function* () {
        const [{ id: first }, { id: second }] = [yield* newTenant(), yield* newTenant()]
        const [provider, providerReference, operationId] = ["kraken", crypto.randomUUID(), crypto.randomUUID()]
        const key = providerOrderKey(provider, providerReference)
        const owner = looking([readFact(orderOwner, key)], (view) => view.fact(orderOwner, key))
        const claim = (id: string) =>
          writing(() => [putRecord(ProviderOrder, { provider, providerReference, operationId: id })])
        const { first: one, second: other } = yield* TwoWriters
        assert.isNull(yield* one.submit(second, owner))
        yield* one.submit(first, claim(operationId))
        for (const id of [first, second]) assert.strictEqual(yield* other.submit(id, owner), operationId)
        // one that has not looked cannot take it either
        assert.isTrue(Exit.isFailure(yield* Effect.exit(other.submit(second, claim(crypto.randomUUID())))))
        assert.strictEqual(yield* one.submit(second, owner), operationId)
      }),
    timeoutMs
  )

  it.effect(
    "of two tenants that book one order of a provider at once from two processes, one alone does",
    () =>
      Effect.gen(function* () {
        const [{ id: left }, { id: right }] = [yield* newTenant(), yield* newTenant()]
        const { first, second } = yield* TwoWriters
        for (let round = 0; round < 20; round++) {
          const [provider, providerReference] = ["kraken", crypto.randomUUID()]
          const claim = (operationId: string) =>
            writing(() => [putRecord(ProviderOrder, { provider, providerReference, operationId })])
          const [ours, theirs] = [crypto.randomUUID(), crypto.randomUUID()]
          const [one, other] = yield* Effect.all(
            [Effect.exit(first.submit(left, claim(ours))), Effect.exit(second.submit(right, claim(theirs)))],
            { concurrency: "unbounded" }
          )
          assert.notStrictEqual(Exit.isSuccess(one), Exit.isSuccess(other))
          const key = providerOrderKey(provider, providerReference)
          const owner = looking([readFact(orderOwner, key)], (view) => view.fact(orderOwner, key))
          for (const id of [left, right])
            assert.strictEqual(yield* first.submit(id, owner), Exit.isSuccess(one) ? ours : theirs)
        }
      }),
    timeoutMs
  )

  it.effect(
    "an address of one tenant is address_unavailable to another on every network on which it is the same key's",
    () =>
      Effect.gen(function* () {
        const [{ id: owner }, { id: thief }] = [yield* newTenant(), yield* newTenant()]
        const { first, second } = yield* TwoWriters
        for (const network of evm) {
          const address = newEvmAddress()
          yield* first.submit(owner, registerAddresses([addressItem(address, { network })]))
          const all = registerAddresses(evm.map((each) => addressItem(address, { network: each })))
          assert.deepStrictEqual(
            (yield* second.submit(thief, all)).map(said),
            evm.map(() => "address_unavailable")
          )
          const own = evm.map((each) => (each === network ? "existing" : "registered"))
          assert.deepStrictEqual((yield* first.submit(owner, all)).map(said), own)
        }
      }),
    timeoutMs
  )

  it.effect(
    "a key that a tenant holds is nobody's once the last of its addresses is retired, and no sooner",
    () =>
      Effect.gen(function* () {
        const [{ id: owner }, { id: other }] = [yield* newTenant(), yield* newTenant()]
        const { first, second } = yield* TwoWriters
        const address = newEvmAddress()
        const both = ["ethereum", "base"] as const
        const results = yield* first.submit(
          owner,
          registerAddresses(both.map((network) => addressItem(address, { network })))
        )
        const theirs = registerAddresses([addressItem(address, { network: "bsc" })])
        for (const result of results) {
          assert.deepStrictEqual((yield* second.submit(other, theirs)).map(said), ["address_unavailable"])
          if (result.status === "registered") yield* first.submit(owner, retireAddress(result.address.id))
        }
        assert.deepStrictEqual((yield* second.submit(other, theirs)).map(said), ["registered"])
        assert.deepStrictEqual((yield* first.submit(owner, theirs)).map(said), ["address_unavailable"])
      }),
    timeoutMs
  )

  it.effect(
    "a key that the service holds stays its owner's when the address is retired",
    () =>
      Effect.gen(function* () {
        const [{ id: owner }, { id: thief }] = [yield* newTenant(), yield* newTenant()]
        const { first, second } = yield* TwoWriters
        const item = addressItem(newEvmAddress())
        const [result] = yield* first.submit(owner, registerAddresses([item]))
        if (result?.status !== "registered") return assert.fail("not registered")
        yield* first.submit(owner, claiming(item.keys, "SERVICE", result.address.id))
        yield* first.submit(owner, retireAddress(result.address.id))
        for (const key of item.keys) {
          assert.deepStrictEqual(yield* second.submit(thief, ownerOf(key)), [owner, "SERVICE"])
        }
        assert.deepStrictEqual((yield* second.submit(thief, registerAddresses([item]))).map(said), [
          "address_unavailable"
        ])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "a claim on a key that did not look whose it is takes it from nobody, and nothing of its batch is written",
    () =>
      Effect.gen(function* () {
        const [{ id: owner }, { id: thief }] = [yield* newTenant(), yield* newTenant()]
        const { first } = yield* TwoWriters
        const [taken, free] = [newKey(), newKey()]
        for (const holder of ["TENANT", "SERVICE", "WALLET"] as const) {
          yield* first.submit(owner, claiming([taken], holder))
          const blind = claiming([free, taken], "WALLET")
          assert.deepStrictEqual(ends([yield* Effect.exit(commit(thief, blind))]), ["Fail"])
          assert.strictEqual(yield* first.submit(thief, ownerOf(free)), undefined)
          assert.strictEqual((yield* first.submit(thief, ownerOf(taken)))?.[0], owner)
        }
      }),
    timeoutMs
  )

  it.effect(
    "what the service has come to hold it keeps holding, whatever the tenant claims after; a batch sees its own claims",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const key = newKey()
        const seen: Array<string | undefined> = []
        const check = looking([{ _tag: "KeyOwner", key }], (view) => {
          seen.push(view.keyOwner(key)?.holder)
        })
        yield* commit(id, check, claiming([key], "TENANT"), check, claiming([key], "SERVICE"), check)
        yield* commit(id, claiming([key], "TENANT"), check)
        yield* commit(id, check)
        assert.deepStrictEqual(seen.slice(-5), [undefined, "TENANT", "SERVICE", "SERVICE", "SERVICE"])
      }),
    timeoutMs
  )

  it.effect(
    "an address that another tenant gives free stays its owner's",
    () =>
      Effect.gen(function* () {
        const [{ id: owner }, { id: thief }] = [yield* newTenant(), yield* newTenant()]
        const { first, second } = yield* TwoWriters
        const item = addressItem(newEvmAddress())
        const [result] = yield* first.submit(owner, registerAddresses([item]))
        if (result?.status !== "registered") return assert.fail("not registered")
        const { address, id, network } = result.address
        const read = { _tag: "LiveAddress", network, address } as const
        const holder = looking([read], (view) => view.addressOwner(network, address))
        const before = yield* second.submit(thief, holder)
        assert.deepStrictEqual([before?.owner, before?.id], [owner, id])
        // by the id of an address of its own, too: the directory alone says whose it is
        for (const addressId of [id, crypto.randomUUID()])
          yield* commit(
            thief,
            writing(() => [{ _tag: "AddressFreed", network, address, addressId } as const], [read])
          )
        assert.deepStrictEqual(yield* first.submit(owner, holder), before)
        const [key = ""] = item.keys
        assert.deepStrictEqual(yield* second.submit(thief, ownerOf(key)), [owner, "TENANT"])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "a key that the service holds keeps how and by what it came to hold it, whatever it claims it for later",
    () =>
      Effect.gen(function* () {
        const { id: owner } = yield* newTenant()
        for (const [held, later] of [
          ["SERVICE", "WALLET"],
          ["WALLET", "SERVICE"]
        ] as const) {
          const key = newKey()
          const by = crypto.randomUUID()
          const found = looking([{ _tag: "KeyOwner", key }], (view) => view.keyOwner(key))
          yield* commit(owner, claiming([key], held, by))
          for (const holder of [later, held, "TENANT"] as const) {
            yield* commit(owner, claiming([key], holder))
            assert.deepStrictEqual(yield* (yield* TwoWriters).second.submit(owner, found), { owner, holder: held, by })
          }
        }
      }),
    timeoutMs
  )

  it.effect(
    "whatever tenants register and retire at once from two processes, no key ever has two owners with live addresses",
    () =>
      Effect.gen(function* () {
        const tenants = [(yield* newTenant()).id, (yield* newTenant()).id, (yield* newTenant()).id]
        const { first, second } = yield* TwoWriters
        const queries = yield* Queries
        const addresses = Array.from({ length: 6 }, newEvmAddress)
        const move = fc.record({
          tenant: fc.integer({ min: 0, max: tenants.length - 1 }),
          address: fc.integer({ min: 0, max: addresses.length - 1 }),
          network: fc.constantFrom(...evm),
          retire: fc.boolean()
        })
        const live = (tenant: TenantId) => queries.addresses(tenant, { includeRetired: false, limit: 1_000 })
        const rounds = fc.sample(fc.array(move, { minLength: 12, maxLength: 12 }), { numRuns: 12, seed: 7 })
        for (const moves of rounds) {
          yield* Effect.forEach(
            moves,
            ({ address, network, retire, tenant }, index) =>
              Effect.gen(function* () {
                const id = tenants[tenant]
                const text = addresses[address]
                if (id === undefined || text === undefined) return
                const writer = index % 2 === 0 ? first : second
                const own = (yield* live(id)).find((one) => one.address === text && one.network === network)
                if (retire && own !== undefined) yield* writer.submit(id, retireAddress(own.id))
                else yield* writer.submit(id, registerAddresses([addressItem(text, { network })]))
              }),
            { concurrency: "unbounded", discard: true }
          )
          const owners = new Map<string, TenantId>()
          for (const tenant of tenants) {
            for (const { address } of yield* live(tenant)) {
              assert.strictEqual(owners.get(address) ?? tenant, tenant, `two tenants watch ${address}`)
              owners.set(address, tenant)
            }
          }
          for (const address of addresses) {
            const [key = ""] = addressItem(address).keys
            const owner = yield* first.submit(tenants[0] as TenantId, ownerOf(key)) // there are three
            assert.strictEqual(owner?.[0], owners.get(address), `the owner of ${address}`)
          }
        }
      }),
    timeoutMs
  )
}
