import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Network } from "../money/Network.ts"
import { NetworkSwitch } from "../port/NetworkSwitches.ts"

/** A switch as it is put: off for a reason, on where there is none. */
export const switched = (network: Network, reason: string | null, by: string, at: Timestamp): NetworkSwitch => ({
  network,
  payoutsOff: reason !== null,
  reason,
  changedBy: by,
  changedAt: at
})

/** Why a stop is not ended that is not the one which was given at a moment; undefined where none of the kind is. */
export const otherStop = (found: NetworkSwitch | undefined, stoppedAt: Timestamp): Refusal | undefined =>
  found?.payoutsOff === true && found.changedAt !== stoppedAt
    ? new Refusal({
        code: "state_conflict",
        message: `${found.changedBy} has stopped ${found.network} anew: ${found.reason}`
      })
    : undefined

/**
 * Switches everybody's chain payouts on a network off for a reason, or on where there is none. To stop what is stopped is a stop of its own, by the same
 * person and for the same reason, too: who has approved to end the one before did not know of it. Who says which stop is meant, by when it was given, ends
 * no other one. It is submitted for the fleet.
 */
export const switchNetwork = (
  network: Network,
  reason: string | null,
  by: string,
  stoppedAt?: Timestamp
): Command<NetworkSwitch> => ({
  name: "SwitchNetwork",
  reads: [readRecord(NetworkSwitch, network)],
  decide: (view) => {
    const one = switched(network, reason, by, view.now)
    const found = view.get(NetworkSwitch, network)
    const other = stoppedAt === undefined ? undefined : otherStop(found, stoppedAt)
    if (other !== undefined) return Result.fail(other)
    if (!one.payoutsOff && found?.payoutsOff === false && found.changedBy === by)
      return Result.succeed({ changes: [], reply: found })
    return Result.succeed({ changes: [putRecord(NetworkSwitch, one)], reply: one })
  }
})
