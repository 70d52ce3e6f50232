import type { Fence } from "@bursar/core/engine/fenced"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { ReconcileLimits } from "./ReconcileLimits.ts"

/** What recording stands on. */
export interface Recording {
  readonly fence: Fence
  readonly currencies: CurrencyTable
  readonly limits: ReconcileLimits
}
