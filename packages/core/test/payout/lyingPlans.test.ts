import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { of } from "@bursar/core/money/Amount"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { Network } from "@bursar/core/money/Network"
import { Payout } from "@bursar/core/payout/Payout"
import type { Utxo } from "@bursar/core/port/Utxo"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import type { GuardRequest } from "@bursar/core/transaction/reserveGuard"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { reorgWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { PayoutWallet, WalletRole } from "@bursar/core/transaction/PayoutWallet"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { keyed, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { block, coinsFor } from "./coins.ts"
import { accepted, ledgerHolds, next, payer, store, submit, usdt, walletOf } from "./world.ts"

const account = (network: Network, role: WalletRole, index: number) =>
  addWallet({ network, role, seedId: crypto.randomUUID(), index, ...keyed(newEvmAddress()) }, presetNetworks)

/** A payout that waits on a network. */
const waiting = Effect.fnUntraced(function* (tenantId: TenantId, network: Network, currency: string, units: bigint) {
  const against = `chain:${network}:payouts` as const
  yield* submit(tenantId, adjustFloat({ amount: of(10n * units, currency), against, reason: "funded" }))
  const order = usdt({ network, currency, contract: null, units })
  const { id } = yield* accepted(tenantId, { order, defaultFees: [] })
  const payout = yield* (yield* Queries).record(tenantId, Payout, id)
  return payout ?? (yield* Effect.die(new Error("there is no payout")))
})

/** What the core says to a plan: the code of its refusal, or what the transaction uses up. */
const saysTo = Effect.fnUntraced(function* (
  tenantId: TenantId,
  wallet: PayoutWallet,
  payout: Payout,
  guard: GuardRequest
) {
  const reserved = yield* Effect.result(
    submit(tenantId, reservePayouts({ wallet, payouts: [payout], guard }, presetNetworks))
  )
  if (reserved._tag === "Success") return reserved.success?.guard ?? null
  return reserved.failure._tag === "Refusal" ? reserved.failure.code : reserved.failure._tag
})

/** Fails the test where anything of a tenant was reserved. */
const nothingReserved = Effect.fnUntraced(function* (tenantId: TenantId, payout: Payout) {
  const queries = yield* Queries
  assert.deepStrictEqual(yield* queries.records(tenantId, OutboundTransaction), [])
  assert.deepStrictEqual(yield* queries.record(tenantId, Payout, payout.operationId), payout)
  const utxos = yield* queries.records(tenantId, WalletUtxo)
  assert.isTrue(utxos.every(({ transactionId }) => transactionId === null))
})

/** A tenant of bitcoin with four coins of 100,000 satoshi, another wallet's coin, and a payout of 150,000 that waits. */
const bitcoin = Effect.gen(function* () {
  const { id, wallet } = yield* payer({}, "bitcoin")
  const { incomingTransfers, utxos } = yield* coinsFor(id, wallet, 4)
  const other = yield* submit(id, account("bitcoin", "CHANNEL", 1))
  const { utxos: others } = yield* coinsFor(id, other, 4)
  const payout = yield* waiting(id, "bitcoin", "BTC", 150_000n)
  return { id, wallet, payout, utxos, others, incomingTransfers }
})

const spending = (utxos: ReadonlyArray<Utxo>, fee = 1_000n): GuardRequest => ({ _tag: "Utxos", utxos, fee })

describe("a plan of UTXOs", () => {
  it.effect("is refused where it cannot be right, and then nothing is reserved", () =>
    Effect.gen(function* () {
      const { id, others, payout, utxos, wallet } = yield* bitcoin
      const [one, two] = utxos
      const [foreign] = others
      if (one === undefined || two === undefined || foreign === undefined) return assert.fail("no coins")
      const lies: ReadonlyArray<readonly [string, GuardRequest]> = [
        ["a UTXO that nobody has", spending([one, { ...two, txHash: newTxHash() }])],
        ["an output beside the wallet's", spending([one, { ...two, vout: 77 }])],
        ["another wallet's UTXO", spending([one, foreign])],
        ["a UTXO twice", spending([one, one])],
        ["a UTXO twice, spelled as two amounts", spending([one, { ...one, units: 5n }])],
        ["less than the payment", spending([one])],
        ["less than the payment, and says that it is more", spending([{ ...one, units: 10n ** 9n }])],
        ["one satoshi less than payment and fee", spending([one, two], 50_001n)],
        ["no fee", spending([one, two], 0n)],
        ["a fee below zero", spending([one], -50_000n)],
        ["nothing at all", spending([])],
        ["no UTXOs but an expiry", { _tag: "Expiry" }],
        ["no UTXOs but a sequence", next(wallet)]
      ]
      for (const [what, plan] of lies) {
        assert.strictEqual(yield* saysTo(id, wallet, payout, plan), "plan_invalid", what)
        yield* nothingReserved(id, payout)
      }
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is stale where a UTXO was taken or is gone since, and counts as the records have it where it is right",
    () =>
      Effect.gen(function* () {
        const { id, incomingTransfers, payout, utxos, wallet } = yield* bitcoin
        const [one, two, three, four] = utxos
        if (one === undefined || two === undefined || three === undefined || four === undefined)
          return assert.fail("no coins")
        const lost = incomingTransfers.filter(({ transferIndex }) => transferIndex === four.vout)
        yield* submit(
          id,
          reorgWalletTransfers(
            lost.map((incomingTransfer) => ({ incomingTransfer, block })),
            presetNetworks
          )
        )
        assert.strictEqual(yield* saysTo(id, wallet, payout, spending([one, four])), "stale", "its block is gone")
        yield* nothingReserved(id, payout)
        // what the plan says of units, address and key is not taken over
        const told = [{ ...one, units: 1n, address: "somebody", publicKey: "02" }, two]
        assert.deepStrictEqual(yield* saysTo(id, wallet, payout, spending(told, 50_000n)), {
          _tag: "Utxos",
          utxos: [one, two]
        })
        const later = yield* waiting(id, "bitcoin", "BTC", 150_000n)
        assert.strictEqual(yield* saysTo(id, wallet, later, spending([three, two])), "stale", "it is taken")
        const states = (yield* (yield* Queries).records(id, WalletUtxo)).map(({ txHash, state }) => [txHash, state])
        assert.deepInclude(states, [three.txHash, "FREE"])
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
  )

  it.effect("of whatever adapter reserves free UTXOs of the wallet that cover payment and fee, or nothing", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat({ max: 7 }), { maxLength: 5 }),
          fc.bigInt({ min: -10n, max: 260_000n }),
          fc.bigInt({ min: 0n, max: 10n ** 9n }),
          (chosen, fee, told) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const { id, others, payout, utxos, wallet } = yield* bitcoin
                const offered = [...utxos, ...others]
                const plan = chosen.flatMap((at) => {
                  const utxo = offered[at]
                  return utxo === undefined ? [] : [{ ...utxo, units: told }]
                })
                const own = chosen.every((at) => at < utxos.length) && new Set(chosen).size === chosen.length
                const right = own && fee > 0n && BigInt(chosen.length) * 100_000n >= payout.units + fee
                const said = yield* saysTo(id, wallet, payout, spending(plan, fee))
                if (!right) {
                  assert.strictEqual(said, "plan_invalid")
                  return yield* nothingReserved(id, payout)
                }
                assert.deepStrictEqual(said, { _tag: "Utxos", utxos: chosen.flatMap((at) => utxos[at] ?? []) })
              }).pipe(Effect.provide(store))
            )
        ),
        { numRuns: 60 }
      )
    )
  )
})

