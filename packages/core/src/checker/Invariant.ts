import type { DestinationLog } from "./destinationLog.ts"
import type { Head } from "../engine/WriteSet.ts"
import type { Event } from "../event/Event.ts"
import type { AssetReservation } from "../operation/AssetReservation.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import type { Usage } from "../limit/Usage.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Operation } from "../operation/Operation.ts"
import type { PayoutWallet } from "../transaction/PayoutWallet.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import type { Payout } from "../payout/Payout.ts"
import type { UnsweptImports } from "../operation/UnsweptImports.ts"
import type { SweepableDeposit } from "../sweep/SweepableDeposit.ts"
import type { Destination } from "../destination/Destination.ts"
import type { SubjectKind, SubjectRows } from "./subjects.ts"

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
 * One run of a pass over all of a tenant's records, which remembers no more than sums. Rows come by kind in the order of the fields here, each
 * kind in the order of its port. `finish` is asked once at the end.
 */
export interface InvariantRun {
  /** With the digest of what the log of operators' actions keeps of it. */
  readonly destination?: (row: Destination, digest: string) => Violation
  readonly operation?: (row: Operation) => Violation
  readonly transaction?: (row: OutboundTransaction) => Violation
  readonly payout?: (row: Payout) => Violation
  readonly wallet?: (row: PayoutWallet) => Violation
  readonly sweepable?: (row: SweepableDeposit) => Violation
  readonly unsweptImports?: (row: UnsweptImports) => Violation
  readonly reservation?: (row: AssetReservation) => Violation
  readonly leg?: (row: PostedLeg) => Violation
  readonly event?: (row: Event) => Violation
  readonly usage?: (row: Usage) => Violation
  readonly finish?: () => Violation
}

/** What a run over the rows of some subjects is given. */
export interface SubjectInput extends CheckInput {
  /** Whether this run is the one that sees everything of a subject. What is not its own it sees in part, and must not judge. */
  readonly owns: (subject: string) => boolean
}

/** What is said of a row of each kind. */
export type RowSteps = { readonly [K in SubjectKind]?: (row: SubjectRows[K]) => Violation }

/**
 * One run of a pass over all rows that are filed under some subjects (`subjectsOf`), in the order of the kinds. A step is shown the rows whose own subject
 * is one of them; a step of `all` is also shown those which are filed there beside.
 */
export interface SubjectRun extends RowSteps {
  /** Is shown a row before the step of its kind is. */
  readonly all?: RowSteps
  readonly finish?: () => Violation
}

/** A rule that the records of every tenant keep at every moment. */
export interface Invariant {
  readonly name: string
  /** The rule in a sentence. */
  readonly rule: string
  /** The part that looks at everything once. */
  readonly run?: (given: CheckInput) => InvariantRun
  /** The part that holds what belongs together against each other, some subjects at a time. */
  readonly bySubject?: (given: SubjectInput) => SubjectRun
}
