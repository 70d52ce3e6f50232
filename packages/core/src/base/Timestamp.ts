/** A moment, in Unix milliseconds. */
export type Timestamp = number

/** The moment as an RFC 3339 text in UTC. */
export const toIso = (at: Timestamp): string => new Date(at).toISOString()
