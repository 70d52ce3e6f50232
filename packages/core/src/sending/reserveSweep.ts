import { Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import { staleTransaction } from "./moveTransaction.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import type { Utxo, ReplayGuard } from "../port/ChainSender.ts"
import { movedSweep } from "../sweep/syncSweeps.ts"
import { SweepableDeposit, sweepableKey, isFree } from "../sweep/SweepableDeposit.ts"
import { Sweep } from "../sweep/Sweep.ts"
import { newSweepAccount, SweepAccount, sweepAccountKey } from "../sweep/SweepAccount.ts"
import { openSweepQueue, sweepQueue } from "../sweep/sweepQueues.ts"
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
  /** What the network's transactions use up (`guardKind`). */
  readonly guard: ReplayGuard["_tag"]
  /** How much is paid: on bitcoin all the UTXOs, of which the fee is taken; else so much that the fee is left. */
  readonly units: bigint
  /** What the chain says that the account's numbers go on with (`ChainSender.firstSequence`). */
  readonly first: bigint | null
  /** The sweep whose address was given coin; null where it begins now. */
  readonly confirmed: Sweep | null
  /** The keys of addresses that do not tell how they are spent (P2SH), in hexadecimal, by address. */
  readonly publicKeys?: ReadonlyMap<string, string>
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

/** Whether wishes can be granted: a reason why they were made from what is no more, or the addresses that are held. */
export const examine = (
  view: View,
  network: PayoutWallet["network"],
  requests: ReadonlyArray<SweepRequest>,
  sweepId: string | null
): Result.Result<{ readonly held: ReadonlyArray<string> }, Refusal> => {
  const currencies = new Set(requests.flatMap(({ sweepables }) => sweepables.map(({ currency }) => currency)))
  if (currencies.size !== 1) return Result.fail(staleTransaction("A sweep moves one currency."))
  const held: Array<string> = []
  for (const { account, addressId, sweepables } of requests) {
    const address = view.get(DepositAddress, addressId)
    if (address === undefined) return Result.fail(staleTransaction("There is no such address."))
    if (address.sweepHold !== null) held.push(addressId)
    const open = view.get(SweepAccount, sweepAccountKey(network, account))
    if (open !== undefined && (open.transactionId !== null || open.sweepIds.some((id) => id !== sweepId))) {
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

const utxosOf = (
  requests: ReadonlyArray<SweepRequest>,
  keys: ReadonlyMap<string, string> = new Map()
): ReadonlyArray<Utxo> =>
  requests.flatMap(({ address, sweepables }) =>
    sweepables.map(({ transferIndex, txHash, units }) => {
      const publicKey = keys.get(address)
      return { txHash, vout: transferIndex, units, address, ...(publicKey === undefined ? {} : { publicKey }) }
    })
  )

/** The number of an account of which nothing is under way: what the chain says, or more where we have used more. */
const sequenceOf = ({ nextSequence }: SweepAccount, first: bigint): bigint =>
  nextSequence !== null && nextSequence > first ? nextSequence : first

const guardOf = (command: ReserveSweep, account: SweepAccount): ReplayGuard | null => {
  switch (command.guard) {
    case "Utxos":
      return { _tag: "Utxos", utxos: utxosOf(command.requests, command.publicKeys) }
    case "Expiry":
      return { _tag: "Expiry" }
    case "Sequence":
      return command.first === null
        ? null
        : { _tag: "Sequence", account: command.from, sequence: sequenceOf(account, command.first) }
  }
}

/** A sweep that was open already and is not to go on. */
const abandon = (view: View, sweep: Sweep, problem: string): ReadonlyArray<Change> => [
  putRecord(Sweep, movedSweep(sweep, "abandoned", { problem, endedAt: view.now })),
  schedule(openSweepQueue(sweep.network), sweep.id, view.now)
]

/**
 * Reserves the outbound transaction that moves confirmed deposits from addresses that nothing holds to the tenant's payout wallet, with what it
 * uses up: the account's own number, or the very coins. The deposits are in one sweep at most from then on. Addresses that are held
 * by now are taken out of its queue, and nothing is reserved. `stale` where something else is open on an account, or a deposit is not
 * there any more: look again.
 */
export const reserveSweep = (command: ReserveSweep): Command<ReservedSweep> => {
  const { confirmed, from, lookAt, units, wallet, requests } = command
  const { network } = wallet
  return {
    name: "ReserveSweep",
    reads: [
      ...requestReads(wallet, requests),
      readRecord(SweepAccount, sweepAccountKey(network, from)),
      ...(confirmed === null ? [] : [readRecord(Sweep, confirmed.id)])
    ],
    decide: (view) => {
      const found = examine(view, network, requests, confirmed?.id ?? null)
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
      const guard = guardOf(command, payer)
      if (guard === null) return Result.fail(staleTransaction("The account's next number is not known."))
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
        payments: [{ operationId: null, to: wallet.address, contract, units, memo: null }],
        trustlines: [],
        drain: guard._tag === "Utxos",
        salt: payer.nextSalt
      })
      const transactions = { topUpTransactionId: open?.topUpTransactionId ?? null, sweepTransactionId: id }
      const sweeps = requests.map((request) => ({
        request,
        sweep: open === undefined ? openedSweep(view, network, request, transactions) : { ...open, ...transactions }
      }))
      const accounts = new Map<string, SweepAccount>()
      if (guard._tag !== "Utxos") accounts.set(from, { ...payer, transactionId: id, nextSalt: payer.nextSalt + 1 })
      for (const { sweep } of sweeps) {
        const account =
          accounts.get(sweep.account) ??
          view.get(SweepAccount, sweepAccountKey(network, sweep.account)) ??
          newSweepAccount(network, sweep.account)
        accounts.set(sweep.account, { ...account, sweepIds: [...new Set([...account.sweepIds, sweep.id])] })
      }
      return Result.succeed({
        changes: [
          putRecord(OutboundTransaction, transaction),
          schedule(transactionQueue(network), id, view.now),
          ...sweeps.flatMap(({ sweep, request }) => openChanges(view, sweep, request, lookAt)),
          ...[...accounts.values()].map((account) => putRecord(SweepAccount, account))
        ],
        reply: { _tag: "Reserved", transaction, sweeps: sweeps.map(({ sweep }) => sweep) } as const
      })
    }
  }
}
