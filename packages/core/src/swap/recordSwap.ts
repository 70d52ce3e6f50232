import { Equal, Result } from "effect"
import { custodianQueue } from "../custody/CustodyStep.ts"
import { claimOrder, claimReads } from "../custody/claimOrder.ts"
import { contradiction, lateAtCustodian } from "../custody/contradiction.ts"
import { custodianSaid } from "../custody/custodianSaid.ts"
import { heardLate } from "../custody/heardLate.ts"
import { heardOpen } from "../custody/heardOpen.ts"
import { storableConversion } from "../custody/storableAnswer.ts"
import {
  type CustodianFailure,
  deniedBy,
  doubted,
  failedWith,
  notKnown,
  pending,
  unbookable,
  wasTaken
} from "../custody/waitOn.ts"
import { unschedule } from "../engine/Job.ts"
import type { Read } from "../engine/Read.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { View } from "../engine/View.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { Leg } from "../ledger/Leg.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Rate } from "../money/Rate.ts"
import { noDispute } from "../operation/disputed.ts"
import { concluded } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import { unreserve, unreserveReads } from "../operation/reserveAssets.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { watchAgain } from "../operation/resolved.ts"
import { putOf, withSaid } from "../operation/said.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import type { ConversionState } from "../port/Custodian.ts"
import { floorOf } from "../pricing/floorOf.ts"
import { swapReads } from "./createSwap.ts"
import { implausibleConversion, impossibleConversion, type MadeConversion } from "./implausibleConversion.ts"
import { toCurrencyOf } from "./toCurrencyOf.ts"
import { keepingTold, withoutTold, withTold } from "./withTold.ts"
import { readRecord } from "../engine/Records.ts"

/** What the custodian said of a conversion. */
export interface SwapReport {
  readonly operation: Operation
  readonly answer: ProviderResult<ConversionState>
  readonly currencies: CurrencyTable
  /** What one whole unit of each currency is worth in US dollars, as far as it is known. */
  readonly usd?: ReadonlyMap<string, Rate | null>
  /** It is the word of two operators: what was received, and the fees, may be what the custodian alone would not be believed. */
  readonly stated?: true
}

/**
 * What the tenant gets of what arrived: all of it, or, where a quote was used, no less than its floor and no more than it
 * promised. The difference is the service's gain or loss. That something arrived at all is for the caller to know: a floor is
 * no reason to credit what nobody reported.
 */
export const creditedOf = (operation: Operation, received: bigint): bigint => {
  const [floor, quoted] = [floorOf(operation), operation.toAmountQuoted]
  if (floor === undefined || quoted === null) return received
  const [least, most] = [floor.units, quoted.units]
  return received < least ? least : received > most ? most : received
}

/**
 * How a conversion is said to be made, as it stands: by what is said now, and by what its custodian had told before and does not repeat, unless operators
 * say it. Undefined where it is not said to be made.
 */
const madeOf = ({ answer, stated }: SwapReport, operation: Operation): MadeConversion | undefined => {
  if (answer._tag !== "Done" || answer.value._tag !== "Settled") return undefined
  return stated === true ? answer.value : withTold(operation, answer.value)
}

/** Why what the custodian reports cannot be booked; undefined where it can. How far it may be from what was to come binds nobody but the custodian. */
const objection = (
  view: View,
  { currencies, stated, usd = new Map() }: SwapReport,
  operation: Operation,
  made: MadeConversion
): string | undefined =>
  impossibleConversion(operation, made, currencies) ??
  (stated === true ? undefined : implausibleConversion(operation, made, { currencies, usd, now: view.now }))

/** Fees that the custodian took beside what was received: the service bears them. */
const besideLegs = (feesBeside: ReadonlyArray<Amount>): ReadonlyArray<Leg> =>
  feesBeside.flatMap(({ currency, units }): ReadonlyArray<Leg> => {
    const leg = { currency, units, what: "convert_out" } as const
    return [
      { ...leg, account: "fees", direction: "DEBIT" },
      { ...leg, account: "custodian", direction: "CREDIT" }
    ]
  })

const settledLegs = (
  operation: Operation,
  { feesBeside = [], received }: MadeConversion,
  credited: bigint
): ReadonlyArray<Leg> => {
  const out = { currency: operation.amount.currency, units: operation.amount.units, what: "convert_out" } as const
  const into = { currency: received.currency, what: "convert_in" } as const
  const gain = received.units - credited
  return [
    { ...out, account: "exchange", direction: "DEBIT" },
    { ...out, account: "custodian", direction: "CREDIT" },
    { ...into, account: "custodian", direction: "DEBIT", units: received.units },
    { ...into, account: "exchange", direction: "CREDIT", units: received.units },
    { ...into, account: "exchange", direction: "DEBIT", units: received.units },
    { ...into, account: "float:available", direction: "CREDIT", units: credited },
    ...(gain === 0n
      ? []
      : [
          {
            ...into,
            account: "fees",
            direction: gain > 0n ? "CREDIT" : "DEBIT",
            units: gain > 0n ? gain : -gain
          } as const
        ]),
    ...besideLegs(feesBeside)
  ]
}

/** What the custodian told of the end of a conversion, as the details of its operation keep it. */
const settledDetails = ({ feesBeside = [], received }: MadeConversion): OperationDetails<"SWAP"> => ({
  received: received.units.toString(),
  fees_beside: feesBeside.map(({ currency, units }) => ({ currency, units: units.toString() }))
})

