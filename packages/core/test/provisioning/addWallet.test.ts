import { registerAddresses } from "@bursar/core/address/registerAddresses"
import type { Network } from "@bursar/core/money/Network"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet, type AddWallet, nextWalletIndex } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { firstWallet, payingWallets, PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { addressItem, keyed, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { refusalOf, store, submit } from "../transfer/world.ts"

const seedId = "seed"

type Asked = Partial<Omit<AddWallet, "seedId" | "custodied">>

const wallet = (address: string, more: Asked = {}) =>
  addWallet({ network: "ethereum", role: "PAYOUT", index: 0, seedId, ...keyed(address), ...more }, presetNetworks)

const channel = (address: string, index: number, more: Asked = {}) =>
  wallet(address, { network: "stellar", role: "CHANNEL", index, ...more })

const tenant = Effect.map(newTenant(), ({ id }) => id)

const wallets = (id: TenantId) => Effect.flatMap(Queries, (queries) => queries.records(id, PayoutWallet))

describe("a wallet to pay from", () => {
  it.effect("starts with nothing under way, and names the key that signs for it", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const address = newEvmAddress()
      const made = yield* submit(id, wallet(address))
      const { createdAt, id: walletId } = made
      assert.deepStrictEqual(made, {
        id: walletId,
        network: "ethereum",
        role: "PAYOUT",
        address,
        seedId,
        custodied: null,
        index: 0,
        nextSequence: null,
        nextSalt: 1,
        openTransactions: 0,
        committed: [],
        createdAt
      })
      const custodied = { custody: "hsm", keyId: "k", publicKey: "p" } as never // whichever key a custody names
      const command = { network: "base", role: "PAYOUT", index: 0, custodied, ...keyed(newEvmAddress()) } as const
      const other = yield* submit(id, addWallet(command, presetNetworks))
      assert.deepStrictEqual([other.seedId, other.custodied], [null, custodied])
    }).pipe(Effect.provide(store))
  )

  it.effect("is added once: again it is the one that there is, and in no other role", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const address = newEvmAddress()
      const made = yield* submit(id, wallet(address))
      assert.deepStrictEqual(yield* submit(id, wallet(address)), made)
      assert.strictEqual(yield* refusalOf(id, wallet(address, { role: "CHANNEL", index: 1 })), "state_conflict")
      assert.lengthOf(yield* wallets(id), 1)
    }).pipe(Effect.provide(store))
  )

  it.effect("pays beside another where that is asked for, with a key of its own", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const another = { another: true } as const
      const made = yield* submit(id, wallet(newEvmAddress(), another))
      assert.deepStrictEqual([made.index, nextWalletIndex([made], "PAYOUT", true)], [0, 1])
      for (const index of [0, 2])
        assert.strictEqual(yield* refusalOf(id, wallet(newEvmAddress(), { ...another, index })), "stale")
      const second = yield* submit(id, wallet(newEvmAddress(), { ...another, index: 1 }))
      const third = yield* submit(id, wallet(newEvmAddress(), { ...another, index: 2 }))
      const all = yield* wallets(id)
      assert.deepStrictEqual(
        payingWallets(all.toReversed()).map(({ id: one }) => one),
        [made.id, second.id, third.id]
      )
      assert.strictEqual(firstWallet(all.toReversed())?.id, made.id)
      assert.strictEqual(
        yield* refusalOf(id, wallet(newEvmAddress(), { index: 3 })),
        "state_conflict",
        "not by mistake"
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("pays alone where no transaction waits for the number of another, or one account has them for all", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      for (const network of ["tron", "bitcoin", "stellar"] as const) {
        const another = { network, another: true }
        yield* submit(id, wallet(`first on ${network}`, another))
        const code = yield* refusalOf(id, wallet(`second on ${network}`, { ...another, index: 1 }))
        assert.strictEqual(code, "state_conflict", network)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("is the only one of its network that pays, unless another is asked for", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      yield* submit(id, wallet(newEvmAddress()))
      assert.strictEqual(yield* refusalOf(id, wallet(newEvmAddress())), "state_conflict")
      assert.isNull(yield* refusalOf(id, wallet(newEvmAddress(), { network: "base" })))
      yield* submit(id, channel("G-1", 1))
      assert.isNull(yield* refusalOf(id, wallet("G-0", { network: "stellar" })), "a channel account pays nothing")
    }).pipe(Effect.provide(store))
  )

  it.effect("has the next index, so that no key is left out and none is used twice", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      assert.strictEqual(yield* refusalOf(id, wallet(newEvmAddress(), { index: 1 })), "stale")
      for (const index of [0, 2]) assert.strictEqual(yield* refusalOf(id, channel("G-1", index)), "stale")
      yield* submit(id, channel("G-1", 1))
      for (const index of [0, 1, 3]) assert.strictEqual(yield* refusalOf(id, channel("G-2", index)), "stale")
      yield* submit(id, channel("G-2", 2))
      const all = yield* wallets(id)
      assert.strictEqual(nextWalletIndex(all, "CHANNEL"), 3)
      assert.strictEqual(nextWalletIndex(all.toReversed(), "CHANNEL"), 3)
      assert.strictEqual(nextWalletIndex(all, "PAYOUT"), 0)
    }).pipe(Effect.provide(store))
  )

  it.effect("is of the tenant's environment", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ kind: "SANDBOX" })
      assert.strictEqual(yield* refusalOf(id, wallet(newEvmAddress())), "product_not_enabled")
    }).pipe(Effect.provide(store))
  )

  it.effect("is nobody's deposit address: what a customer pays in would be paid out", () =>
    Effect.gen(function* () {
      const [id, other] = [yield* tenant, yield* tenant]
      for (const owner of [id, other]) {
        const address = newEvmAddress()
        yield* submit(owner, registerAddresses([addressItem(address, { network: "ethereum" })]))
        assert.strictEqual(yield* refusalOf(id, wallet(address)), "address_unavailable")
        // nor its key in another form, or on a sibling of the network
        assert.strictEqual(yield* refusalOf(id, wallet(address, { network: "base" })), "address_unavailable")
        const form = { ...keyed(newEvmAddress()), keys: [...keyed(newEvmAddress()).keys, ...keyed(address).keys] }
        assert.strictEqual(yield* refusalOf(id, wallet(form.address, form)), "address_unavailable")
      }
      // an address is taken though its keys are not known
      const address = newEvmAddress()
      yield* submit(id, registerAddresses([addressItem(address, { network: "ethereum", keys: [] })]))
      assert.strictEqual(yield* refusalOf(id, wallet(address)), "address_unavailable")
    }).pipe(Effect.provide(store))
  )

  it.effect("is no other tenant's, and pays on a sibling of its network with the same key", () =>
    Effect.gen(function* () {
      const [id, other] = [yield* tenant, yield* tenant]
      const address = newEvmAddress()
      yield* submit(id, wallet(address))
      for (const network of ["ethereum", "base"] as const)
        assert.strictEqual(yield* refusalOf(other, wallet(address, { network })), "address_unavailable")
      assert.isNull(yield* refusalOf(id, wallet(address, { network: "base" })))
    }).pipe(Effect.provide(store))
  )

  it.effect("is registered by nobody for deposits any more, nor is its key elsewhere", () =>
    Effect.gen(function* () {
      const [id, other] = [yield* tenant, yield* tenant]
      const address = newEvmAddress()
      yield* submit(id, wallet(address))
      const statuses = (owner: TenantId, network: Network) =>
        Effect.map(submit(owner, registerAddresses([addressItem(address, { network })])), (results) =>
          results.map(({ status }) => status)
        )
      for (const owner of [id, other])
        for (const network of ["ethereum", "base"] as const)
          assert.notInclude(yield* statuses(owner, network), "registered")
    }).pipe(Effect.provide(store))
  )
})
