import { exchangeNames, type ExchangeName } from "@bursar/ccxt/ExchangeName"
import { Option, Redacted, Schema } from "effect"
import { type Present, url } from "./variable.ts"

const secretText = Schema.optionalKey(Schema.NonEmptyString)

const Holding = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("bridge_wallet"), walletId: Schema.String, currency: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("prefunded"), accountId: Schema.String, currency: Schema.String })
])

/** Our currencies, and where at Bridge they are held. */
const Holdings = Schema.Record(Schema.String, Holding)

const holdingsText = Schema.fromJsonString(Holdings)

/** Exchanges that get no new orders and are asked about those that they have. */
const earlierCustodiansText = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      exchange: Schema.Literals(exchangeNames),
      api_key: Schema.NonEmptyString,
      api_secret: Schema.NonEmptyString,
      api_passphrase: secretText
    })
  )
)

/** The variables that tell of providers. */
export const providerVariables = {
  CUSTODIAN: Schema.optionalKey(Schema.Literals(exchangeNames)),
  CUSTODIAN_API_KEY: secretText,
  CUSTODIAN_API_SECRET: secretText,
  CUSTODIAN_API_PASSPHRASE: secretText,
  EARLIER_CUSTODIANS: Schema.optionalKey(earlierCustodiansText),
  PRICES: Schema.optionalKey(Schema.Literals(exchangeNames)),
  IDENTITY_PROVIDER: Schema.optionalKey(Schema.Literals(["sumsub"])),
  SUMSUB_APP_TOKEN: secretText,
  SUMSUB_SECRET_KEY: secretText,
  SUMSUB_WEBHOOK_SECRET: secretText,
  SUMSUB_LEVEL_INDIVIDUAL: Schema.optionalKey(Schema.NonEmptyString),
  SUMSUB_LEVEL_BUSINESS: Schema.optionalKey(Schema.NonEmptyString),
  FIAT_PROVIDER: Schema.optionalKey(Schema.Literals(["bridge"])),
  BRIDGE_API_KEY: secretText,
  BRIDGE_WEBHOOK_PUBLIC_KEY: Schema.optionalKey(Schema.NonEmptyString),
  BRIDGE_CUSTOMER_ID: Schema.optionalKey(Schema.NonEmptyString),
  BRIDGE_HOLDINGS: Schema.optionalKey(holdingsText),
  BRIDGE_URL: Schema.optionalKey(url(["https:", "http:"]))
}

/** Those of them whose values never stand in a message. */
export const providerSecrets: ReadonlyArray<string> = [
  "CUSTODIAN_API_KEY",
  "CUSTODIAN_API_SECRET",
  "CUSTODIAN_API_PASSPHRASE",
  "EARLIER_CUSTODIANS",
  "SUMSUB_APP_TOKEN",
  "SUMSUB_SECRET_KEY",
  "SUMSUB_WEBHOOK_SECRET",
  "BRIDGE_API_KEY"
]

/** What each choice of a provider needs besides. */
const needed: Readonly<Record<string, ReadonlyArray<string>>> = {
  CUSTODIAN: ["CUSTODIAN_API_KEY", "CUSTODIAN_API_SECRET"],
  IDENTITY_PROVIDER: [
    "SUMSUB_APP_TOKEN",
    "SUMSUB_SECRET_KEY",
    "SUMSUB_WEBHOOK_SECRET",
    "SUMSUB_LEVEL_INDIVIDUAL",
    "SUMSUB_LEVEL_BUSINESS"
  ],
  FIAT_PROVIDER: ["BRIDGE_API_KEY", "BRIDGE_WEBHOOK_PUBLIC_KEY", "BRIDGE_CUSTOMER_ID", "BRIDGE_HOLDINGS"]
}

const readEarlier = Schema.decodeUnknownOption(earlierCustodiansText)

/** An exchange that is named twice: orders name the exchange, and could not say which of the accounts has them. */
const twice = (given: Present): ReadonlyArray<string> => {
  const earlier = Option.getOrElse(readEarlier(given["EARLIER_CUSTODIANS"]), () => []).map(({ exchange }) => exchange)
  const all: ReadonlyArray<string | undefined> = [given["CUSTODIAN"], ...earlier]
  const again = new Set(earlier.filter((one) => all.indexOf(one) !== all.lastIndexOf(one)))
  return [...again].map((one) => `EARLIER_CUSTODIANS names ${one}, which is configured twice`)
}