const returnedLegs = ({ amount, customerFee }: Operation): ReadonlyArray<Leg> => {
  const leg = { currency: amount.currency, what: "return" } as const
  return [
    { ...leg, account: "exchange", direction: "DEBIT", units: amount.units },
    { ...leg, account: "float:available", direction: "CREDIT", units: amount.units },
    ...(customerFee.units === 0n
      ? []
      : [
          { ...leg, account: "fees", direction: "DEBIT", units: customerFee.units } as const,
          { ...leg, account: "float:available", direction: "CREDIT", units: customerFee.units } as const
        ])
  ]
}

/** The mirror image of what left the balance. */
export const giveBack = (operation: Operation): Change => ({
  _tag: "Posted",
  operationId: operation.id,
  legs: returnedLegs(operation)
})

const failed = (
  view: View,
  currencies: CurrencyTable,
  operation: Operation,
  failure: CustodianFailure
): ReadonlyArray<Change> => {
  const { changes, operation: after } = concluded(
    view,
    currencies,
    operation,
    "failed",
    failedWith(view, operation, failure)
  )
  return [...changes, giveBack(after), ...unreserve(view, operation), watchAgain(custodianQueue, after, view.now)]
}

/** What becomes of a conversion that is said to be made. */
const settled = (view: View, report: SwapReport, operation: Operation, made: MadeConversion): ReadonlyArray<Change> => {
  const { currencies } = report
  const { providerReference, received } = made
  // what its fees are booked on was read with it
  if (!Equal.equals(made, madeOf(report, report.operation)))
    return notKnown(view, currencies, operation, "more was told of it since it was read", providerReference)
  const why = objection(view, report, operation, made)
  if (why !== undefined) return unbookable(view, currencies, keepingTold(operation, made), why, providerReference)
  const credited = creditedOf(operation, received.units)
  const { changes, operation: after } = concluded(view, currencies, operation, "settled", {
    providerReference,
    toAmount: of(credited, received.currency),
    details: { ...withoutTold(operation), ...noDispute(operation), ...settledDetails(made) }
  })
  return [
    ...changes,
    { _tag: "Posted", operationId: after.id, legs: settledLegs(after, made, credited), happened: true },
    ...unreserve(view, operation),
    unschedule(custodianQueue, after.id)
  ]
}

const decide = (view: View, report: SwapReport, operation: Operation): ReadonlyArray<Change> => {
  const { answer, currencies } = report
  switch (answer._tag) {
    case "Unknown":
      return notKnown(view, currencies, operation, answer.detail)
    case "Refused":
      return wasTaken(operation)
        ? notKnown(view, currencies, operation, deniedBy(answer))
        : failed(view, currencies, operation, { reason: answer.reason, reference: null })
    case "Done": {
      const state = answer.value
      switch (state._tag) {
        case "Pending":
          return pending(view, operation, { providerReference: state.providerReference })
        case "Failed":
          return (
            doubted(view, report, operation, state.providerReference) ??
            failed(view, currencies, operation, { reason: state.reason, reference: state.providerReference })
          )
        case "Settled":
          return settled(view, report, operation, madeOf(report, operation) ?? state)
      }
    }
  }
}

const besideReads = (made: MadeConversion | undefined): ReadonlyArray<Read> =>
  (made?.feesBeside ?? []).flatMap(({ currency }): ReadonlyArray<Read> => [
    { _tag: "Balance", account: "fees", currency },
    ...placeReads("custodian", currency)
  ])

/**
 * Records what the custodian said of a conversion: on its way, settled (the two sides close against the custodian and the
 * target currency is credited), failed (the mirror image of what left the balance), or not known (flagged; nothing moves).
 * What failed is asked about for a while, and what is over stays as it is. That it was made under
 * another id is noted, and no failure is believed then.
 * Nothing received, another currency, and more sold than was ordered are not known, quote or none; so is what is far from what was to
 * come (`implausibleConversion`), and that the custodian denies an order which it had. A later word that says less of what was told takes nothing of it
 * back (`withTold`).
 */
export const recordSwap = (heard: SwapReport): Command<Operation | undefined> => {
  const report = { ...heard, answer: storableConversion(heard.answer) }
  const { operation: asked } = report
  return {
    name: "RecordSwap",
    reads: [
      readRecord(Operation, asked.id),
      ...besideReads(madeOf(report, asked)),
      ...claimReads(asked, report.answer),
      ...unreserveReads(asked),
      ...swapReads(asked.amount.currency, toCurrencyOf(asked))
    ],
    decide: (view) => {
      const operation = view.get(Operation, asked.id)
      if (operation === undefined)
        return Result.succeed({ changes: [unschedule(custodianQueue, asked.id)], reply: operation })
      if (isOver(operation.status)) {
        const { changes, operation: after } = heardLate(view, operation, report.answer, lateAtCustodian)
        return Result.succeed({ changes, reply: after })
      }
      const known = report.stated === true ? operation : heardOpen(view, operation, report.answer, contradiction)
      const { answer, changes } = claimOrder(view, known, report.answer, report.stated)
      const all = withSaid(
        [...changes, ...decide(view, { ...report, answer }, known)],
        operation,
        // also what is no answer: operators decide on all that was said
        custodianSaid(report.answer)
      )
      return Result.succeed({ changes: all, reply: putOf(all, operation.id) ?? operation })
    }
  }
}
