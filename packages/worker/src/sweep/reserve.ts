import { tokenKind, underWayMax } from "@bursar/core/outbound/tokenKind"
import { reserveSweep, type SweepWish } from "@bursar/core/sweep/reserveSweep"
import { reserveTopUp } from "@bursar/core/sweep/reserveTopUp"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import { Clock, Effect } from "effect"
import { failpoint } from "../send/Failpoint.ts"
import { submitSend } from "../send/submitSend.ts"
import type { Sweeping, Wallets } from "./Sweeping.ts"

const firstOf = Effect.fnUntraced(function* ({ send: { sender } }: Sweeping, account: string) {
  if (tokenKind(sender.network) !== "Sequence") return null
  const first = yield* sender.firstSequence(account)
  yield* failpoint("sweep.sequence.read")
  return first
})

/** What is moved in one transaction. */
export interface Moved {
  /** Who pays on the chain; on bitcoin the wallet. */
  readonly from: string
  readonly wishes: ReadonlyArray<SweepWish>
  readonly units: bigint
  /** The sweep whose address was given coin; null where it begins now. */
  readonly confirmed: Sweep | null
  readonly publicKeys?: ReadonlyMap<string, string>
}

/** Reserves the spend that moves. Null where what it was made from is no more. */
export const move = Effect.fn("sweep.move")(function* (
  sweeping: Sweeping,
  { tenantId, wallet }: Wallets,
  { confirmed, from, publicKeys, units, wishes }: Moved
) {
  const { limits, send } = sweeping
  const first = tokenKind(send.sender.network) === "Coins" ? null : yield* firstOf(sweeping, from)
  const lookAt = (yield* Clock.currentTimeMillis) + limits.followMs
  const reserved = yield* submitSend(
    send,
    tenantId,
    reserveSweep({ wallet, from, wishes, units, first, confirmed, lookAt, ...(publicKeys && { publicKeys }) })
  )
  yield* failpoint("sweep.reserved")
  if (reserved?._tag === "Reserved") {
    yield* Effect.logInfo("what arrived is being swept").pipe(
      Effect.annotateLogs({
        tenant: tenantId,
        spend: reserved.spend.id,
        addresses: wishes.length,
        currency: wishes[0]?.intakes[0]?.currency,
        units: units.toString()
      })
    )
  }
  return reserved
})

/** Reserves the spend that gives an address coin for its fee. Null where no number is free, or what it was made from is no more. */
export const topUp = Effect.fn("sweep.topUp")(function* (
  sweeping: Sweeping,
  { all, tenantId, wallet }: Wallets,
  wish: SweepWish,
  units: bigint
) {
  const { limits, send } = sweeping
  const { network } = send.sender
  const most = underWayMax(network)
  const lender = [wallet, ...all.filter(({ role }) => role === "CHANNEL")].find(({ openSpends }) => openSpends < most)
  if (lender === undefined) return null
  const first = yield* firstOf(sweeping, lender.address)
  const lookAt = (yield* Clock.currentTimeMillis) + limits.followMs
  const reserved = yield* submitSend(send, tenantId, reserveTopUp({ wallet, lender, first, wish, units, lookAt }))
  yield* failpoint("sweep.topup.reserved")
  if (reserved?._tag === "Reserved") {
    yield* Effect.logInfo("an address is given coin for its sweep").pipe(
      Effect.annotateLogs({
        tenant: tenantId,
        spend: reserved.spend.id,
        address: wish.address,
        units: units.toString()
      })
    )
  }
  return reserved
})
