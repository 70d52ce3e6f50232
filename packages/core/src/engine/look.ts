import { Result } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Change } from "./Change.ts"
import type { Command } from "./Command.ts"
import type { Job, Scheduled } from "./Job.ts"

/** A look at a job, which began in one commit and ends in another: in between somebody outside is asked. */
export interface Look {
  readonly job: Pick<Job, "key" | "queue">
  /** Until when its beginning put the job off. */
  readonly putOffTo: Timestamp
}

const isOf =
  ({ key, queue }: Look["job"]) =>
  (change: Change): change is Scheduled =>
    change._tag === "Scheduled" && change.queue === queue && change.key === key

/** The command that begins a look at a job, which tells of it beside its own reply. */
export const beginLook = <A>(job: Job, command: Command<A>): Command<{ readonly look: Look; readonly reply: A }> => ({
  ...command,
  decide: (view) =>
    Result.map(command.decide(view), ({ changes, reply }) => {
      const putOffTo = changes.findLast(isOf(job))?.dueAt ?? job.dueAt
      return { changes, reply: { look: { job, putOffTo }, reply } }
    })
})

/**
 * The command that ends a look: it moves the job on to the next one, unless the job was expedited since the look began. What was answered may be older
 * than what the hint was about, and then the job stays due.
 */
export const endLook = <A>({ job, putOffTo }: Look, command: Command<A>): Command<A> => ({
  ...command,
  decide: (view) =>
    Result.map(command.decide(view), ({ changes, reply }) => ({
      changes: changes.map((change) => (isOf(job)(change) && change.dueAt !== null ? { ...change, putOffTo } : change)),
      reply
    }))
})
