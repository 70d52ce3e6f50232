import type { Read } from "../engine/Read.ts"
import { defineRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { inBaseUnits } from "../money/Amount.ts"

/**
 * How much of a currency adjustments have taken out of suspense, in all, without naming the arrival that they took. Nothing says whose that was, and
 * putting something back does not say it either, so it never falls.
 */
export interface SuspenseTaken {
  readonly currency: string
  readonly units: bigint
}

/** What was taken out of suspense unnamed, by currency. */
export const SuspenseTaken = defineRecord<SuspenseTaken>({
  name: "SuspenseTaken",
  key: ({ currency }) => currency,
  traits: { oncePerCommand: true }
})

/** What `suspenseTaken` reads. */
export const suspenseTakenRead = (currency: string): Read => readRecord(SuspenseTaken, currency)

/** How much of a currency adjustments have taken out of suspense without naming an arrival, in base units. */
export const suspenseTaken = (view: Pick<View, "get">, currency: string): bigint =>
  view.get(SuspenseTaken, currency)?.units ?? 0n

/** How somebody may have been given an arrival by an adjustment that has named none, in words; undefined where none has taken anything. */
export const takenUnnamed = (view: Pick<View, "get">, currency: string): string | undefined => {
  const taken = suspenseTaken(view, currency)
  return taken === 0n
    ? undefined
    : `it may have been credited: adjustments that name no arrival have taken ${inBaseUnits({ currency, units: taken })} out of suspense, in all`
}
