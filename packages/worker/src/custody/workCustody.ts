import { beginCustody, sentAtOf } from "@bursar/core/custody/beginCustody"
import { custodianTopic } from "@bursar/core/custody/CustodyStep"
import type { Fence } from "@bursar/core/engine/fenced"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { unknown } from "@bursar/core/port/Answer"
import { type ConvertOrder, Custodian, type WithdrawOrder } from "@bursar/core/port/Custodian"
import { recordSwap, toCurrencyOf } from "@bursar/core/swap/recordSwap"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { Effect } from "effect"
import { surviving } from "../agenda/surviving.ts"
import { type AgendaLimits, workAgenda } from "../agenda/workAgenda.ts"
import { submitFenced } from "../watch/submitFenced.ts"

/** How the custodian is driven. */
export interface CustodyOptions {
  readonly currencies: CurrencyTable
  readonly limits?: AgendaLimits
}

const withdrawOrder = (operation: Operation): WithdrawOrder | undefined => {
  const { amount, details, id, network } = operation
  const stored = details["destination"]
  if (network === null || typeof stored !== "object" || stored === null || Array.isArray(stored)) return undefined
  const { address, memo } = stored as { readonly [key: string]: unknown } // what is an object and no array has keys
  return typeof address !== "string"
    ? undefined
    : {
        reference: id,
        sentAt: sentAtOf(operation),
        amount,
        network,
        address,
        memo: typeof memo === "string" ? memo : null
      }
}

const convertOrder = (operation: Operation): ConvertOrder => ({
  reference: operation.id,
  sentAt: sentAtOf(operation),
  amount: operation.amount,
  to: toCurrencyOf(operation)
})

const withdraw = Effect.fnUntraced(function* (
  fence: Fence,
  operation: Operation,
  first: boolean,
  currencies: CurrencyTable
) {
  const custodian = yield* Custodian
  const order = withdrawOrder(operation)
  const answer =
    order === undefined
      ? unknown("the operation does not say where it goes")
      : yield* surviving(first ? custodian.withdraw(order) : custodian.withdrawal(order, operation.providerReference))
  const { networkFeeBorneBy } = custodian
  yield* submitFenced(fence, operation.tenantId, recordWithdrawal({ operation, answer, networkFeeBorneBy, currencies }))
})

const convert = Effect.fnUntraced(function* (
  fence: Fence,
  operation: Operation,
  first: boolean,
  currencies: CurrencyTable
) {
  const custodian = yield* Custodian
  const order = convertOrder(operation)
  const answer = yield* surviving(
    first ? custodian.convert(order) : custodian.conversion(order, operation.providerReference)
  )
  yield* submitFenced(fence, operation.tenantId, recordSwap({ operation, answer, currencies }))
})

const step = Effect.fn("custody.step")(function* (
  fence: Fence,
  tenantId: TenantId,
  operationId: string,
  { currencies }: CustodyOptions
) {
  const task = yield* submitFenced(fence, tenantId, beginCustody(operationId))
  if (task._tag === "Nothing") return
  const first = task._tag === "Send"
  yield* task.operation.kind === "SWAP"
    ? convert(fence, task.operation, first, currencies)
    : withdraw(fence, task.operation, first, currencies)
})

/**
 * Carries withdrawals and swaps to the custodian and records what becomes of them, elected as `custody`. An order is sent
 * once, after the intent was recorded; from then on it is asked for by our own reference until the answer is certain.
 */
export const workCustody = (options: CustodyOptions) =>
  workAgenda({
    name: "custody",
    topics: [custodianTopic],
    handle: (fence, { key, tenantId }) => step(fence, tenantId, key, options),
    ...(options.limits && { limits: options.limits })
  })
