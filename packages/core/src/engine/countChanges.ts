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
    if (change._tag === "RecordPut") {
      const { of, record } = change
      const used = of.traits.changeSeq?.(record) ?? 0
      // a record may be put again without a change of its own
      if (used <= changeSeq) continue
      changeSeq += 1
      if (used !== changeSeq) throw new Error(`a ${of.name} has the change number ${used} where ${changeSeq} is next`)
    }
  }
  return { changeSeq, eventId }
}
