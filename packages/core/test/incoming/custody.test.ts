import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { holdByOperator, releaseByOperator, setSweepHold } from "@bursar/core/sweep/sweepHold"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import type { Command } from "@bursar/core/engine/Command"
import * as WriterLive from "@bursar/core/engine/Writer"
import { Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import {
  accountAt,
  addressItem,
  importingKey,
  incomingTransferAt,
  keyed,
  newEvmAddress
} from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const ports = WriterLive.layer.pipe(Layer.provideMerge(Memory.layer))

const submit = <A>(tenant: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer, (writer) => writer.submit(tenant, command))

const codeOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => (error as { readonly code?: string }).code) // refusals have one

const tenantWith = (policy: Partial<TenantPolicy> = {}) =>
  Effect.map(newTenant({ policy: { ...defaultPolicy, ...policy } }), ({ id }) => id)

const seedId = crypto.randomUUID()

const issue = (tenant: TenantId, network: Network, from: number, count = 1) =>
  submit(
    tenant,
    issueAddresses(
      {
        network,
        reference: "r",
        count,
        prederived: {
          seedId,
          ...accountAt(`account-${tenant}`),
          from,
          addresses: Array.from({ length: count }, () => keyed(newEvmAddress()))
        }
      },
      presetNetworks
    )
  )

const issueOne = Effect.fnUntraced(function* (tenant: TenantId) {
  const { addresses } = yield* issue(tenant, "ethereum", 0)
  return addresses[0] as DepositAddress // one was asked for
})

const importing = (address: string) => importingKey(address, { sourceSystem: "former" })

const arrive = (tenant: TenantId, address: DepositAddress, more = {}) =>
  submit(
    tenant,
    recordIncomingTransfers(
      {
        network: address.network,
        requiredConfirmations: 1,
        incomingTransfers: [incomingTransferAt(address, 5n, more)]
      },
      defaultCurrencies
    )
  )

const read = (tenant: TenantId, id: string) =>
  Effect.gen(function* () {
    const all = yield* (yield* Queries).addresses(tenant, { includeRetired: true, limit: 100 })
    return all.find((one) => one.id === id)
  })

const hold = (addressId: string, held: boolean, seenThrough: number | null = null, reason = "why") =>
  setSweepHold({ addressId, held, reason, seenThrough })

