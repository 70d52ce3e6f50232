import type { Operation } from "./Operation.ts"

/** Whether an order has gone to its provider, or may have: the intent to send it is recorded, or its provider has told of it. */
export const wasSent = ({ details, providerReference }: Pick<Operation, "details" | "providerReference">): boolean =>
  details.sent_at !== undefined || providerReference !== null
