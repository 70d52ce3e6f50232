import type { Network } from "../money/Network.ts"

/** The topic of the agenda under which everything waits that is to be sent on a network. */
export const sendTopic = (network: Network): string => `send:${network}`

const payoutPrefix = "payout:"
const spendPrefix = "spend:"

/** The key of the agenda of a payout that waits to be put into a spend. */
export const payoutItem = (operationId: string): string => `${payoutPrefix}${operationId}`

/** The key of the agenda of a spend that is not over. */
export const spendItem = (spendId: string): string => `${spendPrefix}${spendId}`

/** What an item of the agenda is about. */
export const readItem = (key: string): { readonly _tag: "Payout" | "Spend"; readonly id: string } | undefined => {
  if (key.startsWith(payoutPrefix)) return { _tag: "Payout", id: key.slice(payoutPrefix.length) }
  if (key.startsWith(spendPrefix)) return { _tag: "Spend", id: key.slice(spendPrefix.length) }
  return undefined
}
