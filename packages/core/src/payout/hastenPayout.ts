import { Result } from "effect"
import { schedule } from "../engine/Agenda.ts"
import type { Command } from "../engine/Command.ts"
import { readRecord } from "../engine/Records.ts"
import { Refusal } from "../engine/Refusal.ts"
import type { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { putSpend, spendReads } from "../outbound/moveSpend.ts"
import { sendTopic, spendTopic } from "../outbound/sendTopic.ts"
import type { Spend, SpendWish } from "../outbound/Spend.ts"
import type { Payout } from "./Payout.ts"

/** What an operator asks of a payout that does not come further. */
export interface HastenPayout {
  /** As it was read. */
  readonly payout: Payout
  /** The spend that it names, as it was read; undefined where it names none. */
  readonly spend: Spend | undefined
  readonly wish: SpendWish
}

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

/**
 * Asks that a payout goes on now. `REBROADCAST`: what was signed is given to a node again, byte for byte; of which nothing was signed,
 * that is tried at once instead of later. `BUMP`: a dearer transaction takes its place under the same token. Nothing is decided by it.
 * Refused: `not_found`; a payout that is over, in review or in a block, or, to be outbid, of which nothing was signed or whose
 * network knows no replacing (`state_conflict`); `stale` where it has moved on since it was read.
 */
export const hastenPayout = ({ payout: read, spend: readSpend, wish }: HastenPayout): Command<Operation> => ({
  name: "HastenPayout",
  reads: [
    readRecord("Payout", read.operationId),
    { _tag: "Operation", id: read.operationId },
    ...(readSpend === undefined ? [] : spendReads(readSpend))
  ],
  decide: (view) => {
    const payout = view.record("Payout", read.operationId)
    const operation = view.operation(read.operationId)
    if (payout === undefined || operation === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such payout." }))
    if (isOver(operation.status) || operation.status === "IN_REVIEW")
      return conflict(`The payout is ${operation.status}.`)
    if (payout.spendId !== (readSpend?.id ?? null))
      return Result.fail(new Refusal({ code: "stale", message: "The payout has moved on." }))
    const spend = readSpend === undefined ? undefined : view.record("Spend", readSpend.id)
    const unsigned = spend === undefined || spend.phase === "RESERVED"
    if (wish === "BUMP" && unsigned)
      return conflict("Nothing was signed for the payout yet: there is nothing to outbid.")
    if (spend === undefined) {
      const now = schedule(sendTopic(payout.network), payout.operationId, view.now)
      return Result.succeed({ changes: [now], reply: operation })
    }
    if (spend.phase === "INCLUDED" || spend.phase === "FINAL") return conflict("The payout is in a block.")
    if (wish === "BUMP" && spend.token._tag === "Expiry")
      return conflict(`On ${spend.network} nothing takes the place of a transaction: it is included or it expires.`)
    const now = schedule(spendTopic(spend.network), spend.id, view.now)
    const asked = unsigned ? null : wish
    return Result.succeed({ changes: [...putSpend(view, spend, { ...spend, asked }), now], reply: operation })
  }
})
