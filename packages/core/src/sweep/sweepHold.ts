import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { holdOf } from "../address/holdOf.ts"
import { schedule } from "../engine/Job.ts"
import type { View } from "../engine/View.ts"
import { sweepQueue } from "./sweepQueues.ts"
import { DepositAddress, serviceHoldsKey, type SweepHold } from "../address/DepositAddress.ts"
import { noSuchAddress } from "../address/retireAddress.ts"
import { putRecord, readRecord, readNewest } from "../engine/Records.ts"
import { NewestDeposit } from "../deposit/Deposit.ts"

/** What a tenant wants of the hold on one of its addresses. */
export interface SetSweepHold {
  readonly addressId: string
  readonly held: boolean
  readonly reason: string
  /** The `change_seq` that the tenant has read deposits through, or null. */
  readonly seenThrough: number | null
}

const decideOn =
  (
    id: string,
    change: (view: View, address: DepositAddress) => Result.Result<SweepHold | null, Refusal>
  ): Command<DepositAddress>["decide"] =>
  (view) => {
    const address = view.get(DepositAddress, id)
    if (address === undefined) return Result.fail(noSuchAddress())
    if (!serviceHoldsKey(address.origin)) {
      return Result.fail(
        new Refusal({
          code: "state_conflict",
          message: "The service holds no key for this address and does not sweep it; there is nothing to hold."
        })
      )
    }
    return Result.map(change(view, address), (sweepHold) => {
      if (sweepHold === address.sweepHold) return { changes: [], reply: address }
      const changed: DepositAddress = { ...address, sweepHold }
      return {
        changes: [
          putRecord(DepositAddress, changed),
          // what arrived while it was held may be moved now
          ...(sweepHold === null ? [schedule(sweepQueue(address.network), id, view.now)] : [])
        ] as const,
        reply: changed
      }
    })
  }

/** The tenant's own hold. That of an operator stays on top of it, and the tenant's comes back when the operator lets go. */
const held = (view: View, before: SweepHold | null, reason: string): SweepHold => {
  const own = before?.kind === "OPERATOR" ? (before.over ?? null) : before
  const next =
    own?.kind === "OWNER" ? (own.reason === reason ? own : { ...own, reason }) : holdOf("OWNER", reason, view.now)
  if (before?.kind !== "OPERATOR") return next
  return next === before.over ? before : { ...before, over: next }
}

/**
 * Holds or releases the sweeping of an address for its tenant; repeating changes nothing.
 *
 * **Details**
 *
 * A release must have seen the newest arrival on the address (`sweep_newer_arrival`), and cannot undo an operator's hold
 * (`sweep_hold_by_operator`). Addresses whose key the service does not hold are never swept: `state_conflict`. `not_found` where
 * the tenant has no such address.
 */
export const setSweepHold = ({
  addressId,
  held: wanted,
  reason,
  seenThrough
}: SetSweepHold): Command<DepositAddress> => ({
  name: "SetSweepHold",
  reads: [readRecord(DepositAddress, addressId), readNewest(NewestDeposit, addressId)],
  decide: decideOn(addressId, (view, { sweepHold }) => {
    if (wanted) return Result.succeed(held(view, sweepHold, reason))
    if (sweepHold === null) return Result.succeed(null)
    if (sweepHold.kind === "OPERATOR") {
      return Result.fail(
        new Refusal({
          code: "sweep_hold_by_operator",
          message: "An operator has set this hold; only an operator can release it."
        })
      )
    }
    const newest = view.newest(NewestDeposit, addressId)?.changeSeq ?? 0
    if ((seenThrough ?? 0) < newest) {
      return Result.fail(
        new Refusal({
          code: "sweep_newer_arrival",
          message: "A newer deposit exists on the address; read further in GET /v1/deposits and release again.",
          detail: { newest_change_seq: newest }
        })
      )
    }
    return Result.succeed(null)
  })
})

/**
 * Holds the sweeping of an address for the service's operators, whatever else holds it. To hold what they hold is a hold of its own, for the same reason,
 * too: who is about to end the one before does not know of it. `not_found`, and `state_conflict` where the service holds no key for it.
 */
export const holdByOperator = (addressId: string, reason: string): Command<DepositAddress> => ({
  name: "HoldByOperator",
  reads: [readRecord(DepositAddress, addressId)],
  decide: decideOn(addressId, (view, { sweepHold }) =>
    Result.succeed({
      ...(sweepHold?.kind === "OPERATOR" ? sweepHold : sweepHold === null ? {} : { over: sweepHold }),
      ...holdOf("OPERATOR", reason, view.now)
    })
  )
})

const otherHold = ({ kind, reason }: SweepHold): Refusal =>
  new Refusal({
    code: "state_conflict",
    message: `Another hold stands on the address by now (${kind}): ${reason}`
  })

/**
 * Lets go of a hold for the operators: theirs, or one that the service placed on its own. What the tenant holds is the
 * tenant's to release (`state_conflict`) and comes back from under an operator's hold. Who says which hold is meant, by when it was placed, ends no other
 * one (`state_conflict`).
 */
export const releaseByOperator = (addressId: string, heldAt?: Timestamp): Command<DepositAddress> => ({
  name: "ReleaseByOperator",
  reads: [readRecord(DepositAddress, addressId)],
  decide: decideOn(addressId, (_view, { sweepHold }) => {
    if (sweepHold === null) return Result.succeed(null)
    if (sweepHold.kind === "OWNER")
      return Result.fail(
        new Refusal({
          code: "state_conflict",
          message: "The tenant has set this hold; only the tenant can release it."
        })
      )
    if (heldAt !== undefined && sweepHold.heldAt !== heldAt) return Result.fail(otherHold(sweepHold))
    return Result.succeed(sweepHold.over ?? null)
  })
})
