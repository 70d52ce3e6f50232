import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import type { ConversionState, Custodian, WithdrawalState } from "@bursar/core/port/Custodian"
import { Effect } from "effect"
import { type CustodianWorld, newConversion, newWithdrawal, type OrderKind } from "./CustodianWorld.ts"

/** What both kinds of orders answer. */
export type OrderState = WithdrawalState | ConversionState

/** An order of either kind, and what can be done with it. */
export interface AnyOrder {
  readonly currency: string
  readonly send: (custodian: Custodian["Service"]) => Effect.Effect<ProviderResult<OrderState>>
  readonly ask: (
    custodian: Custodian["Service"],
    providerReference: string | null
  ) => Effect.Effect<ProviderResult<OrderState>>
  /** The same, as if it had been sent so long ago. */
  readonly aged: (ms: number) => AnyOrder
  /** The same of another amount. */
  readonly of: (units: bigint) => AnyOrder
}

const withdrawal = (order: Effect.Success<typeof newWithdrawal>): AnyOrder => ({
  currency: order.amount.currency,
  send: (custodian) => custodian.withdraw(order),
  ask: (custodian, providerReference) => custodian.withdrawal(order, providerReference),
  aged: (ms) => withdrawal({ ...order, sentAt: order.sentAt - ms }),
  of: (units) => withdrawal({ ...order, amount: { ...order.amount, units } })
})

const conversion = (order: Effect.Success<ReturnType<typeof newConversion>>): AnyOrder => ({
  currency: order.amount.currency,
  send: (custodian) => custodian.convert(order),
  ask: (custodian, providerReference) => custodian.conversion(order, providerReference),
  aged: (ms) => conversion({ ...order, sentAt: order.sentAt - ms }),
  of: (units) => conversion({ ...order, amount: { ...order.amount, units } })
})

/** An order that was never made. */
export const newOrder = (kind: OrderKind): Effect.Effect<AnyOrder, never, CustodianWorld> =>
  kind === "withdrawal" ? Effect.map(newWithdrawal, withdrawal) : Effect.map(newConversion(), conversion)
