import type { NetworkTraits } from "@bursar/core/money/Network"
import { askLeaving } from "@bursar/core/leaving/askLeaving"
import { AccountProvisioning } from "@bursar/core/transaction/AccountProvisioning"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { reserveTransaction, type GuardRequest } from "@bursar/core/sending/reserveTransaction"
import { guardKind } from "@bursar/core/transaction/guardKind"
import { leavingOf } from "@bursar/core/leaving/leavingOf"
import type { Payout } from "@bursar/core/payout/Payout"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { chooseUtxos } from "./chooseUtxos.ts"
import { failpoint } from "./Failpoint.ts"
import { dismiss, abandon, deferSending } from "./deferSending.ts"
import type { OwnedPayout, OwnedTransaction, Send } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

/** Payouts of one tenant, with the wallet that pays them. */
interface Job {
  readonly tenantId: TenantId
  readonly wallet: PayoutWallet
  readonly payouts: ReadonlyArray<Payout>
}

/** Those that may leave as things stand; the others say why not and are looked at again. */
const mayLeave = Effect.fnUntraced(function* (send: Send, tenantId: TenantId, payouts: ReadonlyArray<Payout>) {
  if (payouts.length === 0) return payouts
  const objections = yield* submitSend(send, tenantId, askLeaving(payouts.map(leavingOf)))
  if (objections === null) return []
  for (const payout of payouts) {
    const objection = objections.get(payout.operationId)
    if (objection !== undefined) yield* deferSending(send, tenantId, payout, objection.reason, objection.detail)
  }
  return payouts.filter(({ operationId }) => !objections.has(operationId))
})

/** Those whose receivers can be paid as the chain stands; the others fail, or wait for the node. */
const payable = Effect.fnUntraced(function* (send: Send, tenantId: TenantId, payouts: ReadonlyArray<Payout>) {
  const { limits, sender } = send
  const checked = yield* Effect.forEach(
    payouts,
    Effect.fnUntraced(function* (payout) {
      const { contract, memo, to, units } = payout
      const found = yield* Effect.result(sender.preflight({ to, contract, units, memo }))
      yield* failpoint("payout.preflighted")
      if (Result.isFailure(found)) {
        yield* deferSending(send, tenantId, payout, "node_unreadable", found.failure.message)
        return []
      }
      if (found.success._tag === "Payable") return [payout]
      yield* abandon(send, tenantId, payout, found.success.message)
      return []
    }),
    { concurrency: limits.transactionsAtOnce }
  )
  return checked.flat()
})

/** Those that the wallet can pay beside all that is under way, first come first served. */
const covered = Effect.fnUntraced(function* (send: Send, { payouts, tenantId, wallet }: Job) {
  const { sender } = send
  const committed = new Map(wallet.committed.map((one) => [one.contract, one.units]))
  const balances = new Map<string | null, bigint>()
  const taken: Array<Payout> = []
  for (const payout of payouts) {
    const { contract, units } = payout
    if (!balances.has(contract)) {
      const read = yield* Effect.result(sender.balance(wallet.address, contract))
      yield* failpoint("balance.read")
      if (Result.isFailure(read)) {
        yield* deferSending(send, tenantId, payout, "node_unreadable", read.failure.message)
        continue
      }
      balances.set(contract, read.success)
    }
    const [held, promised] = [balances.get(contract) ?? 0n, committed.get(contract) ?? 0n]
    if (held - promised < units) {
      const detail = `the wallet ${wallet.address} has ${held - promised} units of ${contract ?? "the native asset"} left, ${units} are needed`
      // what is in a block already and was not looked up yet counts twice: in a moment there may be enough
      yield* deferSending(send, tenantId, payout, "insufficient_wallet", detail, held >= units)
      continue
    }
    committed.set(contract, promised + units)
    taken.push(payout)
  }
  return taken
})

