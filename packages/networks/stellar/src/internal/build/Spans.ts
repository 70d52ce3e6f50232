import type { Envelope } from "../read/Envelope.ts"

/** What was read of history without a gap, from its newest transaction down. */
export interface Span {
  /** The paging token of the newest. */
  readonly newest: bigint
  /** The paging token of the oldest. */
  readonly cursor: string
  readonly uses: ReadonlyArray<Envelope>
  /** Whether the number was seen to be leapt over. */
  readonly leapt: boolean
  readonly complete: boolean
}

/**
 * How far the histories were read that are too long for one reading, or of which a page could not be read, by account and number, the latest last.
 * Whoever likes may pay dust to an account and so make its history as long as it likes: with it, each reading goes on where the one before ended.
 */
export type Spans = Map<string, Span>

/** Of how many numbers it is remembered how far history was read: of those that were asked for last. */
const rememberedMax = 100

/** Remembers how far a history was read. */
export const remember = (spans: Spans, name: string, span: Span): void => {
  spans.delete(name)
  spans.set(name, span)
  const [oldest] = spans.keys()
  if (spans.size > rememberedMax && oldest !== undefined) spans.delete(oldest)
}
