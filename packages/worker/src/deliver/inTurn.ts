import type { Event } from "@bursar/core/event/Event"
import type { EndpointWork } from "@bursar/core/port/Deliveries"

/** Something to send now. */
export interface Due {
  readonly event: Event
  readonly attempt: number
  readonly fresh: boolean
}

/**
 * What to send, in order: first attempts in the order of their ids, and between them the retries that are due, so that
 * neither keeps the other waiting. An endpoint that hangs is sent no more than the first of them: whoever asks each time anew
 * which sort begins keeps neither waiting there. A retry is brought forward where a later event of its resource would go before it.
 */
export const inTurn = (
  { due, fresh }: Pick<EndpointWork, "due" | "fresh">,
  begins: "fresh" | "retry"
): ReadonlyArray<Due> => {
  const retries = due.map((one): Due => ({ ...one, fresh: false }))
  const ofResource = Map.groupBy(
    retries.toSorted((one, other) => one.event.id - other.event.id),
    ({ event }) => event.resourceId
  )
  const placed = new Set<Due>()
  const place = (one: Due): void => {
    if (placed.has(one)) return
    const { id, resourceId } = one.event
    for (const earlier of ofResource.get(resourceId) ?? []) if (earlier.event.id < id) placed.add(earlier)
    placed.add(one)
  }
  for (let index = 0; index < Math.max(retries.length, fresh.length); index++) {
    const [first, retry] = [fresh[index], retries[index]]
    const both = [first === undefined ? undefined : { event: first, attempt: 1, fresh: true }, retry]
    for (const one of begins === "fresh" ? both : both.toReversed()) if (one !== undefined) place(one)
  }
  return [...placed]
}
