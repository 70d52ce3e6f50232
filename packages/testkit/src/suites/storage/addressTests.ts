import { type ItemResult, registerAddresses } from "@bursar/core/address/registerAddresses"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking, writing } from "../../fixtures/commands.ts"
import { addressItem, newEvmAddress } from "../../fixtures/deposits.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { TwoWriters } from "../harness.ts"
import { commit, ends, type StorageIt } from "./services.ts"
import { liveAddress } from "@bursar/core/address/owners"
import { putRecord } from "@bursar/core/engine/Records"
import { DepositAddress } from "@bursar/core/address/DepositAddress"

const said = (result: ItemResult | undefined): string =>
  result === undefined ? "nothing" : result.status === "refused" ? result.refusal.code : result.status

/** A live address has one owner among all tenants. */
export const addressTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "of two tenants that race for an address from two processes, one gets it, to the other it is address_unavailable",
    () =>
      Effect.gen(function* () {
        const [{ id: left }, { id: right }] = [yield* newTenant(), yield* newTenant()]
        const { first, second } = yield* TwoWriters
        const rounds = Array.from({ length: 40 }, () => [newEvmAddress(), newEvmAddress(), newEvmAddress()])
        const results = yield* Effect.forEach(
          rounds,
          (addresses, index) => {
            // each names the addresses in another order, as two partners would
            const own = registerAddresses(addresses.map((address) => addressItem(address)))
            const other = registerAddresses(addresses.toReversed().map((address) => addressItem(address)))
            const [one, two] = index % 2 === 0 ? [first, second] : [second, first]
            return Effect.all([one.submit(left, own), two.submit(right, other)], { concurrency: "unbounded" })
          },
          { concurrency: "unbounded" }
        )
        for (const [ours, theirs] of results) {
          const reversed = theirs.toReversed()
          for (const [index, result] of ours.entries()) {
            assert.deepStrictEqual([said(result), said(reversed[index])].toSorted(), [
              "address_unavailable",
              "registered"
            ])
          }
        }
        const queries = yield* Queries
        const all = [
          ...(yield* queries.addresses(left, { includeRetired: true, limit: 1_000 })),
          ...(yield* queries.addresses(right, { includeRetired: true, limit: 1_000 }))
        ]
        assert.deepStrictEqual(all.map(({ address }) => address).toSorted(), rounds.flat().toSorted())
      }),
    timeoutMs
  )

  it.effect(
    "an address that was retired can be claimed by another tenant",
    () =>
      Effect.gen(function* () {
        const [{ id: left }, { id: right }] = [yield* newTenant(), yield* newTenant()]
        const { first, second } = yield* TwoWriters
        const register = registerAddresses([addressItem(newEvmAddress())])
        const [mine] = yield* first.submit(left, register)
        if (mine?.status !== "registered") return assert.fail("not registered")
        assert.deepStrictEqual((yield* second.submit(right, register)).map(said), ["address_unavailable"])
        yield* second.submit(left, retireAddress(mine.address.id))
        assert.deepStrictEqual((yield* first.submit(right, register)).map(said), ["registered"])
        assert.deepStrictEqual((yield* first.submit(left, register)).map(said), ["address_unavailable"])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "retired and registered again in one batch, an address belongs to its new record",
    () =>
      Effect.gen(function* () {
        const [{ id }, { id: other }] = [yield* newTenant(), yield* newTenant()]
        const { first } = yield* TwoWriters
        const address = newEvmAddress()
        const register = registerAddresses([addressItem(address)])
        const [old] = yield* first.submit(id, register)
        if (old?.status !== "registered") return assert.fail("not registered")
        assert.deepStrictEqual(ends(yield* commit(id, retireAddress(old.address.id), register)), ["Success", "Success"])
        const live = [{ _tag: "LiveAddress", network: "ethereum", address }] as const
        const now = yield* first.submit(
          id,
          looking(live, (view) => liveAddress(view, "ethereum", address)?.record)
        )
        assert.isDefined(now)
        assert.notStrictEqual(now?.id, old.address.id)
        assert.isNull(now?.retiredAt ?? null)
        assert.deepStrictEqual((yield* first.submit(other, register)).map(said), ["address_unavailable"])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "retired, registered and retired again in one batch, an address is free",
    () =>
      Effect.gen(function* () {
        const [{ id }, { id: other }] = [yield* newTenant(), yield* newTenant()]
        const { first } = yield* TwoWriters
        const address = newEvmAddress()
        const register = registerAddresses([addressItem(address)])
        const [old] = yield* first.submit(id, register)
        if (old?.status !== "registered") return assert.fail("not registered")
        const live = { _tag: "LiveAddress", network: "ethereum", address } as const
        const retireNew = writing(
          (view) => {
            const record = liveAddress(view, "ethereum", address)?.record
            if (record === undefined) return []
            return [
              putRecord(DepositAddress, { ...record, retiredAt: view.now }),
              { _tag: "AddressFreed", network: "ethereum", address, addressId: record.id }
            ]
          },
          [live]
        )
        const exits = yield* commit(id, retireAddress(old.address.id), register, retireNew)
        assert.deepStrictEqual(ends(exits), ["Success", "Success", "Success"])
        assert.deepStrictEqual((yield* first.submit(other, register)).map(said), ["registered"])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "registered and retired in one batch, an address is free",
    () =>
      Effect.gen(function* () {
        const [{ id }, { id: other }] = [yield* newTenant(), yield* newTenant()]
        const { first } = yield* TwoWriters
        const address = newEvmAddress()
        const register = registerAddresses([addressItem(address)])
        const retire = writing(
          (view) => {
            const record = liveAddress(view, "ethereum", address)?.record
            if (record === undefined) return []
            return [
              putRecord(DepositAddress, { ...record, retiredAt: view.now }),
              { _tag: "AddressFreed", network: "ethereum", address, addressId: record.id }
            ]
          },
          [{ _tag: "LiveAddress", network: "ethereum", address }]
        )
        yield* commit(id, register, retire)
        assert.deepStrictEqual((yield* first.submit(other, register)).map(said), ["registered"])
      }),
    timeoutMs
  )

  it.effect(
    "a claim that did not look whose an address is takes it from nobody",
    () =>
      Effect.gen(function* () {
        const [{ id: owner }, { id: thief }] = [yield* newTenant(), yield* newTenant()]
        const { first } = yield* TwoWriters
        const address = newEvmAddress()
        yield* first.submit(owner, registerAddresses([addressItem(address)]))
        const addressId = crypto.randomUUID()
        const blind = writing(() => [{ _tag: "AddressClaimed", network: "ethereum", address, addressId }])
        assert.deepStrictEqual(ends([yield* Effect.exit(commit(thief, blind))]), ["Fail"])
        const seen = looking(
          [{ _tag: "LiveAddress", network: "ethereum", address }],
          (view) => liveAddress(view, "ethereum", address)?.owner
        )
        assert.strictEqual(yield* first.submit(thief, seen), owner)
      }),
    timeoutMs
  )
}
