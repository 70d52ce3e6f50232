/**
 * The events that were handled, each by its id and when it occurred: after an older database of the service was restored, another event may come
 * under an id that was given before. A receiver asks it about what was signed, never about a header's.
 */
export interface SeenEvents {
  readonly has: (id: number, occurredAt: string) => boolean | Promise<boolean>
  /** Is called once the handler is done; what it has stored survives as long as the store does. */
  readonly add: (id: number, occurredAt: string) => void | Promise<void>
}

/**
 * Keeps the last ids in the memory of this process, 10,000 unless told. After a restart an event may be handled again;
 * where that matters, keep the ids where the handler keeps its work, in the same transaction.
 */
export const memorySeenEvents = (idsMax = 10_000): SeenEvents => {
  const handled = new Map<number, string>()
  return {
    has: (id, occurredAt) => handled.get(id) === occurredAt,
    add: (id, occurredAt) => {
      handled.set(id, occurredAt)
      const [oldest] = handled.keys()
      if (handled.size > idsMax && oldest !== undefined) handled.delete(oldest)
    }
  }
}
