import type { Timestamp } from "../base/Timestamp.ts"

/** What a commit makes of a job; a `dueAt` of null removes it. */
export interface JobEntry {
  readonly queue: string
  readonly key: string
  readonly dueAt: Timestamp | null
  /** Set where it ends a look that had put the job off until then (`endLook`): a job that is due before was expedited since, and stays so. */
  readonly putOffTo?: Timestamp
}

/** When a job is due once an entry of a moment is written. `before` is when it was; undefined where there was none. */
export const dueAfter = (
  before: Timestamp | undefined,
  { dueAt, putOffTo }: { readonly dueAt: Timestamp; readonly putOffTo?: Timestamp | undefined }
): Timestamp => (before !== undefined && putOffTo !== undefined && before < putOffTo ? Math.min(before, dueAt) : dueAt)

/** What two commands of one batch make of the same job, the later after the earlier. */
export const jobAfter = (before: JobEntry | undefined, then: JobEntry): JobEntry => {
  const { dueAt, putOffTo, ...job } = then
  if (before === undefined || dueAt === null || putOffTo === undefined) return then
  // what the batch itself has put is known: no condition is left
  if (before.dueAt === null) return { ...job, dueAt }
  const after = { ...job, dueAt: dueAfter(before.dueAt, { dueAt, putOffTo }) }
  return before.putOffTo === undefined ? after : { ...after, putOffTo: Math.min(before.putOffTo, putOffTo) }
}
