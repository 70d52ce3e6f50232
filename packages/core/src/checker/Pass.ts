import type { BookedIncoming, FiatAccount } from "../account/FiatAccount.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { Head } from "../engine/WriteSet.ts"
import type { Event } from "../event/Event.ts"
import type { Claim } from "../idempotency/Claim.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import type { Usage } from "../limit/Usage.ts"
import type { Operation } from "../operation/Operation.ts"
import type { PayoutWallet } from "../outbound/PayoutWallet.ts"
import type { SentTransaction } from "../outbound/SentTransaction.ts"
import type { Spend } from "../outbound/Spend.ts"
import type { WalletCoin } from "../outbound/WalletCoin.ts"
import type { Payout } from "../payout/Payout.ts"
import type { Quote } from "../pricing/Quote.ts"
import type { Intake } from "../sweep/Intake.ts"
import type { Sweep } from "../sweep/Sweep.ts"

/** What a pass says of a row: nothing, or what is wrong with it, naming the row. */
export type Finding = string | undefined

/** What is known of a tenant before its rows are read. */
export interface Given {
  readonly head: Head
  readonly balances: ReadonlyArray<Balance>
}

/**
 * One run of a pass over a tenant's records. Rows come by kind in this order, each kind in the order of its port:
 * operations, quotes, accounts, booked payments, spends, payouts, signed transactions, coins, wallets, intakes, sweeps, legs, events, deposits, claims, usage. `finish` is asked once
 * at the end.
 */
export interface PassRun {
  readonly operation?: (row: Operation) => Finding
  readonly quote?: (row: Quote) => Finding
  readonly account?: (row: FiatAccount) => Finding
  readonly incoming?: (row: BookedIncoming) => Finding
  readonly spend?: (row: Spend) => Finding
  readonly payout?: (row: Payout) => Finding
  readonly transaction?: (row: SentTransaction) => Finding
  readonly coin?: (row: WalletCoin) => Finding
  readonly wallet?: (row: PayoutWallet) => Finding
  readonly intake?: (row: Intake) => Finding
  readonly sweep?: (row: Sweep) => Finding
  readonly leg?: (row: PostedLeg) => Finding
  readonly event?: (row: Event) => Finding
  readonly deposit?: (row: Deposit) => Finding
  readonly claim?: (row: Claim) => Finding
  readonly usage?: (row: Usage) => Finding
  readonly finish?: () => Finding
}

/** A rule that the records of every tenant keep at every moment. */
export interface Pass {
  readonly name: string
  /** The rule in a sentence. */
  readonly rule: string
  readonly run: (given: Given) => PassRun
}
