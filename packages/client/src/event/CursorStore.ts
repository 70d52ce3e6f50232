/**
 * Where a consumer keeps how far it has come: the id of the last event that was handled. It need not be fast, but what
 * `save` has resolved for must survive whatever the consumer is to survive. One store serves one consumer.
 */
export interface CursorStore {
  /** The id that was saved last; undefined where none ever was. Rejects rather than start anew where it cannot be read. */
  readonly load: () => Promise<number | undefined>
  readonly save: (cursor: number) => Promise<void>
}

/** Keeps the cursor in the memory of this process, from an id on: for tests, and where every event may be handled again. */
export const memoryCursorStore = (from?: number): CursorStore => {
  let cursor = from
  return {
    load: () => Promise.resolve(cursor),
    save: (next) => {
      cursor = next
      return Promise.resolve()
    }
  }
}
