import { rulingOf } from "@bursar/core/grant/Ruling"
import { askLeaving } from "@bursar/core/payout/mayPayoutLeave"
import { AccountProvisioning } from "@bursar/core/provisioning/AccountProvisioning"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { reservePayouts as reserveTogether } from "@bursar/core/payout/reservePayouts"
import { hearAfterEnd } from "@bursar/core/payout/hearAfterEnd"
import { leavingOf } from "@bursar/core/payout/mayPayoutLeave"
import { lookAtPrices } from "@bursar/core/leaving/unreviewed"
import type { Payout } from "@bursar/core/payout/Payout"
import { mayBePaid, settleHeld } from "@bursar/core/payout/settleHeld"
import { hashesGiven } from "@bursar/core/payout/standingEvidence"
import type { PayoutsPlan } from "@bursar/core/port/TransactionPlanner"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Random, Result } from "effect"
import { apart } from "../queue/apart.ts"
import { logContradiction } from "../queue/logContradiction.ts"
import { type Accounts, guardRequest } from "./Accounts.ts"
import { usableWallets } from "./usableWallets.ts"
import { lookUpEvidenceOf } from "./lookUpEvidence.ts"
import { dismiss, abandon, deferSending, type WhyDeferred } from "./deferSending.ts"
import type { OwnedPayout, OwnedTransaction, Send } from "./Send.ts"
import { type Planned, submitPlan, submitSend } from "./submitSend.ts"
import { tellProven } from "./tellProven.ts"

/** Payouts of one tenant, with the accounts that pay them. */
interface Job {
  readonly tenantId: TenantId
  readonly accounts: Accounts
  readonly payouts: ReadonlyArray<Payout>
}

/** A payout for which a wallet has too little. */
interface Lacking {
  readonly payout: Payout
  readonly why: WhyDeferred
}

/** How many payouts an account can be given now. */
const roomOf = ({ limits, sender }: Send, accounts: Accounts): number =>
  sender.planner.room(accounts, limits.underWayMax)

const accountsWith = (
  wallets: ReadonlyArray<PayoutWallet>,
  channels: ReadonlyArray<PayoutWallet>
): ReadonlyArray<Accounts> => wallets.map((wallet) => ({ wallet, channels }))

/** Those that may leave as things stand; the others say why not and are looked at again. */
const mayLeave = Effect.fnUntraced(function* (send: Send, tenantId: TenantId, payouts: ReadonlyArray<Payout>) {
  if (payouts.length === 0) return payouts
  const leaving = payouts.map(leavingOf)
  const ruling = yield* rulingOf(tenantId)
  const valued = yield* lookAtPrices(ruling, send.currencies, leaving)
  const objections = yield* submitSend(send, tenantId, askLeaving(leaving, send.traits, { ruling, valued }))
  if (objections === null) return []
  for (const payout of payouts) {
    const objection = objections.get(payout.operationId)
    if (objection !== undefined) yield* deferSending(send, { payout, tenantId }, objection)
  }
  return payouts.filter(({ operationId }) => !objections.has(operationId))
})

/** Asks the chain what was given as evidence for a payout that is over, and notes what has paid it as well. Returns whether it is over. */
const hearWhatPaid = Effect.fnUntraced(function* (
  send: Send,
  tenantId: TenantId,
  { asked, payout }: { readonly asked: ReadonlyArray<string>; readonly payout: Payout }
) {
  const before = yield* (yield* Queries).operation(tenantId, payout.operationId)
  const nextAt = (yield* Clock.currentTimeMillis) + send.limits.checkLongestMs
  const after = yield* submitSend(send, tenantId, hearAfterEnd({ payout, asked, nextAt }))
  if (before === undefined || after === null) return false
  yield* logContradiction(before, after)
  return true
})

