import { guardKind } from "@bursar/core/transaction/guardKind"
import { JobQueue } from "@bursar/core/port/JobQueue"
import type { ChainError } from "@bursar/core/port/Chain"
import { Queries } from "@bursar/core/store/Queries"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { postponeRequests } from "@bursar/core/sweep/postponeSweeps"
import { sweepAccountKey, SweepAccount } from "@bursar/core/sweep/SweepAccount"
import { sweepQueue } from "@bursar/core/sweep/sweepQueues"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Result } from "effect"
import { failpoint } from "../transactions/Failpoint.ts"
import { submitSend } from "../transactions/submitSend.ts"
import { countWaiting } from "./metrics.ts"
import { planAccount } from "./planAccount.ts"
import { planUtxos } from "./planUtxos.ts"
import { move, topUp } from "./reserve.ts"
import type { Sweeping, Waiting, Wallets } from "./Sweeping.ts"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

/** Looks at addresses again later, or never where nothing waits there. */
const defer = Effect.fnUntraced(function* (
  { limits, send }: Sweeping,
  tenantId: TenantId,
  addressIds: ReadonlyArray<string>,
  reason: string | null
) {
  if (addressIds.length === 0) return
  const now = yield* Clock.currentTimeMillis
  const at = reason === null ? null : now + limits.reconsiderMs
  yield* submitSend(send, tenantId, postponeRequests(send.sender.network, addressIds, at))
  yield* failpoint("sweep.postponed")
  if (reason === null) return
  yield* countWaiting(send.sender.network, reason, addressIds.length)
  yield* Effect.logDebug("sweep.deferred").pipe(
    Effect.annotateLogs({ tenant: tenantId, addresses: addressIds.length, reason })
  )
})

/** Who pays on the chain for an address: itself, or the account that it is a part of. Undefined where it is not swept. */
const accountsOf = Effect.fnUntraced(function* ({ send: { traits } }: Sweeping, tenantId: TenantId) {
  if (traits.issues !== "muxed") return ({ address }: SweepableDeposit) => address
  const issuing = yield* (yield* Queries).issuingAccount(tenantId, traits.family)
  // an imported account is the tenant's own in all but the key: what it has to keep is not ours to judge
  return ({ key }: SweepableDeposit) => (key._tag === "Issued" ? issuing?.accountKey : undefined)
})

/** What waits on addresses of a tenant. Those on which nothing does are taken out of its queue. */
const waitingOn = Effect.fnUntraced(function* (
  sweeping: Sweeping,
  tenantId: TenantId,
  addressIds: ReadonlyArray<string>
) {
  const queries = yield* Queries
  const accountOf = yield* accountsOf(sweeping, tenantId)
  const found = yield* Effect.forEach(
    addressIds,
    (addressId) =>
      Effect.map(queries.records(tenantId, SweepableDeposit, addressId), (sweepables): Waiting | undefined => {
        const [first] = sweepables
        const account = first === undefined ? undefined : accountOf(first)
        return first === undefined || account === undefined
          ? undefined
          : { addressId, address: first.address, account, sweepables }
      }),
    { concurrency: sweeping.send.limits.readsAtOnce }
  )
  const waiting = found.filter((one) => one !== undefined)
  const idle = addressIds.filter((id) => !waiting.some(({ addressId }) => addressId === id))
  yield* defer(sweeping, tenantId, idle, null)
  return waiting
})

/** One currency after the other, the one first of which most deposits wait: an account has one sweep at a time. */
const byCurrency = (waiting: ReadonlyArray<Waiting>): ReadonlyArray<ReadonlyArray<Waiting>> => {
  const all = waiting.flatMap(({ sweepables }) => sweepables)
  const groups = [...Map.groupBy(all, ({ currency }) => currency)].toSorted(
    ([, one], [, other]) => other.length - one.length
  )
  return groups.map(([currency]) =>
    waiting.flatMap((one) => {
      const sweepables = one.sweepables.filter((sweepable) => sweepable.currency === currency)
      return sweepables.length === 0 ? [] : [{ ...one, sweepables }]
    })
  )
}

const idsOf = (waiting: ReadonlyArray<Waiting>): ReadonlyArray<string> => waiting.map(({ addressId }) => addressId)

