import type { Amount } from "../money/Amount.ts"
import type { TransferState } from "../port/FiatProvider.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"

const inShort = (what: string, amount: Amount | null): ReadonlyArray<string> =>
  amount === null ? [] : [`${what} ${amount.units} ${amount.currency}`]

/** What a bank said of a transfer, in short: the same words for the same. Its reasons are not in it, which it may word anew each time. */
export const bankSaid = (answer: ProviderResult<TransferState>): string | undefined => {
  if (answer._tag === "Unknown") return undefined
  if (answer._tag === "Refused") return "denied"
  const { providerReference, received, returned, status } = answer.value
  return [status, providerReference, ...inShort("received", received), ...inShort("returned", returned)].join(" ")
}