/** Those that nothing lost may have paid; what is proven to be paid is settled, and what may be waits for what the chain says. */
const unpaid = Effect.fnUntraced(function* (send: Send, tenantId: TenantId, payouts: ReadonlyArray<Payout>) {
  const open = yield* Effect.forEach(
    payouts,
    Effect.fnUntraced(function* (payout) {
      if (!mayBePaid(payout)) return [payout]
      const asked = yield* lookUpEvidenceOf(send, tenantId, [payout.operationId])
      if (asked.length === 0) return [payout]
      if (yield* hearWhatPaid(send, tenantId, { payout, asked })) return []
      const nextAt = (yield* Clock.currentTimeMillis) + send.limits.checkLongestMs
      const { currencies } = send
      const mayGoOn = yield* submitSend(send, tenantId, settleHeld({ payout, asked, nextAt, currencies }))
      if (mayGoOn === true) return [payout]
      yield* tellProven(send, tenantId, { asked, payouts: [payout.operationId] })
      return []
    })
  )
  return open.flat()
})

/** Those whose receivers can be paid as the chain stands; the others fail, or wait for the node. */
const payable = Effect.fnUntraced(function* (send: Send, tenantId: TenantId, payouts: ReadonlyArray<Payout>) {
  const { limits, sender } = send
  const checked = yield* Effect.forEach(
    payouts,
    Effect.fnUntraced(function* (payout) {
      const { contract, memo, to, units } = payout
      const found = yield* Effect.result(sender.preflight({ to, contract, units, memo }))
      if (Result.isFailure(found)) {
        yield* deferSending(send, { payout, tenantId }, { reason: "node_unreadable", detail: found.failure.message })
        return []
      }
      if (found.success._tag === "Payable") return [payout]
      yield* abandon(send, { payout, tenantId }, found.success.message)
      return []
    }),
    { concurrency: limits.transactionsAtOnce }
  )
  return checked.flat()
})

/** Reserves one planned transaction. Where the core refuses the plan, its payouts wait and say so. */
const reserve = Effect.fnUntraced(function* (
  send: Send,
  { accounts, tenantId }: Job,
  payouts: ReadonlyArray<Payout>,
  { fee = 0n, guard: plan }: Pick<PayoutsPlan["transactions"][number], "fee" | "guard">
) {
  const { networks } = send.currencies
  const queries = yield* Queries
  const given = yield* Effect.forEach(payouts.filter(mayBePaid), ({ operationId }) =>
    hashesGiven(queries, tenantId, operationId)
  )
  const guard = guardRequest([accounts.wallet, ...accounts.channels], plan)
  const submitted: Planned<OutboundTransaction | null> = Result.isFailure(guard)
    ? { _tag: "PlanRefused", detail: guard.failure }
    : yield* submitPlan(
        send,
        tenantId,
        reserveTogether({ wallet: accounts.wallet, payouts, given: given.flat(), guard: guard.success, fee }, networks)
      )
  if (submitted._tag === "PlanRefused") {
    const { detail } = submitted
    const wait = (payout: Payout) => deferSending(send, { payout, tenantId }, { reason: "plan_refused", detail })
    yield* Effect.forEach(payouts, wait, { discard: true })
  }
  return submitted._tag === "Done" && submitted.reply !== null
    ? [{ tenantId, transaction: submitted.reply } satisfies OwnedTransaction]
    : []
})

/** Has the network's adapter plan the transactions of payouts, and reserves them. What it cannot pay now says why, unless the wallet has too little. */
const reserveFrom = Effect.fnUntraced(function* (send: Send, job: Job) {
  const { accounts, payouts, tenantId } = job
  const queries = yield* Queries
  const planned = yield* Effect.result(
    send.sender.planner.payouts({
      accounts,
      payments: payouts.map(({ alone, contract, operationId: id, to, units }) => ({ id, to, contract, units, alone })),
      underWayMax: send.limits.underWayMax,
      freeUtxos: queries.records(tenantId, WalletUtxo, accounts.wallet.id)
    })
  )
  if (Result.isFailure(planned)) {
    const { failure } = planned
    if (failure._tag !== "ChainError") return yield* failure
    const wait = (payout: Payout) =>
      deferSending(send, { payout, tenantId }, { reason: "node_unreadable", detail: failure.message })
    yield* Effect.forEach(payouts, wait, { discard: true })
    return { reserved: [], lacking: [] }
  }
  const byId = new Map(payouts.map((payout) => [payout.operationId, payout]))
  const { transactions, waiting } = planned.success
  const lacking: Array<Lacking> = []
  for (const { detail, id, reason, retry } of waiting) {
    const payout = byId.get(id)
    if (payout === undefined) continue
    if (reason === "insufficient_wallet") lacking.push({ payout, why: { reason, detail, retry } })
    else yield* deferSending(send, { payout, tenantId }, { reason, detail, retry })
  }
  const reserved = yield* Effect.forEach(
    transactions,
    ({ ids, ...plan }) =>
      reserve(
        send,
        job,
        ids.flatMap((id) => byId.get(id) ?? []),
        plan
      ),
    { concurrency: "unbounded" }
  )
  return { reserved: reserved.flat(), lacking }
})

