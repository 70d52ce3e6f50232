import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Job } from "@bursar/core/engine/Job"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { JobQueue } from "@bursar/core/port/JobQueue"
import type { Fenced } from "@bursar/core/port/Leadership"
import type { ChainError } from "@bursar/core/port/Chain"
import { Queries } from "@bursar/core/store/Queries"
import type { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { endRequests, postponeRequests } from "@bursar/core/sweep/postponeSweeps"
import { importedAddressKey, ImportedAddressKey } from "@bursar/core/sweep/ImportedAddressKey"
import { sweepAccountKey, SweepAccount } from "@bursar/core/sweep/SweepAccount"
import { sweepQueue } from "@bursar/core/sweep/sweepQueues"
import { askReach } from "@bursar/core/environment/reach"
import { inGrantedEnvironment } from "@bursar/core/grant/environmentByGrants"
import { coinObjection } from "@bursar/core/grant/signingByGrants"
import { type Ruling, rulingOf } from "@bursar/core/grant/Ruling"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { BigInt as Big, Clock, Effect, Random } from "effect"
import { apart, unlessStorageFails } from "../queue/apart.ts"
import { submitSend } from "../transactions/submitSend.ts"
import { drawnWallet } from "../transactions/usableWallets.ts"
import { byAccount, divided, inParts } from "./divided.ts"
import { areMovedTogether, meetingAfter } from "./meeting.ts"
import { countWaiting } from "./metrics.ts"
import { type Gathered, planSweep } from "./planSweep.ts"
import { move, topUp } from "./reserve.ts"
import { someWaiting } from "./someWaiting.ts"
import type { Sweeping, SweepWork, Waiting, Wallets } from "./Sweeping.ts"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

/** Why something is not worth a sweep by itself, and may be with others. */
const smallReasons = ["uneconomic", "below_threshold"] as const

type SmallReason = (typeof smallReasons)[number]

const isSmall = (reason: string): reason is SmallReason => smallReasons.some((small) => small === reason)

/** What is not worth a sweep by itself. */
interface Small extends Waiting {
  readonly reason: SmallReason
}

const idsOf = (all: ReadonlyArray<Pick<Waiting, "addressId">>): ReadonlyArray<string> =>
  all.map(({ addressId }) => addressId)

/**
 * When to look again. What others may make worth it is looked at with all of them at once, whatever keeps it: on an account that has a currency
 * of which nothing can be told, deposits of the others are as small as anywhere.
 */
const againAt = ({ limits: { reconsiderMs }, send: { traits } }: Sweeping, now: number): number =>
  areMovedTogether(traits) ? meetingAfter(now, reconsiderMs) : now + reconsiderMs

/** Looks at addresses again later. */
const defer = Effect.fnUntraced(function* (
  sweeping: Sweeping,
  tenantId: TenantId,
  addressIds: ReadonlyArray<string>,
  reason: string
) {
  if (addressIds.length === 0) return
  const { send } = sweeping
  const now = yield* Clock.currentTimeMillis
  yield* submitSend(send, tenantId, postponeRequests(send.sender.network, addressIds, againAt(sweeping, now)))
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

/** Undefined where something of an address or account cannot be read, which is told. */
const unlessUnreadable = <A, R>(
  about: Readonly<Record<string, string>>,
  effect: Effect.Effect<A, Fenced | StorageError, R>
) => apart(about, unlessStorageFails({ ...about, part: "sweep" }, effect))

/**
 * What waits on addresses of a tenant. Those on which nothing does are taken out of its queue. One whose deposits cannot be read is looked at again
 * later, and keeps no other.
 */
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
      unlessUnreadable(
        { tenant: tenantId, address: addressId },
        Effect.map(
          // more of them than one sweep moves are of no use now
          queries.largestSweepables(tenantId, { addressId, limit: sweeping.limits.depositsPerSweepMax }),
          (sweepables) => ({ addressId, sweepables })
        )
      ),
    { concurrency: sweeping.send.limits.readsAtOnce }
  )
  const read = found.filter((one) => one !== undefined)
  const waiting = read.flatMap(({ addressId, sweepables }): ReadonlyArray<Waiting> => {
    const [first] = sweepables
    const account = first === undefined ? undefined : accountOf(first)
    return first === undefined || account === undefined
      ? []
      : [{ addressId, address: first.address, account, sweepables }]
  })
  const [readIds, waitingIds] = [new Set(idsOf(read)), new Set(idsOf(waiting))]
  const { currencies, sender } = sweeping.send
  yield* defer(
    sweeping,
    tenantId,
    addressIds.filter((id) => !readIds.has(id)),
    "unreadable"
  )
  const idle = addressIds.filter((id) => readIds.has(id) && !waitingIds.has(id))
  if (idle.length > 0)
    yield* submitSend(sweeping.send, tenantId, endRequests(sender.network, idle, currencies.networks))
  return waiting
})

