import { createWebhookReceiver, type WebhookEvent } from "@bursar/client/webhooks"

/** What the shop keeps; in a real one these are two tables, written in one transaction. */
interface Books {
  readonly paid: Map<string, string>
  /** When each event occurred, by its id. */
  readonly handled: Map<number, string>
}

const settle = ({ handled, paid }: Books, event: WebhookEvent): void => {
  if (event.type === "deposit.settled") {
    const { amount, currency, operation_id: operationId } = event.data
    paid.set(String(operationId), `${String(amount)} ${String(currency)}`)
  }
  // noted for every kind of event: one that says nothing to the shop is done as well
  handled.set(event.id, event.occurred_at)
}

/** A shop that learns by webhooks what was paid. */
export const makeShop = (secrets: ReadonlyArray<string>) => {
  const books: Books = { paid: new Map(), handled: new Map() }
  const receiver = createWebhookReceiver({
    secrets,
    onEvent: (event) => settle(books, event),
    // the shop notes ids with its work, so the receiver has nothing to note afterwards
    seen: { has: (id, occurredAt) => books.handled.get(id) === occurredAt, add: () => undefined }
  })
  return { fetch: receiver.fetch, paid: books.paid }
}
