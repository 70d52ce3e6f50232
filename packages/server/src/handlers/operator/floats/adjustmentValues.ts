import type { FloatAdjustment } from "@bursar/core/adjustment/FloatAdjustment"
import { placeOfAccount } from "@bursar/core/adjustment/place"
import type { GrantValues } from "@bursar/core/grant/GrantDocument"

/** An adjustment as a grant says it. */
export const adjustmentValues = ({
  against,
  amount,
  assigns,
  corrects,
  from,
  id,
  reason
}: Pick<
  FloatAdjustment,
  "against" | "amount" | "assigns" | "corrects" | "from" | "id" | "reason"
>): GrantValues<"adjustment"> => ({
  id,
  currency: amount.currency,
  units: String(amount.units),
  against: placeOfAccount(against),
  ...(from !== null && { from: placeOfAccount(from) }),
  ...(assigns !== null && { assigns }),
  ...(corrects !== null && { corrects }),
  reason
})
