import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { confirmWalletTransfers, recordWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Payout } from "@bursar/core/payout/Payout"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { WalletTransfer, walletTransferKey } from "@bursar/core/deposit/WalletTransfer"
import { Queries } from "@bursar/core/store/Queries"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { emptyState } from "@bursar/memory"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  submit
} from "./world.ts"

it.effect(
  "the change of a payout that a restored database has forgotten leaves suspense once the signer has told of it",
  () => {
    const fake = fakeNetwork({ network: "bitcoin" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const queries = yield* Queries
      const signer = yield* TransactionSigner
      const { id, wallet } = yield* payer("bitcoin", fake, 1)
      const sent = { hash: "" }
      const suspense = Effect.suspend(() =>
        Effect.map(
          queries.record(
            id,
            WalletTransfer,
            walletTransferKey({ network: "bitcoin", txHash: sent.hash, transferIndex: 1 })
          ),
          (one) => one?.bookedBy ?? null
        )
      )
      const made = yield* pay(id, "bitcoin", 1)
      const utxos = (yield* queries.records(id, WalletUtxo, wallet.id)).map(({ address, txHash, units, vout }) => ({
        address,
        txHash,
        units,
        vout
      }))
      const guard = { _tag: "Utxos", utxos, fee: 500n } as const
      const payout = yield* queries.record(id, Payout, made.id)
      if (payout === undefined) return assert.fail("none")
      yield* submit(id, reservePayouts({ wallet, payouts: [payout], guard }, presetNetworks))
      const { bytes: unsigned } = yield* fake.sender.build({
        from: wallet.address,
        guard: { _tag: "Utxos", utxos },
        payments: [{ to: receiver("bitcoin", 1), contract: null, units: 10_000n, memo: null }],
        drain: false,
        replacing: null,
        salt: 7,
        validUntil: (yield* Clock.currentTimeMillis) + 600_000
      })
      const requests = requestsFor(yield* operationsOf(id, [made]))
      // signed and sent after the backup: the restored database has nothing of it
      const { hash, raw } = yield* signer.sign({
        tenantId: id,
        network: "bitcoin",
        unsigned,
        signers: [],
        own: [],
        requests
      })
      yield* fake.sender.broadcast(raw)
      sent.hash = hash
      // the watcher reads the blocks since the backup before the sender has asked the signer
      const change = {
        network: "bitcoin" as const,
        txHash: hash,
        transferIndex: 1,
        walletId: wallet.id,
        address: wallet.address,
        paidTo: wallet.address,
        memo: null,
        currency: "BTC",
        units: 189_500n,
        fromAddress: null,
        block: { number: 2, hash: "change", time: yield* Clock.currentTimeMillis }
      }
      const incoming = yield* submit(id, recordWalletTransfers([change], presetNetworks))
      yield* submit(
        id,
        confirmWalletTransfers(
          incoming.map((incomingTransfer) => ({ incomingTransfer, block: { hash: "change" } })),
          presetNetworks,
          nothingUndecided
        )
      )
      yield* Effect.forkScoped(sending(fake))
      yield* mineUntil(fake, "it is settled", allOver(id, [made]))
      const [operation] = yield* operationsOf(id, [made])
      assert.deepStrictEqual([operation?.status, operation?.txHash], ["SETTLED", hash])
      yield* ledgerHolds(id)
      const booked = yield* suspense
      const arrival = booked === null ? undefined : yield* queries.operation(id, booked)
      assert.isDefined(arrival)
      assert.isDefined(arrival?.details.reversed_by)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  }
)
