import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import type {
  ConversionState,
  ConvertOrder,
  Custodian,
  WithdrawalState,
  WithdrawOrder
} from "@bursar/core/port/Custodian"
import { amountText } from "../calls/facts.ts"
import type { Calling } from "../calls/noteCall.ts"

/** An order with the custodian that it names: to be sent for the `first` time, or asked about by an id of the custodian's, or ours (null). */
interface Ordering<Order> {
  readonly custodian: Custodian["Service"]
  readonly operation: Operation
  readonly order: Order
  readonly first: boolean
  readonly by: string | null
  readonly currencies: CurrencyTable
}

const asking = ({ by, order: { reference } }: Ordering<{ readonly reference: string }>) => ({
  reference,
  provider_reference: by
})

/** The call that sends a withdrawal, or asks what became of it. */
export const withdrawCall = (ordering: Ordering<WithdrawOrder>): Calling<WithdrawalState> => {
  const { by, currencies, custodian, first, operation, order } = ordering
  const { address, amount, memo, network, reference } = order
  return {
    operation,
    name: first ? "withdraw" : "withdrawal",
    call: first ? custodian.withdraw(order) : custodian.withdrawal(order, by),
    asked: first ? { reference, amount: amountText(amount, currencies), network, address, memo } : asking(ordering),
    told: (state) => ({
      state: state._tag,
      provider_reference: state.providerReference,
      ...(state._tag === "Failed" ? { reason: state.reason } : { tx_hash: state.txHash }),
      ...(state._tag === "Settled" && { network_fee: amountText(state.networkFee, currencies) })
    })
  }
}

/** The call that sends a conversion, or asks what became of it. */
export const convertCall = (ordering: Ordering<ConvertOrder>): Calling<ConversionState> => {
  const { by, currencies, custodian, first, operation, order } = ordering
  const { amount, reference, to } = order
  return {
    operation,
    name: first ? "convert" : "conversion",
    call: first ? custodian.convert(order) : custodian.conversion(order, by),
    asked: first ? { reference, amount: amountText(amount, currencies), to } : asking(ordering),
    told: (state) => ({
      state: state._tag,
      provider_reference: state.providerReference,
      ...(state._tag === "Failed" && { reason: state.reason }),
      ...(state._tag === "Settled" && {
        received: amountText(state.received, currencies),
        sold: amountText(state.sold, currencies),
        fees_beside: state.feesBeside?.map((fee) => amountText(fee, currencies)).join(", ")
      })
    })
  }
}
