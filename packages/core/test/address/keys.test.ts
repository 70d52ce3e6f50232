import { deriveAddresses } from "@bursar/core/address/deriveAddresses"
import { type KeyAvailability, keyAvailability, keyReads } from "@bursar/core/address/keyAvailability"
import { liveAddress } from "@bursar/core/address/owners"
import { registerXpub } from "@bursar/core/address/registerXpub"
import { retireAddress } from "@bursar/core/address/retireAddress"
import type { KeyedAddress } from "@bursar/core/engine/Directory"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { looking } from "@bursar/testkit/fixtures/commands"
import { accountNameAt, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { xpubItem } from "@bursar/testkit/fixtures/xpubs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { addressOf, issuing, ports, refusalOf, registered, said, submit } from "./world.ts"

let keys = 0

/** A key that nobody has. */
const newKey = () => `key-${++keys}-${crypto.randomUUID()}`

const tenant = Effect.map(newTenant(), ({ id }) => id)

const issueOne = Effect.fnUntraced(function* (id: TenantId, address: KeyedAddress) {
  const { addresses } = yield* submit(id, issuing({ accountKey: `account-${id}`, addresses: [address] }))
  return addresses[0] ?? (yield* Effect.die(new Error("nothing was issued")))
})

const pay = (id: TenantId, { address, keys: names }: KeyedAddress) =>
  submit(
    id,
    addWallet(
      { network: "ethereum", role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, address, keys: names },
      presetNetworks
    )
  )

const standing = (id: TenantId, address: KeyedAddress) =>
  submit(
    id,
    looking<KeyAvailability>(keyReads(address.keys), (view) => keyAvailability(view, address.keys))
  )

/** A live extended public key whose next addresses are those that are given. */
const deriving = Effect.fnUntraced(function* (
  id: TenantId,
  addresses: ReadonlyArray<KeyedAddress>,
  count: number,
  indexTo = 999
) {
  const xpub = yield* submit(id, registerXpub(xpubItem({ indexTo })))
  return deriveAddresses({
    network: "ethereum",
    reference: "customer",
    count,
    prederived: { xpubId: xpub.id, from: 0, addresses }
  })
})

layer(ports)("a key", (it) => {
  it.effect("has one owner, in whichever form and on whichever network its address is written", () =>
    Effect.gen(function* () {
      const [owner, stranger] = [yield* tenant, yield* tenant]
      const key = newKey()
      yield* registered(owner, addressOf(key))
      for (const network of ["ethereum", "tron"] as const) {
        assert.strictEqual(said(yield* registered(stranger, addressOf(key), { network })), "address_unavailable")
        assert.strictEqual(said(yield* registered(owner, addressOf(key), { network })), "registered")
      }
      assert.strictEqual(yield* refusalOf(stranger, issuing({ addresses: [addressOf(key)] })), "address_unavailable")
      const derive = yield* deriving(stranger, [addressOf(key)], 1)
      assert.strictEqual(yield* refusalOf(stranger, derive), "address_unavailable")
      assert.deepStrictEqual(yield* (yield* Queries).addresses(stranger, { includeRetired: true, limit: 9 }), [])
      assert.strictEqual((yield* standing(stranger, addressOf(key)))._tag, "Unavailable")
      assert.strictEqual((yield* standing(owner, addressOf(key)))._tag, "Free")
      assert.strictEqual((yield* standing(owner, addressOf(newKey())))._tag, "Free")
    })
  )

  it.effect("of a wallet is nobody's to watch, not even its tenant's", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const key = newKey()
      yield* pay(id, addressOf(key))
      assert.strictEqual(said(yield* registered(id, addressOf(key))), "address_unavailable")
      assert.strictEqual(yield* refusalOf(id, issuing({ addresses: [addressOf(key)] })), "address_unavailable")
      assert.strictEqual((yield* standing(id, addressOf(key)))._tag, "Unavailable")
    })
  )

  it.effect("that the service holds is watched as the service's on other networks, and in no other form", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const key = newKey()
      const issued = yield* issueOne(id, addressOf(key))
      const found = yield* standing(id, addressOf(key))
      assert.deepStrictEqual(found._tag === "Held" ? found.record : undefined, issued)
      const onBase = yield* registered(id, addressOf(key, issued.address), { network: "base" })
      if (onBase.status !== "registered") return assert.fail(said(onBase))
      const { derivationIndex, origin, seedId, sweepHold, xpubId } = issued
      assert.deepInclude(onBase.address, {
        origin,
        seedId,
        derivationIndex,
        xpubId,
        sweepHold,
        siblingOf: issued.id,
        reference: "customer-1"
      })
      assert.strictEqual(said(yield* registered(id, addressOf(key))), "address_unavailable", "another form")
      yield* submit(id, retireAddress(issued.id))
      const again = yield* registered(id, addressOf(key, issued.address))
      if (again.status !== "registered") return assert.fail(said(again))
      assert.deepInclude(again.address, { origin: "ISSUED", siblingOf: null })
      return undefined
    })
  )

  it.effect("of the tenant goes to whoever watches it next, once it watches none of its addresses", () =>
    Effect.gen(function* () {
      const [owner, other] = [yield* tenant, yield* tenant]
      const address = addressOf(newKey())
      const first = yield* registered(owner, address)
      if (first.status !== "registered") return assert.fail(said(first))
      assert.strictEqual(said(yield* registered(other, address)), "address_unavailable")
      yield* submit(owner, retireAddress(first.address.id))
      assert.strictEqual(said(yield* registered(other, address)), "registered")
      assert.strictEqual(said(yield* registered(owner, address)), "address_unavailable")
      return undefined
    })
  )

  it.effect("of an account is one tenant's: nobody else derives from it, and the service's is nobody's", () =>
    Effect.gen(function* () {
      const [owner, stranger] = [yield* tenant, yield* tenant]
      const item = xpubItem()
      yield* submit(owner, registerXpub(item))
      assert.strictEqual(yield* refusalOf(stranger, registerXpub(item)), "address_unavailable")
      assert.strictEqual(yield* refusalOf(stranger, registerXpub({ ...item, network: "base" })), "address_unavailable")
      assert.isNull(yield* refusalOf(owner, registerXpub({ ...item, network: "base" })))
      const theirs = issuing({ accountKey: item.canonical, addresses: [addressOf(newKey())] })
      assert.strictEqual(yield* refusalOf(stranger, theirs), "address_unavailable")
      const accountKey = `account-${stranger}`
      yield* submit(stranger, issuing({ accountKey, addresses: [addressOf(newKey())] }))
      const held = xpubItem({ network: "tron", accountName: accountNameAt(accountKey) })
      for (const id of [owner, stranger])
        assert.strictEqual(yield* refusalOf(id, registerXpub(held)), "address_unavailable")
    })
  )

  it.effect("that was handed over is passed over where addresses are derived, and its index is not used again", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const handedOver = addressOf(newKey())
      const issued = yield* issueOne(id, handedOver)
      yield* submit(id, retireAddress(issued.id))
      // of a key that the service holds no form is derived
      const elsewhere = { ...handedOver, address: newEvmAddress() }
      const free = [addressOf(newKey()), addressOf(newKey())] as const
      const derive = yield* deriving(id, [handedOver, free[0], elsewhere, free[1]], 2)
      const { addresses, xpub } = yield* submit(id, derive)
      assert.deepStrictEqual(
        addresses.map(({ address, derivationIndex }) => [address, derivationIndex]),
        [
          [free[0].address, 1],
          [free[1].address, 3]
        ]
      )
      assert.strictEqual(xpub.nextIndex, 4)
    })
  )

  it.effect("that the service holds is issued in its other forms, and not twice in the same", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const key = newKey()
      const first = addressOf(key)
      const issued = yield* issueOne(id, first)
      yield* submit(id, retireAddress(issued.id))
      const other = addressOf(key)
      const last = addressOf(newKey())
      const next = issuing({
        accountKey: `account-${id}`,
        seedId: "seed",
        from: 1,
        count: 2,
        addresses: [first, other, last]
      })
      assert.deepStrictEqual(
        (yield* submit(id, next)).addresses.map(({ address, derivationIndex }) => [address, derivationIndex]),
        [
          [other.address, 2],
          [last.address, 3]
        ]
      )
    })
  )

  it.effect("is told with its own record where it is the tenant's, and with none where it is another's", () =>
    Effect.gen(function* () {
      const [owner, stranger] = [yield* tenant, yield* tenant]
      const address = addressOf(newKey())
      const mine = yield* registered(owner, address)
      const look = (id: TenantId) =>
        submit(
          id,
          looking([{ _tag: "LiveAddress", network: "ethereum", address: address.address }], (view) =>
            liveAddress(view, "ethereum", address.address)
          )
        )
      assert.deepStrictEqual(yield* look(owner), {
        owner,
        record: mine.status === "registered" ? mine.address : undefined
      })
      assert.deepStrictEqual(yield* look(stranger), { owner, record: undefined })
    })
  )
})

layer(ports)("a range of indexes", (it) => {
  it.effect("gives all that are asked for or none, also where some of its addresses are watched already", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const [watched, free, other] = [addressOf(newKey()), addressOf(newKey()), addressOf(newKey())]
      yield* registered(id, watched)
      const derive = yield* deriving(id, [watched, free, other], 2, 1)
      const refusal = yield* Effect.flip(submit(id, derive))
      assert.deepInclude(refusal, { code: "xpub_range_exhausted", detail: { remaining: 2 } })
    })
  )

  it.effect("says how many are left, whatever was derived beforehand", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const derive = yield* deriving(id, [], 3, 1)
      const refusal = yield* Effect.flip(submit(id, derive))
      assert.deepInclude(refusal, { code: "xpub_range_exhausted", detail: { remaining: 2 } })
    })
  )

  it.effect("of one index is a range, and one of which every index is used is none", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const item = xpubItem({ network: "tron", indexFrom: 7, indexTo: 7 })
      const xpub = yield* submit(id, registerXpub(item))
      assert.strictEqual(xpub.nextIndex, 7)
      assert.strictEqual((yield* (yield* Queries).events(id, 0, 9)).at(-1)?.kind, "xpub.registered")
    })
  )
})
