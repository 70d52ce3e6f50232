import { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { Queries } from "@bursar/core/store/Queries"
import { WatchState } from "@bursar/core/store/WatchState"
import { provisioningQueue } from "@bursar/core/transaction/queues"
import { all } from "@bursar/testkit/fixtures/commands"
import { keyed, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { takeFence } from "@bursar/testkit/fixtures/fences"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { addressOf, issuing, ports, refusalOf, registered, said, submit } from "./world.ts"
import type { TenantId } from "@bursar/core/tenant/Tenant"

const fresh = () => addressOf(crypto.randomUUID())

const tenant = Effect.map(newTenant(), ({ id }) => id)

const own = (id: TenantId) => ({ accountKey: `account-${id}`, seedId: `seed-${id}` })

const isDue = Effect.fnUntraced(function* (id: TenantId) {
  const due = yield* (yield* JobQueue).due(provisioningQueue("stellar"), Number.MAX_SAFE_INTEGER, 1_000)
  return due.some(({ tenantId }) => tenantId === id)
})

layer(ports)("issuing addresses", (it) => {
  it.effect("takes the next indexes of the tenant's account, whose keys the service holds", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const [one, two] = [fresh(), fresh()]
      const { account, addresses } = yield* submit(id, issuing({ ...own(id), addresses: [one, two] }))
      assert.deepStrictEqual(account, { ...account, tenantId: id, family: "evm", nextIndex: 2, ...own(id) })
      assert.deepStrictEqual(
        addresses.map(({ address, derivationIndex, origin, reference, seedId, sweepHold, xpubId }) => [
          address,
          derivationIndex,
          origin,
          reference,
          seedId,
          sweepHold,
          xpubId
        ]),
        [one, two].map(({ address }, index) => [address, index, "ISSUED", "customer", own(id).seedId, null, null])
      )
      assert.deepStrictEqual(yield* (yield* Queries).record(id, IssuingAccount, "evm"), account)
      assert.deepStrictEqual(
        (yield* (yield* Queries).addresses(id, { includeRetired: false, limit: 9 })).map((each) => each.address),
        [one.address, two.address]
      )
    })
  )

  it.effect("gives no two references one address in a rule of two that takes an index once", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const part = issuing({ ...own(id), addresses: [fresh()] })
      assert.isTrue(Exit.hasDies(yield* Effect.exit(submit(id, all(part, part)))))
      assert.isEmpty(yield* (yield* Queries).addresses(id, { includeRetired: false, limit: 9 }))
    })
  )

  it.effect("is stale where the account is another, or the addresses are not the next", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      yield* submit(id, issuing({ ...own(id), addresses: [fresh()] }))
      const next = { ...own(id), from: 1, addresses: [fresh()] }
      const wrong = [
        { ...next, seedId: "another" },
        { ...next, accountKey: `another-${id}` },
        { ...next, from: 0 },
        { ...next, from: 2 },
        { ...next, count: 2 }
      ]
      for (const each of wrong) assert.strictEqual(yield* refusalOf(id, issuing(each)), "stale")
      assert.isNull(yield* refusalOf(id, issuing(next)))
    })
  )

  it.effect("is refused where another tenant watches such an address, and then none is issued", () =>
    Effect.gen(function* () {
      const [id, stranger] = [yield* tenant, yield* tenant]
      const theirs = fresh()
      yield* registered(stranger, theirs)
      const refusal = yield* Effect.flip(submit(id, issuing({ ...own(id), addresses: [fresh(), theirs] })))
      assert.deepInclude(refusal, { code: "address_unavailable", detail: { derivation_index: 1 } })
      // the same text with another key: whoever watches it has it
      const text = { ...fresh(), address: theirs.address }
      assert.strictEqual(yield* refusalOf(id, issuing({ ...own(id), addresses: [text] })), "address_unavailable")
      assert.isUndefined(yield* (yield* Queries).record(id, IssuingAccount, "evm"))
    })
  )

  it.effect("is of the tenant's environment", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ kind: "SANDBOX" })
      assert.strictEqual(yield* refusalOf(id, issuing({ ...own(id), addresses: [fresh()] })), "product_not_enabled")
    })
  )

  it.effect("names the newest block that was known, where one was", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const before = yield* submit(id, issuing({ ...own(id), network: "tron", addresses: [fresh()] }))
      const item = { network: "tron" } as const
      const unknown = yield* registered(id, fresh(), item)
      const fence = yield* takeFence(`test-${crypto.randomUUID()}`)
      yield* (yield* WatchState).advance(fence, "tron", { number: 90, hash: "h90", parentHash: "h89", time: 90 }, 90)
      const after = yield* submit(id, issuing({ ...own(id), network: "tron", from: 1, addresses: [fresh()] }))
      const known = yield* registered(id, fresh(), item)
      const blockOf = (result: typeof known) => (result.status === "registered" ? result.address.registeredAtBlock : -1)
      assert.deepStrictEqual(
        [before.addresses[0]?.registeredAtBlock, after.addresses[0]?.registeredAtBlock],
        [null, 90]
      )
      assert.deepStrictEqual([blockOf(unknown), blockOf(known)], [null, 90])
    })
  )

  it.effect("sets up the account that they are parts of, once, where accounts have to be set up", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      yield* submit(id, issuing({ ...own(id), addresses: [fresh()] }))
      assert.isFalse(yield* isDue(id), "an account on ethereum needs nothing")
      const stellar = { ...own(id), network: "stellar" } as const
      yield* submit(id, issuing({ ...stellar, addresses: [fresh()] }))
      assert.isTrue(yield* isDue(id))
      // what comes to the account itself is the service's to ask about
      const [other] = [yield* tenant]
      const account = { ...fresh(), address: own(id).accountKey }
      assert.strictEqual(said(yield* registered(other, account, { network: "stellar" })), "address_unavailable")
      const owned = yield* (yield* WatchState).owners(["stellar"], [own(id).accountKey])
      assert.deepInclude(owned[0], { tenantId: id, addressId: own(id).seedId, wallet: true })
      assert.isNull(yield* refusalOf(id, issuing({ ...stellar, from: 1, addresses: [fresh()] })))
    })
  )

  it.effect("leaves the account's address to the wallet that has it", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const address = newEvmAddress()
      const wallet = yield* submit(
        id,
        addWallet({ network: "stellar", role: "PAYOUT", seedId: "seed", index: 0, ...keyed(address) }, presetNetworks)
      )
      yield* submit(id, issuing({ ...own(id), network: "stellar", accountKey: address, addresses: [fresh()] }))
      const owned = yield* (yield* WatchState).owners(["stellar"], [address])
      assert.deepInclude(owned[0], { addressId: wallet.id })
    })
  )
})
