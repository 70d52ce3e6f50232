import { Result } from "effect"
import { schedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../engine/Timestamp.ts"
import { objectionsTo } from "../operation/askLeaving.ts"
import { type Leaving, leaveReads } from "../operation/mayLeave.ts"
import { objectionReads, objectionTo } from "../sweep/sweepObjection.ts"
import type { Sweep } from "../sweep/Sweep.ts"
import { canMoveSpend, followSpend, moveSpend, spendReads, staleSpend } from "./moveSpend.ts"
import { type SentTransaction, transactionKey } from "./SentTransaction.ts"
import { spendTopic } from "./sendTopic.ts"
import { payable, type Spend } from "./Spend.ts"

/** A transaction that the vault has signed for a spend, before anybody else has seen it. */
export interface RecordSigned {
  /** As it was read, and built from. */
  readonly spend: Spend
  readonly hash: string
  readonly raw: Uint8Array
  readonly validUntil: Timestamp | null
  readonly feeMax: bigint
  /** The operations that it pays, as they were read. */
  readonly operations: ReadonlyArray<Leaving>
  /** The hash of the one that it replaces; null for the first. */
  readonly replaces: string | null
  /** The sweeps that it moves for, as they were read; none where absent. */
  readonly sweeps?: ReadonlyArray<Sweep>
}

const same = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((id) => other.includes(id))

/**
 * Stores a signed transaction, before any broadcast. From now on its spend can end by proof alone, and no other spend can be named
 * by its payouts. `stale`, so that the bytes are thrown away unseen: the spend has another signed transaction than the one that
 * this one says it replaces, or another set of payments than it pays, or is over; one of its payouts is in another spend; the
 * same transaction was signed for another spend; it would move from an address that is held by now, or what is not there any more;
 * it is the first, and one of its payouts may not leave any more (`mayNotLeave`).
 * The same one again changes nothing.
 */
export const recordSigned = (signed: RecordSigned): Command<SentTransaction> => ({
  name: "RecordSigned",
  reads: [
    ...spendReads(signed.spend),
    readRecord("SentTransaction", transactionKey(signed.spend.network, signed.hash)),
    ...objectionReads(signed.sweeps ?? []),
    ...signed.operations.flatMap(leaveReads)
  ],
  decide: (view) => {
    const { feeMax, hash, operations, raw, replaces, validUntil } = signed
    const pays = operations.map(({ id }) => id)
    const spend = view.record("Spend", signed.spend.id)
    if (spend === undefined) return Result.fail(staleSpend("There is no such spend."))
    const known = view.record("SentTransaction", transactionKey(spend.network, hash))
    if (known !== undefined) {
      return known.spendId === spend.id
        ? Result.succeed({ changes: [], reply: known })
        : Result.fail(staleSpend("The same transaction was signed for another spend."))
    }
    const trigger = spend.hashes.length === 0 ? "signed" : "replaced"
    if (!canMoveSpend(spend, trigger)) return Result.fail(staleSpend(`The spend is ${spend.phase}.`))
    if (replaces !== (spend.hashes.at(-1) ?? null))
      return Result.fail(staleSpend("Another transaction was signed for the spend since."))
    // what expires can only be waited for: a second transaction would be a second payment
    if (replaces !== null && spend.token._tag === "Expiry")
      return Result.fail(staleSpend("Nothing can be replaced on this network."))
    if (!same(pays, payable(spend))) return Result.fail(staleSpend("The spend pays others than the transaction does."))
    const strange = pays.find((id) => view.record("Payout", id)?.spendId !== spend.id)
    if (spend.purpose === "PAYOUT" && strange !== undefined)
      return Result.fail(staleSpend(`Payout ${strange} is in another spend.`))
    // what replaces a transaction moves nothing that the first one does not
    const objection =
      trigger === "signed"
        ? (objectionTo(view, spend, signed.sweeps ?? []) ??
          [...objectionsTo(view, signed.operations).values()].at(0)?.detail)
        : undefined
    if (objection !== undefined) return Result.fail(staleSpend(`The spend may not be signed: ${objection}.`))
    const transaction: SentTransaction = {
      network: spend.network,
      hash,
      spendId: spend.id,
      raw,
      validUntil,
      replaces,
      pays,
      feeMax,
      signedAt: view.now,
      sentAt: null
    }
    const after = moveSpend(view, spend, trigger, {
      hashes: [...spend.hashes, hash],
      feeMax,
      // it is given to a node at once, and if it is a replacement it bids more
      asked: null,
      problem: null,
      signedAt: spend.signedAt ?? view.now
    })
    return Result.succeed({
      changes: [
        putRecord("SentTransaction", transaction),
        ...after.changes,
        ...followSpend(view, after.spend),
        ...pays.flatMap((id): ReadonlyArray<Change> => {
          const operation = view.operation(id)
          return operation === undefined
            ? []
            : [{ _tag: "OperationPut", operation: { ...operation, providerReference: hash } }]
        }),
        schedule(spendTopic(spend.network), spend.id, view.now)
      ],
      reply: transaction
    })
  }
})