/** The wallets of a tenant with its channel accounts, without those that are not there yet. Empty where it has no payout wallet. */
const accountsOf = Effect.fnUntraced(function* ({ sender }: Send, tenantId: TenantId) {
  const { network, planner } = sender
  const queries = yield* Queries
  const wallets = yield* queries.records(tenantId, PayoutWallet, network)
  const paying = yield* usableWallets(tenantId, wallets)
  const all = wallets.filter(({ role }) => role === "CHANNEL")
  if (planner.provisioner === undefined) return accountsWith(paying, all)
  const provisionings = yield* queries.records(tenantId, AccountProvisioning, network)
  const lacking = provisionings.filter(({ ready, role }) => role === "CHANNEL" && !ready)
  const unmade = new Set(lacking.map(({ address }) => address))
  // one whose sequences were used is there, whatever else it lacks
  const channels = all.filter(({ address, nextSequence }) => nextSequence !== null || !unmade.has(address))
  return accountsWith(paying, channels)
})

/** The payouts that one account is given. */
interface Hand {
  readonly accounts: Accounts
  /** How many it can be given. */
  readonly room: number
  readonly payouts: Array<Payout>
}

/**
 * Deals payouts out one by one, each to the account with the fewest transactions under way that has room and was not tried for it. What was given back
 * before goes to one that is drawn by lot: the account that gave it back has the fewest under way for that very reason.
 */
const deal = Effect.fnUntraced(function* (
  send: Send,
  payouts: ReadonlyArray<Payout>,
  all: ReadonlyArray<Accounts>,
  triedFor: (payout: Payout) => ReadonlyArray<string>
) {
  const hands = all.map((accounts): Hand => ({ accounts, room: roomOf(send, accounts), payouts: [] }))
  const underWay = ({ accounts: { wallet }, payouts: given }: Hand) => wallet.openTransactions + given.length
  for (const payout of payouts) {
    const open = hands.filter(
      ({ accounts, payouts: given, room }) => given.length < room && !triedFor(payout).includes(accounts.wallet.id)
    )
    const [hand] =
      payout.waits !== null && open.length > 1
        ? yield* Random.shuffle(open)
        : open.toSorted((one, other) => underWay(one) - underWay(other))
    hand?.payouts.push(payout)
  }
  return hands.filter((hand) => hand.payouts.length > 0)
})

/**
 * Has the wallets pay what they can. What one has too little for is tried with the others, and says why once none of them has enough; what they have no
 * room for stays in the queue.
 */
