import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Job } from "@bursar/core/engine/Job"
import type { ChainError } from "@bursar/core/port/Chain"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { Queries } from "@bursar/core/store/Queries"
import { closeSweep, abandonSweep } from "@bursar/core/sweep/closeSweep"
import { type Loss, loseSweeps } from "@bursar/core/sweep/loseSweeps"
import { confirmTopUp } from "@bursar/core/sweep/confirmTopUp"
import { sweepableKey, SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { postponeSweep } from "@bursar/core/sweep/postponeSweeps"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { takenElsewhere } from "@bursar/core/sweep/takenElsewhere"
import { sweepAccountKey, SweepAccount } from "@bursar/core/sweep/SweepAccount"
import { openSweepQueue } from "@bursar/core/sweep/sweepQueues"
import { lookNow } from "@bursar/core/transaction/lookNow"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { apart, unlessStorageFails } from "../queue/apart.ts"
import { submitSend } from "../transactions/submitSend.ts"
import { drawnWallet } from "../transactions/usableWallets.ts"
import { countSweep } from "./metrics.ts"
import { meetingAfter } from "./meeting.ts"
import { mayHaveMovedBefore } from "./movedBefore.ts"
import { planSweep } from "./planSweep.ts"
import { move } from "./reserve.ts"
import { someWaiting } from "./someWaiting.ts"
import type { Sweeping, SweepWork } from "./Sweeping.ts"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { firstWallet, PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

const lookLater = Effect.fnUntraced(function* ({ limits, send }: Sweeping, tenantId: TenantId, { id, network }: Sweep) {
  const at = (yield* Clock.currentTimeMillis) + limits.followMs
  yield* submitSend(send, tenantId, postponeSweep(network, id, at))
})

/** When to try again after a sweep of an account was given up. On bitcoin at the moment of what is not worth it by itself: with others it may be. */
const retryAfter = (
  { limits: { reconsiderMs, retryFirstMs, retryLongestMs }, send: { traits } }: Sweeping,
  failures: number,
  now: Timestamp
): Timestamp => {
  const at = now + Math.min(retryLongestMs, retryFirstMs * 2 ** Math.min(failures, 20))
  return traits.accountModel === "utxo" ? meetingAfter(at, reconsiderMs) : at
}

/**
 * Which addresses wait for an account that all of them share, and are due when the last of its sweeps has moved its deposits: what was found meanwhile waits
 * for the next common moment, at which a sweep of what comes all the time would be open again.
 */
const waitingFor = Effect.fnUntraced(function* (
  { limits: { itemsPerPassMax, reconsiderMs, sweepsAtOnce }, send: { sender, traits } }: Sweeping,
  tenantId: TenantId,
  owner: SweepAccount | undefined
) {
  // of more than are closed at once this one is not the last
  if (traits.issues !== "muxed" || owner === undefined || owner.sweepIds.length > sweepsAtOnce) return []
  const meeting = meetingAfter(yield* Clock.currentTimeMillis, reconsiderMs)
  return yield* someWaiting(tenantId, sender.network, meeting, itemsPerPassMax)
})

/** Lets go of a sweep that is over. Where a deposit of it was taken, it is known first whether an earlier sweep has done that. */
const close = Effect.fn("sweep.close")(function* (sweeping: Sweeping, tenantId: TenantId, sweep: Sweep) {
  const { send, usd } = sweeping
  const { currencies } = send
  const { account, network, sweepTransactionId } = sweep
  const transaction =
    sweepTransactionId === null
      ? undefined
      : yield* (yield* Queries).record(tenantId, OutboundTransaction, sweepTransactionId)
  const earlier = yield* mayHaveMovedBefore(tenantId, sweep, takenElsewhere(sweep, transaction))
  if (earlier.length > 0) {
    // what was given up is looked at seldom, and the address is closed until that is known
    for (const one of earlier) yield* submitSend(send, tenantId, lookNow(one))
    return yield* lookLater(sweeping, tenantId, sweep)
  }
  const native = currencies.byAsset(network, null)
  const nativeUsd = native === undefined ? null : yield* usd(native.code)
  const owner = yield* (yield* Queries).record(tenantId, SweepAccount, sweepAccountKey(network, account))
  const retryAt = retryAfter(sweeping, owner?.failures ?? 0, yield* Clock.currentTimeMillis)
  const waiting = sweep.state === "SWEPT" ? yield* waitingFor(sweeping, tenantId, owner) : []
  const closed = yield* submitSend(send, tenantId, closeSweep({ sweep, nativeUsd, retryAt, waiting, currencies }))
  if (closed === null) return
  yield* countSweep(network, sweep.state)
  const { currency, id, problem, state } = closed.sweep
  const fields = { tenant: tenantId, sweep: id, address: sweep.address, currency, ...(problem && { problem }) }
  yield* (state === "SWEPT" ? Effect.logInfo("sweep.completed") : Effect.logWarning("sweep.abandoned")).pipe(
    Effect.annotateLogs(fields)
  )
  for (const { depositId } of closed.taken)
    yield* Effect.annotateLogs(Effect.logError("sweep.deposit_taken"), { ...fields, deposit: depositId })
})

/**
 * Reads whether what an address was given is there. The transaction's being final is not enough, and neither is any time: what does
 * not show for too long is given up, and looked at anew.
 */
const readTopUp = Effect.fn("sweep.readTopUp")(function* (sweeping: Sweeping, tenantId: TenantId, sweep: Sweep) {
  const { limits, send } = sweeping
  const transaction =
    sweep.topUpTransactionId === null
      ? undefined
      : yield* (yield* Queries).record(tenantId, OutboundTransaction, sweep.topUpTransactionId)
  if (transaction?.outcome !== "done") return yield* lookLater(sweeping, tenantId, sweep)
  const balance = yield* send.sender.balance(sweep.account, null)
  const { account, contract, network, units } = sweep
  const wallets = yield* (yield* Queries).records(tenantId, PayoutWallet, network)
  const to = firstWallet(wallets)?.address ?? null
  const { fee: needs } = yield* send.sender.estimate({ from: account, to, contract, units })
  const now = yield* Clock.currentTimeMillis
  const nextAt = now + limits.followMs
  const confirmed = yield* submitSend(send, tenantId, confirmTopUp({ sweep, balance, needs, nextAt }))
  if (confirmed !== null || now - (transaction.endedAt ?? now) < limits.unseenMaxMs) return
  yield* submitSend(send, tenantId, abandonSweep(sweep, "What its address was given does not show there."))
})

/** Goes on with a sweep whose address has coin now, unless that is not worth it any more. */
const goOn = Effect.fn("sweep.goOn")(function* (sweeping: Sweeping, tenantId: TenantId, sweep: Sweep) {
  const { send } = sweeping
  const queries = yield* Queries
  const { account, address, addressId, contract, currency, network } = sweep
  const all = yield* queries.records(tenantId, PayoutWallet, network)
  const wallet = yield* drawnWallet(tenantId, all)
  if (wallet === undefined) return yield* lookLater(sweeping, tenantId, sweep)
  const read = yield* Effect.forEach(sweep.deposits, (deposit) =>
    queries.record(tenantId, SweepableDeposit, sweepableKey(deposit))
  )
  const here = read.filter((sweepable) => sweepable !== undefined).filter(({ gone }) => !gone)
  const sweepables = here.filter(({ sweepId }) => sweepId === sweep.id)
  const abandon = (problem: string) => submitSend(send, tenantId, abandonSweep(sweep, problem))
  if (here.length < sweep.deposits.length) return yield* abandon("A deposit of it is not on the chain any more.")
  // one that was given up for a while has moved them after all
  if (sweepables.length < here.length) return yield* abandon("A deposit of it was moved by an earlier sweep.")
  const payer = yield* queries.record(tenantId, SweepAccount, sweepAccountKey(network, account))
  // a number of it is still to be used up
  if (payer !== undefined && payer.transactionId !== null) return yield* lookLater(sweeping, tenantId, sweep)
  const wallets = { tenantId, wallet, channels: all.filter(({ role }) => role === "CHANNEL") }
  const nextSequence = payer?.nextSequence ?? null
  const gathered = { account, nextSequence, contract, currency, deposits: sweepables, topUp: "given" } as const
  const plan = yield* planSweep(sweeping, wallets, gathered)
  if (plan._tag !== "Sweep")
    return yield* abandon(`It is not swept now: ${plan._tag === "NotNow" ? plan.reason : "no_coin"}.`)
  const moved = yield* move(sweeping, wallets, {
    plan,
    requests: [{ addressId, address, account, sweepables }],
    confirmed: sweep
  })
  if (moved._tag !== "Done") yield* lookLater(sweeping, tenantId, sweep)
})

/** What a signed sweep may wait for in vain. */
const lossOf = Effect.fnUntraced(function* (
  { send }: Sweeping,
  tenantId: TenantId,
  { account, deposits }: Sweep,
  goneBefore: number
): Effect.fn.Return<Loss, ChainError | StorageError, Queries> {
  const queries = yield* Queries
  const sweepables = yield* Effect.forEach(deposits, (deposit) =>
    queries.record(tenantId, SweepableDeposit, sweepableKey(deposit))
  )
  if (sweepables.some((sweepable) => sweepable?.gone === true)) return { _tag: "Deposit", goneBefore }
  return { _tag: "Fee", balance: yield* send.sender.balance(account, null) }
})

/**
 * Gives up a sweep that was signed to move a deposit that is lost, or whose address has lost what it would pay the fee with. A reorg that only
 * puts a deposit into another block is over long before that.
 */
const loseGone = Effect.fn("sweep.loseGone")(function* (sweeping: Sweeping, tenantId: TenantId, sweep: Sweep) {
  const { limits, send } = sweeping
  const queries = yield* Queries
  const goneBefore = (yield* Clock.currentTimeMillis) - limits.goneMaxMs
  const { sweepTransactionId } = sweep
  const transaction =
    sweepTransactionId === null ? undefined : yield* queries.record(tenantId, OutboundTransaction, sweepTransactionId)
  const signedAt = transaction?.signedAt ?? null
  // nothing is signed for a deposit that is gone, or without coin for the fee
  if (transaction === undefined || signedAt === null || signedAt > goneBefore)
    return yield* lookLater(sweeping, tenantId, sweep)
  const loss = yield* lossOf(sweeping, tenantId, sweep, goneBefore)
  const sweeps = yield* queries.records(tenantId, Sweep, transaction.id)
  const given = yield* submitSend(send, tenantId, loseSweeps({ transaction, sweeps, loss }))
  if (given !== true) yield* lookLater(sweeping, tenantId, sweep)
})

const follow = Effect.fnUntraced(function* (sweeping: Sweeping, tenantId: TenantId, sweep: Sweep) {
  switch (sweep.state) {
    case "SWEPT":
    case "ABANDONED":
      return yield* close(sweeping, tenantId, sweep)
    case "TOPUP_SIGNED":
      return yield* readTopUp(sweeping, tenantId, sweep)
    case "TOPUP_CONFIRMED":
      return sweep.sweepTransactionId === null
        ? yield* goOn(sweeping, tenantId, sweep)
        : yield* lookLater(sweeping, tenantId, sweep)
    case "SWEEP_SIGNED":
      return yield* loseGone(sweeping, tenantId, sweep)
    case "ELIGIBLE":
      // its outbound transaction brings it further
      return yield* lookLater(sweeping, tenantId, sweep)
  }
})

/** Takes up the open sweeps of all tenants whose moment has come and that are not under way. */
export const advanceOpen = Effect.fn("sweep.followOpen")(function* (
  sweeping: Sweeping,
  { isDone, places, underWay }: SweepWork
) {
  const { limits, send } = sweeping
  const jobQueue = yield* JobQueue
  const queries = yield* Queries
  const now = yield* Clock.currentTimeMillis
  const due = yield* jobQueue.due(openSweepQueue(send.sender.network), now, limits.itemsPerPassMax)
  const one = Effect.fnUntraced(
    function* ({ key, tenantId }: Job) {
      const sweep = yield* queries.record(tenantId, Sweep, key)
      if (sweep === undefined) return yield* isDone
      yield* follow(sweeping, tenantId, sweep).pipe(
        Effect.catchTag("ChainError", (error: ChainError) =>
          Effect.andThen(
            Effect.annotateLogs(Effect.logWarning("sweep.delayed"), {
              tenant: tenantId,
              sweep: sweep.id,
              detail: error.message
            }),
            lookLater(sweeping, tenantId, sweep)
          )
        )
      )
      return yield* isDone
    },
    (effect, { key, tenantId }) => {
      const about = { tenant: tenantId, sweep: key }
      return apart(about, unlessStorageFails(about, effect))
    }
  )
  return yield* Effect.forEach(
    due.filter(({ key }) => !underWay.has(key)),
    (job) => underWay.begin(job.key, places.following(job.tenantId, one(job)))
  )
})