/**
 * One currency after the other, as an account has one sweep at a time: drawn by lot which is first. Else one of which deposits come all the time would keep
 * its place, or one whose issuer has frozen it, and all others theirs.
 */
const byCurrency = Effect.fnUntraced(function* (waiting: ReadonlyArray<Waiting>) {
  const all = waiting.flatMap(({ sweepables }) => sweepables)
  const currencies = new Set(all.map(({ currency }) => currency))
  return (yield* Random.shuffle(currencies)).map((currency) =>
    waiting.flatMap((one) => {
      const sweepables = one.sweepables.filter((sweepable) => sweepable.currency === currency)
      return sweepables.length === 0 ? [] : [{ ...one, sweepables }]
    })
  )
})

/**
 * What waits on accounts of which no sweep is open, whether a number of one is still to be used up, and which number each goes on with. A sweep that is
 * open puts what waits for its account back in its queue when it closes.
 */
const withoutOpen = Effect.fnUntraced(function* (
  sweeping: Sweeping,
  { tenantId, wallet: { network } }: Wallets,
  waiting: ReadonlyArray<Waiting>
) {
  const queries = yield* Queries
  const accounts = yield* Effect.forEach(waiting, ({ account }) =>
    queries.record(tenantId, SweepAccount, sweepAccountKey(network, account))
  )
  const isOpen = (at: number): boolean => (accounts[at]?.sweepIds.length ?? 0) > 0
  yield* defer(sweeping, tenantId, idsOf(waiting.filter((_, at) => isOpen(at))), "open")
  const isUsingUp = accounts.some((account, at) => !isOpen(at) && (account?.transactionId ?? null) !== null)
  const nextOf = (account: string) => accounts.find((one) => one?.account === account)?.nextSequence ?? null
  return { waiting: waiting.filter((_, at) => !isOpen(at)), isUsingUp, nextOf }
})

/** Those deposits that a plan moves, by their addresses. */
const moving = (
  waiting: ReadonlyArray<Waiting>,
  deposits: ReadonlyArray<Pick<SweepableDeposit, "transferIndex" | "txHash">>
): ReadonlyArray<Waiting> => {
  const moved = new Set(deposits.map(({ transferIndex, txHash }) => `${txHash}:${transferIndex}`))
  return waiting.flatMap((one) => {
    const sweepables = one.sweepables.filter(({ transferIndex, txHash }) => moved.has(`${txHash}:${transferIndex}`))
    return sweepables.length === 0 ? [] : [{ ...one, sweepables }]
  })
}

/** So many of the deposits as one transaction moves, the largest: however many tiny ones a stranger pays in, the others go first. */
const largest = (waiting: ReadonlyArray<Waiting>, most: number): ReadonlyArray<Waiting> => {
  const all = waiting.flatMap(({ sweepables }) => sweepables)
  if (all.length <= most) return waiting
  const bySize = all.toSorted((one, other) => Big.Order(other.units, one.units))
  return moving(waiting, bySize.slice(0, most))
}

/** Looks again later at addresses that a plan has left, unless it only had no room for them: what another one moves stays due. */
const deferUnplanned = Effect.fnUntraced(function* (
  sweeping: Sweeping,
  wallets: Wallets,
  gathered: Gathered,
  left: ReadonlyArray<Waiting>
) {
  if (left.length === 0) return
  const deposits = left.flatMap(({ sweepables }) => sweepables)
  const plan = yield* planSweep(sweeping, wallets, { ...gathered, deposits })
  if (plan._tag === "Sweep") return
  yield* defer(sweeping, wallets.tenantId, idsOf(left), plan._tag === "NotNow" ? plan.reason : "no_coin")
})

