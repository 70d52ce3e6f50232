import { Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import { openSweepQueue, sweepQueue } from "./sweepQueues.ts"

/** Looks at addresses that something may be swept from again at a moment; null takes them out of its queue. */
export const postponeRequests = (
  network: Network,
  addressIds: ReadonlyArray<string>,
  at: Timestamp | null
): Command<null> => ({
  name: "PostponeWishes",
  reads: [],
  decide: () =>
    Result.succeed({
      changes: [...new Set(addressIds)].map((id) =>
        at === null ? unschedule(sweepQueue(network), id) : schedule(sweepQueue(network), id, at)
      ),
      reply: null
    })
})

/** Looks at an open sweep again at a moment. */
export const postponeSweep = (network: Network, sweepId: string, at: Timestamp): Command<null> => ({
  name: "PostponeSweep",
  reads: [],
  decide: () => Result.succeed({ changes: [schedule(openSweepQueue(network), sweepId, at)], reply: null })
})
