import { makeOperatorClient, makePartnerClient, type OperatorClient, type PartnerClient } from "@bursar/client/effect"
import type { Deposit } from "@bursar/api/wire/Deposit"
import type { DepositAddress, DepositAddressPage } from "@bursar/api/wire/DepositAddress"
import type { Event } from "@bursar/api/wire/Event"
import { Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { secrets } from "./world.ts"
import { until } from "./until.ts"

/** A client of an operator port. */
export const operatorOn = (url: string, token: string = secrets.OPERATOR_TOKEN): Effect.Effect<OperatorClient> =>
  makeOperatorClient({ baseUrl: url, token: Redacted.make(token) }).pipe(Effect.provide(FetchHttpClient.layer))

/** A client of a partner port. */
export const partnerOn = (url: string, key: string): Effect.Effect<PartnerClient> =>
  makePartnerClient({ baseUrl: url, apiKey: Redacted.make(key) }).pipe(Effect.provide(FetchHttpClient.layer))

/** Creates an active tenant that may be called for from anywhere, with as many keys for deposits and reading as asked for. */
export const openTenant = Effect.fnUntraced(function* (operator: OperatorClient, slug: string, keysCount = 1) {
  const { id } = yield* operator.tenants.create({ payload: { slug, name: slug, kind: "SANDBOX" } })
  const params = { tenant_id: id }
  yield* operator.tenants.changeSettings({ params, payload: { ip_allowlist: null } })
  yield* operator.tenants.activate({ params, payload: {} })
  const keys = yield* Effect.forEach(Array.from({ length: keysCount }), (_, index) =>
    operator.keys.create({
      params,
      payload: { label: `key ${index}`, scopes: ["deposits:read", "deposits:write", "events:read", "register:read"] }
    })
  )
  const [first] = keys
  return { id, slug, key: first?.key ?? "", keys: keys.map(({ key }) => key) }
})

/** Waits until a server lets a new tenant in: what it knows of tenants may be some seconds old. */
export const untilLetIn = (partner: PartnerClient) =>
  until("being let in", Effect.exit(partner.introspection.whoami()), ({ _tag }) => _tag === "Success")

/** Registers addresses and gives their ids, in order. Dies unless all are new. */
export const register = Effect.fnUntraced(function* (
  partner: PartnerClient,
  network: string,
  addresses: ReadonlyArray<string>
) {
  const { results } = yield* partner.depositAddresses.register({
    headers: { "idempotency-key": crypto.randomUUID() },
    payload: { addresses: addresses.map((address) => ({ network, address, reference: `customer ${address}` })) }
  })
  return results.map(({ address, status }) => {
    if (status !== "registered" || address === null) throw new Error(`an address was ${status}`)
    return address.id
  })
})

/** All deposits as they are now, by `change_seq`, read page by page as a partner does. */
export const allDeposits = Effect.fnUntraced(function* (partner: PartnerClient) {
  const rows = new Map<string, Deposit>()
  let after = 0
  while (true) {
    const { deposits, next_after } = yield* partner.deposits.list({ query: { after, limit: 500 } })
    if (deposits.length === 0) return [...rows.values()].toSorted((one, other) => one.change_seq - other.change_seq)
    for (const deposit of deposits) rows.set(deposit.id, deposit)
    after = next_after
  }
})

/** All live addresses, read page by page as a partner does. */
export const allAddresses = Effect.fnUntraced(function* (partner: PartnerClient) {
  const rows: Array<DepositAddress> = []
  let query: { readonly after?: string; readonly limit: number } | null = { limit: 500 }
  while (query !== null) {
    const page: DepositAddressPage = yield* partner.depositAddresses.list({ query })
    rows.push(...page.addresses)
    query = page.next_after === null ? null : { after: page.next_after, limit: 500 }
  }
  return rows
})

/** The whole feed of events, read page by page as a partner does. */
export const allEvents = Effect.fnUntraced(function* (partner: PartnerClient) {
  const rows: Array<Event> = []
  let after: number | null = 0
  while (after !== null) {
    const page: { readonly events: ReadonlyArray<Event>; readonly next_after: number | null } =
      yield* partner.events.list({ query: { after, limit: 500 } })
    rows.push(...page.events)
    after = page.next_after
  }
  return rows
})

/** What is available of a currency, as a decimal text; `0` where there never was any. */
export const availableOf = Effect.fnUntraced(function* (partner: PartnerClient, currency: string) {
  const { currencies } = yield* partner.register.float()
  return currencies.find(({ available }) => available.currency === currency)?.available.amount ?? "0"
})
