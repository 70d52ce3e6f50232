import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { purposes } from "@bursar/core/purposes"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { accountAt, keyed } from "@bursar/testkit/fixtures/deposits"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { recordProvisioning, type ProvisioningCheck } from "@bursar/core/provisioning/recordProvisioning"
import { recordBroadcast } from "@bursar/core/transaction/recordBroadcast"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { confirmWalletTransfers, recordWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { Queries } from "@bursar/core/store/Queries"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ledgerHolds, withStatus, finalOf, signed, store, submit, transactionOf } from "../payout/world.ts"
import { codeOf, hourMs, isDue, making, network, numberTaken, provisioningOf, ready, tenant } from "./world.ts"

describe("setting up an account", () => {
  it.effect("is one step at a time, and books coin given to the issuing account as moved to the deposits", () =>
    Effect.gen(function* () {
      const { channel, id, wallet } = yield* tenant
      const transaction: OutboundTransaction = yield* submit(
        id,
        making({ wallet, address: "G-issuing", role: "ISSUING" })
      )
      assert.deepInclude(transaction, { purpose: "TOP_UP", from: "G-0", walletId: wallet.id, trustlines: [] })
      assert.deepStrictEqual(transaction.guard, { _tag: "Sequence", account: "G-0", sequence: 7n })
      const again = { wallet, address: "G-issuing", role: "ISSUING" } as const
      assert.strictEqual(yield* codeOf(id, making(again)), "stale", "another step was made since")
      assert.strictEqual(
        yield* codeOf(id, making({ ...again, after: transaction.id })),
        "stale",
        "that one is not over"
      )
      const lent = { ...again, after: transaction.id, channel: channel, first: 9n }
      assert.strictEqual(yield* codeOf(id, making(lent)), "stale", "whoever lends the number")
      assert.strictEqual(yield* codeOf(id, making({ wallet })), "stale", "the wallet's number is in use")
      const one = yield* signed(id, transaction, "hash-1")
      yield* submit(
        id,
        recordBroadcast({ transaction: one, hash: "hash-1", answer: { _tag: "Accepted" }, nextAt: 0, purposes })
      )
      for (let twice = 0; twice < 2; twice++) yield* withStatus(id, one, finalOf("hash-1"))
      const legs = yield* (yield* Queries).legs(id, transaction.id)
      assert.deepStrictEqual(
        legs.map(({ account, currency, direction, units, what }) => [account, direction, units, currency, what]),
        [
          ["chain:stellar:deposits", "DEBIT", 20_000_000n, "XLM", "top_up"],
          ["chain:stellar:payouts", "CREDIT", 20_000_000n, "XLM", "top_up"],
          ["network_fees", "DEBIT", 21_000n, "XLM", "network_fee"],
          ["chain:stellar:payouts", "CREDIT", 21_000n, "XLM", "network_fee"]
        ]
      )
      const step = { _tag: "Trust", contracts: ["USDC:G"] } as const
      const next = yield* submit(id, making({ ...again, step, after: transaction.id, first: 8n }))
      assert.deepInclude(next, { purpose: "PROVISIONING", from: "G-issuing", walletId: wallet.id, payments: [] })
      assert.deepStrictEqual(next.trustlines, ["USDC:G"])
      assert.deepInclude(yield* provisioningOf(id, "G-issuing"), { ready: false, transactionId: next.id, failures: 0 })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused where an adapter would give nothing or less", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* tenant
      for (const units of [0n, -1n, -(10n ** 12n)])
        assert.strictEqual(yield* codeOf(id, making({ wallet, step: { _tag: "Fund", units } })), "plan_invalid")
      assert.deepStrictEqual(yield* (yield* Queries).records(id, OutboundTransaction), [])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is not signed any more once its number is only to be used up", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* tenant
      const gift: OutboundTransaction = yield* submit(id, making({ wallet, address: "G-issuing", role: "ISSUING" }))
      // another took the number after it, as networks allow that have many under way
      yield* submit(id, numberTaken(wallet.id))
      const outcome = { _tag: "Requeue", reason: "r", detail: "d", at: 0, alone: false } as const
      yield* submit(id, releaseTransaction({ transaction: gift, outcome, currencies: defaultCurrencies, purposes }))
      assert.deepInclude(yield* transactionOf(id, gift.id), { purpose: "CANCEL", phase: "RESERVED", payments: [] })
      // the bytes that pay were signed meanwhile, by a worker that had read it before
      const late = yield* Effect.flip(signed(id, gift, "hash-late"))
      assert.strictEqual(late._tag === "Refusal" ? late.code : late._tag, "stale")
      assert.deepInclude(yield* transactionOf(id, gift.id), { purpose: "CANCEL", phase: "RESERVED", hashes: [] })
    }).pipe(Effect.provide(store))
  )

  it.effect("books nothing but the fee for coin that stays with an account that lends its numbers", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* tenant
      const transaction = yield* signed(id, yield* submit(id, making({ wallet })), "hash-1")
      yield* withStatus(id, transaction, finalOf("hash-1"))
      const legs = yield* (yield* Queries).legs(id, transaction.id)
      assert.deepStrictEqual(
        legs.map(({ account, units }) => [account, units]),
        [
          ["network_fees", 21_000n],
          ["chain:stellar:payouts", 21_000n]
        ]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("counts steps in a row that did not do what they were for", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* tenant
      let after: string | null = null
      for (const failures of [0, 1, 2]) {
        const transaction: OutboundTransaction = yield* submit(id, making({ wallet, after, succeeded: after === null }))
        assert.strictEqual((yield* provisioningOf(id, "G-1"))?.failures, failures)
        const outcome = { _tag: "Fail", reason: "destination_invalid" } as const
        yield* submit(id, releaseTransaction({ transaction, outcome, currencies: defaultCurrencies, purposes }))
        after = transaction.id
      }
      yield* submit(
        id,
        recordProvisioning({
          network,
          family: network,
          checks: [ready("G-0", "PAYOUT"), ready("G-1", "CHANNEL")],
          nextAt: 0
        })
      )
      assert.deepInclude(yield* provisioningOf(id, "G-1"), { ready: true, failures: 0, transactionId: after })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is due when a wallet is added, or addresses are issued for the first time, and not before its time else",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_000)
        const { id, seedId } = yield* tenant
        assert.isTrue(yield* isDue(id, 1_000))
        const checks = [ready("G-0", "PAYOUT"), ready("G-1", "CHANNEL")]
        const note = recordProvisioning({ network, family: network, checks, nextAt: 1_000 + hourMs })
        assert.lengthOf(yield* submit(id, note), 2)
        assert.lengthOf(yield* submit(id, note), 0, "nothing has changed")
        assert.isFalse(yield* isDue(id, hourMs))
        const issue = (from: number) =>
          issueAddresses(
            {
              network,
              reference: "customer",
              count: 1,
              prederived: { from, addresses: [keyed(`M-${from}`)], seedId, ...accountAt("G-issuing") }
            },
            presetNetworks
          )
        yield* submit(id, issue(0))
        assert.isTrue(yield* isDue(id, 1_000))
        // what was looked at before the account was there must not put it off
        yield* submit(id, note)
        assert.isTrue(yield* isDue(id, 1_000))
        yield* submit(
          id,
          recordProvisioning({
            network,
            family: network,
            checks: [...checks, ready("G-issuing", "ISSUING")],
            nextAt: 1_000 + hourMs
          })
        )
        yield* submit(id, issue(1))
        assert.isFalse(yield* isDue(id, hourMs))
      }).pipe(Effect.provide(store))
  )

  it.effect("is looked at again when coin comes to a wallet while something waits for it, and only then", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const { id, wallet } = yield* tenant
      const arrive = Effect.fnUntraced(function* (txHash: string) {
        const block = { number: 1, hash: "one", time: 1 }
        const what = { currency: "XLM", units: 5n, fromAddress: null, block }
        const found = [
          {
            network,
            txHash,
            transferIndex: 0,
            walletId: wallet.id,
            address: wallet.address,
            paidTo: wallet.address,
            memo: null,
            ...what
          }
        ] as const
        const incomingTransfers = yield* submit(id, recordWalletTransfers(found, presetNetworks))
        yield* submit(
          id,
          confirmWalletTransfers(
            incomingTransfers.map((incomingTransfer) => ({ incomingTransfer, block })),
            presetNetworks,
            nothingUndecided
          )
        )
      })
      const stuck: ProvisioningCheck = { ...ready("G-1", "CHANNEL"), ready: false, problem: "it needs coin" }
      yield* submit(
        id,
        recordProvisioning({ network, family: network, checks: [ready("G-0", "PAYOUT"), stuck], nextAt: hourMs })
      )
      assert.isFalse(yield* isDue(id, 1_000))
      yield* arrive("first")
      assert.isTrue(yield* isDue(id, 1_000))
      const checks = [ready("G-0", "PAYOUT"), ready("G-1", "CHANNEL")]
      yield* submit(id, recordProvisioning({ network, family: network, checks, nextAt: hourMs }))
      yield* arrive("second")
      assert.isFalse(yield* isDue(id, 1_000))
    }).pipe(Effect.provide(store))
  )

  it.effect("is doubted of an account that lent its number where coin was missing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const { channel, id, wallet } = yield* tenant
      const checks = [ready("G-0", "PAYOUT"), ready("G-1", "CHANNEL")]
      const given = { wallet, address: "G-issuing", role: "ISSUING", channel: channel } as const
      let after: string | null = null
      for (const [reason, doubted] of [
        ["asset_blocked", false],
        ["insufficient_wallet", true]
      ] as const) {
        yield* submit(id, recordProvisioning({ network, family: network, checks, nextAt: hourMs }))
        const transaction: OutboundTransaction = yield* submit(id, making({ ...given, after, succeeded: true }))
        const outcome = { _tag: "Requeue", reason, detail: "", at: 1_000, alone: false } as const
        yield* submit(id, releaseTransaction({ transaction, outcome, currencies: defaultCurrencies, purposes }))
        assert.strictEqual((yield* provisioningOf(id, "G-1"))?.ready, !doubted, reason)
        assert.strictEqual(yield* isDue(id, 1_000), doubted, reason)
        assert.strictEqual((yield* provisioningOf(id, "G-0"))?.ready, true)
        after = transaction.id
      }
    }).pipe(Effect.provide(store))
  )
})
