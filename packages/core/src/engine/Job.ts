import type { TenantId } from "../tenant/Tenant.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { JobEntry } from "./JobEntry.ts"

/**
 * Something that a process of the worker is to look at. It is written in the commit that makes it due, so nothing that was
 * accepted is ever forgotten, and taken off in the commit that needs no further step.
 */
export interface Job {
  readonly tenantId: TenantId
  /** Which process takes it, such as `withdrawal` or `send:ethereum`. */
  readonly queue: string
  /** What is to be looked at: the id of an operation or of another record. One job per queue and key. */
  readonly key: string
  readonly dueAt: Timestamp
}

/** The change that puts something in a queue, or takes it off (`dueAt: null`). */
export interface Scheduled extends JobEntry {
  readonly _tag: "Scheduled"
}

/** Schedules a job, or moves it to another moment. */
export const schedule = (queue: string, key: string, dueAt: Timestamp): Scheduled => ({
  _tag: "Scheduled",
  queue,
  key,
  dueAt
})

/** Takes something out of its queue. */
export const unschedule = (queue: string, key: string): Scheduled => ({ _tag: "Scheduled", queue, key, dueAt: null })

/**
 * The key of something that a provider knows by an id of its own: `<its id>|<ours>`, or ours alone before it has one. Hints of the
 * provider name its id, and find the item by how its key begins (`JobQueue.expedite`).
 */
export const keyOfProvider = (providersId: string | null, id: string): string =>
  providersId === null ? id : `${providersId}|${id}`

/** Our own id in such a key. */
export const ownIdOf = (key: string): string => key.slice(key.lastIndexOf("|") + 1)

/** How long something rests that changed so long ago: a quarter of that, within bounds. What is new is looked at often. */
export const backoffMs = (ageMs: number, leastMs: number, mostMs: number): number =>
  Math.min(mostMs, Math.max(leastMs, Math.floor(ageMs / 4)))
