import type { Prices } from "@bursar/core/port/Prices"
import { Context, type Effect } from "effect"

/** What a world of prices can show: a source that is silent (`silence`), one that tells a price of zero (`zero`), one that says of when a price is (`dates`). */
export type PricesFeature = "silence" | "zero" | "dates"

/** Prices that a test can move, with the adapter under test. What it does not have may die, if the suite is told so. */
export class PricesWorld extends Context.Service<
  PricesWorld,
  {
    readonly prices: Prices["Service"]
    /** A currency with a price that can be set, and one that it can be exchanged for in both directions. */
    readonly currency: string
    readonly other: string
    /** What one of `other` is worth in US dollars all the time, about, as a decimal text. */
    readonly otherUsd: string
    /** Sets what `currency` is worth in US dollars, by a decimal text; null makes it unknown. Seen by the next question. */
    readonly setUsd: (usd: string | null) => Effect.Effect<void>
    /** Lets the source say of all that it tells that it is as old as this, in milliseconds. */
    readonly age: (ms: number) => Effect.Effect<void>
    /** Lets the source answer nothing until `heal`, for longer than a price stays fresh. */
    readonly silence: Effect.Effect<void>
    readonly heal: Effect.Effect<void>
  }
>()("@bursar/testkit/suites/prices/PricesWorld") {}
