// Compiled where nothing but the client is installed: what it declares needs no other package.
import { createClient, type Deposit, isBursarError } from "@bursar/client"
import { fileCursorStore } from "@bursar/client/node"
import { createWebhookReceiver } from "@bursar/client/webhooks"

const client = createClient({ baseUrl: "https://api.example.com", apiKey: "a-key" })
const payout = await client.chainPayouts.create(
  {
    network: "tron",
    amount: { amount: "1", currency: "TRX" },
    destination: { address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8" },
    reference: "invoice-1"
  },
  { idempotencyKey: "invoice-1" }
)
export const status: string = payout.status
// @ts-expect-error an amount is a decimal string: what is declared has not become `any` on the way
await client.withdrawals.create({ amount: { amount: 5, currency: "TRX" } })
const { deposits } = await client.deposits.list({ limit: 5 })
export const newest: Deposit | undefined = deposits[0]
for await (const event of client.events.each()) {
  // @ts-expect-error the kind of an event is a text
  const kind: number = event.kind
  if (kind === 0) break
}
export { createWebhookReceiver, fileCursorStore, isBursarError }
