import { addressSubject } from "@bursar/core/address/AddressProof"
import { proveAddress } from "@bursar/core/incoming/proveAddress"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { watchNow, watchNowWindowMs } from "@bursar/core/address/watchNow"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import { WatchState } from "@bursar/core/store/WatchState"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writing } from "../../fixtures/commands.ts"
import { addressItem, newAddress, newEvmAddress } from "../../fixtures/deposits.ts"
import { bareDeposit } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import { newTxHash } from "../../fixtures/transfers.ts"
import type { WatchStateIt } from "./ports.ts"
import { putRecord } from "@bursar/core/engine/Records"

/** A height above that of all blocks that other tests and earlier runs use. */
const newHeight = (): number => 100_000_000 + Math.trunc(Number.parseInt(crypto.randomUUID().slice(0, 7), 16)) * 100

/** What watchers look up: owners of addresses, and deposits by where they stand. */
export const foundTests = (it: WatchStateIt, timeoutMs: number): void => {
  it.effect(
    "owners are found on the network, else on the sibling where the address was registered first, else not",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const [one, two] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
        const [here, sibling, both, retired, foreign] = Array.from({ length: 5 }, newEvmAddress) as [
          string,
          string,
          string,
          string,
          string
        ]
        const register = (address: string, network: Network) => registerAddresses([addressItem(address, { network })])
        yield* commitAt(
          one.id,
          past,
          register(here, "ethereum"),
          register(sibling, "base"),
          register(retired, "ethereum"),
          register(foreign, "tron")
        )
        yield* commitAt(two.id, past + 1, register(both, "bsc"))
        yield* commitAt(two.id, past + 2, register(both, "base"))
        yield* commitAt(one.id, past + 2, register(here, "bsc"))
        const [found] = yield* watch.owners(presetNetworks.siblings("ethereum"), [retired])
        yield* commitAt(one.id, past + 3, retireAddress(found?.addressId ?? ""))

        const owners = yield* watch.owners(presetNetworks.siblings("ethereum"), [
          here,
          sibling,
          both,
          retired,
          foreign,
          newEvmAddress(),
          here
        ])
        assert.sameDeepMembers(
          owners.map(({ address, network, tenantId }) => ({ address, network, tenantId })),
          [
            { address: here, network: "ethereum", tenantId: one.id },
            { address: sibling, network: "base", tenantId: one.id },
            { address: both, network: "bsc", tenantId: two.id }
          ]
        )
        const onBase = yield* watch.owners(presetNetworks.siblings("base"), [both, here])
        assert.sameDeepMembers(
          onBase.map(({ network, tenantId }) => [network, tenantId]),
          [
            ["base", two.id],
            ["ethereum", one.id]
          ]
        )
        assert.deepStrictEqual(yield* watch.owners(presetNetworks.siblings("tron"), [here]), [])
        assert.deepStrictEqual(
          (yield* watch.owners(presetNetworks.siblings("tron"), [foreign])).map(({ network }) => network),
          ["tron"]
        )
        assert.deepStrictEqual(yield* watch.owners(presetNetworks.siblings("ethereum"), []), [])
      }),
    timeoutMs
  )

  it.effect(
    "owners are found among thousands asked for at once",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const address = yield* newAddress((yield* newTenant()).id)
        const crowd = Array.from({ length: 5_000 }, newEvmAddress)
        const owners = yield* watch.owners(presetNetworks.siblings("ethereum"), [...crowd, address.address])
        assert.deepStrictEqual(owners, [
          { tenantId: address.tenantId, addressId: address.id, network: "ethereum", address: address.address }
        ])
      }),
    timeoutMs
  )

  it.effect(
    "what is watched is listed once for each address, as its owner is found, and no further than is asked",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const tenant = yield* newTenant({ createdAt: past })
        const [here, sibling, retired] = [newEvmAddress(), newEvmAddress(), newEvmAddress()]
        const register = (address: string, network: Network) => registerAddresses([addressItem(address, { network })])
        yield* commitAt(tenant.id, past, register(here, "base"), register(sibling, "bsc"), register(retired, "base"))
        yield* commitAt(tenant.id, past + 1, register(here, "ethereum"))
        const [gone] = yield* watch.owners(presetNetworks.siblings("base"), [retired])
        yield* commitAt(tenant.id, past + 2, retireAddress(gone?.addressId ?? ""))
        const all = yield* watch.watched(presetNetworks.siblings("base"), 1_000_000)
        assert.sameDeepMembers(
          all.filter(({ tenantId }) => tenantId === tenant.id),
          [...(yield* watch.owners(presetNetworks.siblings("base"), [here, sibling]))]
        )
        assert.strictEqual(new Set(all.map(({ address }) => address)).size, all.length)
        assert.lengthOf(yield* watch.watched(presetNetworks.siblings("base"), 1), 1)
        assert.isFalse(
          (yield* watch.watched(presetNetworks.siblings("tron"), 1_000_000)).some(
            ({ tenantId }) => tenantId === tenant.id
          )
        )
      }),
    timeoutMs
  )

  it.effect(
    "deposits are found by status and height, over all tenants, oldest block first",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const writer = yield* Writer
        const low = newHeight()
        const put = Effect.fnUntraced(function* (
          blocks: ReadonlyArray<readonly [number | null, Deposit["status"]]>,
          network: Network = "base"
        ) {
          const address = yield* newAddress((yield* newTenant()).id, network)
          const changes = yield* writer.submit(
            address.tenantId,
            writing((view) =>
              blocks.map(([number, status]) =>
                putRecord(
                  Deposit,
                  bareDeposit(view, address, {
                    status,
                    block: number === null ? null : { number, hash: newTxHash(), time: past }
                  })
                )
              )
            )
          )
          return changes.map(({ record }) => record)
        })
        const one = yield* put([
          [low + 3, "DETECTED"],
          [low + 1, "CONFIRMED"],
          [low + 4, "REORGED"],
          [null, "DETECTED"]
        ])
        const two = yield* put([
          [low + 2, "DETECTED"],
          [low + 5, "CONFIRMED"]
        ])
        const other = yield* put(
          [
            [low + 2, "DETECTED"],
            [low + 4, "REORGED"]
          ],
          "bsc"
        )
        const ours = (found: ReadonlyArray<Deposit>) =>
          found.filter(({ id }) => [...one, ...two, ...other].some((known) => known.id === id))

        const upTo = (height: number, limit = 100_000) => Effect.map(watch.detectedUpTo("base", height, limit), ours)
        assert.deepStrictEqual(yield* upTo(low + 3), [two[0], one[0]])
        assert.deepStrictEqual(yield* upTo(low + 2), [two[0]])
        assert.deepStrictEqual(yield* upTo(low + 1), [])
        assert.strictEqual((yield* watch.detectedUpTo("base", low + 3, 1)).length, 1)
        assert.sameDeepMembers([...ours(yield* watch.depositsAbove("base", low + 1))], [one[0], two[0], two[1]])
        assert.deepStrictEqual(ours(yield* watch.depositsAbove("base", low + 5)), [])
        assert.deepStrictEqual(ours(yield* watch.depositsAbove("bsc", low)), [other[0]])

        assert.deepStrictEqual(ours(yield* watch.waiting("base")), one.slice(3))
        assert.deepStrictEqual(ours(yield* watch.waiting("bsc")), [])

        const hashes = [...one, ...two, ...other].map(({ txHash }) => txHash)
        const among = yield* watch.depositsAmong("base", [...hashes, newTxHash()])
        assert.sameDeepMembers([...among], [...one, ...two])
        assert.deepStrictEqual(yield* watch.depositsAmong("base", [one[0]?.txHash ?? ""]), one.slice(0, 1))
        assert.deepStrictEqual(yield* watch.depositsAmong("base", [newTxHash()]), [])
        assert.deepStrictEqual(yield* watch.depositsAmong("base", []), [])
      }),
    timeoutMs
  )

  it.effect(
    "an address that is to be watched now is, live or retired, on its siblings too, until its hour is over",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const tenant = yield* newTenant({ createdAt: past })
        const address = newEvmAddress()
        yield* commitAt(
          tenant.id,
          past,
          registerAddresses([addressItem(address)]),
          registerAddresses([addressItem(newEvmAddress())])
        )
        const [owner] = yield* watch.owners(presetNetworks.siblings("ethereum"), [address])
        yield* commitAt(tenant.id, past + 1, watchNow(owner?.addressId ?? ""))
        const now = (network: Network, at: number) =>
          Effect.map(watch.watchedNow(presetNetworks.of(network).family, presetNetworks.siblings(network), at), (all) =>
            all.filter(({ tenantId }) => tenantId === tenant.id)
          )
        assert.deepStrictEqual(yield* now("ethereum", past + 2), [owner])
        assert.deepStrictEqual(yield* now("base", past + watchNowWindowMs), [owner])
        assert.deepStrictEqual(yield* now("tron", past + 2), [])
        assert.deepStrictEqual(yield* now("ethereum", past + 2 + watchNowWindowMs), [])
        yield* commitAt(tenant.id, past + 3, retireAddress(owner?.addressId ?? ""))
        assert.deepStrictEqual(yield* now("ethereum", past + 4), [])
        // a retired address can be looked at again
        yield* commitAt(tenant.id, past + 5, watchNow(owner?.addressId ?? ""))
        assert.deepStrictEqual(yield* now("ethereum", past + 6), [owner])
      }),
    timeoutMs
  )

  it.effect(
    "a retired address is not watched any more once another tenant has proven its key, until its own tenant proves it later",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const [one, two] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
        const address = newEvmAddress()
        const subject = addressSubject("evm", address)
        const prove = proveAddress(
          { network: "ethereum", address, xpubId: null, subject, message: "m", signature: "s", waiting: [] },
          defaultCurrencies
        )
        const watched = Effect.map(watch.watchedNow("evm", presetNetworks.siblings("base"), past + 20), (all) =>
          all.filter((found) => found.address === address).map(({ tenantId }) => tenantId)
        )
        yield* commitAt(one.id, past, registerAddresses([addressItem(address)]))
        const [first] = yield* watch.owners(presetNetworks.siblings("ethereum"), [address])
        yield* commitAt(one.id, past + 1, retireAddress(first?.addressId ?? ""))
        yield* commitAt(two.id, past + 2, registerAddresses([addressItem(address, { network: "base" })]))
        const [second] = yield* watch.owners(presetNetworks.siblings("base"), [address])
        yield* commitAt(two.id, past + 3, retireAddress(second?.addressId ?? ""))
        yield* commitAt(one.id, past + 4, watchNow(first?.addressId ?? ""))
        // to have registered it proves nothing
        assert.deepStrictEqual(yield* watched, [one.id])
        yield* commitAt(two.id, past + 5, prove)
        assert.deepStrictEqual(yield* watched, [])
        yield* commitAt(two.id, past + 6, watchNow(second?.addressId ?? ""))
        assert.deepStrictEqual(yield* watched, [two.id])
        yield* commitAt(one.id, past + 7, prove)
        assert.deepStrictEqual(yield* watched, [one.id])
      }),
    timeoutMs
  )

  it.effect(
    "the first registration is that of the live addresses of the network, whatever they asked to be watched from",
    () =>
      Effect.gen(function* () {
        const watch = yield* WatchState
        const address = newEvmAddress()
        // earlier than anything that another test or an earlier run left
        const earlier = Math.min((yield* watch.firstRegistered("ethereum")) ?? past, past) - 1_000
        const tenant = yield* newTenant({ createdAt: earlier })
        yield* commitAt(tenant.id, earlier, registerAddresses([addressItem(address, { watchFrom: earlier - 1_000 })]))
        assert.strictEqual(yield* watch.firstRegistered("ethereum"), earlier)
        const [owner] = yield* watch.owners(presetNetworks.siblings("ethereum"), [address])
        yield* commitAt(tenant.id, past, retireAddress(owner?.addressId ?? ""))
        assert.notStrictEqual(yield* watch.firstRegistered("ethereum"), earlier)
      }),
    timeoutMs
  )
}
