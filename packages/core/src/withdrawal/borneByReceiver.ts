import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Amount } from "../money/Amount.ts"

/** What a custodian says of the network's fee for a withdrawal. */
export interface NetworkCost {
  /** Null where it is not known. */
  readonly networkFee: Amount | null
  readonly networkFeeBorneBy: "RECEIVER" | "SERVICE"
}

const untold = (message: string) => Result.fail(new Refusal({ code: "price_unavailable", message }))

/**
 * What the receiver of a withdrawal gets less than was sent: null where the service bears what the network takes. Refuses
 * (`price_unavailable`) where nobody can say what arrives: the receiver bears a fee that is not known, or is taken in another currency.
 */
export const borneByReceiver = (
  currency: string,
  { networkFee, networkFeeBorneBy }: NetworkCost
): Result.Result<Amount | null, Refusal> => {
  if (networkFeeBorneBy === "SERVICE") return Result.succeed(null)
  if (networkFee === null) return untold(`What the network takes of ${currency} is not known.`)
  return networkFee.currency === currency
    ? Result.succeed(networkFee)
    : untold(`The receiver of ${currency} bears a fee in ${networkFee.currency}.`)
}
