import { BigInt as Big, Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { freshPrice } from "../money/freshPrice.ts"
import { type Rate, usdCents } from "../money/Rate.ts"
import { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { movedSweep } from "./movedSweep.ts"
import { sweepableKey, SweepableDeposit, unbackedWhileFree } from "./SweepableDeposit.ts"
import { IntakeCost } from "./IntakeCost.ts"
import { unsweptImportsRead } from "../operation/UnsweptImports.ts"
import { countImports } from "./countImports.ts"
import { Sweep, type SweptDeposit, transactionOfSweep } from "./Sweep.ts"
import { sweepAccountKey, SweepAccount } from "./SweepAccount.ts"
import { isSweepOver } from "./SweepMachine.ts"
import { openSweepQueue, sweepQueue } from "./sweepQueues.ts"
import { takenElsewhere } from "./takenElsewhere.ts"

/** A sweep that is over. */
export interface CloseSweep {
  /** As it was read. */
  readonly sweep: Sweep
  /** What the native asset is worth, null where that is not known. */
  readonly nativeUsd: Rate | null
  /** When to try again, where it was given up. */
  readonly retryAt: Timestamp
  /** Addresses that wait for its account to be free: they are due when it is. */
  readonly waiting: ReadonlyArray<string>
  readonly currencies: CurrencyTable
}

/** A sweep that was closed now. */
export interface ClosedSweep {
  readonly sweep: Sweep
  /** The deposits that stay with it though it was given up, because somebody else has moved them. */
  readonly taken: ReadonlyArray<SweptDeposit>
}

/** The part of an outbound transaction's fee that is of one of the sweeps that share it: the parts add up to the whole. */
const shareOf = (transaction: OutboundTransaction | undefined, among: ReadonlyArray<Sweep>, id: string): bigint => {
  const fee = transaction?.fee ?? 0n
  const count = BigInt(Math.max(1, among.length))
  const at = BigInt(among.findIndex((sweep) => sweep.id === id))
  return fee / count + (at >= 0n && at < fee % count ? 1n : 0n)
}

/** The record of what intakes of a currency cost, with a sweep counted in. */
const counted = (
  view: View,
  sweep: Sweep,
  fee: bigint,
  { nativeUsd, currencies }: Pick<CloseSweep, "nativeUsd" | "currencies">
): ReadonlyArray<Change> => {
  const native = currencies.byAsset(sweep.network, null)
  if (native === undefined || (fee === 0n && sweep.state !== "SWEPT")) return []
  const before = view.get(IntakeCost, sweep.currency)
  const price = freshPrice(nativeUsd, view.now)
  const cents = fee === 0n ? 0n : price === null ? null : usdCents(fee, native, price.price)
  const known = before === undefined ? 0n : before.usdCents
  const cost: IntakeCost = {
    currency: sweep.currency,
    native: native.code,
    count: (before?.count ?? 0) + (sweep.state === "SWEPT" ? 1 : 0),
    feeUnits: (before?.feeUnits ?? 0n) + fee,
    usdCents: known === null || cents === null ? null : known + cents,
    since: before?.since ?? view.now,
    until: view.now
  }
  return [putRecord(IntakeCost, cost)]
}

/**
 * What a transaction has left on the addresses of its sweeps: of an account it moves no more than stands there. Where several share it, each may be
 * the one that has it. The coins that a transaction spends are spent whole.
 */
const leftBehind = (
  { contract }: Sweep,
  transaction: OutboundTransaction | undefined,
  among: ReadonlyArray<Sweep>
): bigint => {
  if (transaction === undefined || transaction.guard._tag === "Utxos") return 0n
  const sum = (all: ReadonlyArray<{ readonly contract: string | null; readonly units: bigint }>) =>
    all.reduce((total, one) => (one.contract === contract ? total + one.units : total), 0n)
  const fee = contract === null ? (transaction.fee ?? 0n) : 0n
  return Big.max(sum(among) - sum(transaction.payments) - fee, 0n)
}

/** The deposits of a sweep have been moved, but for what was left behind: that is theirs for good, and backs nothing where it was imported. */
const swept = (view: View, { deposits, id }: Sweep, left: bigint): ReadonlyArray<Change> => {
  let rest = left
  return deposits.flatMap((deposit): ReadonlyArray<Change> => {
    const sweepable = view.get(SweepableDeposit, sweepableKey(deposit))
    if (sweepable === undefined) return []
    const unbacked = Big.min(sweepable.unbacked, rest)
    rest -= unbacked
    if (sweepable.sweepId === id && sweepable.unbacked === unbacked) return []
    return [putRecord(SweepableDeposit, { ...sweepable, sweepId: id, unbacked })]
  })
}

/** The deposits that somebody else has moved, of those that a sweep that was given up has still: an earlier one may have moved others of them after all. */
const takenOf = (view: View, sweep: Sweep, transaction: OutboundTransaction | undefined): ReadonlyArray<SweptDeposit> =>
  takenElsewhere(sweep, transaction).filter((deposit) => {
    const sweepable = view.get(SweepableDeposit, sweepableKey(deposit))
    return sweepable?.sweepId === sweep.id && !sweepable.gone
  })

/**
 * The deposits of a sweep that was given up wait again, but for those that somebody else has moved: these stay with it, and back what they did before.
 */
const freed = (view: View, { deposits, id }: Sweep, taken: ReadonlyArray<SweptDeposit>): ReadonlyArray<Change> =>
  deposits.flatMap((deposit): ReadonlyArray<Change> => {
    const sweepable = view.get(SweepableDeposit, sweepableKey(deposit))
    if (sweepable?.sweepId !== id || taken.includes(deposit)) return []
    return [putRecord(SweepableDeposit, { ...sweepable, sweepId: null, unbacked: unbackedWhileFree(sweepable) })]
  })

/** A sweep is closed, with the words for operators where somebody else has moved what deposits of it brought. */
const closed = (view: View, sweep: Sweep, taken: ReadonlyArray<SweptDeposit>): Sweep => ({
  ...sweep,
  closedAt: view.now,
  ...(taken.length > 0 && {
    problem: `Somebody else has moved what deposit ${taken.map(({ depositId }) => depositId).join(" and ")} brought.`
  })
})

/** Whether the deposits of a sweep were let go before. */
const wasClosed = (view: View, { deposits, id }: Sweep): boolean =>
  !deposits.some((deposit) => view.get(SweepableDeposit, sweepableKey(deposit))?.sweepId === id)

/**
 * Closes a sweep that is over: its account is free for the next and what waits for it is due, what it cost is counted, and the deposits of one that was
 * given up wait again, until `retryAt`, where they are there still. One that was given up and has moved its deposits all the same is closed for a second time. One
 * that may have lost a deposit to an earlier one has to wait until that is closed. Replies null where it was not open.
 */
export const closeSweep = (command: CloseSweep): Command<ClosedSweep | null> => {
  const { retryAt, sweep: read, waiting } = command
  const { account, network } = read
  const transactionIds = [read.topUpTransactionId, read.sweepTransactionId].filter((id) => id !== null)
  const shared = transactionOfSweep(read)
  return {
    name: "CloseSweep",
    reads: [
      readRecord(Sweep, read.id),
      readRecord(SweepAccount, sweepAccountKey(network, account)),
      readRecord(IntakeCost, read.currency),
      unsweptImportsRead(read.currency),
      ...read.deposits.map((deposit) => readRecord(SweepableDeposit, sweepableKey(deposit))),
      ...transactionIds.map((id) => readRecord(OutboundTransaction, id)),
      ...(shared === null ? [] : [readGroup(Sweep, shared)])
    ],
    decide: (view) => {
      const sweep = view.get(Sweep, read.id)
      if (sweep === undefined || !isSweepOver(sweep.state) || sweep.closedAt !== null) {
        return Result.succeed({ changes: [unschedule(openSweepQueue(network), read.id)], reply: null })
      }
      const isSwept = sweep.state === "SWEPT"
      const owner = view.get(SweepAccount, sweepAccountKey(network, account))
      const among = shared === null ? [sweep] : view.group(Sweep, shared)
      // the top-up of one that was closed before is counted
      const costs = wasClosed(view, sweep) ? transactionIds.filter((id) => id === shared) : transactionIds
      const fee = costs.reduce(
        (sum, id) => sum + shareOf(view.get(OutboundTransaction, id), id === shared ? among : [sweep], sweep.id),
        0n
      )
      const moving = sweep.sweepTransactionId
      const mover = moving === null ? undefined : view.get(OutboundTransaction, moving)
      const left = leftBehind(sweep, mover, among)
      const taken = isSwept ? [] : takenOf(view, sweep, mover)
      const now = closed(view, sweep, taken)
      const isFree = owner?.sweepIds.every((id) => id === sweep.id) ?? true
      return Result.succeed({
        changes: [
          putRecord(Sweep, now),
          ...countImports(view, isSwept ? swept(view, sweep, left) : freed(view, sweep, taken)),
          ...(owner === undefined
            ? []
            : [
                putRecord(SweepAccount, {
                  ...owner,
                  sweepIds: owner.sweepIds.filter((id) => id !== sweep.id),
                  failures: isSwept ? 0 : owner.failures + 1
                })
              ]),
          ...counted(view, sweep, fee, command),
          // in the same commit, so that nothing of it begins the next sweep without them
          ...(isFree ? waiting.map((id) => schedule(sweepQueue(network), id, view.now)) : []),
          // there may be more: what came meanwhile, or another currency
          schedule(sweepQueue(network), sweep.addressId, isSwept ? view.now : retryAt),
          unschedule(openSweepQueue(network), sweep.id)
        ],
        reply: { sweep: now, taken }
      })
    }
  }
}

/**
 * Gives up a sweep whose address was given coin and that is not to go on, before anything that moves was reserved: the top-up must
 * be over. What it gave stays at the address, for the next sweep.
 */
export const abandonSweep = (read: Sweep, problem: string): Command<Sweep | null> => ({
  name: "GiveUpSweep",
  reads: [
    readRecord(Sweep, read.id),
    ...(read.topUpTransactionId === null ? [] : [readRecord(OutboundTransaction, read.topUpTransactionId)])
  ],
  decide: (view) => {
    const sweep = view.get(Sweep, read.id)
    const given = read.topUpTransactionId === null ? undefined : view.get(OutboundTransaction, read.topUpTransactionId)
    const waits = sweep?.state === "TOPUP_SIGNED" || sweep?.state === "TOPUP_CONFIRMED"
    if (!waits || sweep.sweepTransactionId !== null || given?.phase !== "FINAL") {
      return Result.succeed({ changes: [], reply: null })
    }
    const over = movedSweep(sweep, "abandoned", { problem, endedAt: view.now })
    return Result.succeed({
      changes: [putRecord(Sweep, over), schedule(openSweepQueue(sweep.network), sweep.id, view.now)],
      reply: over
    })
  }
})