const reserve = Effect.fnUntraced(function* (
  send: Send,
  { tenantId, wallet }: Omit<Job, "payouts">,
  payouts: ReadonlyArray<Payout>,
  guard: GuardRequest
) {
  const transaction = yield* submitSend(send, tenantId, reserveTransaction({ wallet, payouts, guard }))
  yield* failpoint("transaction.reserved")
  return transaction === null ? [] : [{ tenantId, transaction } satisfies OwnedTransaction]
})

/** What the chain says that an account's numbers begin with, where nothing else says it. */
const firstSequenceOf = Effect.fnUntraced(function* ({ sender }: Send, account: PayoutWallet) {
  if (account.nextSequence !== null && account.openTransactions > 0) return { first: null }
  const first = yield* sender.firstSequence(account.address)
  yield* failpoint("sequence.read")
  return { first }
})

/** One number for each payout, from the accounts that have some left. */
const reserveSequences = Effect.fnUntraced(function* (send: Send, job: Job, wallets: ReadonlyArray<PayoutWallet>) {
  const { tenantId, wallet } = job
  const most = Math.min(send.limits.underWayMax, send.traits.underWayMax)
  const lendingChannels = wallets.filter(({ role }) => role === "CHANNEL")
  const accounts = most === 1 && lendingChannels.length > 0 ? lendingChannels : [wallet]
  const reserved: Array<OwnedTransaction> = []
  let rest = job.payouts
  for (const account of accounts) {
    const free = Math.max(0, most - account.openTransactions)
    const [now, later] = [rest.slice(0, free), rest.slice(free)]
    if (now.length === 0) continue
    const known = yield* Effect.result(firstSequenceOf(send, account))
    const problem = Result.isFailure(known)
      ? ({ reason: "node_unreadable", detail: known.failure.message } as const)
      : known.success.first === null && account.nextSequence === null
        ? ({ reason: "insufficient_wallet", detail: `the account ${account.address} does not exist` } as const)
        : undefined
    if (Result.isFailure(known) || problem !== undefined) {
      const { detail = "", reason = "node_unreadable" } = problem ?? {}
      yield* Effect.forEach(now, (payout) => deferSending(send, tenantId, payout, reason, detail), { discard: true })
    } else {
      const guard: GuardRequest = { _tag: "Next", account, first: known.success.first }
      const transactions = yield* Effect.forEach(now, (payout) => reserve(send, job, [payout], guard), {
        concurrency: "unbounded"
      })
      reserved.push(...transactions.flat())
    }
    rest = later
  }
  return reserved
})

const reserveAll = Effect.fnUntraced(function* (send: Send, job: Job, wallets: ReadonlyArray<PayoutWallet>) {
  switch (guardKind(send.traits)) {
    case "Sequence":
      return yield* reserveSequences(send, job, wallets)
    case "Expiry": {
      const transactions = yield* Effect.forEach(
        job.payouts,
        (payout) => reserve(send, job, [payout], { _tag: "Expiry" }),
        {
          concurrency: "unbounded"
        }
      )
      return transactions.flat()
    }
    case "Utxos": {
      const reserved: Array<OwnedTransaction> = []
      const [alone, together] = [job.payouts.filter((one) => one.alone), job.payouts.filter((one) => !one.alone)]
      const max = send.sender.paymentsMax
      const groups = [
        ...alone.map((payout) => [payout]),
        ...Array.from({ length: Math.ceil(together.length / max) }, (_, at) => together.slice(at * max, (at + 1) * max))
      ]
      for (const payouts of groups) {
        const chosen = yield* chooseUtxos(send, { ...job, payouts })
        yield* failpoint("utxos.chosen")
        for (const { detail, payout, reason } of chosen.short) {
          yield* deferSending(send, job.tenantId, payout, reason, detail)
        }
        if (chosen.payouts.length === 0) continue
        reserved.push(...(yield* reserve(send, job, chosen.payouts, { _tag: "Utxos", utxos: chosen.utxos })))
      }
      return reserved
    }
  }
})