const sweepAccount = Effect.fn("sweep.account")(function* (
  sweeping: Sweeping,
  wallets: Wallets,
  account: string,
  waiting: ReadonlyArray<Waiting>
) {
  const { tenantId, wallet } = wallets
  const queries = yield* Queries
  const open = yield* queries.record(tenantId, SweepAccount, sweepAccountKey(wallet.network, account))
  // the sweep that is open puts its address back in its queue when it closes
  if (open !== undefined && open.sweepIds.length > 0) return yield* defer(sweeping, tenantId, idsOf(waiting), "open")
  let reason = "uneconomic"
  for (const requests of byCurrency(waiting)) {
    const sweepables = requests.flatMap((one) => one.sweepables)
    const [first] = sweepables
    if (first === undefined) continue
    const units = sweepables.reduce((sum, one) => sum + one.units, 0n)
    const { contract, currency } = first
    const plan = yield* planAccount(sweeping, wallets, { account, contract, currency, units }, false)
    const [request] = requests
    if (plan._tag === "Sweep")
      return yield* move(sweeping, wallets, { from: account, requests, units: plan.units, confirmed: null })
    if (plan._tag === "TopUp" && request !== undefined && requests.length === 1) {
      return yield* topUp(sweeping, wallets, request, plan.units)
    }
    reason = plan._tag === "NotNow" ? plan.reason : "no_coin"
  }
  return yield* defer(sweeping, tenantId, idsOf(waiting), reason)
})

const sweepUtxos = Effect.fn("sweep.coins")(function* (
  sweeping: Sweeping,
  wallets: Wallets,
  waiting: ReadonlyArray<Waiting>
) {
  const { tenantId, wallet } = wallets
  const queries = yield* Queries
  const accounts = yield* Effect.forEach(waiting, ({ account }) =>
    queries.record(tenantId, SweepAccount, sweepAccountKey(wallet.network, account))
  )
  const isOpen = (at: number): boolean => (accounts[at]?.sweepIds.length ?? 0) > 0
  yield* defer(sweeping, tenantId, idsOf(waiting.filter((_, at) => isOpen(at))), "open")
  const free = waiting.filter((_, at) => !isOpen(at))
  if (free.length === 0) return
  const plan = yield* planUtxos(sweeping, wallets, free)
  if (plan._tag === "NotNow") return yield* defer(sweeping, tenantId, idsOf(free), plan.reason)
  const { publicKeys, units, requests } = plan
  const left = free.filter(({ addressId }) => !requests.some((request) => request.addressId === addressId))
  yield* defer(sweeping, tenantId, idsOf(left), "uneconomic")
  yield* move(sweeping, wallets, { from: wallet.address, requests, units, confirmed: null, publicKeys })
})

const unreadable = (sweeping: Sweeping, tenantId: TenantId, addressIds: ReadonlyArray<string>) => (error: ChainError) =>
  Effect.andThen(
    Effect.annotateLogs(Effect.logWarning("sweep.balance_unreadable"), { tenant: tenantId, detail: error.message }),
    defer(sweeping, tenantId, addressIds, "node_unreadable")
  )

const ofTenant = Effect.fnUntraced(function* (
  sweeping: Sweeping,
  tenantId: TenantId,
  addressIds: ReadonlyArray<string>
) {
  const { sender, traits } = sweeping.send
  const queries = yield* Queries
  const waiting = yield* waitingOn(sweeping, tenantId, addressIds)
  if (waiting.length === 0) return
  const all = yield* queries.records(tenantId, PayoutWallet, sender.network)
  const wallet = all.find(({ role }) => role === "PAYOUT")
  if (wallet === undefined) return yield* defer(sweeping, tenantId, idsOf(waiting), "no_wallet")
  const wallets: Wallets = { tenantId, wallet, all }
  if (guardKind(traits) === "Utxos") {
    return yield* sweepUtxos(sweeping, wallets, waiting).pipe(
      Effect.catchTag("ChainError", unreadable(sweeping, tenantId, idsOf(waiting)))
    )
  }
  for (const [account, ofAccount] of Map.groupBy(waiting, (one) => one.account)) {
    // the wallet's counters are those of the last commit
    const read = yield* queries.record(tenantId, PayoutWallet, wallet.id)
    const done = yield* Effect.result(
      sweepAccount(sweeping, { ...wallets, wallet: read ?? wallet }, account, ofAccount)
    )
    if (Result.isSuccess(done)) continue
    if (done.failure._tag !== "ChainError") return yield* done.failure
    yield* unreadable(sweeping, tenantId, idsOf(ofAccount))(done.failure)
  }
})

/**
 * Looks at the addresses on which something may be swept, of all tenants: what is worth it is put into an outbound transaction, or its address is
 * given coin first. Returns whether there were any.
 */
export const sweepWaiting = Effect.fn("sweep.waiting")(function* (sweeping: Sweeping) {
  const { limits, send } = sweeping
  const jobQueue = yield* JobQueue
  const now = yield* Clock.currentTimeMillis
  const due = yield* jobQueue.due(sweepQueue(send.sender.network), now, limits.itemsPerPassMax)
  yield* failpoint("sweep.queue.read")
  const byTenant = Map.groupBy(due, ({ tenantId }) => tenantId)
  yield* Effect.forEach(
    byTenant,
    ([tenantId, items]) =>
      ofTenant(
        sweeping,
        tenantId,
        items.map(({ key }) => key)
      ),
    { concurrency: limits.tenantsAtOnce, discard: true }
  )
  return due.length > 0
})
