import type { Change } from "./Change.ts"

/** The per-tenant counters that changes move on. */
export interface Counters {
  readonly changeSeq: number
  readonly eventId: number
}

/**
 * The counters after some changes: what is written counts, so a number that was taken and not used is given back. One
 * that does not follow its predecessor would leave a gap in a feed; it is a bug of the rule that took it, so it throws.
 */
export const countChanges = (changes: ReadonlyArray<Change>, from: Counters): Counters => {
  let { changeSeq, eventId } = from
  for (const change of changes) {
    if (change._tag === "EventEmitted") {
      eventId += 1
      if (change.event.id !== eventId)
        throw new Error(`an event has the id ${change.event.id} where ${eventId} is next`)
    }
    if (change._tag === "DepositPut" && change.deposit.changeSeq > changeSeq) {
      changeSeq += 1
      if (change.deposit.changeSeq !== changeSeq) {
        throw new Error(`a deposit has the change number ${change.deposit.changeSeq} where ${changeSeq} is next`)
      }
    }
  }
  return { changeSeq, eventId }
}
