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
 * neither keeps the other waiting.
 */
export const inTurn = ({ due, fresh }: Pick<EndpointWork, "due" | "fresh">): ReadonlyArray<Due> => {
  const longest = Math.max(due.length, fresh.length)
  return Array.from({ length: longest }, (_, index): ReadonlyArray<Due> => {
    const first = fresh[index]
    const retry = due[index]
    return [
      ...(first === undefined ? [] : [{ event: first, attempt: 1, fresh: true }]),
      ...(retry === undefined ? [] : [{ ...retry, fresh: false }])
    ]
  }).flat()
}
