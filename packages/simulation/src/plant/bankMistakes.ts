import { Customer } from "@bursar/core/customer/Customer"
import type { Change } from "@bursar/core/engine/Change"
import { isPut } from "@bursar/core/engine/Records"
import { Operation, type OperationStatus } from "@bursar/core/operation/Operation"
import type { TransferOrder, TransferState } from "@bursar/core/port/FiatProvider"
import { done, refused } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"
import type { Plant } from "../world/Plant.ts"
import { changing, isPosted, postingTwice, seeing } from "./planting.ts"

/** Another order to the bank than was meant. */
const ordering = (change: (order: TransferOrder) => TransferOrder): Plant => ({
  fiat: (bank) => ({ ...bank, send: (order) => bank.send(change(order)) })
})

/** Another word of the bank than it said. */
const hearing = (change: (state: TransferState, order: TransferOrder) => TransferState): Plant => ({
  fiat: (bank) => {
    const heard = (order: TransferOrder) =>
      Effect.map((answer: Effect.Success<ReturnType<typeof bank.send>>) =>
        answer._tag === "Done" ? done(change(answer.value, order)) : answer
      )
    return {
      ...bank,
      send: (order) => heard(order)(bank.send(order)),
      transfer: (order, reference) => heard(order)(bank.transfer(order, reference))
    }
  }
})

const puts = (changes: ReadonlyArray<Change>, status: OperationStatus): boolean =>
  changes.some((one) => isPut(Operation, one) && one.record.status === status)

/** What is recorded of a transfer that stands somewhere then, with other changes. */
const recording = (status: OperationStatus, change: (changes: ReadonlyArray<Change>) => ReadonlyArray<Change>): Plant =>
  changing(["RecordTransfer"], (changes) => (puts(changes, status) ? change(changes) : changes))

const unposted = (changes: ReadonlyArray<Change>) => changes.filter((one) => !isPosted(one))

const postedTwice = (changes: ReadonlyArray<Change>) => [...changes, ...changes.filter(isPosted)]

/** A customer as if somebody had approved it. */
const checked = (customer: Customer): Customer => ({
  ...customer,
  verification: {
    provider: "verifier",
    applicantId: "",
    expiresAt: null,
    environment: "sandbox",
    decidedAt: 0,
    status: "APPROVED",
    capabilities: ["fiat_accounts", "payouts", "swaps"]
  }
})

const thief = "DE21301204000000015228"

/** Mistakes with transfers through the bank, and with customers and their accounts. */
export const bankMistakes = {
  "transfer ordered again when asked for": { fiat: (bank) => ({ ...bank, transfer: (order) => bank.send(order) }) },
  "silence of the bank taken for a refusal": {
    fiat: (bank) => ({
      ...bank,
      send: (order) =>
        Effect.map(bank.send(order), (answer) => (answer._tag === "Unknown" ? refused(answer.detail) : answer))
    })
  },
  "transfer of one cent more": ordering((order) => ({
    ...order,
    amount: { ...order.amount, units: order.amount.units + 1n }
  })),
  "transfer to a thief": ordering((order) => ({
    ...order,
    payee: order.payee === null ? null : { ...order.payee, iban: thief }
  })),
  "transfer on its way taken for settled": hearing((state, { amount }) =>
    state.status === "PROCESSING" ? { ...state, status: "SETTLED", received: amount } : state
  ),
  "transfer that nobody knows of taken for failed": hearing((state) =>
    state.status === "UNRESOLVED" ? { ...state, status: "FAILED" } : state
  ),
  "announced amount credited": hearing((state, { amount, kind }) =>
    kind === "ON_RAMP" && state.received !== null ? { ...state, received: amount } : state
  ),
  "hold of a failed transfer kept": recording("FAILED", unposted),
  "end of a transfer booked twice": recording("SETTLED", postedTwice),
  "return not booked": recording("RETURNED", unposted),
  "return booked twice": recording("RETURNED", postedTwice),
  "return booked the wrong way": recording("RETURNED", (changes) =>
    changes.map((one) =>
      one._tag === "Posted"
        ? {
            ...one,
            mayOverdraw: true,
            legs: one.legs.map((leg) => ({
              ...leg,
              direction: leg.direction === "DEBIT" ? ("CREDIT" as const) : ("DEBIT" as const)
            }))
          }
        : one
    )
  ),
  "refund not counted": changing(["CreateTransfer"], (changes) =>
    changes.filter(
      (one) => !isPut(Operation, one) || one.record.kind !== "ON_RAMP" || one.record.details.sent_at == null
    )
  ),
  "internal transfer booked twice": postingTwice(["CreateInternalTransfer"]),
  "payment to an account booked twice": postingTwice(["RecordIncoming"]),
  "payment to an account overlooked": {
    fiat: (bank) => ({
      ...bank,
      incoming: (id, after) => Effect.map(bank.incoming(id, after), (all) => all.slice(1))
    })
  },
  "unchecked customer served": seeing(["CreateSwap", "CreateTransfer", "BeginCustody"], Customer, checked)
} as const satisfies Readonly<Record<string, Plant>>
