import { Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Network, NetworkTable } from "../money/Network.ts"
import { DepositAddress } from "../address/DepositAddress.ts"
import { readGroup, readRecord } from "../engine/Records.ts"
import { isSwept } from "./isSwept.ts"
import { SweepableDeposit } from "./SweepableDeposit.ts"
import { openSweepQueue, sweepQueue } from "./sweepQueues.ts"

/** Looks at addresses that something may be swept from again at a moment. */
export const postponeRequests = (
  network: Network,
  addressIds: ReadonlyArray<string>,
  at: Timestamp
): Command<null> => ({
  name: "PostponeWishes",
  reads: [],
  decide: () =>
    Result.succeed({
      changes: [...new Set(addressIds)].map((id) => schedule(sweepQueue(network), id, at)),
      reply: null
    })
})

/**
 * Takes addresses out of the queue on which nothing waited when they were looked at. What was confirmed on one since waits there, and nothing else
 * would bring it back: such an address stays in, unless it is not swept.
 */
export const endRequests = (
  network: Network,
  addressIds: ReadonlyArray<string>,
  networks: NetworkTable
): Command<null> => {
  const ids = [...new Set(addressIds)]
  return {
    name: "EndRequests",
    reads: ids.flatMap((id) => [readRecord(DepositAddress, id), readGroup(SweepableDeposit, id)]),
    decide: (view) => {
      const waits = (id: string): boolean => {
        const address = view.get(DepositAddress, id)
        return (
          address !== undefined && isSwept(address, networks) === true && view.group(SweepableDeposit, id).length > 0
        )
      }
      return Result.succeed({
        changes: ids.filter((id) => !waits(id)).map((id) => unschedule(sweepQueue(network), id)),
        reply: null
      })
    }
  }
}

/** Looks at an open sweep again at a moment. */
export const postponeSweep = (network: Network, sweepId: string, at: Timestamp): Command<null> => ({
  name: "PostponeSweep",
  reads: [],
  decide: () => Result.succeed({ changes: [schedule(openSweepQueue(network), sweepId, at)], reply: null })
})