/** What the variables of providers lack, taken together. */
export const providerMistakes = (given: Present): ReadonlyArray<string> => [
  ...twice(given),
  ...Object.entries(needed).flatMap(([choice, names]) => {
    if (!(choice in given))
      return names
        .filter((name) => name in given)
        .map((name) => `${choice} is missing, without which ${name} means nothing`)
    return names.filter((name) => !(name in given)).map((name) => `${name} is missing, which ${choice} needs`)
  })
]

/** An exchange that holds, converts and withdraws. */
export interface CustodianSettings {
  readonly exchange: ExchangeName
  readonly apiKey: Redacted.Redacted
  readonly secret: Redacted.Redacted
  readonly passphrase: Redacted.Redacted | null
}

/** Sumsub, which checks identities. */
export interface SumsubSettings {
  readonly appToken: Redacted.Redacted
  readonly secretKey: Redacted.Redacted
  readonly webhookSecret: Redacted.Redacted
  readonly levels: { readonly individual: string; readonly business: string }
}

/** Bridge, which moves fiat. */
export interface BridgeSettings {
  readonly apiKey: Redacted.Redacted
  readonly webhookPublicKey: string
  readonly customerId: string
  readonly holdings: typeof Holdings.Type
  readonly url: string | null
}

/** The providers that are used; null where there is none. */
export interface ProviderSettings {
  readonly custodian: CustodianSettings | null
  /** Those that get no new orders, and are still sent and asked about what names them. */
  readonly earlierCustodians: ReadonlyArray<CustodianSettings>
  /** Where prices come from. */
  readonly prices: ExchangeName | null
  readonly identity: SumsubSettings | null
  readonly fiat: BridgeSettings | null
}

/** No providers at all. */
export const noProviders: ProviderSettings = {
  custodian: null,
  earlierCustodians: [],
  prices: null,
  identity: null,
  fiat: null
}

const Variables = Schema.Struct(providerVariables)

// what is missing was refused before these are read
const hidden = (text: string | undefined): Redacted.Redacted => Redacted.make(text ?? "")

/** The providers of the environment. Prices come from the custodian's exchange unless another is named. */
export const providersOf = (env: typeof Variables.Type): ProviderSettings => ({
  custodian:
    env.CUSTODIAN === undefined
      ? null
      : {
          exchange: env.CUSTODIAN,
          apiKey: hidden(env.CUSTODIAN_API_KEY),
          secret: hidden(env.CUSTODIAN_API_SECRET),
          passphrase: env.CUSTODIAN_API_PASSPHRASE === undefined ? null : Redacted.make(env.CUSTODIAN_API_PASSPHRASE)
        },
  earlierCustodians: (env.EARLIER_CUSTODIANS ?? []).map(({ api_key, api_passphrase, api_secret, exchange }) => ({
    exchange,
    apiKey: Redacted.make(api_key),
    secret: Redacted.make(api_secret),
    passphrase: api_passphrase === undefined ? null : Redacted.make(api_passphrase)
  })),
  prices: env.PRICES ?? env.CUSTODIAN ?? null,
  identity:
    env.IDENTITY_PROVIDER === undefined
      ? null
      : {
          appToken: hidden(env.SUMSUB_APP_TOKEN),
          secretKey: hidden(env.SUMSUB_SECRET_KEY),
          webhookSecret: hidden(env.SUMSUB_WEBHOOK_SECRET),
          levels: { individual: env.SUMSUB_LEVEL_INDIVIDUAL ?? "", business: env.SUMSUB_LEVEL_BUSINESS ?? "" }
        },
  fiat:
    env.FIAT_PROVIDER === undefined
      ? null
      : {
          apiKey: hidden(env.BRIDGE_API_KEY),
          // an environment carries a key on one line
          webhookPublicKey: (env.BRIDGE_WEBHOOK_PUBLIC_KEY ?? "").replaceAll("\\n", "\n"),
          customerId: env.BRIDGE_CUSTOMER_ID ?? "",
          holdings: env.BRIDGE_HOLDINGS ?? {},
          url: env.BRIDGE_URL ?? null
        }
})
