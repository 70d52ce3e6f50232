import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { retireAddress } from "@bursar/core/address/retireAddress"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { type IncomingTransfer, recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import type { Command } from "@bursar/core/engine/Command"
import * as WriterLive from "@bursar/core/engine/Writer"
import { Writer } from "@bursar/core/engine/Writer"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import { sweepQueue } from "@bursar/core/sweep/sweepQueues"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { addressItem, importingKey, incomingTransferAt, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"

const ports = WriterLive.layer.pipe(Layer.provideMerge(Memory.layer))

const submit = <A>(tenant: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer, (writer) => writer.submit(tenant, command))

const register = Effect.fnUntraced(function* (tenant: TenantId, address: string, network: Network = "ethereum") {
  const [result] = yield* submit(tenant, registerAddresses([addressItem(address, { network })]))
  if (result?.status !== "registered") return yield* Effect.die(new Error("not registered"))
  return result.address
})

const handOver = (tenant: TenantId, address: string, network: Network = "ethereum") =>
  submit(tenant, importingKey(address, { network }))

const coin: Partial<Record<Network, string>> = { bsc: "BNB", base: "ETH_BASE" }

const arrive = Effect.fnUntraced(function* (
  tenant: TenantId,
  address: DepositAddress,
  units: bigint,
  more: Partial<IncomingTransfer> = {}
) {
  const incomingTransfer = incomingTransferAt(address, units, { currency: coin[address.network] ?? "ETH" })
  const [deposit] = yield* submit(
    tenant,
    recordIncomingTransfers(
      { network: address.network, requiredConfirmations: 1, incomingTransfers: [{ ...incomingTransfer, ...more }] },
      defaultCurrencies
    )
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

const reorg = (tenant: TenantId, deposit: Deposit) =>
  submit(tenant, reorgDeposits([{ deposit, blockHash: deposit.block?.hash ?? null }], defaultCurrencies))

/** The balances of the accounts of networks and of the float, by account, without those that are empty. */
const balances = (tenant: TenantId) =>
  Effect.flatMap(LedgerSnapshot, (ledger) =>
    ledger.snapshot(tenant, (all) =>
      Effect.succeed(
        Object.fromEntries(
          all.balances
            .filter(({ units }) => units !== 0n)
            .map(({ account, currency, units }) => [`${account} ${currency}`, units])
        )
      )
    )
  )

const ledgerHolds = Effect.fnUntraced(function* (tenant: TenantId) {
  const found = yield* (yield* LedgerSnapshot).snapshot(tenant, checkTenant)
  assert.deepStrictEqual(
    found.filter(({ firstWrong }) => firstWrong !== null),
    []
  )
})

layer(ports)("a key that is handed over while coins are on its address", (it) => {
  it.effect("takes a deposit that was only detected to the service's side when it confirms, to be swept", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const address = yield* register(id, newEvmAddress())
      const deposit = yield* arrive(id, address, 7n)
      yield* handOver(id, address.address)
      yield* confirm(id, deposit)
      assert.deepStrictEqual(yield* balances(id), {
        "chain:ethereum:deposits ETH": 7n,
        "float:available ETH": 7n
      })
      const [sweepable] = yield* (yield* Queries).records(id, SweepableDeposit, address.id)
      assert.deepStrictEqual(
        [sweepable?.depositId, sweepable?.key, sweepable?.bookedBy],
        [deposit.id, { _tag: "Imported" }, null]
      )
      yield* ledgerHolds(id)
    })
  )

  it.effect("moves what was confirmed and credited before in one entry, and credits nobody twice", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const address = yield* register(id, newEvmAddress())
      const deposits = [yield* arrive(id, address, 7n), yield* arrive(id, address, 5n)]
      for (const deposit of deposits) yield* confirm(id, deposit)
      const before = yield* balances(id)
      assert.deepStrictEqual(before, { "chain:ethereum:tenant ETH": 12n, "float:available ETH": 12n })
      yield* handOver(id, address.address)
      assert.deepStrictEqual(yield* balances(id), { "chain:ethereum:deposits ETH": 12n, "float:available ETH": 12n })
      const queries = yield* Queries
      // One entry, which does not touch the float and so is not in the tenant's register.
      assert.deepStrictEqual(yield* queries.register(id, { kind: "ADJUSTMENT", limit: 10 }), [])
      const lines = yield* queries.accountLines(id, { account: "chain:ethereum:deposits", currency: "ETH", limit: 10 })
      assert.deepStrictEqual(
        lines.map(({ leg, operation }) => [leg.units, operation?.kind, operation?.amount.units, operation?.status]),
        [[12n, "ADJUSTMENT", 12n, "SETTLED"]]
      )
      assert.sameMembers(
        (yield* (yield* Queries).records(id, SweepableDeposit, address.id)).map(({ depositId }) => depositId),
        deposits.map((deposit) => deposit.id)
      )
      const due = yield* (yield* JobQueue).due(sweepQueue("ethereum"), Number.MAX_SAFE_INTEGER, 100)
      assert.include(
        due.map(({ key }) => key),
        address.id
      )
      yield* ledgerHolds(id)
      // its block goes, after the key came: the mirror image is of the side that has the coins by now
      const [first] = deposits
      const stored = (yield* (yield* Queries).deposits(id, { after: 0, limit: 10 })).find((one) => one.id === first?.id)
      if (stored === undefined) return assert.fail("no deposit")
      yield* reorg(id, stored)
      assert.deepStrictEqual(yield* balances(id), { "chain:ethereum:deposits ETH": 5n, "float:available ETH": 5n })
      yield* ledgerHolds(id)
      return undefined
    })
  )

  it.effect("finds what was reorged away and is mined again on the service's side", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const address = yield* register(id, newEvmAddress())
      const deposit = yield* arrive(id, address, 7n)
      yield* reorg(id, deposit)
      yield* handOver(id, address.address)
      assert.deepStrictEqual(yield* balances(id), {})
      const again = yield* arrive(id, address, 7n, { txHash: deposit.txHash })
      assert.strictEqual(again.id, deposit.id)
      yield* confirm(id, again)
      assert.deepStrictEqual(yield* balances(id), { "chain:ethereum:deposits ETH": 7n, "float:available ETH": 7n })
      yield* ledgerHolds(id)
    })
  )

  it.effect("is good on all EVM networks, and takes what is there with it, on records that were retired too", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const text = newEvmAddress()
      const onBase = yield* register(id, text, "base")
      const onBsc = yield* register(id, text, "bsc")
      yield* confirm(id, yield* arrive(id, onBase, 3n))
      yield* confirm(id, yield* arrive(id, onBsc, 4n))
      const late = yield* arrive(id, onBsc, 5n)
      yield* submit(id, retireAddress(onBsc.id))
      const { address } = yield* handOver(id, text, "ethereum")
      assert.deepStrictEqual([address.network, address.origin], ["ethereum", "IMPORTED"])
      yield* confirm(id, late)
      assert.deepStrictEqual(yield* balances(id), {
        "chain:base:deposits ETH_BASE": 3n,
        "chain:bsc:deposits BNB": 9n,
        "float:available BNB": 9n,
        "float:available ETH_BASE": 3n
      })
      const all = yield* (yield* Queries).addresses(id, { includeRetired: true, limit: 10 })
      assert.deepStrictEqual(
        all.map(({ network, origin, retiredAt }) => [network, origin, retiredAt === null]),
        [
          ["base", "IMPORTED", true],
          ["bsc", "IMPORTED", false],
          ["ethereum", "IMPORTED", true]
        ]
      )
      yield* ledgerHolds(id)
    })
  )

  it.effect(
    "moves no coins that the tenant had moved on by itself, and takes back what was credited where it stands",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const own = yield* register(id, newEvmAddress())
        const elsewhere = (yield* handOver(id, newEvmAddress())).address
        const first = yield* arrive(id, own, 7n)
        yield* confirm(id, first)
        yield* confirm(id, yield* arrive(id, own, 2n))
        // the older coins go to an address of the service's, which books them there
        yield* confirm(id, yield* arrive(id, elsewhere, 7n, { fromAddress: own.address }))
        const before = { "chain:ethereum:deposits ETH": 7n, "chain:ethereum:tenant ETH": 2n, "float:available ETH": 9n }
        assert.deepStrictEqual(yield* balances(id), before)
        yield* handOver(id, own.address)
        assert.deepStrictEqual(yield* balances(id), { "chain:ethereum:deposits ETH": 9n, "float:available ETH": 9n })
        yield* ledgerHolds(id)
        const stored = (yield* (yield* Queries).deposits(id, { after: 0, limit: 10 })).find(
          (one) => one.id === first.id
        )
        if (stored === undefined) return assert.fail("no deposit")
        yield* reorg(id, stored)
        yield* ledgerHolds(id)
        assert.strictEqual((yield* balances(id))["chain:ethereum:deposits ETH"], 9n)
        return undefined
      })
  )

  it.effect("makes every later watch of the address the service's, once it was retired too", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const text = newEvmAddress()
      const { address } = yield* handOver(id, text)
      yield* submit(id, retireAddress(address.id))
      for (const network of ["ethereum", "base"] as const) {
        const again = yield* register(id, text, network)
        assert.deepStrictEqual([again.origin, again.retiredAt], ["IMPORTED", null])
        yield* confirm(id, yield* arrive(id, again, 2n))
      }
      assert.deepStrictEqual(yield* balances(id), {
        "chain:base:deposits ETH_BASE": 2n,
        "chain:ethereum:deposits ETH": 2n,
        "float:available ETH": 2n,
        "float:available ETH_BASE": 2n
      })
      yield* ledgerHolds(id)
    })
  )
})
