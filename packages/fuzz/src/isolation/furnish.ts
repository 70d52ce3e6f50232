import { makeRandom } from "@bursar/simulation/kernel/Random"
import { Effect, Schedule } from "effect"
import type { Contract } from "../contract/Contract.ts"
import { recordsIn } from "../generate/kinds.ts"
import { addressOn, xpubOn } from "../generate/wallets.ts"
import { insist, NotReady } from "../service/ask.ts"
import type { Service } from "../service/service.ts"
import { receive } from "./receive.ts"
import { type Caller, operationNamed, type Reply, type Request, succeed } from "./Caller.ts"

/** How long is waited for what follows by itself: a check, an account, a deposit. */
const patience = "90 seconds"

/** What a tenant has that only itself may name, beside what its pools know. */
export interface Furnished {
  readonly caller: Caller
  /** An address that it has registered. */
  readonly address: string
  /** Texts of its own that no answer to another may hold. */
  readonly texts: ReadonlyArray<string>
  /** The webhooks that have come to it. */
  readonly webhooks: ReadonlyArray<string>
}

const until = <A, E>(what: string, read: Effect.Effect<A, E>, right: (value: A) => boolean) =>
  read.pipe(
    Effect.repeat({ until: right, schedule: Schedule.spaced("300 millis") }),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new NotReady({ message: `waited in vain for ${what}` }))
    })
  )

/** Gives a tenant one record at least of every kind, by its own interface. */
export const furnish = Effect.fn("fuzz.furnish")(function* (contract: Contract, service: Service, caller: Caller) {
  const { id: tenantId, known, slug } = caller.partner
  const { networks, sandbox } = service.handshake
  const random = makeRandom(0).for(slug)
  const reference = `furnished-${slug}`
  const asked = Effect.fnUntraced(function* (name: string, request: Omit<Request, "operation"> = {}) {
    const operation = operationNamed(contract, name)
    const idempotencyKey = crypto.randomUUID()
    const reply = yield* succeed(caller, { operation, idempotencyKey, ...request })
    const schema = operation.responses.get(String(reply.status))?.schema ?? {}
    for (const [kind, id] of recordsIn({ ...schema }, reply.json, (one) => ({ ...contract.resolve(one) }))) {
      known.learn(kind, id)
    }
    if (operation.keyed) known.learn("key", idempotencyKey)
    return reply
  })
  const identityOf = (id: string) => `${sandbox.control_url}/identity/${id}/result`
  const webhooks = yield* receive(service, tenantId)
  const money = (amount: string, currency: string) => ({ amount, currency })

  const { json: customer } = yield* asked("POST /v1/customers", { body: { external_id: reference, country: "PT" } })
  const path = { customer_id: String(customer.id) }
  const check = asked("POST /v1/customers/{customer_id}/verification", { path })
  yield* check
  yield* insist("POST", identityOf(customer.id), { body: { status: "GREEN" } })
  yield* until(
    "the approval",
    Effect.andThen(check, asked("GET /v1/customers/{customer_id}/verification", { path })),
    ({ json }: Reply) => json.status === "APPROVED"
  )
  yield* asked("POST /v1/customers/{customer_id}/provider-registration", {
    path,
    body: {
      first_name: "Ana",
      last_name: "Silva",
      date_of_birth: "1990-04-01",
      document_kind: "PASSPORT",
      document_number: "P0000000",
      document_country: "PT"
    }
  })
  const { json: account } = yield* asked("POST /v1/accounts", {
    body: { customer_id: customer.id, currency: "EUR", country: "PT" }
  })
  const { json: opened } = yield* until(
    "the account",
    asked("GET /v1/accounts/{account_id}", { path: { account_id: String(account.id) } }),
    ({ json }: Reply) => json.status === "ACTIVE"
  )

  yield* asked("POST /v1/deposit-xpubs", {
    body: { network: "bsc", xpub: xpubOn("bsc", random), index_from: 0, index_to: 1_000_000 }
  })
  yield* asked("POST /v1/deposit-addresses/derive", { body: { network: "bsc", reference, count: 1 } })
  const address = addressOn("ethereum", random)
  yield* asked("POST /v1/deposit-addresses", { body: { addresses: [{ network: "ethereum", address, reference }] } })
  yield* insist("POST", `${networks.ethereum.control_url}/fund`, {
    body: { address, asset: "USDT_ETH", amount: "250" }
  })
  yield* asked("POST /v1/chain-payouts", {
    body: {
      network: "ethereum",
      amount: money("1.5", "USDT_ETH"),
      destination: { address: addressOn("ethereum", random) },
      reference
    }
  })
  const swapped = { amount: money("5", "USDC_BASE"), to_currency: "ETH" }
  yield* asked("POST /v1/quotes", { body: { product: "SWAP", ...swapped } })
  yield* asked("POST /v1/swaps", { body: { ...swapped, partner_reference: reference } })
  yield* asked("POST /v1/transfers", {
    body: {
      kind: "BANK_TRANSFER",
      amount: money("5", "EUR"),
      beneficiary_name: "Rui Costa",
      beneficiary_account: "PT50000201231234567890154",
      beneficiary_country: "PT",
      rail: "SEPA",
      partner_reference: reference
    }
  })
  yield* until("the destination", asked("GET /v1/destinations"), ({ json }: Reply) =>
    json.some((one: { currency: string; verified: boolean }) => one.currency === "USDC_BASE" && one.verified)
  )
  const { json: deposits } = yield* until(
    "the deposit",
    asked("GET /v1/deposits"),
    ({ json }: Reply) => json.deposits.length > 0
  )
  yield* asked("POST /v1/withdrawals", { body: { amount: money("5", "USDC_BASE"), partner_reference: reference } })
  const { json: page } = yield* asked("GET /v1/register", { query: { limit: "1" } })
  known.learn("cursor", String(page.next_cursor))
  yield* until(
    "a webhook",
    Effect.sync(() => webhooks.length),
    (count) => count > 0
  )
  const furnished: Furnished = {
    caller,
    webhooks,
    address,
    texts: [reference, address, tenantId, String(opened.iban), String(deposits.deposits[0].tx_hash)]
  }
  return furnished
})