/** Sweeps what waits on accounts that are swept together, in the first currency that is worth it. Gives what would be worth it with others at most. */
const sweepTogether = Effect.fn("sweep.together")(function* (
  sweeping: Sweeping,
  wallets: Wallets,
  { all, ruling }: { readonly all: ReadonlyArray<Waiting>; readonly ruling: Ruling }
) {
  const { tenantId } = wallets
  const { network } = wallets.wallet
  const { isUsingUp, nextOf, waiting } = yield* withoutOpen(sweeping, wallets, all)
  let reason: string = "uneconomic"
  for (const ofCurrency of yield* byCurrency(waiting)) {
    const requests = largest(ofCurrency, sweeping.limits.depositsPerSweepMax)
    const [request] = requests
    const [first] = request?.sweepables ?? []
    if (request === undefined || first === undefined) continue
    const { account } = request
    const { contract, currency } = first
    const deposits = requests.flatMap(({ sweepables }) => sweepables)
    // the signer would refuse it, and each try may cost a transaction that pays nobody
    const coin = coinObjection(ruling, network, first.key) === undefined ? "possible" : "stopped"
    const gathered: Gathered = { account, nextSequence: nextOf(account), contract, currency, deposits, topUp: coin }
    const plan = yield* planSweep(sweeping, wallets, gathered)
    if (plan._tag === "Sweep" && isUsingUp) {
      reason = "open"
      continue
    }
    if (plan._tag === "Sweep") {
      const moved = moving(requests, plan.deposits)
      const left = requests.filter(({ addressId }) => !moved.some((one) => one.addressId === addressId))
      yield* deferUnplanned(sweeping, wallets, gathered, left)
      const reserved = yield* move(sweeping, wallets, { plan, requests: moved, confirmed: null })
      if (reserved._tag === "PlanRefused") yield* defer(sweeping, tenantId, idsOf(moved), "plan_refused")
      return []
    }
    if (plan._tag === "TopUp" && requests.length === 1) {
      const reserved = yield* topUp(sweeping, wallets, { request, units: plan.units, guard: plan.guard })
      if (reserved._tag === "PlanRefused") yield* defer(sweeping, tenantId, idsOf(requests), "plan_refused")
      return []
    }
    reason = plan._tag === "NotNow" ? plan.reason : "no_coin"
  }
  if (isSmall(reason)) {
    const why = reason
    return waiting.map((one): Small => ({ ...one, reason: why }))
  }
  yield* defer(sweeping, tenantId, idsOf(waiting), reason)
  return []
})

const unreadable = (sweeping: Sweeping, tenantId: TenantId, addressIds: ReadonlyArray<string>) => (error: ChainError) =>
  Effect.andThen(
    Effect.annotateLogs(Effect.logWarning("sweep.balance_unreadable"), { tenant: tenantId, detail: error.message }),
    defer(sweeping, tenantId, addressIds, "node_unreadable")
  )

/** Sweeps a part of what may be swept together, and gives what would be worth it with others at most. */
const sweepPart = Effect.fnUntraced(function* (
  sweeping: Sweeping,
  tenantId: TenantId,
  ruling: Ruling,
  part: ReadonlyArray<Waiting>
) {
  // the wallet's counters are those of the last commit
  const all = yield* (yield* Queries).records(tenantId, PayoutWallet, sweeping.send.sender.network)
  const wallet = yield* drawnWallet(tenantId, all)
  if (wallet === undefined) {
    yield* defer(sweeping, tenantId, idsOf(part), "no_wallet")
    return []
  }
  const wallets: Wallets = { tenantId, wallet, channels: all.filter(({ role }) => role === "CHANNEL") }
  return yield* sweepTogether(sweeping, wallets, { all: part, ruling }).pipe(
    Effect.catchTag("ChainError", (error) => Effect.as(unreadable(sweeping, tenantId, idsOf(part))(error), []))
  )
})

const deferSmall = (sweeping: Sweeping, tenantId: TenantId, small: ReadonlyArray<Small>) =>
  Effect.forEach(
    Map.groupBy(small, ({ reason }) => reason),
    ([reason, some]) => defer(sweeping, tenantId, idsOf(some), reason),
    { discard: true }
  )

/**
 * Sweeps what may be swept together. What is apart as sweeps were given up, and is not worth it so, goes with as few others of its kind as make it worth
 * it, drawn by lot: nobody is held by it of whom no sweep was given up.
 */
const sweepGroup = Effect.fnUntraced(function* (
  sweeping: Sweeping,
  tenantId: TenantId,
  ruling: Ruling,
  group: ReadonlyArray<Waiting>
) {
  const alone: Array<Small> = []
  for (const { isApart, part } of yield* divided(sweeping, tenantId, group)) {
    const left = yield* sweepPart(sweeping, tenantId, ruling, part)
    if (isApart) alone.push(...left)
    else yield* deferSmall(sweeping, tenantId, left)
  }
  // with the same ones each time, a bad one would hold them for good
  let small: ReadonlyArray<Small> = (yield* Random.shuffle(byAccount(alone))).flat()
  for (let most = 2; small.length > 0; most *= 2) {
    const accounts = byAccount(small)
    const swept = (part: ReadonlyArray<Waiting>) => sweepPart(sweeping, tenantId, ruling, part)
    small = (yield* Effect.forEach(inParts(accounts, most), swept)).flat()
    if (most >= accounts.length) break
  }
  yield* deferSmall(sweeping, tenantId, small)
})