describe("a plan of a sequence", () => {
  it.effect("is refused where another account's would let a payment happen twice, or never", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const channel = yield* submit(id, account("ethereum", "CHANNEL", 1))
      const elsewhere = yield* submit(id, account("bsc", "PAYOUT", 0))
      const payout = yield* waiting(id, "ethereum", "ETH", 10n ** 15n)
      for (const [what, plan] of [
        ["an expiry", { _tag: "Expiry" }],
        ["UTXOs", spending([])],
        ["the nonce of an account that does not pay", next(channel)],
        ["the nonce of another network", next(elsewhere)]
      ] as const satisfies ReadonlyArray<readonly [string, GuardRequest]>) {
        assert.strictEqual(yield* saysTo(id, wallet, payout, plan), "plan_invalid", what)
        yield* nothingReserved(id, payout)
      }
      assert.strictEqual(yield* saysTo(id, wallet, payout, next(wallet, null)), "stale", "nobody knows the number")
      yield* nothingReserved(id, payout)
    }).pipe(Effect.provide(store))
  )

  it.effect("is stale while the account is busy, and no sequence is ever given twice", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "stellar")
      const channel = yield* submit(id, account("stellar", "CHANNEL", 1))
      const payouts = [
        yield* waiting(id, "stellar", "XLM", 10_000_000n),
        yield* waiting(id, "stellar", "XLM", 10_000_000n),
        yield* waiting(id, "stellar", "XLM", 10_000_000n)
      ] as const
      const taken = yield* saysTo(id, wallet, payouts[0], next(channel))
      assert.deepStrictEqual(taken, { _tag: "Sequence", account: channel.address, sequence: 7n })
      // as it was read before, and as it is now, and whatever the chain is said to go on with
      const now = yield* walletOf(id, channel.id)
      for (const plan of [next(channel), next(now), next(now, 100n), next(now, null)])
        assert.strictEqual(yield* saysTo(id, wallet, payouts[1], plan), "stale")
      assert.strictEqual(yield* saysTo(id, wallet, payouts[1], next(wallet)), "stale", "the wallet pays for that one")
      const other = yield* submit(id, account("stellar", "CHANNEL", 2))
      assert.deepStrictEqual(yield* saysTo(id, wallet, payouts[1], next(other)), {
        _tag: "Sequence",
        account: other.address,
        sequence: 7n
      })
      assert.strictEqual(yield* saysTo(id, wallet, payouts[2], next(other, 8n)), "stale")
      assert.lengthOf(yield* (yield* Queries).records(id, OutboundTransaction), 2)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})
