/** The ids of the events that were handled. A receiver asks it about ids that were signed, never about a header's. */
export interface SeenEvents {
  readonly has: (id: number) => boolean | Promise<boolean>
  /** Is called once the handler is done; what it has stored survives as long as the store does. */
  readonly add: (id: number) => void | Promise<void>
}

/**
 * Keeps the last ids in the memory of this process, 10,000 unless told. After a restart an event may be handled again;
 * where that matters, keep the ids where the handler keeps its work, in the same transaction.
 */
export const memorySeenEvents = (idsMax = 10_000): SeenEvents => {
  const ids = new Set<number>()
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.add(id)
      const [oldest] = ids
      if (ids.size > idsMax && oldest !== undefined) ids.delete(oldest)
    }
  }
}