/**
 * What of a group that could not be swept can be read: on bitcoin all addresses of a tenant are one, and what is wrong with one of them keeps no other.
 * Those that cannot be read are looked at again later.
 */
const readable = Effect.fnUntraced(function* (sweeping: Sweeping, tenantId: TenantId, group: ReadonlyArray<Waiting>) {
  const queries = yield* Queries
  const { limits, sender, traits } = sweeping.send
  const read = yield* Effect.forEach(
    group,
    (one) =>
      unlessUnreadable(
        { tenant: tenantId, address: one.addressId },
        queries
          .record(tenantId, SweepAccount, sweepAccountKey(sender.network, one.account))
          .pipe(
            Effect.andThen(
              queries.record(tenantId, ImportedAddressKey, importedAddressKey(traits.family, one.address))
            ),
            Effect.as(one)
          )
      ),
    { concurrency: limits.readsAtOnce }
  )
  const found = read.filter((one) => one !== undefined)
  const left = group.filter((one) => !found.includes(one))
  yield* defer(sweeping, tenantId, idsOf(left), "unreadable")
  return found
})

const ofTenant = Effect.fnUntraced(function* (
  sweeping: Sweeping,
  tenantId: TenantId,
  addressIds: ReadonlyArray<string>
) {
  const { planner } = sweeping.send.sender
  const waiting = yield* waitingOn(sweeping, tenantId, addressIds)
  if (waiting.length === 0) return
  const ruling = yield* rulingOf(tenantId)
  // null as well where the command was stale: signing asks again
  const reach = inGrantedEnvironment(ruling, askReach(sweeping.send.traits))
  if ((yield* submitSend(sweeping.send, tenantId, reach)) !== null)
    return yield* defer(sweeping, tenantId, addressIds, "other_environment")
  const sweep = (some: ReadonlyArray<Waiting>) =>
    unlessUnreadable(
      { tenant: tenantId, account: some[0]?.account ?? "" },
      Effect.as(sweepGroup(sweeping, tenantId, ruling, some), true)
    )
  for (const group of planner.sweptTogether(waiting)) {
    if (group.length === 0 || (yield* sweep(group)) !== undefined) continue
    const rest = yield* readable(sweeping, tenantId, group)
    const isOthers = rest.length > 0 && rest.length < group.length
    if (!isOthers || (yield* sweep(rest)) === undefined) yield* defer(sweeping, tenantId, idsOf(rest), "unreadable")
  }
})

/**
 * Which addresses of a tenant are looked at, of those that a pass has found due. Where it has no room for all, it has one of each tenant: what is moved together
 * is looked at together all the same, for by itself it is not worth it. Which of more than a pass has room for is drawn by lot (`someWaiting`).
 */
const lookedAt = Effect.fnUntraced(function* (
  { limits: { itemsPerPassMax }, send: { sender, traits } }: Sweeping,
  tenantId: TenantId,
  { found, isFull, now }: { readonly found: ReadonlyArray<Job>; readonly isFull: boolean; readonly now: Timestamp }
) {
  if (!isFull || !areMovedTogether(traits)) return found.map(({ key }) => key)
  return yield* someWaiting(tenantId, sender.network, now, itemsPerPassMax)
})

const lookingKey = (tenantId: TenantId): string => `addresses of ${tenantId}`

/**
 * Takes up the addresses on which something may be swept, of all tenants that are not under way: what is worth it is put into an outbound
 * transaction, or its address is given coin first.
 */
export const sweepWaiting = Effect.fn("sweep.waiting")(function* (
  sweeping: Sweeping,
  { isDone, places, underWay }: SweepWork
) {
  const { limits, send } = sweeping
  const jobQueue = yield* JobQueue
  const now = yield* Clock.currentTimeMillis
  const due = yield* jobQueue.due(sweepQueue(send.sender.network), now, limits.itemsPerPassMax)
  const isFull = due.length >= limits.itemsPerPassMax
  const free = due.filter(({ tenantId }) => !underWay.has(lookingKey(tenantId)))
  return yield* Effect.forEach(
    Map.groupBy(free, ({ tenantId }) => tenantId),
    ([tenantId, found]) => {
      const looked = apart(
        { tenant: tenantId },
        unlessStorageFails(
          { tenant: tenantId, part: "sweep" },
          lookedAt(sweeping, tenantId, { found, isFull, now }).pipe(
            Effect.flatMap((keys) => ofTenant(sweeping, tenantId, keys)),
            Effect.andThen(isDone)
          )
        )
      )
      return underWay.begin(lookingKey(tenantId), places.looking(tenantId, looked))
    }
  )
})
