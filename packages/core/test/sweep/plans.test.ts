import type { RefusalCode } from "@bursar/core/base/Refusal"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import { type ReserveSweep, type SweepRequest, openedSweep } from "@bursar/core/sweep/reserveSweep"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepAccount } from "@bursar/core/sweep/SweepAccount"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { openSweepQueue, sweepQueue } from "@bursar/core/sweep/sweepQueues"
import { holdByOperator } from "@bursar/core/sweep/sweepHold"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { addressItem, keyed, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { transactionQueue } from "@bursar/core/transaction/queues"
import { looking } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { store, submit } from "../payout/world.ts"
import {
  accountOf,
  arrived,
  custody,
  dueAt,
  issuingAccount,
  lookAt,
  lost,
  type Swept,
  planOf,
  requestOf,
  reserved,
  sweepOf,
  sweepableOf,
  tried
} from "./world.ts"

/** A tenant with two deposits on one address and one on another, and what would move them. */
const waiting = Effect.fnUntraced(function* (network: Swept, currency?: string) {
  const made = yield* custody(network, 2)
  const [one, two] = made.addresses
  if (one === undefined || two === undefined) return yield* Effect.die(new Error("two were asked for"))
  const deposits = [yield* arrived(made.id, one, 700n, currency), yield* arrived(made.id, one, 300n, currency)] as const
  const elsewhere = yield* arrived(made.id, two, 50n, currency)
  return {
    ...made,
    one,
    two,
    deposits,
    elsewhere,
    request: yield* requestOf(made.id, one, deposits),
    other: yield* requestOf(made.id, two, [elsewhere])
  }
})

const nothingReserved = Effect.fnUntraced(function* (id: TenantId) {
  const queries = yield* Queries
  assert.deepStrictEqual(yield* queries.records(id, Sweep), [])
  assert.deepStrictEqual(yield* queries.records(id, OutboundTransaction), [])
  for (const { sweepId } of yield* queries.records(id, SweepableDeposit)) assert.isNull(sweepId)
})

const refuses = Effect.fnUntraced(function* (
  id: TenantId,
  code: RefusalCode,
  plans: ReadonlyArray<readonly [string, ReserveSweep]>
) {
  for (const [what, plan] of plans) {
    assert.strictEqual(yield* tried(id, plan), code, what)
    yield* nothingReserved(id)
  }
})

describe("a plan of a sweep", () => {
  for (const [network, currency, contract] of [
    ["ethereum", "USDT_ETH", "0xdAC17F958D2ee523a2206206994597C13D831ec7"],
    ["ethereum", "ETH", null],
    ["tron", "TRX", null]
  ] as const) {
    it.effect(`moves all deposits of an address of ${currency} to the wallet, and they are its own from then on`, () =>
      Effect.gen(function* () {
        const { deposits, elsewhere, id, one, request, two, wallet } = yield* waiting(network, currency)
        const { sweep, sweeps, transaction } = yield* reserved(id, planOf(wallet, [request]))
        const now = yield* Clock.currentTimeMillis
        assert.lengthOf(sweeps, 1)
        assert.deepStrictEqual(yield* sweepOf(id, sweep.id), {
          id: sweep.id,
          network,
          addressId: one.id,
          address: one.address,
          account: one.address,
          key: { _tag: "Issued", seedId: one.seedId ?? "", index: 0 },
          currency,
          contract,
          units: 1_000n,
          state: "ELIGIBLE",
          topUpTransactionId: null,
          sweepTransactionId: transaction.id,
          deposits: deposits.map(({ id: depositId, transferIndex, txHash }) => ({
            depositId,
            network,
            transferIndex,
            txHash
          })),
          problem: null,
          createdAt: now,
          endedAt: null,
          closedAt: null
        })
        assert.deepInclude(transaction, {
          network,
          purpose: "SWEEP",
          phase: "RESERVED",
          walletId: null,
          counterId: null,
          from: one.address,
          guard: network === "tron" ? { _tag: "Expiry" } : { _tag: "Sequence", account: one.address, sequence: 5n },
          payments: [{ operationId: null, to: wallet.address, contract, units: 1_000n, memo: null }],
          trustlines: [],
          drain: false,
          salt: 1
        })
        assert.deepStrictEqual(yield* accountOf(id, sweep), {
          network,
          account: one.address,
          nextSequence: null,
          nextSalt: 2,
          transactionId: transaction.id,
          sweepIds: [sweep.id],
          failures: 0
        })
        for (const deposit of deposits) assert.strictEqual((yield* sweepableOf(id, deposit)).sweepId, sweep.id)
        assert.isNull((yield* sweepableOf(id, elsewhere)).sweepId)
        assert.isUndefined(yield* dueAt(sweepQueue(network), one.id))
        assert.isDefined(yield* dueAt(sweepQueue(network), two.id))
        assert.strictEqual(yield* dueAt(openSweepQueue(network), sweep.id), lookAt)
        assert.strictEqual(yield* dueAt(transactionQueue(network), transaction.id), now)
      }).pipe(Effect.provide(store))
    )
  }

  it.effect("spends just the UTXOs that were deposited, of several addresses, as they are recorded", () =>
    Effect.gen(function* () {
      const { deposits, elsewhere, id, one, other, request, two, wallet } = yield* waiting("bitcoin")
      const plan = planOf(wallet, [request, other])
      if (plan.guard._tag !== "Utxos") return assert.fail("bitcoin has UTXOs")
      // of what the plan says only the public keys are taken over
      const told = plan.guard.utxos.toReversed().map((utxo, index) => ({
        ...utxo,
        units: 1n,
        address: "somebody",
        ...(index === 0 ? { publicKey: "02" } : {})
      }))
      const { sweeps, transaction } = yield* reserved(id, { ...plan, guard: { ...plan.guard, utxos: told } })
      assert.deepStrictEqual(transaction.guard, {
        _tag: "Utxos",
        utxos: [
          { txHash: deposits[0].txHash, vout: 3, units: 700n, address: one.address },
          { txHash: deposits[1].txHash, vout: 3, units: 300n, address: one.address },
          { txHash: elsewhere.txHash, vout: 3, units: 50n, address: two.address, publicKey: "02" }
        ]
      })
      assert.deepInclude(transaction, { from: wallet.address, drain: true, salt: 1 })
      assert.deepStrictEqual(
        sweeps.map(({ addressId, sweepTransactionId, units }) => [addressId, sweepTransactionId, units]),
        [
          [one.id, transaction.id, 1_000n],
          [two.id, transaction.id, 50n]
        ]
      )
      for (const sweep of sweeps) {
        // no account of it is busy: a UTXO excludes what spends it, and nothing else
        assert.deepInclude(yield* accountOf(id, sweep), { transactionId: null, nextSalt: 1, sweepIds: [sweep.id] })
        assert.strictEqual(yield* dueAt(openSweepQueue("bitcoin"), sweep.id), lookAt)
      }
      const accounts = yield* (yield* Queries).records(id, SweepAccount)
      assert.sameMembers(
        accounts.map(({ account }) => account),
        [one.address, two.address],
        "the wallet is not swept"
      )
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("moves the parts of one account in one transaction, which it pays", () =>
    Effect.gen(function* () {
      const { id, other, request, wallet } = yield* waiting("stellar")
      const { sweeps, transaction } = yield* reserved(id, planOf(wallet, [request, other]))
      assert.deepStrictEqual(transaction.guard, { _tag: "Sequence", account: issuingAccount, sequence: 5n })
      assert.strictEqual(transaction.payments[0]?.units, 1_050n)
      const [sweep] = sweeps
      if (sweep === undefined) return assert.fail("nothing is swept")
      assert.deepInclude(yield* accountOf(id, sweep), {
        transactionId: transaction.id,
        sweepIds: sweeps.map((one) => one.id)
      })
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("may leave a part where it is, for the fee", () =>
    Effect.gen(function* () {
      const { id, request, wallet } = yield* waiting("ethereum")
      const { sweep, transaction } = yield* reserved(id, { ...planOf(wallet, [request]), units: 1n })
      assert.deepStrictEqual([sweep.units, transaction.payments[0]?.units], [1_000n, 1n])
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused where it cannot be right, and then nothing is reserved", () =>
    Effect.gen(function* () {
      const { id, other, request, wallet } = yield* waiting("ethereum")
      const plan = planOf(wallet, [request])
      yield* refuses(id, "plan_invalid", [
        ["nothing", { ...plan, units: 0n }],
        ["less than nothing", { ...plan, units: -1n }],
        ["more than was deposited", { ...plan, units: 1_001n }],
        ["an account that does not pay for all", { ...planOf(wallet, [request, other]) }],
        ["another account's sequence", { ...plan, guard: { _tag: "Sequence", account: other.account, first: 5n } }],
        ["paid by somebody else", { ...plan, from: other.account }],
        ["no sequence but an expiry", { ...plan, guard: { _tag: "Expiry" } }],
        ["no sequence but UTXOs", { ...plan, guard: { _tag: "Utxos", utxos: [], fee: 1n } }]
      ])
      const tron = yield* waiting("tron")
      const expiring = planOf(tron.wallet, [tron.request])
      yield* refuses(tron.id, "plan_invalid", [
        ["a payer that is not swept", { ...expiring, from: tron.wallet.address }],
        [
          "a sequence where there is none",
          { ...expiring, guard: { _tag: "Sequence", account: expiring.from, first: 5n } }
        ]
      ])
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused where its UTXOs are not those that were deposited, or do not pay their fee", () =>
    Effect.gen(function* () {
      const { id, request, wallet } = yield* waiting("bitcoin")
      const plan = planOf(wallet, [request])
      if (plan.guard._tag !== "Utxos") return assert.fail("bitcoin has UTXOs")
      const { guard } = plan
      const [first, second] = guard.utxos
      if (first === undefined || second === undefined) return assert.fail("there are two deposits")
      const spending = (...utxos: ReadonlyArray<typeof first>): ReserveSweep => ({
        ...plan,
        guard: { ...guard, utxos }
      })
      const paying = (fee: bigint): ReserveSweep => ({ ...plan, guard: { ...guard, fee } })
      yield* refuses(id, "plan_invalid", [
        ["one too few", spending(first)],
        ["one too many", spending(first, second, { ...second, vout: 4 })],
        ["one twice", spending(first, first)],
        ["one twice beside the other", spending(first, second, second)],
        ["another output", spending(first, { ...second, vout: 4 })],
        ["another transaction's output", spending(first, { ...second, txHash: first.txHash.replace(/.$/u, "?") })],
        ["a payer beside the wallet", { ...plan, from: "somebody" }],
        ["less than they hold", { ...plan, units: 999n }],
        ["no fee", paying(0n)],
        ["a fee below zero", paying(-1n)],
        ["a fee of all that they hold", paying(1_000n)]
      ])
      assert.strictEqual((yield* reserved(id, paying(999n))).transaction.payments[0]?.units, 1_000n)
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("is stale where the chain has not said with which sequence the account goes on", () =>
    Effect.gen(function* () {
      const { id, request, wallet } = yield* waiting("ethereum")
      const plan = planOf(wallet, [request])
      yield* refuses(id, "stale", [
        ["no sequence", { ...plan, guard: { _tag: "Sequence", account: request.account, first: null } }]
      ])
    }).pipe(Effect.provide(store))
  )

  it.effect("is stale where it was made from what is no more", () =>
    Effect.gen(function* () {
      const { deposits, id, one, other, request, two, wallet } = yield* waiting("ethereum")
      const usdt = yield* requestOf(id, one, [yield* arrived(id, one, 5n, "USDT_ETH")])
      const [first, second] = request.sweepables
      if (first === undefined || second === undefined) return assert.fail("there are two deposits")
      const of = (...requests: ReadonlyArray<SweepRequest>) => planOf(wallet, requests)
      const stranger = yield* newTenant()
      const theirs = yield* submit(
        stranger.id,
        addWallet(
          { network: "ethereum", role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(newEvmAddress()) },
          presetNetworks
        )
      )
      yield* refuses(id, "stale", [
        ["two currencies", of({ ...request, sweepables: [first, ...usdt.sweepables] })],
        ["no deposits", of({ ...request, sweepables: [] })],
        ["an address that is not there", of({ ...request, addressId: "nowhere" })],
        ["a deposit of another address", of({ ...request, sweepables: [first, ...other.sweepables] })],
        ["a deposit that is more by now", of({ ...request, sweepables: [{ ...first, units: 699n }, second] })],
        ["a deposit that nobody has", of({ ...request, sweepables: [{ ...first, txHash: "0xnone" }] })],
        ["a wallet of somebody else", { ...of(request), wallet: { ...theirs, network: "ethereum" } }]
      ])
      yield* lost(id, deposits[1])
      yield* refuses(id, "stale", [["a deposit whose block is gone", of(request)]])
      const { sweep } = yield* reserved(id, of({ ...request, sweepables: [first] }))
      const later = yield* requestOf(id, one, [yield* arrived(id, one, 20n)])
      assert.strictEqual(yield* tried(id, of(later)), "stale", "something is swept from the account")
      assert.strictEqual(yield* tried(id, of(other)).pipe(Effect.map((answer) => typeof answer)), "object", two.id)
      assert.strictEqual((yield* sweepOf(id, sweep.id)).state, "ELIGIBLE")
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("is not followed where an address is held by now, which leaves its queue", () =>
    Effect.gen(function* () {
      const { id, one, other, request, two, wallet } = yield* waiting("bitcoin")
      yield* submit(id, holdByOperator(one.id, "looked into"))
      const answer = yield* tried(id, planOf(wallet, [request, other]))
      assert.deepStrictEqual(answer, { _tag: "Held", addressIds: [one.id] })
      assert.isUndefined(yield* dueAt(sweepQueue("bitcoin"), one.id))
      assert.isDefined(yield* dueAt(sweepQueue("bitcoin"), two.id))
      yield* nothingReserved(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("begins a sweep of one deposit at least", () =>
    Effect.gen(function* () {
      const { id, request } = yield* waiting("ethereum")
      const begin = looking([], (view) => {
        assert.throws(
          () =>
            openedSweep(
              view,
              "ethereum",
              { ...request, sweepables: [] },
              { sweepTransactionId: null, topUpTransactionId: null }
            ),
          /one deposit at least/u
        )
      })
      yield* submit(id, begin)
    }).pipe(Effect.provide(store))
  )
})

describe("what waits to be swept", () => {
  it.effect("is nothing of an address whose key the tenant has", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const [registered] = yield* submit(id, registerAddresses([addressItem(newEvmAddress())]))
      if (registered?.status !== "registered") return assert.fail("it was not registered")
      yield* arrived(id, registered.address, 5n)
      assert.deepStrictEqual(yield* (yield* Queries).records(id, SweepableDeposit), [])
      assert.isUndefined(yield* dueAt(sweepQueue("ethereum"), registered.address.id))
      return undefined
    }).pipe(Effect.provide(store))
  )
})
