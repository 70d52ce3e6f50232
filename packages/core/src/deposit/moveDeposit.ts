import type { Change } from "../engine/Change.ts"
import { moveOf } from "../engine/Machine.ts"
import type { View } from "../engine/View.ts"
import { emit } from "../engine/emit.ts"
import type { EventKind } from "../event/Event.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { Deposit } from "./Deposit.ts"
import { depositEventData } from "./depositEvent.ts"
import { type DepositEffect, depositMachine, type DepositStatus, type DepositTrigger } from "./DepositMachine.ts"
import { putRecord } from "../engine/Records.ts"

/** A deposit after a move, the facts of the move, and what else the machine says is to be done. */
export interface Moved {
  readonly deposit: Deposit
  readonly changes: ReadonlyArray<Change>
  readonly effects: ReadonlyArray<DepositEffect>
}

const kindOf: Readonly<Record<DepositStatus, EventKind>> = {
  DETECTED: "deposit.detected",
  CONFIRMED: "deposit.confirmed",
  REORGED: "deposit.reorged"
}

/**
 * Moves a deposit along its machine: the new status, the next `change_seq` and the event; a move that leaves the status as
 * it is stores the deposit alone. Undefined where the machine has no such move. `next` is the deposit with everything but
 * its status as it is to be.
 */
export const moveDeposit = (
  view: View,
  currencies: CurrencyTable,
  from: DepositStatus | null,
  trigger: DepositTrigger,
  next: Deposit
): Moved | undefined => {
  const move = moveOf(depositMachine, from, trigger)
  if (move === undefined) return undefined
  if (move.to === from) return { deposit: next, effects: move.effects, changes: [putRecord(Deposit, next)] }
  const deposit: Deposit = { ...next, status: move.to, changeSeq: view.nextChangeSeq() }
  return {
    deposit,
    effects: move.effects,
    changes: [
      putRecord(Deposit, deposit),
      emit(view, kindOf[move.to], deposit.id, depositEventData(deposit, currencies))
    ]
  }
}
