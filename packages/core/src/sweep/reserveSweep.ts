import { Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command, Decision } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import { staleTransaction } from "../transaction/moveTransaction.ts"
import { wrongPlan } from "../transaction/reserveGuard.ts"
import { guardKind } from "../transaction/guardKind.ts"
import type { NetworkTable, NetworkTraits } from "../money/Network.ts"
import type { GuardPlan } from "../port/TransactionPlanner.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import type { ReplayGuard } from "../port/ChainSender.ts"
import type { Utxo } from "../port/Utxo.ts"
import { movedSweep } from "./movedSweep.ts"
import { SweepableDeposit, sweepableKey, isFree } from "./SweepableDeposit.ts"
import { Sweep } from "./Sweep.ts"
import { newSweepAccount, SweepAccount, sweepAccountKey } from "./SweepAccount.ts"
import { openSweepQueue, sweepQueue } from "./sweepQueues.ts"
import { newTransaction } from "../transaction/newTransaction.ts"
import { DepositAddress } from "../address/DepositAddress.ts"

/** What is to be moved from one address. */
export interface SweepRequest {
  readonly addressId: string
  readonly address: string
  /** Who pays on the chain: the address, on stellar the account that it is a part of. */
  readonly account: string
  /** Of one currency; one at least. */
  readonly sweepables: ReadonlyArray<SweepableDeposit>
}

/** What is to be moved in one transaction. Several addresses only where a transaction can pay from them all (bitcoin, stellar). */
export interface ReserveSweep {
  /** The tenant's payout wallet, which gets it. */
  readonly wallet: PayoutWallet
  /** Who pays on the chain; on bitcoin the wallet, whose change there could be. */
  readonly from: string
  readonly requests: ReadonlyArray<SweepRequest>
  /** What the network's adapter has planned that it uses up: the payer's own sequence, or the very UTXOs that were deposited. */
  readonly guard: GuardPlan
  /** How much is paid: of UTXOs all that they hold, of which the fee is taken; else so much that the fee is left. */
  readonly units: bigint
  /** The sweep whose address was given coin; null where it begins now. */
  readonly confirmed: Sweep | null
  /** When to look at it again, whatever comes of its outbound transaction. */
  readonly lookAt: Timestamp
}

/** What came of it: an outbound transaction; or nothing, because addresses are held by now. */
export type ReservedSweep =
  | { readonly _tag: "Reserved"; readonly transaction: OutboundTransaction; readonly sweeps: ReadonlyArray<Sweep> }
  | { readonly _tag: "Held"; readonly addressIds: ReadonlyArray<string> }

/** What is read of the addresses and deposits of some wishes. */
export const requestReads = (wallet: PayoutWallet, requests: ReadonlyArray<SweepRequest>): ReadonlyArray<Read> => [
  readRecord(PayoutWallet, wallet.id),
  ...requests.flatMap(({ account, addressId, sweepables }): ReadonlyArray<Read> => [
    readRecord(DepositAddress, addressId),
    readRecord(SweepAccount, sweepAccountKey(wallet.network, account)),
    ...sweepables.map((sweepable) => readRecord(SweepableDeposit, sweepableKey(sweepable)))
  ])
]

/** What is wanted of addresses: to move what is there, by the sweep that it is of, or to give them coin for that. */
export type SweepIntent = { readonly _tag: "Move"; readonly sweepId: string | null } | { readonly _tag: "TopUp" }

/** Whether wishes can be granted: a reason why they were made from what is no more, or the addresses that are held. */
export const examine = (
  view: View,
  network: PayoutWallet["network"],
  requests: ReadonlyArray<SweepRequest>,
  intent: SweepIntent
): Result.Result<{ readonly held: ReadonlyArray<string> }, Refusal> => {
  const currencies = new Set(requests.flatMap(({ sweepables }) => sweepables.map(({ currency }) => currency)))
  if (currencies.size !== 1) return Result.fail(staleTransaction("A sweep moves one currency."))
  const sweepId = intent._tag === "Move" ? intent.sweepId : null
  const held: Array<string> = []
  for (const { account, addressId, sweepables } of requests) {
    const address = view.get(DepositAddress, addressId)
    if (address === undefined) return Result.fail(staleTransaction("There is no such address."))
    if (address.sweepHold !== null) held.push(addressId)
    const open = view.get(SweepAccount, sweepAccountKey(network, account))
    // a number that is only to be used up takes coin as well: it may be what the address lacks it for
    const isUnderWay = intent._tag === "Move" && (open?.transactionId ?? null) !== null
    if (isUnderWay || open?.sweepIds.some((id) => id !== sweepId) === true) {
      return Result.fail(staleTransaction(`Something is being swept from ${account}.`))
    }
    for (const read of sweepables) {
      const sweepable = view.get(SweepableDeposit, sweepableKey(read))
      const takes =
        sweepable !== undefined &&
        (sweepId === null ? isFree(sweepable) : !sweepable.gone && sweepable.sweepId === sweepId)
      if (!takes || sweepable.addressId !== addressId || sweepable.units !== read.units) {
        return Result.fail(staleTransaction(`Deposit ${read.depositId} is not there to be swept.`))
      }
    }
  }
  return Result.succeed({ held })
}

