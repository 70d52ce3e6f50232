import { Result } from "effect"
import { claimOrder, claimReads } from "../custody/claimOrder.ts"
import { notKnown, pending } from "../custody/waitOn.ts"
import { custodianTopic } from "../custody/CustodyStep.ts"
import { unschedule } from "../engine/Agenda.ts"
import type { Command, Decision } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Leg } from "../ledger/Leg.ts"
import { addUsage } from "../limit/Usage.ts"
import type { Amount } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { holdReads, release, take } from "../operation/holds.ts"
import { concluded } from "../operation/moveOperation.ts"
import type { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import type { Answer } from "../port/Answer.ts"
import type { WithdrawalState } from "../port/Custodian.ts"
import { withdrawalScope, withdrawalWindowMs } from "./createWithdrawal.ts"

/** What the custodian said of a withdrawal. */
export interface WithdrawalReport {
  readonly operation: Operation
  readonly answer: Answer<WithdrawalState>
  /** Who pays for the network. */
  readonly networkFeeBorneBy: "RECEIVER" | "SERVICE"
  readonly currencies: CurrencyTable
}

const networkFeeLegs = ({ currency, units }: Amount): ReadonlyArray<Leg> =>
  units <= 0n
    ? []
    : [
        { account: "network_fees", direction: "DEBIT", currency, units, what: "network_fee" },
        { account: "custodian", direction: "CREDIT", currency, units, what: "network_fee" }
      ]

const failed = (
  view: View,
  currencies: CurrencyTable,
  operation: Operation,
  reason: string,
  reference: string | null
) => {
  const { changes, operation: after } = concluded(view, currencies, operation, "failed", {
    providerReference: reference ?? operation.providerReference,
    details: { ...operation.details, failure_reason: "provider_rejected", failure_detail: reason }
  })
  const cents = BigInt(String(operation.details["usd_cents"] ?? "0"))
  const usage = view.record("Usage", withdrawalScope)
  const windowMs = withdrawalWindowMs(view.tenant.policy)
  return [
    ...changes,
    release(after),
    putRecord(
      "Usage",
      addUsage(usage, withdrawalScope, { at: operation.createdAt, cents: -cents }, windowMs, view.now)
    ),
    unschedule(custodianTopic, operation.id)
  ]
}

const decide = (
  view: View,
  report: WithdrawalReport,
  operation: Operation
): Decision<Operation | undefined>["changes"] => {
  const { answer, currencies, networkFeeBorneBy } = report
  switch (answer._tag) {
    case "Unknown":
      return notKnown(view, currencies, operation, answer.detail)
    case "Refused":
      return failed(view, currencies, operation, answer.reason, null)
    case "Done": {
      const state = answer.value
      switch (state._tag) {
        case "Pending":
          return pending(view, operation, { providerReference: state.providerReference, txHash: state.txHash })
        case "Failed":
          return failed(view, currencies, operation, state.reason, state.providerReference)
        case "Settled": {
          const { changes, operation: after } = concluded(view, currencies, operation, "settled", {
            providerReference: state.providerReference,
            txHash: state.txHash ?? operation.txHash,
            networkFee: state.networkFee
          })
          const further =
            networkFeeBorneBy === "SERVICE" && state.networkFee !== null ? networkFeeLegs(state.networkFee) : []
          return [...changes, take(after, "custodian", further), unschedule(custodianTopic, operation.id)]
        }
      }
    }
  }
}

/**
 * Records what the custodian said of a withdrawal: on its way, settled (what was reserved is spent), failed (it is given
 * back, and does not count for the limit any more), or not known (flagged; nothing moves). An operation that is over stays
 * as it is.
 */
export const recordWithdrawal = (report: WithdrawalReport): Command<Operation | undefined> => {
  const { amount, id } = report.operation
  const state = report.answer._tag === "Done" ? report.answer.value : undefined
  const feeCurrency = state?._tag === "Settled" ? (state.networkFee?.currency ?? amount.currency) : amount.currency
  return {
    name: "RecordWithdrawal",
    reads: [
      { _tag: "Operation", id },
      readRecord("Usage", withdrawalScope),
      ...claimReads(report.operation, report.answer),
      ...holdReads(amount.currency, "custodian"),
      { _tag: "Balance", account: "network_fees", currency: feeCurrency },
      { _tag: "Balance", account: "custodian", currency: feeCurrency }
    ],
    decide: (view) => {
      const operation = view.operation(id)
      if (operation === undefined || isOver(operation.status))
        return Result.succeed({ changes: [unschedule(custodianTopic, id)], reply: operation })
      const { answer, changes } = claimOrder(view, operation, report.answer)
      return Result.succeed({
        changes: [...changes, ...decide(view, { ...report, answer }, operation)],
        reply: operation
      })
    }
  }
}
