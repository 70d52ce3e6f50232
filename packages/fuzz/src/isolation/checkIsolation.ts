import { makeRandom } from "@bursar/simulation/kernel/Random"
import { Effect } from "effect"
import type { Contract, Operation } from "../contract/Contract.ts"
import { kindOfName } from "../generate/kinds.ts"
import { likelyBodies } from "../generate/likely.ts"
import type { Kind } from "../generate/Known.ts"
import { strangeId, valueOf } from "../generate/values.ts"
import { addressOn } from "../generate/wallets.ts"
import type { Partner } from "../service/people.ts"
import type { Request, Reply } from "./Caller.ts"
import type { Furnished } from "./furnish.ts"
import { allPlaces, type IdPlace } from "./places.ts"

/** What was checked, and what of it was wrong. */
export interface IsolationReport {
  readonly cases: number
  readonly wrong: ReadonlyArray<string>
}

/** What stands in a place: the tenant's own, another's, and what never was. */
interface Ids {
  readonly own: string
  readonly foreign: string
  readonly unknown: string
}

const random = makeRandom(7)

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu

const first = (known: ReadonlySet<string>): string | undefined => [...known][0]

/** The name of a place without those around it. */
const lastOf = ({ name }: IdPlace): string => name.split(".").at(-1) ?? ""

const kindOf = (place: IdPlace): Kind | undefined =>
  place.operation.name === "POST /v1/transfers" && place.name === "beneficiary_account"
    ? "transfer"
    : kindOfName[lastOf(place)]

const idsOf = (place: IdPlace, own: Furnished, other: Furnished): Ids | undefined => {
  const name = lastOf(place)
  const unknown = strangeId(random)
  if (name === "tenant") return { own: own.caller.partner.id, foreign: other.caller.partner.id, unknown }
  if (name === "address") return { own: own.address, foreign: other.address, unknown: addressOn("ethereum", random) }
  const kind = kindOf(place)
  if (kind === undefined) return undefined
  const [mine, theirs] = [own, other].map(({ caller }) => first(caller.partner.known.all(kind)))
  return mine === undefined || theirs === undefined ? undefined : { own: mine, foreign: theirs, unknown }
}

const strangers = (own: Furnished) => (kind: Kind) => first(own.caller.partner.known.all(kind)) ?? strangeId(random)

/** Bodies in which the id decides, where the likely one would not get so far. */
const bodies: Readonly<Record<string, (own: Furnished) => Readonly<Record<string, unknown>>>> = {
  "POST /v1/chain-payouts": () => ({
    network: "ethereum",
    amount: { amount: "1.5", currency: "USDT_ETH" },
    destination: { address: addressOn("ethereum", random) },
    reference: "isolation"
  }),
  "POST /v1/address-proofs": () => ({
    network: "ethereum",
    issued_at: "2026-01-01T00:00:00Z",
    signature: `0x${"11".repeat(65)}`
  }),
  "POST /v1/address-proofs/challenge": () => ({ network: "ethereum" }),
  "POST /v1/quotes": () => ({ product: "SWAP", amount: { amount: "5", currency: "USDC_BASE" }, to_currency: "ETH" }),
  "POST /v1/swaps": () => ({ amount: { amount: "5", currency: "USDC_BASE" }, to_currency: "ETH" }),
  "POST /v1/transfers": () => ({
    kind: "REFUND",
    amount: { amount: "5", currency: "EUR" },
    beneficiary_name: "Rui Costa",
    beneficiary_account: "PT50000201231234567890154"
  })
}

/** What of a body depends on the place that is looked at. */
const fitting = ({ name, operation }: IdPlace): Readonly<Record<string, unknown>> => {
  // a refund names the transfer that it pays back; any other id is one of a payment to a bank
  if (operation.name === "POST /v1/transfers" && name !== "beneficiary_account") return { kind: "BANK_TRANSFER" }
  return name === "xpub_id" ? { network: "bsc" } : {}
}