/** The wallets of a tenant, without those that are to lend their numbers and are not there yet: the wallet's own do meanwhile. */
const standingWallets = Effect.fnUntraced(function* (
  { name: network, provisioned }: NetworkTraits,
  tenantId: TenantId
) {
  const queries = yield* Queries
  const wallets = yield* queries.records(tenantId, PayoutWallet, network)
  if (!provisioned) return wallets
  const provisionings = yield* queries.records(tenantId, AccountProvisioning, network)
  const lacking = provisionings.filter(({ ready, role }) => role === "CHANNEL" && !ready)
  const unmade = new Set(lacking.map(({ address }) => address))
  // one whose numbers were used is there, whatever else it lacks
  return wallets.filter(({ address, nextSequence }) => nextSequence !== null || !unmade.has(address))
})

const ofTenant = Effect.fnUntraced(function* (
  send: Send,
  tenantId: TenantId,
  due: ReadonlyArray<OwnedPayout>,
  offForAll: string | null
) {
  const { sender } = send
  const wallets = yield* standingWallets(send.traits, tenantId)
  const wallet = wallets.find(({ role }) => role === "PAYOUT")
  // the id of an operation tells its age
  const oldest = due
    .map(({ payout }) => payout)
    .toSorted((one, other) => (one.operationId < other.operationId ? -1 : 1))
  const waiting = oldest.filter(({ phase }) => phase === "HELD")
  // what is in an outbound transaction by now, or was cancelled, is only to be taken out of its queue
  const settled = oldest.filter(({ phase }) => phase !== "HELD")
  yield* Effect.forEach(settled, (payout) => dismiss(send, tenantId, payout), { discard: true })
  if (wallet === undefined) {
    const detail = `the tenant has no payout wallet on ${sender.network}`
    yield* Effect.forEach(waiting, (payout) => deferSending(send, tenantId, payout, "no_wallet", detail), {
      discard: true
    })
    return []
  }
  if (offForAll !== null) {
    const hold = (payout: Payout) => deferSending(send, tenantId, payout, "switched_off", offForAll)
    yield* Effect.forEach(waiting, hold, { discard: true })
    return []
  }
  const leaving = yield* mayLeave(send, tenantId, waiting)
  const room = roomIn(send, wallet, wallets)
  const checked = yield* payable(send, tenantId, leaving.slice(0, room))
  const job = { tenantId, wallet, payouts: checked }
  const payouts = guardKind(send.traits) === "Utxos" ? checked : yield* covered(send, job)
  return payouts.length === 0 ? [] : yield* reserveAll(send, { ...job, payouts }, wallets)
})

/** How many payouts can be put into outbound transactions now: the others stay in the queue. */
const roomIn = (send: Send, wallet: PayoutWallet, wallets: ReadonlyArray<PayoutWallet>): number => {
  const { limits, traits } = send
  if (guardKind(traits) === "Utxos") return limits.itemsPerPassMax
  const most = Math.min(limits.underWayMax, traits.underWayMax)
  const lendingChannels = wallets.filter(({ role }) => role === "CHANNEL")
  const accounts = most === 1 && lendingChannels.length > 0 ? lendingChannels : [wallet]
  return accounts.reduce((sum, { openTransactions }) => sum + Math.max(0, most - openTransactions), 0)
}

/**
 * Puts payouts that wait into outbound transactions, per tenant: checks the receivers, what the wallet has left beside all that is under way, and
 * reserves numbers, coins or nothing, as the network has it. What cannot be done now says why and is tried again later.
 */
export const reservePayouts = Effect.fn("send.reservePayouts")(function* (send: Send, due: ReadonlyArray<OwnedPayout>) {
  const byTenant = Map.groupBy(due, ({ tenantId }) => tenantId)
  const offForAll = yield* send.switchedOff
  const reserved = yield* Effect.forEach(byTenant, ([tenantId, ofOne]) => ofTenant(send, tenantId, ofOne, offForAll), {
    concurrency: 4
  })
  return reserved.flat()
})