layer(ports)("addresses whose keys the service holds", (it) => {
  it.effect("are issued with indexes that count over all EVM networks, and for each other network on their own", () =>
    Effect.gen(function* () {
      const tenant = yield* tenantWith()
      yield* issue(tenant, "ethereum", 0, 2)
      assert.strictEqual(yield* codeOf(issue(tenant, "bsc", 0)), "stale")
      const bsc = yield* issue(tenant, "bsc", 2)
      const tron = yield* issue(tenant, "tron", 0)
      assert.deepStrictEqual([bsc.account.nextIndex, tron.account.nextIndex], [3, 1])
      const [address] = bsc.addresses
      assert.deepStrictEqual([address?.origin, address?.seedId, address?.derivationIndex], ["ISSUED", seedId, 2])
      const other = issueAddresses(
        {
          network: "base",
          reference: "r",
          count: 1,
          prederived: {
            seedId: crypto.randomUUID(),
            ...accountAt(`account-${tenant}`),
            from: 3,
            addresses: [keyed(newEvmAddress())]
          }
        },
        presetNetworks
      )
      assert.strictEqual(yield* codeOf(submit(tenant, other)), "stale")
    })
  )

  it.effect("start with the holds that the tenant's policy places, and with none where it places none", () =>
    Effect.gen(function* () {
      const [careful, plain] = [
        yield* tenantWith({ holdOnIssuance: true, holdOnImport: true }),
        yield* tenantWith({ holdOnArrival: true })
      ]
      assert.strictEqual((yield* issueOne(careful)).sweepHold?.kind, "ISSUANCE")
      assert.strictEqual((yield* submit(careful, importing(newEvmAddress()))).address.sweepHold?.kind, "IMPORT")
      assert.strictEqual((yield* issueOne(plain)).sweepHold, null)
      assert.strictEqual((yield* submit(plain, importing(newEvmAddress()))).address.sweepHold, null)
    })
  )

  it.effect("are held when something arrives, where policy says so; another hold stays what it was", () =>
    Effect.gen(function* () {
      const tenant = yield* tenantWith({ holdOnArrival: true })
      const address = yield* issueOne(tenant)
      yield* arrive(tenant, address)
      const held = yield* read(tenant, address.id)
      assert.strictEqual(held?.sweepHold?.kind, "ARRIVAL")
      yield* submit(tenant, hold(address.id, true, null, "mine"))
      yield* arrive(tenant, address)
      assert.strictEqual((yield* read(tenant, address.id))?.sweepHold?.reason, "mine")
      const [registered] = yield* submit(tenant, registerAddresses([addressItem(newEvmAddress())]))
      if (registered?.status !== "registered") return assert.fail("not registered")
      yield* arrive(tenant, registered.address)
      assert.strictEqual((yield* read(tenant, registered.address.id))?.sweepHold, null)
      const [without] = [yield* tenantWith()]
      const free = yield* issueOne(without)
      yield* arrive(without, free)
      assert.strictEqual((yield* read(without, free.id))?.sweepHold, null)
      return undefined
    })
  )

  it.effect("are held for siblings of the EVM networks too, where the arrival was", () =>
    Effect.gen(function* () {
      const tenant = yield* tenantWith({ holdOnArrival: true })
      const address = yield* issueOne(tenant)
      yield* arrive(tenant, address, { network: "bsc", currency: "BNB" })
      yield* arrive(tenant, address, { network: "bsc", currency: "BNB" })
      const all = yield* (yield* Queries).addresses(tenant, { includeRetired: false, limit: 10 })
      assert.deepStrictEqual(
        all.map(({ network, siblingOf, sweepHold }) => [network, siblingOf, sweepHold?.kind ?? null]),
        [
          ["ethereum", null, null],
          ["bsc", address.id, "ARRIVAL"]
        ]
      )
    })
  )

  it.effect("are released once the newest arrival has been read; a repeat changes nothing", () =>
    Effect.gen(function* () {
      const tenant = yield* tenantWith()
      const address = yield* issueOne(tenant)
      const set = (held: boolean, seen: number | null = null) => submit(tenant, hold(address.id, held, seen))
      const held = yield* set(true)
      assert.strictEqual(held.sweepHold?.kind, "OWNER")
      assert.deepStrictEqual(yield* set(true), held)
      assert.strictEqual((yield* set(false)).sweepHold, null)
      yield* set(true)
      const [deposit] = yield* arrive(tenant, address)
      if (deposit === undefined) return assert.fail("nothing arrived")
      for (const seen of [null, 0, deposit.changeSeq - 1]) {
        assert.strictEqual(yield* codeOf(set(false, seen)), "sweep_newer_arrival")
      }
      yield* confirm(tenant, deposit)
      assert.strictEqual(yield* codeOf(set(false, deposit.changeSeq)), "sweep_newer_arrival")
      assert.strictEqual((yield* set(false, deposit.changeSeq + 1)).sweepHold, null)
      assert.strictEqual((yield* set(false, 0)).sweepHold, null)
      return undefined
    })
  )

  it.effect("are kept by operators until they let go; then the hold that was under theirs is back", () =>
    Effect.gen(function* () {
      const tenant = yield* tenantWith()
      const { id } = yield* issueOne(tenant)
      yield* submit(tenant, hold(id, true, null, "mine"))
      assert.strictEqual(yield* codeOf(submit(tenant, releaseByOperator(id))), "state_conflict")
      const kept = yield* submit(tenant, holdByOperator(id, "ours"))
      assert.deepStrictEqual([kept.sweepHold?.kind, kept.sweepHold?.reason], ["OPERATOR", "ours"])
      assert.deepStrictEqual(yield* submit(tenant, holdByOperator(id, "ours")), kept)
      assert.strictEqual(yield* codeOf(submit(tenant, hold(id, false, 1_000))), "sweep_hold_by_operator")
      assert.strictEqual((yield* submit(tenant, hold(id, true, null, "still mine"))).sweepHold?.kind, "OPERATOR")
      const released = yield* submit(tenant, releaseByOperator(id))
      assert.deepStrictEqual([released.sweepHold?.kind, released.sweepHold?.reason], ["OWNER", "still mine"])
      assert.strictEqual((yield* submit(tenant, hold(id, false))).sweepHold, null)
      assert.strictEqual((yield* submit(tenant, releaseByOperator(id))).sweepHold, null)
      yield* submit(tenant, holdByOperator(id, "ours"))
      assert.strictEqual((yield* submit(tenant, releaseByOperator(id))).sweepHold, null)
    })
  )

  it.effect("are let go of by operators as long as the hold stands that they have seen", () =>
    Effect.gen(function* () {
      const tenant = yield* tenantWith()
      const { id } = yield* issueOne(tenant)
      const seen = (yield* submit(tenant, holdByOperator(id, "A customer asked to wait."))).sweepHold
      if (seen === null) return assert.fail("nothing is held")
      for (const reason of ["The payout key is stolen.", "A customer asked to wait."]) {
        yield* TestClock.adjust(1)
        const { sweepHold } = yield* submit(tenant, holdByOperator(id, reason))
        assert.strictEqual(yield* codeOf(submit(tenant, releaseByOperator(id, seen.heldAt))), "state_conflict")
        assert.strictEqual(sweepHold?.reason, reason)
      }
      const { sweepHold } = yield* submit(tenant, holdByOperator(id, "Still."))
      assert.strictEqual((yield* submit(tenant, releaseByOperator(id, sweepHold?.heldAt))).sweepHold, null)
      // its answer was lost, and it is asked again
      assert.strictEqual((yield* submit(tenant, releaseByOperator(id, sweepHold?.heldAt))).sweepHold, null)
      return undefined
    })
  )

  it.effect("are the only ones that can be held", () =>
    Effect.gen(function* () {
      const [tenant, stranger] = [yield* tenantWith(), yield* tenantWith()]
      const [result] = yield* submit(tenant, registerAddresses([addressItem(newEvmAddress())]))
      if (result?.status !== "registered") return assert.fail("not registered")
      const { id } = result.address
      for (const command of [hold(id, true), hold(id, false), holdByOperator(id, "x"), releaseByOperator(id)]) {
        assert.strictEqual(yield* codeOf(submit(tenant, command)), "state_conflict")
        assert.strictEqual(yield* codeOf(submit(stranger, command)), "not_found")
      }
      return undefined
    })
  )

  it.effect("come from the tenant with their watch, and all that has arrived on them goes with the key", () =>
    Effect.gen(function* () {
      const tenant = yield* tenantWith()
      const item = addressItem(newEvmAddress(), { reference: "customer-9", watchFromBlock: 7 })
      const [registered] = yield* submit(tenant, registerAddresses([item]))
      if (registered?.status !== "registered") return assert.fail("not registered")
      const before = registered.address
      const [mined, waiting] = [
        yield* arrive(tenant, before),
        yield* arrive(tenant, before, { block: null, confirmations: 0, txHash: "0xwaiting" })
      ]
      yield* confirm(tenant, mined[0])
      const { address, key } = yield* submit(tenant, importing(item.address))
      assert.deepStrictEqual(
        [address.reference, address.watchFromBlock, address.registeredAtBlock, address.origin],
        ["customer-9", 7, before.registeredAtBlock, "IMPORTED"]
      )
      assert.strictEqual(key.addressId, address.id)
      assert.deepStrictEqual([address.id, address.retiredAt], [before.id, null])
      assert.deepStrictEqual(yield* held(tenant), { tenant: 0n, deposits: 5n })
      const stored = yield* (yield* KeyStore).byId(tenant, key.id)
      assert.strictEqual(stored?.kind, "IMPORTED")
      assert.strictEqual(yield* codeOf(submit(tenant, importing(item.address))), "state_conflict")

      // what waited is mined and counts, for the side that holds the key by then
      const [now] = yield* arrive(tenant, address, { txHash: "0xwaiting" })
      assert.strictEqual(now?.id, waiting[0]?.id)
      yield* confirm(tenant, now)
      // what comes from now on is the service's to keep
      const [later] = yield* arrive(tenant, address)
      yield* confirm(tenant, later)
      assert.deepStrictEqual(yield* held(tenant), { tenant: 0n, deposits: 15n })
      const [first] = yield* depositsOf(tenant, mined[0]?.id)
      if (first === undefined) return assert.fail("no deposit")
      yield* submit(
        tenant,
        reorgDeposits([{ deposit: first, blockHash: first.block?.hash ?? null }], defaultCurrencies)
      )
      assert.deepStrictEqual(yield* held(tenant), { tenant: 0n, deposits: 10n })
      return undefined
    })
  )

  it.effect("are not taken from another tenant", () =>
    Effect.gen(function* () {
      const [tenant, stranger] = [yield* tenantWith(), yield* tenantWith()]
      const item = addressItem(newEvmAddress())
      yield* submit(stranger, registerAddresses([item]))
      assert.strictEqual(yield* codeOf(submit(tenant, importing(item.address))), "address_unavailable")
      assert.deepStrictEqual(yield* (yield* Queries).addresses(tenant, { includeRetired: true, limit: 9 }), [])
    })
  )
})

const confirm = (tenant: TenantId, deposit: Deposit | undefined) =>
  deposit === undefined
    ? Effect.die(new Error("nothing to confirm"))
    : submit(
        tenant,
        confirmDeposits(
          [{ deposit, blockHash: deposit.block?.hash ?? "", confirmations: 1 }],
          defaultCurrencies,
          nothingUndecided
        )
      )

const depositsOf = (tenant: TenantId, id: string | undefined) =>
  Effect.gen(function* () {
    const all = yield* (yield* Queries).deposits(tenant, { after: 0, limit: 100 })
    return all.filter((one) => one.id === id)
  })

/** The coins of ethereum by who holds their keys. */
const held = (tenant: TenantId) =>
  Effect.gen(function* () {
    const ledger = yield* LedgerSnapshot
    return yield* ledger.snapshot(tenant, ({ balances }) => {
      const unitsOf = (account: string) => balances.find((one) => one.account === account)?.units ?? 0n
      return Effect.succeed({
        tenant: unitsOf("chain:ethereum:tenant"),
        deposits: unitsOf("chain:ethereum:deposits")
      })
    })
  })
