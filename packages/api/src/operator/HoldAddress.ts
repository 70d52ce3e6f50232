import { Schema } from "effect"
import { FreeText } from "../wire/Text.ts"

/** Why an operator holds the sweeping of an address. */
export const HoldAddress = Schema.Struct({ reason: FreeText }).annotate({
  identifier: "HoldAddress",
  examples: [{ reason: "The source of these funds is being looked into." }]
})
/** Why an operator holds the sweeping of an address. */
export type HoldAddress = typeof HoldAddress.Type
