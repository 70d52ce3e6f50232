import type { Read } from "../engine/Read.ts"
import { defineRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"

/**
 * How much of a currency was credited on addresses of imported keys and is not swept yet. Whoever handed over a key may have kept a copy, and may
 * move the coins before a sweep does. It is never less than what is there, and may be more where a reorganisation came between.
 */
export interface UnsweptImports {
  readonly currency: string
  readonly units: bigint
}

/** Unswept imports by their currencies. */
export const UnsweptImports = defineRecord<UnsweptImports>({
  name: "UnsweptImports",
  key: ({ currency }) => currency,
  traits: { oncePerCommand: true }
})

/** What `unsweptImports` reads, and what counts them. */
export const unsweptImportsRead = (currency: string): Read => readRecord(UnsweptImports, currency)

/** How much of a currency the tenant may still move though it is credited and its key is the service's, in base units. */
export const unsweptImports = (view: Pick<View, "get">, currency: string): bigint =>
  view.get(UnsweptImports, currency)?.units ?? 0n
