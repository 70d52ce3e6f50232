import { guardKind } from "@bursar/core/transaction/guardKind"
import { reserveSweep, type SweepRequest } from "@bursar/core/sending/reserveSweep"
import { reserveTopUp } from "@bursar/core/sending/reserveTopUp"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import { Clock, Effect } from "effect"
import { failpoint } from "../transactions/Failpoint.ts"
import { submitSend } from "../transactions/submitSend.ts"
import type { Sweeping, Wallets } from "./Sweeping.ts"

const firstOf = Effect.fnUntraced(function* ({ send: { sender, traits } }: Sweeping, account: string) {
  if (guardKind(traits) !== "Sequence") return null
  const first = yield* sender.firstSequence(account)
  yield* failpoint("sweep.sequence.read")
  return first
})

/** What is moved in one transaction. */
export interface Moved {
  /** Who pays on the chain; on bitcoin the wallet. */
  readonly from: string
  readonly requests: ReadonlyArray<SweepRequest>
  readonly units: bigint
  /** The sweep whose address was given coin; null where it begins now. */
  readonly confirmed: Sweep | null
  readonly publicKeys?: ReadonlyMap<string, string>
}

/** Reserves the outbound transaction that moves. Null where what it was made from is no more. */
export const move = Effect.fn("sweep.move")(function* (
  sweeping: Sweeping,
  { tenantId, wallet }: Wallets,
  { confirmed, from, publicKeys, units, requests }: Moved
) {
  const { limits, send } = sweeping
  const guard = guardKind(send.traits)
  const first = guard === "Utxos" ? null : yield* firstOf(sweeping, from)
  const lookAt = (yield* Clock.currentTimeMillis) + limits.followMs
  const reserved = yield* submitSend(
    send,
    tenantId,
    reserveSweep({ wallet, from, requests, guard, units, first, confirmed, lookAt, ...(publicKeys && { publicKeys }) })
  )
  yield* failpoint("sweep.reserved")
  if (reserved?._tag === "Reserved") {
    yield* Effect.logInfo("sweep.reserved").pipe(
      Effect.annotateLogs({
        tenant: tenantId,
        transaction: reserved.transaction.id,
        addresses: requests.length,
        currency: requests[0]?.sweepables[0]?.currency,
        units: units.toString()
      })
    )
  }
  return reserved
})

/** Reserves the outbound transaction that gives an address coin for its fee. Null where no number is free, or what it was made from is no more. */
export const topUp = Effect.fn("sweep.topUp")(function* (
  sweeping: Sweeping,
  { all, tenantId, wallet }: Wallets,
  request: SweepRequest,
  units: bigint
) {
  const { limits, send } = sweeping
  const { traits } = send
  const most = traits.underWayMax
  const channel = [wallet, ...all.filter(({ role }) => role === "CHANNEL")].find(
    ({ openTransactions }) => openTransactions < most
  )
  if (channel === undefined) return null
  const first = yield* firstOf(sweeping, channel.address)
  const lookAt = (yield* Clock.currentTimeMillis) + limits.followMs
  const reserved = yield* submitSend(
    send,
    tenantId,
    reserveTopUp({ wallet, channel, guard: guardKind(traits), first, request, units, lookAt })
  )
  yield* failpoint("sweep.topup.reserved")
  if (reserved?._tag === "Reserved") {
    yield* Effect.logInfo("sweep.top_up_reserved").pipe(
      Effect.annotateLogs({
        tenant: tenantId,
        transaction: reserved.transaction.id,
        address: request.address,
        units: units.toString()
      })
    )
  }
  return reserved
})
