import type { Amount } from "../money/Amount.ts"
import type { TransferState } from "../port/FiatProvider.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"

const inShort = (what: string, amount: Amount | null): ReadonlyArray<string> =>
  amount === null ? [] : [`${what} ${amount.units} ${amount.currency}`]

/** How it stands with a transfer, as a bank said it, in short: the same words for the same. */
export const stateSaid = ({
  providerReference,
  received,
  returned,
  status
}: Pick<TransferState, "providerReference" | "received" | "returned" | "status">): string =>
  [status, providerReference, ...inShort("received", received), ...inShort("returned", returned)].join(" ")

/** What a bank said of a transfer, in short: the same words for the same. Its reasons are not in it, which it may word anew each time. */
export const bankSaid = (answer: ProviderResult<TransferState>): string | undefined => {
  if (answer._tag === "Unknown") return undefined
  if (answer._tag === "Refused") return "denied"
  return stateSaid(answer.value)
}