const bodyOf = (contract: Contract, place: IdPlace, own: Furnished): unknown => {
  const { operation } = place
  if (operation.body === null) return undefined
  const source = {
    random,
    unique: crypto.randomUUID(),
    wrap: own.caller.partner.wrap,
    id: strangers(own)
  }
  const byHand = bodies[operation.name]?.(own)
  const body = byHand ?? likelyBodies[operation.name]?.(source) ?? valueOf(contract, operation.body, source)
  // bodies of operations are objects
  return { ...(body as object), ...fitting(place) }
}

const put = (value: unknown, [key, ...rest]: ReadonlyArray<string>, id: string): unknown => {
  if (key === undefined) return id
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === key ? put(one, rest, id) : one))
  // what is not there yet is an object on the way
  const held = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  return { ...held, [key]: put(held[key], rest, id) }
}

const requestOf = (place: IdPlace, own: Furnished, body: unknown, id: string): Request => {
  const { operation } = place
  const path = Object.fromEntries(
    operation.parameters
      .filter((one) => one.in === "path")
      .map(({ name }) => [name, strangers(own)(kindOfName[name] ?? "operation")])
  )
  return {
    operation,
    path: place.in === "path" ? { ...path, [place.name]: id } : path,
    query: place.in === "query" ? { [place.name]: id } : {},
    ...(body === undefined ? {} : { body: place.in === "body" ? put(body, place.name.split("."), id) : body })
  }
}

/** What an answer says but for the id that was asked for, that of the request, moments, and the ids of what it has just made. */
const said = ({ json, status }: Reply, id: string, { known }: Partner): string => {
  const text = JSON.stringify(json, (key, value: unknown) => (key === "request_id" ? undefined : value))
  return `${status} ${text
    .replaceAll(id, "{id}")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "{moment}")
    .replaceAll(uuids, (uuid) => (known.has(uuid) ? uuid : "{new}"))}`
}

/** Places where even a tenant's own id is answered like one that never was. */
const alike: Readonly<Record<string, string>> = {
  "POST /v1/transfers beneficiary_account": "only a settled ON_RAMP can be refunded",
  "POST /v1/address-proofs address": "the signature is looked at first",
  "POST /v1/address-proofs xpub_id": "the signature is looked at first",
  "POST /v1/address-proofs/challenge address": "a challenge does not say whether the address is registered"
}

const nameOf = ({ name, operation }: IdPlace): string => `${operation.name} ${name}`

const checkPlace = Effect.fnUntraced(function* (contract: Contract, place: IdPlace, own: Furnished, other: Furnished) {
  const ids = idsOf(place, own, other)
  if (ids === undefined) return [`${nameOf(place)}: nobody knows what record it names; say so in kinds.ts or places.ts`]
  const body = bodyOf(contract, place, own)
  const ask = (id: string) =>
    Effect.map(own.caller.call(requestOf(place, own, body, id)), (reply) => said(reply, id, other.caller.partner))
  const unknown = yield* ask(ids.unknown)
  const foreign = yield* ask(ids.foreign)
  const mine = yield* ask(ids.own)
  return [
    ...(foreign === unknown
      ? []
      : [`${nameOf(place)}: another tenant's is answered ${foreign}, what never was ${unknown}`]),
    ...(mine === unknown && alike[nameOf(place)] === undefined
      ? [`${nameOf(place)}: nothing is proven, since the tenant's own is answered ${mine} as well`]
      : [])
  ]
})

/** What a list may be asked for of another tenant's. */
const filtersOf = (operation: Operation, other: Furnished): ReadonlyArray<Readonly<Record<string, string>>> => {
  const [reference = "", address = ""] = other.texts
  const values: Readonly<Record<string, string>> = {
    reference,
    partner_reference: reference,
    address,
    customer_id: first(other.caller.partner.known.all("customer")) ?? ""
  }
  const filters = operation.parameters.filter(({ in: place, name }) => place === "query" && values[name] !== undefined)
  return [{}, ...filters.map(({ name }) => ({ [name]: values[name] ?? "" }))]
}

