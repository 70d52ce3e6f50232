import type { Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { ProviderError } from "./ProviderError.ts"

/** One line of a provider's own books: what it holds for the service has grown or fallen. */
export interface ToldLine {
  /** The provider's id of the line: one for each, for ever. */
  readonly id: string
  readonly at: Timestamp
  readonly currency: string
  /** Above zero where what it holds has grown, below zero where it has fallen. Never zero. */
  readonly units: bigint
  /** What the line says that it is about: ids of orders, ours or the provider's. Empty where it names none. */
  readonly references: ReadonlyArray<string>
  readonly text: string
}

/** Tells the lines from a moment on and before another, oldest first. */
export type ReadStatement = (
  since: Timestamp,
  until: Timestamp
) => Effect.Effect<ReadonlyArray<ToldLine>, ProviderError>
