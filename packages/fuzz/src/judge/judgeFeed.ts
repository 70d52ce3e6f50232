import { Effect } from "effect"
import type { Contract } from "../contract/Contract.ts"
import { type Caller, operationNamed, type Reply, succeed } from "../isolation/Caller.ts"
import type { NotReady } from "../service/ask.ts"
import type { Entry } from "./judgeEffects.ts"

/** An event of the feed, as far as it is looked at. */
export interface FedEvent {
  readonly id: number
  readonly kind: string
  readonly resource_id: string
}

/** Reads the whole feed of a tenant. */
export const readFeed = Effect.fnUntraced(function* (
  contract: Contract,
  caller: Caller
): Effect.fn.Return<ReadonlyArray<FedEvent>, NotReady> {
  const operation = operationNamed(contract, "GET /v1/events")
  const events: Array<FedEvent> = []
  let after: number | null = 0
  while (after !== null) {
    const page: Reply = yield* succeed(caller, { operation, query: { limit: "500", after: String(after) } })
    events.push(...(page.json.events as ReadonlyArray<FedEvent>))
    after = page.json.next_after
  }
  return events
})

/** The events that tell the end of what a partner asks for. */
const endOf: Readonly<Record<string, string>> = {
  "CHAIN_PAYOUT SETTLED": "chain_payout.settled",
  "CHAIN_PAYOUT FAILED": "chain_payout.failed",
  "SWAP SETTLED": "swap.settled",
  "SWAP FAILED": "swap.failed",
  "WITHDRAWAL SETTLED": "withdrawal.settled",
  "WITHDRAWAL FAILED": "withdrawal.failed"
}

/** Whether a feed that was read after a register tells the end of each of its entries once, in order. */
export const judgeFeed = (entries: ReadonlyArray<Entry>, events: ReadonlyArray<FedEvent>): ReadonlyArray<string> => {
  const told = new Map<string, number>()
  for (const { kind, resource_id } of events)
    told.set(`${kind} ${resource_id}`, (told.get(`${kind} ${resource_id}`) ?? 0) + 1)
  return [
    ...events
      .filter(({ id }, index) => id <= (events[index - 1]?.id ?? 0))
      .map(({ id }) => `event ${id} comes after one that is not older`),
    ...entries.flatMap(({ id, kind, status }) => {
      const event = endOf[`${kind} ${status}`]
      const times = told.get(`${event ?? ""} ${id}`) ?? 0
      return event === undefined || times === 1 ? [] : [`${event} of ${id} was told ${times} times`]
    })
  ]
}
