import { Equal } from "effect"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import { type Amount, amountText } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Rate } from "../money/Rate.ts"
import { unresolved } from "../operation/moveOperation.ts"
import { Operation, type OperationKind } from "../operation/Operation.ts"
import { noDispute } from "../operation/disputed.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import { putRecord } from "../engine/Records.ts"

/** A transfer of which the provider has said something. */
export interface TransferCase {
  readonly view: View
  readonly currencies: CurrencyTable
  readonly operation: Operation
  /** What one whole unit of currencies is worth in US dollars, as far as it is known; absent where nobody can be asked. */
  readonly usd?: ReadonlyMap<string, Rate> | undefined
  /** Set where operators say so, and not the provider itself. */
  readonly stated?: true | undefined
}

/** What it comes to: the transfer as it then stands, and what is written. */
export interface Decided {
  readonly operation: Operation
  readonly changes: ReadonlyArray<Change>
}

/** The details of an operation with more of them. */
export const withDetails = <K extends OperationKind>(
  operation: Operation<K>,
  more: NoInfer<OperationDetails<K>>
): OperationDetails<K> => ({ ...operation.details, ...more })

/** An amount as it is written for people: a provider may tell one in a currency that the table lacks. */
export const shown = ({ currencies }: Pick<TransferCase, "currencies">, amount: Amount): string =>
  amountText(currencies, amount)

/**
 * The details of an operation whose outcome is booked, or known again: whatever was disputed is not any more, and the amount, or the return, that
 * was told is no part of what may be disputed later.
 */
export const undisputed = (operation: Operation, more: OperationDetails<"ON_RAMP"> = {}): OperationDetails => {
  const { return_told: _, told: __, ...details } = withDetails(operation, { ...noDispute(operation), ...more })
  return details
}

/** Writes an operation, unless nothing of it is new. */
export const put = (before: Operation, after: Operation): ReadonlyArray<Change> =>
  before === after ? [] : [putRecord(Operation, after)]

/** Flagged once for as long as nothing is known; where it stands, and what it holds, stays. */
export const flagged = (
  { currencies, operation, view }: TransferCase,
  why: string,
  providerReference: string | null = operation.providerReference
): Decided => {
  const known = { ...operation, providerReference }
  if (operation.unresolved) {
    const after = providerReference === operation.providerReference ? operation : known
    return { operation: after, changes: put(operation, after) }
  }
  return unresolved(view, currencies, { ...known, details: withDetails(known, { unresolved_because: why }) })
}

/** Flagged because of what is said now, which is said in place of what was open of it already. */
export const flaggedAnew = (given: TransferCase, why: string): Decided => {
  const { operation } = given
  if (!operation.unresolved) return flagged(given, why)
  const after: Operation = { ...operation, details: withDetails(operation, { unresolved_because: why }) }
  return { operation: after, changes: put(operation, after) }
}

const whySuspended = ({ details }: Operation): string => details.reason ?? "what arrived is in suspense"

/** What arrived stands on `suspense`: nothing that was said of it places it, which operators have to do. */
export const inSuspense = (given: TransferCase, providerReference: string | null): Decided =>
  flagged(given, whySuspended(given.operation), providerReference)

/** The details of an operation whose money stands on `suspense`, and of which nothing else is open. */
export const onlySuspended = (operation: Operation): OperationDetails =>
  undisputed(operation, { disputed: true, unresolved_because: whySuspended(operation) })

/** What arrived stands on `suspense`, and is told as it was booked: nothing else of it is open any more. */
export const knownInSuspense = (given: TransferCase, providerReference: string | null): Decided => {
  const { operation } = given
  const details = onlySuspended(operation)
  if (!operation.unresolved || Equal.equals(details, operation.details)) return inSuspense(given, providerReference)
  const after: Operation = { ...operation, providerReference, details }
  return { operation: after, changes: put(operation, after) }
}

/**
 * Flagged because the provider tells an outcome that cannot be booked as it tells it: an amount that is missing, wrong or
 * contradicts what it told before. Only an outcome that can be booked clears it.
 */
export const disputed = (
  given: TransferCase,
  why: string,
  providerReference: string | null = given.operation.providerReference,
  more: OperationDetails<"ON_RAMP"> = {}
): Decided => {
  const { currencies, operation, view } = given
  const details = withDetails(operation, { ...more, unresolved_because: why, disputed: true })
  if (operation.unresolved && Equal.equals(details, operation.details)) return flagged(given, why, providerReference)
  const after: Operation = { ...operation, providerReference, details }
  return operation.unresolved
    ? { operation: after, changes: put(operation, after) }
    : unresolved(view, currencies, after)
}