/** A sweep that begins. */
export const openedSweep = (
  view: View,
  network: PayoutWallet["network"],
  { account, address, addressId, sweepables }: SweepRequest,
  transactions: Pick<Sweep, "sweepTransactionId" | "topUpTransactionId">
): Sweep => {
  const [first] = sweepables
  if (first === undefined) throw new Error("a sweep has one deposit at least")
  return {
    id: view.newId(),
    network,
    addressId,
    address,
    account,
    key: first.key,
    currency: first.currency,
    contract: first.contract,
    units: sweepables.reduce((sum, { units }) => sum + units, 0n),
    state: "ELIGIBLE",
    ...transactions,
    deposits: sweepables.map(({ depositId, transferIndex, txHash }) => ({ depositId, network, transferIndex, txHash })),
    problem: null,
    createdAt: view.now,
    endedAt: null,
    closedAt: null
  }
}

/** The deposits of a sweep are its own from now on, its address waits for nothing else, and it is looked at again. */
export const openChanges = (
  view: View,
  sweep: Sweep,
  { addressId, sweepables }: SweepRequest,
  lookAt: Timestamp
): ReadonlyArray<Change> => [
  putRecord(Sweep, sweep),
  ...sweepables.flatMap((read): ReadonlyArray<Change> => {
    const sweepable = view.get(SweepableDeposit, sweepableKey(read))
    return sweepable === undefined ? [] : [putRecord(SweepableDeposit, { ...sweepable, sweepId: sweep.id })]
  }),
  unschedule(sweepQueue(sweep.network), addressId),
  schedule(openSweepQueue(sweep.network), sweep.id, lookAt)
]

/**
 * The deposited UTXOs as they are recorded, where a plan names just these. Of the plan they take the public key alone: without the right
 * one nothing can be signed.
 */
const utxosOf = (
  requests: ReadonlyArray<SweepRequest>,
  planned: ReadonlyArray<Utxo>
): ReadonlyArray<Utxo> | undefined => {
  const deposited = requests.flatMap(({ sweepables }) => sweepables)
  const keyed = new Map(planned.map((utxo) => [`${utxo.txHash}:${utxo.vout}`, utxo]))
  if (keyed.size !== planned.length || planned.length !== deposited.length) return undefined
  const utxos = deposited.flatMap(({ address, transferIndex, txHash, units }) => {
    const found = keyed.get(`${txHash}:${transferIndex}`)
    if (found === undefined) return []
    const { publicKey } = found
    return [{ txHash, vout: transferIndex, units, address, ...(publicKey === undefined ? {} : { publicKey }) }]
  })
  return utxos.length === deposited.length ? utxos : undefined
}

/** The sequence of an account of which nothing is under way: what the chain says, or more where we have used more. */
const sequenceOf = ({ nextSequence }: SweepAccount, first: bigint): bigint =>
  nextSequence !== null && nextSequence > first ? nextSequence : first

/** What a sweep uses up, as its plan has it and the records allow: it moves what was deposited and no more. */
const guardOf = (
  { from, guard: plan, requests, units, wallet }: ReserveSweep,
  account: SweepAccount,
  traits: NetworkTraits
): Result.Result<ReplayGuard, Refusal> => {
  const wrong = (what: string) => Result.fail(wrongPlan(what))
  if (plan._tag !== guardKind(traits)) return wrong(`${plan._tag} does not protect payments on ${traits.name}.`)
  const deposited = requests.flatMap(({ sweepables }) => sweepables).reduce((sum, one) => sum + one.units, 0n)
  if (units <= 0n || units > deposited) return wrong(`A sweep of ${deposited} units cannot move ${units}.`)
  if (plan._tag === "Utxos") {
    const utxos = utxosOf(requests, plan.utxos)
    if (utxos === undefined) return wrong("A sweep spends just the UTXOs that were deposited.")
    if (from !== wallet.address) return wrong("What is left of UTXOs goes to the wallet.")
    if (units !== deposited || plan.fee <= 0n || plan.fee >= units) {
      return wrong(`UTXOs of ${deposited} units cannot move ${units} for a fee of ${plan.fee}.`)
    }
    return Result.succeed({ _tag: "Utxos", utxos })
  }
  if (requests.some((request) => request.account !== from)) return wrong(`${from} does not pay for all the deposits.`)
  if (plan._tag === "Expiry") return Result.succeed({ _tag: "Expiry" })
  if (plan.account !== from) return wrong(`The sequence of ${plan.account} is not for payments of ${from}.`)
  return plan.first === null
    ? Result.fail(staleTransaction("The account's next sequence is not known."))
    : Result.succeed({ _tag: "Sequence", account: from, sequence: sequenceOf(account, plan.first) })
}