const required = (operation: Operation): Readonly<Record<string, string>> =>
  Object.fromEntries(
    operation.parameters
      .filter(({ in: place, required: isRequired }) => place === "query" && isRequired === true)
      .map(({ name }) => [name, "USDT_ETH"])
  )

const checkList = Effect.fnUntraced(function* (operation: Operation, own: Furnished, other: Furnished) {
  const { known } = other.caller.partner
  const wrong: Array<string> = []
  for (const filter of filtersOf(operation, other)) {
    const { body, status } = yield* own.caller.call({ operation, query: { ...required(operation), ...filter } })
    const text = Object.values(filter).reduce((left, value) => left.replaceAll(value, ""), body)
    const named = [
      ...other.texts.filter((one) => text.includes(one)),
      ...(text.match(uuids) ?? []).filter((id) => known.has(id))
    ]
    if (named.length > 0) wrong.push(`${operation.name} ${JSON.stringify(filter)} names ${named.join(", ")} of another`)
    if (status >= 300 && Object.keys(filter).length === 0) wrong.push(`${operation.name}: ${status} ${body}`)
  }
  return wrong
})

/** The same request of both tenants under one idempotency key: each has its own answer. */
const checkSharedKey = Effect.fnUntraced(function* (
  contract: Contract,
  operation: Operation,
  one: Furnished,
  two: Furnished
) {
  const idempotencyKey = `shared-${crypto.randomUUID()}`
  const place: IdPlace = { operation, in: "body", name: "" }
  const byKey = contract.operations.find(({ name }) => name === "GET /v1/operations/by-key/{key}")
  const ask = (own: Furnished) => own.caller.call({ operation, body: bodyOf(contract, place, own), idempotencyKey })
  const answered = yield* ask(one)
  const unseen =
    byKey === undefined ? undefined : yield* two.caller.call({ operation: byKey, path: { key: idempotencyKey } })
  const second = yield* ask(two)
  const code: unknown = second.json?.error?.code
  return [
    ...(unseen !== undefined && unseen.status !== 404
      ? [`${operation.name}: a key is known to who has not used it`]
      : []),
    ...(second.headers.has("idempotency-replayed") || code === "idempotency_key_reused"
      ? [`${operation.name}: one tenant's idempotency key is another's: ${answered.body} and ${second.body}`]
      : [])
  ]
})

/** Nothing of another tenant came to an endpoint. */
const checkWebhooks = (own: Furnished, other: Furnished): ReadonlyArray<string> => {
  const { known } = other.caller.partner
  return own.webhooks
    .filter(
      (body) => other.texts.some((text) => body.includes(text)) || (body.match(uuids) ?? []).some((id) => known.has(id))
    )
    .map((body) => `a webhook tells of another tenant: ${body}`)
}

/** Checks both ways that no tenant can tell another's records from what never was, and is told nothing of them. */
export const checkIsolation = Effect.fn("fuzz.checkIsolation")(function* (
  contract: Contract,
  one: Furnished,
  two: Furnished
) {
  const wrong: Array<string> = []
  let cases = 0
  const checked = (found: ReadonlyArray<string>) => {
    cases += 1
    wrong.push(...found)
  }
  for (const [own, other] of [
    [one, two],
    [two, one]
  ] as const) {
    for (const place of allPlaces(contract)) checked(yield* checkPlace(contract, place, own, other))
    for (const operation of contract.operations) {
      if (operation.method === "GET" && !operation.path.includes("{")) checked(yield* checkList(operation, own, other))
      if (operation.keyed) checked(yield* checkSharedKey(contract, operation, own, other))
    }
    checked(checkWebhooks(own, other))
  }
  const report: IsolationReport = { cases, wrong }
  return report
})
