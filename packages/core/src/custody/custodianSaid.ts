import type { ProviderResult } from "../port/ProviderResult.ts"
import type { ConversionState, WithdrawalState } from "../port/Custodian.ts"

/** What a custodian said of an order, in short: the same words for the same. Its reasons are not in it, which it may word anew each time. */
export const custodianSaid = (answer: ProviderResult<ConversionState | WithdrawalState>): string | undefined => {
  if (answer._tag === "Unknown") return undefined
  if (answer._tag === "Refused") return "denied"
  const state = answer.value
  const received = "received" in state ? `${state.received.units} ${state.received.currency}` : undefined
  const txHash = "txHash" in state ? state.txHash : undefined
  return [state._tag, state.providerReference, txHash, received].filter((one) => one != null).join(" ")
}
