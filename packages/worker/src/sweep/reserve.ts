import type { GuardPlan, SweepPlan } from "@bursar/core/port/TransactionPlanner"
import { type ReservedSweep, reserveSweep, type SweepRequest } from "@bursar/core/sweep/reserveSweep"
import { reserveTopUp } from "@bursar/core/sweep/reserveTopUp"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import { Clock, Effect, Result } from "effect"
import { guardRequest } from "../transactions/Accounts.ts"
import { type Planned, submitPlan } from "../transactions/submitSend.ts"
import type { Sweeping, Wallets } from "./Sweeping.ts"

/** What is moved in one transaction. */
export interface Moved {
  readonly plan: Extract<SweepPlan, { readonly _tag: "Sweep" }>
  readonly requests: ReadonlyArray<SweepRequest>
  /** The sweep whose address was given coin; null where it begins now. */
  readonly confirmed: Sweep | null
}

/** Reserves the outbound transaction that moves deposits as planned. */
export const move = Effect.fn("sweep.move")(function* (
  { limits, send }: Sweeping,
  { tenantId, wallet }: Wallets,
  { confirmed, plan: { from, guard, units }, requests }: Moved
) {
  const lookAt = (yield* Clock.currentTimeMillis) + limits.followMs
  const reserved = yield* submitPlan(
    send,
    tenantId,
    reserveSweep({ wallet, from, requests, guard, units, confirmed, lookAt }, send.currencies.networks)
  )
  if (reserved._tag === "Done" && reserved.reply._tag === "Reserved") {
    yield* Effect.logInfo("sweep.reserved").pipe(
      Effect.annotateLogs({
        tenant: tenantId,
        transaction: reserved.reply.transaction.id,
        addresses: requests.length,
        currency: requests[0]?.sweepables[0]?.currency,
        units: units.toString()
      })
    )
  }
  return reserved
})

/** A gift of the native asset to an address, as planned. */
export interface Given {
  readonly request: SweepRequest
  readonly units: bigint
  readonly guard: GuardPlan
}

/** Reserves the outbound transaction that gives an address the native asset for its fee. */
export const topUp = Effect.fn("sweep.topUp")(function* (
  { limits, send }: Sweeping,
  { channels, tenantId, wallet }: Wallets,
  { guard: plan, request, units }: Given
) {
  const guard = guardRequest([wallet, ...channels], plan)
  const lookAt = (yield* Clock.currentTimeMillis) + limits.followMs
  const reserved: Planned<ReservedSweep> = Result.isFailure(guard)
    ? { _tag: "PlanRefused", detail: guard.failure }
    : yield* submitPlan(
        send,
        tenantId,
        reserveTopUp({ wallet, guard: guard.success, request, units, lookAt }, send.currencies.networks)
      )
  if (reserved._tag === "Done" && reserved.reply._tag === "Reserved") {
    yield* Effect.logInfo("sweep.top_up_reserved").pipe(
      Effect.annotateLogs({
        tenant: tenantId,
        transaction: reserved.reply.transaction.id,
        address: request.address,
        units: units.toString()
      })
    )
  }
  return reserved
})
