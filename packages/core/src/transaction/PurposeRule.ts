import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Leg } from "../ledger/Leg.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { TransactionStatus } from "../port/ChainSender.ts"
import type { OutboundTransaction, TransactionPurpose } from "./OutboundTransaction.ts"
import type { TransactionAttempt } from "./TransactionAttempt.ts"

/** What an end is drawn with. */
export interface Ending {
  readonly currencies: CurrencyTable
  /** The transactions that were given as evidence, and that the chain was asked about. None where absent. */
  readonly evidence?: ReadonlyArray<string>
}

/** An attempt of an outbound transaction that is final. */
export interface FinalAttempt extends Ending {
  readonly attempt: TransactionAttempt
  readonly status: Extract<TransactionStatus, { readonly _tag: "Final" }>
  /** The legs of what the network took. */
  readonly cost: ReadonlyArray<Leg>
}

/** The proof that no attempt of an outbound transaction can take effect. */
export interface Invalidation extends Ending {
  readonly status: Extract<TransactionStatus, { readonly _tag: "Invalidated" }>
}

/**
 * What becomes of the purpose of an outbound transaction that cannot be built or signed: it is tried again later, waits until an operator
 * decides, or fails.
 */
export type ReleaseOutcome =
  | {
      readonly _tag: "Requeue"
      readonly reason: string
      readonly detail: string
      readonly at: Timestamp
      /** Each payment is to be tried by itself. */
      readonly alone: boolean
      /** Why some of the payments wait for an operator instead, by their operations. None does where absent. */
      readonly held?: ReadonlyMap<string, { readonly reason: string; readonly detail: string }>
    }
  | { readonly _tag: "Hold"; readonly reason: string; readonly detail: string }
  | { readonly _tag: "Fail"; readonly reason: "destination_invalid" }

/**
 * What a feature does as the outbound transactions of its purpose live and end. `transaction/` decides when and commits it with the
 * transaction's own changes; the feature decides what follows for payouts, sweeps and accounts. A feature makes its rule in its own
 * folder with what differs from {@link nothingFollows}; `purposes.ts` lists all rules.
 */
export interface PurposeRule {
  /** What every change of the transaction reads for it. */
  readonly reads: (transaction: OutboundTransaction) => ReadonlyArray<Read>
  /** What the end of the transaction reads for it, beside `reads`. */
  readonly endReads: (transaction: OutboundTransaction, currencies: CurrencyTable) => ReadonlyArray<Read>
  /** What an end that asks for evidence reads for it; `hashes` are the transactions that the chain was asked about. */
  readonly evidenceReads: (transaction: OutboundTransaction, hashes: ReadonlyArray<string>) => ReadonlyArray<Read>
  /** What follows from any change of the transaction; `before` is null where it begins. */
  readonly changed: (
    view: View,
    before: OutboundTransaction | null,
    after: OutboundTransaction
  ) => ReadonlyArray<Change>
  /** Why an attempt that pays some operations does not belong to the transaction any more; undefined where it does. */
  readonly contradiction: (
    view: View,
    transaction: OutboundTransaction,
    pays: ReadonlyArray<string>
  ) => string | undefined
  /** An attempt was signed, and is stored in the same commit. */
  readonly signed: (view: View, transaction: OutboundTransaction, attempt: TransactionAttempt) => ReadonlyArray<Change>
  /** A node has an attempt, or may have it. */
  readonly sent: (view: View, transaction: OutboundTransaction) => ReadonlyArray<Change>
  /** It is not known what becomes of the transaction. */
  readonly unresolved: (
    view: View,
    transaction: OutboundTransaction,
    currencies: CurrencyTable
  ) => ReadonlyArray<Change>
  /**
   * An attempt is final. `bearsCost` says that the changes post what the network took; else the transaction posts it itself. Fails with
   * what a person has to find out where it cannot be said what follows: then nothing ends.
   */
  readonly settled: (
    view: View,
    transaction: OutboundTransaction,
    final: FinalAttempt
  ) => Result.Result<{ readonly changes: ReadonlyArray<Change>; readonly bearsCost: boolean }, string>
  /** No attempt can take effect. Fails as `settled` does. */
  readonly invalidated: (
    view: View,
    transaction: OutboundTransaction,
    invalidation: Invalidation
  ) => Result.Result<ReadonlyArray<Change>, string>
  /** The transaction was given up before anything was signed. It reads `evidenceReads`. */
  readonly released: (
    view: View,
    transaction: OutboundTransaction,
    given: Ending & { readonly outcome: ReleaseOutcome }
  ) => ReadonlyArray<Change>
}

/** The problem of a final attempt that succeeded and did not do what it was signed for. */
export const effectMissing = (hash: string): string =>
  `${hash} is final and succeeded, yet what it was to pay is not there.`

/** The rule of a purpose that nothing follows for beside what happens to the transaction itself. */
export const nothingFollows: PurposeRule = {
  reads: () => [],
  endReads: () => [],
  evidenceReads: () => [],
  changed: () => [],
  contradiction: () => undefined,
  signed: () => [],
  sent: () => [],
  unresolved: () => [],
  settled: (_view, _transaction, { status }) =>
    status.effect === "missing"
      ? Result.fail(effectMissing(status.hash))
      : Result.succeed({ changes: [], bearsCost: false }),
  invalidated: () => Result.succeed([]),
  released: () => []
}

/** What follows for the account that lends its sequence to transactions of other accounts. */
export interface LendingRule {
  readonly reads: (transaction: OutboundTransaction) => ReadonlyArray<Read>
  /** A transaction was released because funds were missing: the account that lent its sequence may have run out of them. */
  readonly unfunded: (view: View, transaction: OutboundTransaction) => ReadonlyArray<Change>
}

/** What all features do as outbound transactions live and end. */
export interface PurposeRules {
  readonly of: Readonly<Record<TransactionPurpose, PurposeRule>>
  readonly lending: LendingRule
}

/** The rule of an outbound transaction's purpose. */
export const ruleOf = (purposes: PurposeRules, { purpose }: Pick<OutboundTransaction, "purpose">): PurposeRule =>
  purposes.of[purpose]

/**
 * What has to hold for the first attempt of a transaction to be stored. A feature makes it for one transaction from what it has read,
 * because the reads of a command stand before it is decided.
 */
export interface SigningConditions {
  /** The purposes of transactions that it may be asked of. */
  readonly purposes: ReadonlyArray<TransactionPurpose>
  readonly reads: ReadonlyArray<Read>
  /** Why the transaction may not be signed as things stand; undefined where it may. */
  readonly objection: (view: View, transaction: OutboundTransaction) => string | undefined
}

/**
 * The conditions of a purpose that moves nothing which is owed to anybody. They are those of this purpose alone: what was built to give
 * an address funds must not be stored once the transaction only uses its sequence up.
 */
export const unconditional = (purpose: TransactionPurpose): SigningConditions => ({
  purposes: [purpose],
  reads: [],
  objection: () => undefined
})
