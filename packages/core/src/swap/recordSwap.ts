import { Result } from "effect"
import { custodianTopic } from "../custody/CustodyStep.ts"
import { claimOrder, claimReads } from "../custody/claimOrder.ts"
import { notKnown, pending } from "../custody/waitOn.ts"
import { unschedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { View } from "../engine/View.ts"
import type { Leg } from "../ledger/Leg.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { concluded } from "../operation/moveOperation.ts"
import type { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import type { Answer } from "../port/Answer.ts"
import type { ConversionState } from "../port/Custodian.ts"
import { swapReads } from "./createSwap.ts"

/** What the custodian said of a conversion. */
export interface SwapReport {
  readonly operation: Operation
  readonly answer: Answer<ConversionState>
  readonly currencies: CurrencyTable
}

/** The currency that a swap converts to. */
export const toCurrencyOf = ({ details, toAmountQuoted }: Operation): string =>
  toAmountQuoted?.currency ?? String(details["to_currency"])

/**
 * What the tenant gets of what arrived: all of it, or, where a quote was used, no less than its floor and no more than it
 * promised. The difference is the service's gain or loss.
 */
export const creditedOf = (operation: Operation, received: bigint): bigint => {
  const { details, toAmountQuoted } = operation
  const floor = details["floor"]
  if (typeof floor !== "string" || toAmountQuoted === null) return received
  const [least, most] = [BigInt(floor), toAmountQuoted.units]
  return received < least ? least : received > most ? most : received
}

const settledLegs = (operation: Operation, received: Amount, credited: bigint): ReadonlyArray<Leg> => {
  const out = { currency: operation.amount.currency, units: operation.amount.units, what: "convert_out" } as const
  const into = { currency: received.currency, what: "convert_in" } as const
  const gain = received.units - credited
  return [
    { ...out, account: "exchange", direction: "DEBIT" },
    { ...out, account: "custodian", direction: "CREDIT" },
    ...(received.units === 0n
      ? []
      : [
          { ...into, account: "custodian", direction: "DEBIT", units: received.units } as const,
          { ...into, account: "exchange", direction: "CREDIT", units: received.units } as const,
          { ...into, account: "exchange", direction: "DEBIT", units: received.units } as const
        ]),
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
        ])
  ]
}

/** The mirror image of what left the balance. */
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

const failed = (
  view: View,
  currencies: CurrencyTable,
  operation: Operation,
  reason: string,
  reference: string | null
): ReadonlyArray<Change> => {
  const { changes, operation: after } = concluded(view, currencies, operation, "failed", {
    providerReference: reference ?? operation.providerReference,
    details: { ...operation.details, failure_reason: "provider_rejected", failure_detail: reason }
  })
  return [
    ...changes,
    { _tag: "Posted", operationId: after.id, legs: returnedLegs(after) },
    unschedule(custodianTopic, after.id)
  ]
}

const decide = (view: View, { answer, currencies }: SwapReport, operation: Operation): ReadonlyArray<Change> => {
  switch (answer._tag) {
    case "Unknown":
      return notKnown(view, currencies, operation, answer.detail)
    case "Refused":
      return failed(view, currencies, operation, answer.reason, null)
    case "Done": {
      const state = answer.value
      switch (state._tag) {
        case "Pending":
          return pending(view, operation, { providerReference: state.providerReference })
        case "Failed":
          return failed(view, currencies, operation, state.reason, state.providerReference)
        case "Settled": {
          const { received } = state
          if (received.currency !== toCurrencyOf(operation))
            return notKnown(view, currencies, operation, `${received.currency} was reported as received`)
          const credited = creditedOf(operation, received.units)
          if (credited <= 0n) return notKnown(view, currencies, operation, "nothing was reported as received")
          const { changes, operation: after } = concluded(view, currencies, operation, "settled", {
            providerReference: state.providerReference,
            toAmount: of(credited, received.currency)
          })
          return [
            ...changes,
            { _tag: "Posted", operationId: after.id, legs: settledLegs(after, received, credited) },
            unschedule(custodianTopic, after.id)
          ]
        }
      }
    }
  }
}

/**
 * Records what the custodian said of a conversion: on its way, settled (the two sides close against the custodian and the
 * target currency is credited), failed (the mirror image of what left the balance), or not known (flagged; nothing moves).
 */
export const recordSwap = (report: SwapReport): Command<Operation | undefined> => {
  const { operation: asked } = report
  return {
    name: "RecordSwap",
    reads: [
      { _tag: "Operation", id: asked.id },
      ...claimReads(asked, report.answer),
      ...swapReads(asked.amount.currency, toCurrencyOf(asked))
    ],
    decide: (view) => {
      const operation = view.operation(asked.id)
      if (operation === undefined || isOver(operation.status))
        return Result.succeed({ changes: [unschedule(custodianTopic, asked.id)], reply: operation })
      const { answer, changes } = claimOrder(view, operation, report.answer)
      return Result.succeed({
        changes: [...changes, ...decide(view, { ...report, answer }, operation)],
        reply: operation
      })
    }
  }
}
