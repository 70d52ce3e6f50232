import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { addressSubject, xpubSubject } from "@bursar/core/address/AddressProof"
import { inCreditingOrder, UnprovenDeposit } from "@bursar/core/deposit/UnprovenDeposit"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { deriveAddresses } from "@bursar/core/address/deriveAddresses"
import { proveAddress } from "@bursar/core/incoming/proveAddress"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { registerXpub } from "@bursar/core/address/registerXpub"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { type IncomingTransfer, recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import type { Command } from "@bursar/core/engine/Command"
import * as WriterLive from "@bursar/core/engine/Writer"
import { Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import { policyOfNew, type TenantId } from "@bursar/core/tenant/Tenant"
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
import { xpubItem } from "@bursar/testkit/fixtures/xpubs"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"

const ports = WriterLive.layer.pipe(Layer.provideMerge(Memory.layer))

const submit = <A>(tenant: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer, (writer) => writer.submit(tenant, command))

const codeOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => (error as { readonly code?: string }).code) // refusals have one

const live = Effect.map(newTenant({ policy: policyOfNew("LIVE") }), ({ id }) => id)

const register = Effect.fnUntraced(function* (tenant: TenantId, text = newEvmAddress()) {
  const [result] = yield* submit(tenant, registerAddresses([addressItem(text)]))
  if (result?.status !== "registered") return yield* Effect.die(new Error("not registered"))
  return result.address
})

/** An address whose key the service holds. */
const issue = Effect.fnUntraced(function* (tenant: TenantId) {
  const prederived = {
    seedId: crypto.randomUUID(),
    ...accountAt(`account-${tenant}`),
    from: 0,
    addresses: [keyed(newEvmAddress())]
  }
  const issued = yield* submit(
    tenant,
    issueAddresses({ network: "ethereum", reference: "r", count: 1, prederived }, presetNetworks)
  )
  return issued.addresses[0] as DepositAddress // one was asked for
})

const arrive = Effect.fnUntraced(function* (
  tenant: TenantId,
  address: DepositAddress,
  units: bigint,
  more: Partial<IncomingTransfer> = {}
) {
  const incomingTransfers = [{ ...incomingTransferAt(address, units), ...more }]
  const [deposit] = yield* submit(
    tenant,
    recordIncomingTransfers({ network: "ethereum", requiredConfirmations: 1, incomingTransfers }, defaultCurrencies)
  )
  if (deposit === undefined) return yield* Effect.die(new Error("nothing arrived"))
  return deposit
})

const confirm = (tenant: TenantId, deposit: Deposit) =>
  submit(
    tenant,
    confirmDeposits(
      [{ deposit, blockHash: deposit.block?.hash ?? "", confirmations: 1 }],
      defaultCurrencies,
      nothingUndecided
    )
  )

/** Proves as the server does: with the deposits that are seen to wait. */
const prove = Effect.fnUntraced(function* (tenant: TenantId, address: string, xpubId: string | null = null) {
  const subject = xpubId === null ? addressSubject("evm", address) : xpubSubject(xpubId)
  const waiting = yield* (yield* Queries).records(tenant, UnprovenDeposit, subject)
  return yield* submit(
    tenant,
    proveAddress(
      { network: "ethereum", address, xpubId, subject, message: "m", signature: "s", waiting },
      defaultCurrencies
    )
  )
})

const available = (tenant: TenantId) =>
  Effect.flatMap(LedgerSnapshot, (ledger) =>
    ledger.snapshot(tenant, ({ balances }) =>
      Effect.succeed(balances.find(({ account }) => account === "float:available")?.units ?? 0n)
    )
  )

const ledgerHolds = Effect.fnUntraced(function* (tenant: TenantId) {
  const found = yield* (yield* LedgerSnapshot).snapshot(tenant, checkTenant)
  assert.deepStrictEqual(
    found.filter(({ firstWrong }) => firstWrong !== null),
    []
  )
})

layer(ports)("where a tenant has to prove its addresses", (it) => {
  it.effect("what arrives on a stranger's address is reported and confirmed, and credited to nobody", () =>
    Effect.gen(function* () {
      const id = yield* live
      const address = yield* register(id)
      const [confirmed] = yield* confirm(id, yield* arrive(id, address, 5n))
      assert.deepStrictEqual([confirmed?.status, confirmed?.creditedBy], ["CONFIRMED", null])
      const events = yield* (yield* Queries).events(id, 0, 10)
      assert.deepStrictEqual(
        events.map(({ kind }) => kind),
        ["deposit.detected", "deposit.confirmed"]
      )
      assert.strictEqual(yield* available(id), 0n)
      yield* ledgerHolds(id)
    })
  )

  it.effect("a proof credits what is confirmed once, however often it is sent, and what confirms later at once", () =>
    Effect.gen(function* () {
      const id = yield* live
      const address = yield* register(id)
      yield* confirm(id, yield* arrive(id, address, 5n))
      yield* confirm(id, yield* arrive(id, address, 7n))
      const later = yield* arrive(id, address, 11n)
      const both = yield* Effect.all([prove(id, address.address), prove(id, address.address)], {
        concurrency: "unbounded"
      })
      assert.strictEqual(both.flatMap(({ credited }) => credited).length, 2)
      assert.strictEqual(both[0].proof.provenAt, both[1].proof.provenAt)
      assert.strictEqual(yield* available(id), 12n)
      yield* confirm(id, later)
      assert.strictEqual(yield* available(id), 23n)
      assert.deepStrictEqual((yield* prove(id, address.address)).credited, [])
      assert.strictEqual(yield* available(id), 23n)
      yield* ledgerHolds(id)
    })
  )

  it.effect("what was reorged away while it waited is not credited by the proof, and is when it is mined again", () =>
    Effect.gen(function* () {
      const id = yield* live
      const address = yield* register(id)
      const [deposit] = yield* confirm(id, yield* arrive(id, address, 5n))
      if (deposit === undefined) return assert.fail("not confirmed")
      yield* submit(id, reorgDeposits([{ deposit, blockHash: deposit.block?.hash ?? null }], defaultCurrencies))
      assert.deepStrictEqual((yield* prove(id, address.address)).credited, [])
      assert.strictEqual(yield* available(id), 0n)
      yield* confirm(id, yield* arrive(id, address, 5n, { txHash: deposit.txHash }))
      assert.strictEqual(yield* available(id), 5n)
      yield* ledgerHolds(id)
      return undefined
    })
  )

  it.effect("a proof is good on all EVM networks and after the address was retired and registered again", () =>
    Effect.gen(function* () {
      const id = yield* live
      const address = yield* register(id)
      yield* prove(id, address.address)
      yield* submit(id, retireAddress(address.id))
      const again = yield* register(id, address.address)
      yield* confirm(id, yield* arrive(id, again, 5n))
      assert.strictEqual(yield* available(id), 5n)
      yield* confirm(id, yield* arrive(id, again, 3n, { network: "base", currency: "ETH_BASE" }))
      const register2 = yield* (yield* Queries).register(id, { kind: "DEPOSIT", limit: 10 })
      assert.sameMembers(
        register2.map(({ amount }) => amount.units),
        [5n, 3n]
      )
      yield* ledgerHolds(id)
    })
  )

  it.effect("the proof of an xpub counts for what was derived from it and what will be, and for nothing else", () =>
    Effect.gen(function* () {
      const id = yield* live
      const xpub = yield* submit(id, registerXpub(xpubItem()))
      const derive = Effect.fnUntraced(function* (from: number) {
        const prederived = { xpubId: xpub.id, from, addresses: [keyed(newEvmAddress())] }
        const { addresses } = yield* submit(
          id,
          deriveAddresses({ network: xpub.network, reference: "r", count: 1, prederived })
        )
        return addresses[0] as DepositAddress // one was asked for
      })
      const [before, registered] = [yield* derive(0), yield* register(id)]
      yield* confirm(id, yield* arrive(id, before, 5n))
      yield* confirm(id, yield* arrive(id, registered, 7n))
      assert.strictEqual(yield* available(id), 0n)
      assert.strictEqual(yield* codeOf(prove(id, before.address)), "state_conflict")
      assert.lengthOf((yield* prove(id, newEvmAddress(), xpub.id)).credited, 1)
      yield* confirm(id, yield* arrive(id, yield* derive(1), 11n))
      assert.strictEqual(yield* available(id), 16n)
      yield* ledgerHolds(id)
    })
  )

  it.effect("nobody proves what it does not watch, or what another tenant watches", () =>
    Effect.gen(function* () {
      const [id, thief] = [yield* live, yield* live]
      const address = yield* register(id)
      yield* confirm(id, yield* arrive(id, address, 5n))
      const xpub = yield* submit(id, registerXpub(xpubItem()))
      assert.strictEqual(yield* codeOf(prove(thief, address.address)), "not_found")
      assert.strictEqual(yield* codeOf(prove(thief, address.address, xpub.id)), "not_found")
      assert.strictEqual(yield* codeOf(prove(id, newEvmAddress())), "not_found")
      assert.deepStrictEqual([yield* available(id), yield* available(thief)], [0n, 0n])
    })
  )

  const handOver = (tenant: TenantId, address: string) => submit(tenant, importingKey(address))

  it.effect("a key is not handed over while deposits wait for a proof, and is after it", () =>
    Effect.gen(function* () {
      const id = yield* live
      const address = yield* register(id)
      yield* confirm(id, yield* arrive(id, address, 5n))
      assert.strictEqual(yield* codeOf(handOver(id, address.address)), "state_conflict")
      yield* prove(id, address.address)
      assert.strictEqual((yield* handOver(id, address.address)).address.origin, "IMPORTED")
      assert.strictEqual(yield* available(id), 5n)
      yield* ledgerHolds(id)
    })
  )

  it.effect(
    "a key is not handed over while what was moved from its address waits for a proof: nobody could give that any more",
    () =>
      Effect.gen(function* () {
        const id = yield* live
        const address = yield* register(id)
        const { address: fromAddress } = address
        yield* confirm(id, yield* arrive(id, yield* issue(id), 5n, { fromAddress }))
        assert.strictEqual(yield* codeOf(handOver(id, fromAddress)), "state_conflict")
        yield* prove(id, fromAddress)
        assert.strictEqual(yield* available(id), 5n)
        yield* handOver(id, fromAddress)
        yield* ledgerHolds(id)
      })
  )

  it.effect(
    "coins that the tenant moves between its own addresses before it proves them are credited once, in any order",
    () =>
      Effect.gen(function* () {
        for (const firstProven of [0, 1, 2] as const) {
          const id = yield* live
          const chain = [yield* register(id), yield* register(id), yield* register(id)] as const
          yield* confirm(id, yield* arrive(id, chain[0], 5n))
          yield* confirm(id, yield* arrive(id, chain[1], 5n, { fromAddress: chain[0].address }))
          yield* confirm(id, yield* arrive(id, chain[2], 5n, { fromAddress: chain[1].address }))
          assert.strictEqual(yield* available(id), 0n)
          for (const step of [0, 1, 2]) yield* prove(id, chain[(firstProven + step) % 3]?.address ?? "")
          assert.strictEqual(yield* available(id), 5n, `proven from ${firstProven} on`)
          yield* ledgerHolds(id)
        }
      })
  )

  it.effect("coins that it moves from an address that is not proven to one of the service's wait for that proof", () =>
    Effect.gen(function* () {
      const id = yield* live
      const own = yield* register(id)
      const ours = yield* issue(id)
      yield* confirm(id, yield* arrive(id, own, 5n))
      yield* confirm(id, yield* arrive(id, ours, 5n, { fromAddress: own.address }))
      yield* confirm(id, yield* arrive(id, ours, 7n))
      assert.strictEqual(yield* available(id), 7n)
      yield* ledgerHolds(id)
      yield* prove(id, own.address)
      assert.strictEqual(yield* available(id), 12n)
      const sweepables = yield* (yield* Queries).records(id, SweepableDeposit, ours.id)
      assert.strictEqual(
        sweepables.reduce((sum, { units }) => sum + units, 0n),
        12n
      )
      yield* ledgerHolds(id)
    })
  )

  it.effect("coins that it has moved on are credited after what they come from, though few are credited at once", () =>
    Effect.gen(function* () {
      const id = yield* live
      const own = yield* register(id)
      const ours = yield* issue(id)
      const moved = { fromAddress: own.address }
      for (const units of [3n, 2n]) yield* confirm(id, yield* arrive(id, ours, units, moved))
      yield* confirm(id, yield* arrive(id, own, 5n))
      const subject = addressSubject("evm", own.address)
      const waiting = yield* (yield* Queries).records(id, UnprovenDeposit, subject)
      const proveWith = (some: ReadonlyArray<UnprovenDeposit>) =>
        submit(
          id,
          proveAddress(
            {
              network: "ethereum",
              address: own.address,
              xpubId: null,
              subject,
              message: "m",
              signature: "s",
              waiting: some
            },
            defaultCurrencies
          )
        )
      const ordered = inCreditingOrder(waiting)
      assert.deepStrictEqual(
        ordered.map(({ address }) => address),
        [own.address, ours.address, ours.address]
      )
      // what was seen without what comes before it credits nothing
      const early = yield* proveWith(ordered.slice(1))
      assert.deepStrictEqual([early.credited, early.more], [[], true])
      assert.lengthOf((yield* proveWith(ordered.slice(0, 2))).credited, 2)
      assert.strictEqual(yield* available(id), 5n)
      yield* proveWith(ordered.slice(2))
      assert.strictEqual(yield* available(id), 5n)
      yield* ledgerHolds(id)
    })
  )

  it.effect("what waits on an address that is retired is not credited by a later proof", () =>
    Effect.gen(function* () {
      const id = yield* live
      const address = yield* register(id)
      yield* confirm(id, yield* arrive(id, address, 5n))
      yield* submit(id, retireAddress(address.id))
      yield* register(id, address.address)
      assert.deepStrictEqual((yield* prove(id, address.address)).credited, [])
      assert.strictEqual(yield* available(id), 0n)
      yield* ledgerHolds(id)
    })
  )

  it.effect("a tenant that plays does not have to, nor does one that was there before", () =>
    Effect.gen(function* () {
      assert.isFalse(policyOfNew("SANDBOX").addressProofRequired)
      const { id } = yield* newTenant()
      yield* confirm(id, yield* arrive(id, yield* register(id), 5n))
      assert.strictEqual(yield* available(id), 5n)
    })
  )
})
