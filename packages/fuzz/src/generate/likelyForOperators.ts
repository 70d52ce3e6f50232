import type { Source } from "./Asked.ts"
import { addressOn } from "./wallets.ts"

const treasuries = { ETH: "ethereum", USDT_TRON: "tron", BTC: "bitcoin", XLM: "stellar" } as const

const coins = ["ETH", "USDT_TRON", "BTC", "XLM"] as const

const places = ["custodian", "bank", "suspense", "payout_wallet", "deposit_addresses", "tenant_addresses"] as const

type Values = (source: Source) => unknown

const grants: readonly [Values, ...ReadonlyArray<Values>] = [
  ({ random, unique }) => ({
    kind: "suspension",
    values: { suspended: random.chance(500), reason: unique }
  }),
  ({ unique }) => ({ kind: "policy", values: { payout_limit_usd: "100" }, note: unique }),
  ({ random }) => ({ kind: "network", values: { network: random.pick(["tron", "ethereum"]), stopped: false } }),
  ({ id }) => ({ kind: "review", values: { operation_id: id("operation"), approved: true } })
]

const resolution = ({ random, unique }: Source) => ({
  outcome: random.pick(["SETTLED", "FAILED", "RETURNED"]),
  basis: random.pick(["CHAIN", "PROVIDER"]),
  reference: unique,
  source: "Support of the provider",
  statement: "It never reached us.",
  ...(random.chance(300) ? { provider_reference: unique } : {}),
  ...(random.chance(300) ? { received: { amount: "1.5", currency: random.pick(["ETH", "EUR", "USDT_TRON"]) } } : {})
})

/** Bodies that the operators' interface can be expected to take, by operation. One that is missing here is asked for by its example. */
export const likelyOperatorBodies: Readonly<Record<string, (source: Source) => unknown>> = {
  "POST /operator/v1/tenants": ({ random, unique }) => ({
    slug: unique,
    name: unique,
    kind: random.pick(["LIVE", "SANDBOX"])
  }),
  "POST /operator/v1/tenants/{tenant_id}/keys": ({ random, unique }) => ({
    label: unique,
    ...(random.chance(500) ? { bundle: "deposits" } : { scopes: random.chance(500) ? ["float:read"] : [] })
  }),
  "POST /operator/v1/tenants/{tenant_id}/signing-keys": ({ id, random }) => ({
    api_key_id: id("api key"),
    public_jwk: { kty: "OKP", crv: "Ed25519", x: Buffer.from(random.bytes(32)).toString("base64url") }
  }),
  "POST /operator/v1/tenants/{tenant_id}/signing-keys/{keyid}/revoke": ({ id }) => ({ api_key_id: id("api key") }),
  "POST /operator/v1/tenants/{tenant_id}/destinations": ({ random, unique }) => {
    const currency = random.pick(coins)
    return { currency, address: addressOn(treasuries[currency], random), label: unique }
  },
  "POST /operator/v1/tenants/{tenant_id}/float-adjustments": ({ random, unique }) => ({
    currency: random.pick(["ETH", "EUR", "USDT_TRON", "USDC_BASE"]),
    amount: `${random.chance(300) ? "-" : ""}${random.below(1_000)}.5`,
    against: random.pick(places),
    ...(random.chance(300) ? { from: random.pick(places) } : {}),
    reason: unique
  }),
  "POST /operator/v1/tenants/{tenant_id}/fee-rules": ({ random }) => ({
    product: random.pick(["SWAP", "WITHDRAWAL", "CHAIN_PAYOUT", null]),
    percent: `0.${random.below(100)}`,
    minimum_fee: "0",
    priority: random.below(1_000)
  }),
  "POST /operator/v1/tenants/{tenant_id}/operations/{operation_id}/resolve": resolution,
  "POST /operator/v1/tenants/{tenant_id}/webhooks/{webhook_id}/resend": ({ random }) => ({
    event_id: 1 + random.below(300)
  }),
  "POST /operator/v1/tenants/{tenant_id}/webhooks/{webhook_id}/replay": ({ random }) => {
    const from = 1 + random.below(300)
    return { from_event_id: from, to_event_id: from + random.below(50) }
  },
  "POST /operator/v1/solvency/snapshots": ({ random, unique }) => ({
    environment: random.pick(["LIVE", "SANDBOX"]),
    statements: [
      {
        place: "bank",
        provider: "Bank of Examples",
        currency: "EUR",
        amount: `${random.below(100_000)}.5`,
        as_of: "2026-11-23T11:00:00Z",
        file: `${unique}.pdf`,
        sha256: Buffer.from(random.bytes(32)).toString("hex")
      }
    ]
  }),
  "POST /operator/v1/reconciliation/statement-files": ({ random, unique }) => ({
    place: "bank:sandbox",
    format: "csv",
    content: `date,amount,currency,reference\n2026-11-23T13:34:56Z,-${random.below(100)}.5,EUR,${unique}`,
    mapping: { columns: { at: "date", amount: "amount", currency: "currency", references: ["reference"] } }
  }),
  "POST /operator/v1/grants/chains/{chain}/proposals": (source) => source.random.pick(grants)(source)
}

const month = ({ random }: Source) => `202${random.pick(["5", "6"])}-${String(1 + random.below(12)).padStart(2, "0")}`

/** Values that the parameters of operators can be expected to take, in a path or a query. */
export const likelyForOperators: Readonly<Record<string, (source: Source) => string>> = {
  anchor: ({ random }) => Buffer.from(random.bytes(32)).toString("hex"),
  chain: ({ id }) => id("tenant"),
  day: (source) => `${month(source)}-${String(10 + source.random.below(18))}`,
  month,
  operator: ({ random }) => random.pick(["ann", "bob", "operator"]),
  period: month,
  place: ({ random }) => random.pick(["bank:sandbox", "custodian:sandbox", "tron:payout_wallets"]),
  rail: () => "SEPA",
  text: ({ id, random, unique }) => random.pick([unique, id("operation"), id("address"), "fuzz"])
}
