import type { DestinationLog } from "../audit/destinationLog.ts"
import type { BookedIncoming, FiatAccount } from "../account/FiatAccount.ts"
import type { Customer } from "../customer/Customer.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { AgendaItem } from "../engine/Agenda.ts"
import type { Head } from "../engine/WriteSet.ts"
import type { Event } from "../event/Event.ts"
import type { Claim } from "../idempotency/Claim.ts"
import type { AssetReservation } from "../ledger/AssetReservation.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import type { Usage } from "../limit/Usage.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Operation } from "../operation/Operation.ts"
import type { PayoutWallet } from "../outbound/PayoutWallet.ts"
import type { SentTransaction } from "../outbound/SentTransaction.ts"
import type { Spend } from "../outbound/Spend.ts"
import type { WalletCoin } from "../outbound/WalletCoin.ts"
import type { Payout } from "../payout/Payout.ts"
import type { Quote } from "../pricing/Quote.ts"
import type { Intake } from "../sweep/Intake.ts"
import type { Sweep } from "../sweep/Sweep.ts"
import type { Destination } from "../withdrawal/Destination.ts"

/** What a pass says of a row: nothing, or what is wrong with it, naming the row. */
export type Finding = string | undefined

/** What is known of a tenant before its rows are read. */
export interface Given {
  readonly head: Head
  readonly balances: ReadonlyArray<Balance>
  readonly currencies: CurrencyTable
  /** What the log of operators' actions says of destinations; undefined where it is not read. */
  readonly destinationLog?: DestinationLog | undefined
}

/**
 * One run of a pass over a tenant's records. Rows come by kind in the order of the fields here, each kind in the order of its port.
 * `finish` is asked once at the end.
 */
export interface PassRun {
  /** With the digest of what the log of operators' actions keeps of it. */
  readonly destination?: (row: Destination, digest: string) => Finding
  readonly customer?: (row: Customer) => Finding
  readonly account?: (row: FiatAccount) => Finding
  readonly operation?: (row: Operation) => Finding
  readonly quote?: (row: Quote) => Finding
  readonly incoming?: (row: BookedIncoming) => Finding
  readonly spend?: (row: Spend) => Finding
  readonly payout?: (row: Payout) => Finding
  readonly transaction?: (row: SentTransaction) => Finding
  readonly coin?: (row: WalletCoin) => Finding
  readonly wallet?: (row: PayoutWallet) => Finding
  readonly intake?: (row: Intake) => Finding
  readonly sweep?: (row: Sweep) => Finding
  readonly reservation?: (row: AssetReservation) => Finding
  readonly agenda?: (row: AgendaItem) => Finding
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
