import { BigInt as Big, Result } from "effect"
import { schedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { readRecord } from "../engine/Records.ts"
import type { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import { putTransaction } from "./moveTransaction.ts"
import { newTransaction } from "./newTransaction.ts"
import type { OutboundTransaction } from "./OutboundTransaction.ts"
import { PayoutWallet } from "./PayoutWallet.ts"
import type { PurposeRule } from "./PurposeRule.ts"
import { transactionQueue } from "./queues.ts"
import { type GuardRequest, guardReads, type GuardTraits, reserveGuard } from "./reserveGuard.ts"

/** What `reserveTransaction` reads: the wallet that pays, and what is to be used up. */
export const reserveReads = (wallet: PayoutWallet, request: GuardRequest): ReadonlyArray<Read> => [
  readRecord(PayoutWallet, wallet.id),
  ...guardReads(wallet.network, request)
]

/** What a wallet is to pay, or to bear the cost of. */
export interface TransactionRequest extends Pick<OutboundTransaction, "from" | "payments" | "purpose" | "trustlines"> {
  /** The wallet that pays, as it is now. */
  readonly wallet: PayoutWallet
  /** What the network's adapter has planned that it uses up. */
  readonly guard: GuardRequest
  /** What the wallet is expected to pay the network for it, which nothing else is promised until it is signed. 0 where absent. */
  readonly fee?: bigint
  readonly traits: GuardTraits
}

/**
 * Begins an outbound transaction of a wallet and reserves what it uses up. `stale` and `plan_invalid` as `reserveGuard` refuses its
 * plan. The command reads `reserveReads`.
 */
export const reserveTransaction = (
  view: View,
  rule: PurposeRule,
  { fee = 0n, from, guard: request, payments, purpose, traits, trustlines, wallet }: TransactionRequest
): Result.Result<{ readonly transaction: OutboundTransaction; readonly changes: ReadonlyArray<Change> }, Refusal> => {
  const { id: walletId, network } = wallet
  const id = view.newId()
  const reserved = reserveGuard(view, { traits, request, walletId, transactionId: id, payments })
  return Result.map(reserved, ({ counter, counterId, guard, utxos }) => {
    const transaction = newTransaction(view, {
      id,
      network,
      purpose,
      walletId,
      from,
      guard,
      counterId,
      payments,
      trustlines,
      drain: false,
      // a plan is not believed that gives the wallet something
      feeMax: Big.max(fee, 0n),
      salt: wallet.nextSalt
    })
    // a wallet's salt grows with every outbound transaction that it pays, whoever lent the number
    const payer = { nextSalt: wallet.nextSalt + 1 }
    const changes = [
      ...putTransaction(view, rule, { before: null, after: transaction, counter, payer }),
      ...utxos,
      schedule(transactionQueue(network), id, view.now)
    ]
    return { transaction, changes }
  })
}
