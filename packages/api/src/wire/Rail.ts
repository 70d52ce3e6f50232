import { Schema } from "effect"
import { CurrencyText, NetworkText } from "./Text.ts"

/** A currency on a network, as given by a caller. */
export const RailIn = Schema.Struct({
  currency: CurrencyText,
  network: NetworkText
}).annotate({ identifier: "RailIn" })
/** A currency on a network, as given by a caller. */
export type RailIn = typeof RailIn.Type