const reserveAll = Effect.fnUntraced(function* (
  send: Send,
  tenantId: TenantId,
  payouts: ReadonlyArray<Payout>,
  first: ReadonlyArray<Accounts>
) {
  const reserved: Array<OwnedTransaction> = []
  const tried = new Map<string, ReadonlyArray<string>>()
  const triedFor = ({ operationId }: Payout) => tried.get(operationId) ?? []
  let [left, accounts]: [ReadonlyArray<Lacking>, ReadonlyArray<Accounts>] = [[], first]
  for (let round = 0; round < first.length; round++) {
    if (round > 0 && left.length === 0) break
    // what was reserved counts in the next round
    if (round > 0) accounts = yield* accountsOf(send, tenantId)
    const asked = round === 0 ? payouts : left.map(({ payout }) => payout)
    const lacking = new Map(left.map((one) => [one.payout.operationId, one]))
    for (const hand of yield* deal(send, asked, accounts, triedFor)) {
      const found = yield* reserveFrom(send, { tenantId, accounts: hand.accounts, payouts: hand.payouts })
      reserved.push(...found.reserved)
      for (const payout of hand.payouts) {
        tried.set(payout.operationId, [...triedFor(payout), hand.accounts.wallet.id])
        lacking.delete(payout.operationId)
      }
      for (const one of found.lacking) lacking.set(one.payout.operationId, one)
    }
    left = [...lacking.values()]
  }
  const poor = left.filter(({ payout }) => first.every(({ wallet }) => triedFor(payout).includes(wallet.id)))
  yield* Effect.forEach(poor, ({ payout, why }) => deferSending(send, { payout, tenantId }, why), { discard: true })
  return reserved
})

const ofTenant = Effect.fnUntraced(function* (
  send: Send,
  tenantId: TenantId,
  due: ReadonlyArray<OwnedPayout>,
  offForAll: string | null
) {
  const { sender } = send
  const accounts = yield* accountsOf(send, tenantId)
  // the id of an operation tells its age
  const oldest = due
    .map(({ payout }) => payout)
    .toSorted((one, other) => (one.operationId < other.operationId ? -1 : 1))
  const waiting = oldest.filter(({ transactionId }) => transactionId === null)
  // what is in an outbound transaction by now is only to be taken out of its queue, unless it is over and evidence was given for it
  const settled = oldest.filter(({ transactionId }) => transactionId !== null)
  yield* Effect.forEach(
    settled,
    Effect.fnUntraced(function* (payout) {
      const asked = yield* lookUpEvidenceOf(send, tenantId, [payout.operationId])
      if (asked.length > 0 && (yield* hearWhatPaid(send, tenantId, { payout, asked }))) return
      yield* dismiss(send, { payout, tenantId })
    }),
    { discard: true }
  )
  if (accounts.length === 0) {
    const detail = `the tenant has no payout wallet on ${sender.network}`
    const hold = (payout: Payout) => deferSending(send, { payout, tenantId }, { reason: "no_wallet", detail })
    yield* Effect.forEach(waiting, hold, { discard: true })
    return []
  }
  const unsent = yield* unpaid(send, tenantId, waiting)
  if (offForAll !== null) {
    const hold = (payout: Payout) =>
      deferSending(send, { payout, tenantId }, { reason: "switched_off", detail: offForAll })
    yield* Effect.forEach(unsent, hold, { discard: true })
    return []
  }
  const leaving = yield* mayLeave(send, tenantId, unsent)
  // the others stay in the queue
  const room = accounts.reduce((sum, one) => sum + roomOf(send, one), 0)
  const payouts = yield* payable(send, tenantId, leaving.slice(0, room))
  return yield* reserveAll(send, tenantId, payouts, accounts)
})

/**
 * Puts payouts of one tenant that wait into outbound transactions: checks the receivers, has the network's adapter plan what the transactions use
 * up, and reserves it. What cannot be done now says why and is tried again later. A payout with a row that cannot be read keeps no other from being
 * paid: then each is looked at by itself.
 */
export const reservePayouts = Effect.fn("send.reservePayouts")(function* (
  send: Send,
  tenantId: TenantId,
  due: ReadonlyArray<OwnedPayout>
) {
  const offForAll = yield* send.switchedOff
  const reserving = (some: ReadonlyArray<OwnedPayout>) => {
    const about = { tenant: tenantId, payouts: some.map(({ payout }) => payout.operationId).join(" ") }
    return apart(about, ofTenant(send, tenantId, some, offForAll))
  }
  const together = yield* reserving(due)
  if (together !== undefined || due.length === 1) return together ?? []
  const alone = yield* Effect.forEach(due, (one) => reserving([one]))
  return alone.flatMap((some) => some ?? [])
})