/** A sweep that was open already and is not to go on. */
const abandon = (view: View, sweep: Sweep, problem: string): ReadonlyArray<Change> => [
  putRecord(Sweep, movedSweep(sweep, "abandoned", { problem, endedAt: view.now })),
  schedule(openSweepQueue(sweep.network), sweep.id, view.now)
]

/** The swept accounts, with the sweeps that are open on them now; the payer's sequence and salt are in use where it has some. */
const accountsOf = (
  view: View,
  sweeps: ReadonlyArray<Sweep>,
  { guard, id, payer }: { readonly payer: SweepAccount; readonly guard: ReplayGuard; readonly id: string }
): ReadonlyArray<SweepAccount> => {
  const accounts = new Map<string, SweepAccount>()
  if (guard._tag !== "Utxos") accounts.set(payer.account, { ...payer, transactionId: id, nextSalt: payer.nextSalt + 1 })
  for (const sweep of sweeps) {
    const { account, network } = sweep
    const known =
      accounts.get(account) ??
      view.get(SweepAccount, sweepAccountKey(network, account)) ??
      newSweepAccount(network, account)
    accounts.set(account, { ...known, sweepIds: [...new Set([...known.sweepIds, sweep.id])] })
  }
  return [...accounts.values()]
}

/** The outbound transaction that moves, with its sweeps. */
const reserveMove = (
  view: View,
  { from, lookAt, requests, units, wallet: { address: to, network } }: ReserveSweep,
  {
    guard,
    open,
    payer
  }: { readonly guard: ReplayGuard; readonly open: Sweep | undefined; readonly payer: SweepAccount }
): Decision<ReservedSweep> => {
  const contract = requests[0]?.sweepables[0]?.contract ?? null
  const id = view.newId()
  const transaction = newTransaction(view, {
    id,
    network,
    purpose: "SWEEP",
    walletId: null,
    from,
    guard,
    counterId: null,
    payments: [{ operationId: null, to, contract, units, memo: null }],
    trustlines: [],
    drain: guard._tag === "Utxos",
    salt: payer.nextSalt
  })
  const transactions = { topUpTransactionId: open?.topUpTransactionId ?? null, sweepTransactionId: id }
  const all = requests.map((request) => ({
    request,
    sweep: open === undefined ? openedSweep(view, network, request, transactions) : { ...open, ...transactions }
  }))
  const sweeps = all.map(({ sweep }) => sweep)
  return {
    changes: [
      putRecord(OutboundTransaction, transaction),
      schedule(transactionQueue(network), id, view.now),
      ...all.flatMap(({ sweep, request }) => openChanges(view, sweep, request, lookAt)),
      ...accountsOf(view, sweeps, { guard, id, payer }).map((account) => putRecord(SweepAccount, account))
    ],
    reply: { _tag: "Reserved", transaction, sweeps }
  }
}

/**
 * Reserves the outbound transaction that moves confirmed deposits from addresses that nothing holds to the tenant's payout wallet, with what it
 * uses up: the account's own number, or the very coins. The deposits are in one sweep at most from then on. Addresses that are held
 * by now are taken out of its queue, and nothing is reserved. `stale` where something else is open on an account, or a deposit is not
 * there any more: look again. `plan_invalid` where the plan cannot be right: see `guardOf`.
 */
export const reserveSweep = (command: ReserveSweep, networks: NetworkTable): Command<ReservedSweep> => {
  const { confirmed, from, wallet, requests } = command
  const { network } = wallet
  return {
    name: "ReserveSweep",
    reads: [
      ...requestReads(wallet, requests),
      readRecord(SweepAccount, sweepAccountKey(network, from)),
      ...(confirmed === null ? [] : [readRecord(Sweep, confirmed.id)])
    ],
    decide: (view) => {
      const found = examine(view, network, requests, { _tag: "Move", sweepId: confirmed?.id ?? null })
      if (Result.isFailure(found)) return Result.fail(found.failure)
      const { held } = found.success
      const open = confirmed === null ? undefined : view.get(Sweep, confirmed.id)
      if (confirmed !== null && (open?.state !== "TOPUP_CONFIRMED" || open.sweepTransactionId !== null)) {
        return Result.fail(staleTransaction("The sweep has moved on."))
      }
      if (held.length > 0) {
        const changes = [
          ...held.map((id) => unschedule(sweepQueue(network), id)),
          ...(open === undefined ? [] : abandon(view, open, "Its address is held."))
        ]
        return Result.succeed({ changes, reply: { _tag: "Held", addressIds: held } as const })
      }
      if (view.get(PayoutWallet, wallet.id) === undefined)
        return Result.fail(staleTransaction("The wallet is not there."))
      const payer = view.get(SweepAccount, sweepAccountKey(network, from)) ?? newSweepAccount(network, from)
      const planned = guardOf(command, payer, networks.of(network))
      if (Result.isFailure(planned)) return Result.fail(planned.failure)
      return Result.succeed(reserveMove(view, command, { guard: planned.success, open, payer }))
    }
  }
}
