import { Schema } from "effect"
import { FreeText, maybe } from "./Text.ts"

/** Sets or releases the tenant's hold on sweeping an address. */
export const SweepHold = Schema.Struct({
  held: Schema.Boolean,
  reason: FreeText,
  seen_through: maybe(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
      description: "Only with `held` false: the `change_seq` up to which you have read GET /v1/deposits."
    })
  )
}).annotate({
  identifier: "SweepHold",
  examples: [{ held: false, reason: "Source of funds checked.", seen_through: 41 }]
})
/** Sets or releases the tenant's hold on sweeping an address. */
export type SweepHold = typeof SweepHold.Type
