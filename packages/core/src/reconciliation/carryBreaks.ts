import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup } from "../engine/Records.ts"
import { positionKey } from "./Place.ts"
import { ReconciliationBreak } from "./ReconciliationBreak.ts"

/** The holding at a place that a currency has joined, and how many of its base units one of the currency is. */
export interface Joined {
  readonly place: string
  readonly currency: string
  readonly holding: string
  readonly factor: bigint
}

/**
 * Counts the open breaks of a currency at a place among those of the holding that it has joined, for the fleet: they stay the same breaks, with what was
 * said of them.
 */
export const carryBreaks = ({ currency, factor, holding, place }: Joined): Command<null> => {
  const group = positionKey(place, currency)
  return {
    name: "CarryBreaks",
    reads: [readGroup(ReconciliationBreak, group)],
    decide: (view) => {
      const carried = view
        .group(ReconciliationBreak, group)
        .map((one): ReconciliationBreak => ({ ...one, currency: holding, units: one.units * factor }))
      return Result.succeed({ changes: carried.map((one) => putRecord(ReconciliationBreak, one)), reply: null })
    }
  }
}
