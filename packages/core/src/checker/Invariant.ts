import type { DestinationLog } from "./destinationLog.ts"
import type { BookedIncoming, FiatAccount } from "../account/FiatAccount.ts"
import type { Customer } from "../customer/Customer.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { Job } from "../engine/Job.ts"
import type { Head } from "../engine/WriteSet.ts"
import type { Event } from "../event/Event.ts"
import type { IdempotencyRecord } from "../idempotency/IdempotencyRecord.ts"
import type { AssetReservation } from "../operation/AssetReservation.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import type { Usage } from "../limit/Usage.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Operation } from "../operation/Operation.ts"
import type { PayoutWallet } from "../transaction/PayoutWallet.ts"
import type { TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import type { WalletUtxo } from "../transaction/WalletUtxo.ts"
import type { Payout } from "../payout/Payout.ts"
import type { Quote } from "../pricing/Quote.ts"
import type { SweepableDeposit } from "../sweep/SweepableDeposit.ts"
import type { Sweep } from "../sweep/Sweep.ts"
import type { Destination } from "../destination/Destination.ts"

/** What a pass says of a row: nothing, or what is wrong with it, naming the row. */
export type Violation = string | undefined

/** What is known of a tenant before its rows are read. */
export interface CheckInput {
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
export interface InvariantRun {
  /** With the digest of what the log of operators' actions keeps of it. */
  readonly destination?: (row: Destination, digest: string) => Violation
  readonly customer?: (row: Customer) => Violation
  readonly account?: (row: FiatAccount) => Violation
  readonly operation?: (row: Operation) => Violation
  readonly quote?: (row: Quote) => Violation
  readonly incoming?: (row: BookedIncoming) => Violation
  readonly transaction?: (row: OutboundTransaction) => Violation
  readonly payout?: (row: Payout) => Violation
  readonly attempt?: (row: TransactionAttempt) => Violation
  readonly utxo?: (row: WalletUtxo) => Violation
  readonly wallet?: (row: PayoutWallet) => Violation
  readonly sweepable?: (row: SweepableDeposit) => Violation
  readonly sweep?: (row: Sweep) => Violation
  readonly reservation?: (row: AssetReservation) => Violation
  readonly jobs?: (row: Job) => Violation
  readonly leg?: (row: PostedLeg) => Violation
  readonly event?: (row: Event) => Violation
  readonly deposit?: (row: Deposit) => Violation
  readonly idempotencyRecord?: (row: IdempotencyRecord) => Violation
  readonly usage?: (row: Usage) => Violation
  readonly finish?: () => Violation
}

/** A rule that the records of every tenant keep at every moment. */
export interface Invariant {
  readonly name: string
  /** The rule in a sentence. */
  readonly rule: string
  readonly run: (given: CheckInput) => InvariantRun
}
