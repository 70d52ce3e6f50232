import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Amount } from "../money/Amount.ts"

/** Refuses an ON_RAMP of whose amount the fee would leave nothing (`below_minimum`). */
export const leavingSome = (amount: Amount, fee: Amount): Result.Result<void, Refusal> =>
  fee.units < amount.units
    ? Result.void
    : Result.fail(new Refusal({ code: "below_minimum", message: "The fee would take all that arrives." }))
