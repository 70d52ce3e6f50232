import type { Network } from "@bursar/core/money/Network"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type GrantRoot, parseGrantRoot } from "@bursar/core/grant/GrantRoot"
import { databaseTls } from "@bursar/postgres/databaseTls"
import { parseProxies } from "@bursar/server/http/clientAddress"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { Redacted, Result, Schema, SchemaIssue } from "effect"
import { readConfiguredNetworks } from "./ConfiguredNetworks.ts"
import { custodiesOf, custodyMistakes, type CustodySettings, custodyVariables } from "./CustodySettings.ts"
import { networkMistakes, type NetworkSettings, networksOf, networkVariables } from "./NetworkSettings.ts"
import {
  providerMistakes,
  providerSecrets,
  type ProviderSettings,
  providersOf,
  providerVariables
} from "./ProviderSettings.ts"
import type { NamedOperator } from "@bursar/server/config/ServerConfig"
import { operatorsOf, operatorsText } from "./operators.ts"
import { SettingsInvalid } from "./SettingsInvalid.ts"
import { integer, type Present, secret, url } from "./variable.ts"

const port = Schema.optionalKey(integer(0, 65_535))
const list = Schema.optionalKey(Schema.String)

const words = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

const masterKeys = Schema.String.check(
  Schema.makeFilter((text) => {
    const parsed = parseMasterKeys(Redacted.make(text))
    return Result.isFailure(parsed) ? parsed.failure.message : undefined
  })
)

const grantRootText = Schema.String.check(
  Schema.makeFilter((text) => {
    const parsed = parseGrantRoot(text)
    return Result.isFailure(parsed) ? parsed.failure : undefined
  })
)

const Environment = Schema.Struct({
  DATABASE_URL: url(["postgres:", "postgresql:"]),
  DATABASE_CONNECTIONS: Schema.optionalKey(integer(2, 1_000)),
  HOST: Schema.optionalKey(Schema.NonEmptyString),
  PORT: port,
  OPERATOR_HOST: Schema.optionalKey(Schema.NonEmptyString),
  OPERATOR_PORT: port,
  PUBLIC_AUTHORITIES: list,
  TRUSTED_PROXIES: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((text) => {
        const parsed = Result.try(() => parseProxies(words(text)))
        return Result.isFailure(parsed) ? String(parsed.failure) : undefined
      })
    )
  ),
  SERVICE_NAME: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[a-z][a-z0-9]{1,15}$/u, { expected: "2 to 16 lower-case letters and digits, a letter first" })
    )
  ),
  KEY_PEPPER: secret(32),
  OPERATOR_TOKEN: Schema.optionalKey(secret(32)),
  OPERATORS: Schema.optionalKey(operatorsText),
  VAULT_MASTER_KEY: masterKeys,
  GRANT_ROOT: Schema.optionalKey(grantRootText),
  WEBHOOKS_TO_PRIVATE_ADDRESSES: Schema.optionalKey(Schema.Literals(["never", "sandbox"])),
  PAYOUTS_OFF: list,
  NETWORKS: Schema.optionalKey(Schema.NonEmptyString),
  ...networkVariables,
  ...providerVariables,
  ...custodyVariables,
  OTEL_EXPORTER_OTLP_ENDPOINT: Schema.optionalKey(url(["http:", "https:"]))
})

/** How the service is to run, from its environment. */
export interface Settings {
  readonly databaseUrl: Redacted.Redacted
  /** Connections that one process may hold. */
  readonly databaseConnections: number
  readonly host: string
  readonly port: number
  readonly operatorHost: string
  readonly operatorPort: number
  /** The authorities under which partners reach the service, such as `api.example.com`. */
  readonly publicAuthorities: ReadonlyArray<string>
  /** CIDR ranges of the proxies whose `X-Forwarded-For` and `Forwarded` count. */
  readonly trustedProxies: ReadonlyArray<string>
  readonly serviceName: string
  readonly keyPepper: Redacted.Redacted
  /** The token that operators share; null where they have tokens of their own. */
  readonly operatorToken: Redacted.Redacted | null
  /** Operators with tokens of their own. */
  readonly operators: ReadonlyArray<NamedOperator>
  /** Networks on which nobody's chain payouts are taken. */
  readonly payoutsOff: ReadonlyArray<Network>
  readonly providers: ProviderSettings
  readonly masterKeys: Redacted.Redacted
  /** Where keys are held beside the vault. */
  readonly custody: CustodySettings
  /** Whether webhooks of sandbox tenants may go to private addresses; those of live tenants never do. */
  readonly webhooksToPrivateAddresses: "never" | "sandbox"
  /** What grants are verified from; null where the service goes by none. */
  readonly grantRoot: GrantRoot | null
  /** The networks that are on. */
  readonly networks: ReadonlyArray<NetworkSettings>
  /** The currencies that there are, and the networks that are known: those of the contract and those of NETWORKS. */
  readonly currencies: CurrencyTable
  readonly otlpEndpoint: string | null
}

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names of networks that are none, in the list of those that are switched off. */
const offMistakes = (given: Present, { networks }: CurrencyTable): ReadonlyArray<string> =>
  words(given["PAYOUTS_OFF"])
    .filter((word) => !networks.has(word))
    .map((word) => `PAYOUTS_OFF: ${word} is not a network`)

/** A database whose connection would not be protected. */
const databaseMistakes = (given: Present): ReadonlyArray<string> => {
  const tls = databaseTls(given["DATABASE_URL"] ?? "")
  return URL.canParse(given["DATABASE_URL"] ?? "") && Result.isFailure(tls) ? [`DATABASE_URL: ${tls.failure}`] : []
}

/** A shared token beside those of people, with which one person would be two; or neither. */
const operatorMistakes = (given: Present): ReadonlyArray<string> => {
  const [people, shared] = [given["OPERATORS"] !== undefined, given["OPERATOR_TOKEN"] !== undefined]
  if (people && shared)
    return ["OPERATOR_TOKEN: Expected none, because OPERATORS gives each person a token of their own"]
  return people || shared ? [] : ["OPERATOR_TOKEN is missing: set OPERATORS, or a token that operators share"]
}

/** The secrets of the environment, beside URLs: their values never stand in a message. */
const secretNames: ReadonlySet<string> = new Set([
  "KEY_PEPPER",
  "OPERATOR_TOKEN",
  "OPERATORS",
  "VAULT_MASTER_KEY",
  "TRON_API_KEY",
  ...providerSecrets
])

const mistakeOf = (path: ReadonlyArray<PropertyKey>, message: string): string => {
  const name = String(path[0] ?? "")
  if (message.includes("Missing key")) return `${name} is missing`
  return secretNames.has(name) || name.endsWith("_URL")
    ? `${name}: ${message.replace(/, got .*$/su, "")}`
    : `${name}: ${message}`
}

const decode = Schema.decodeUnknownResult(Environment, { errors: "all" })

/** Reads the settings from environment variables. An empty variable counts as absent. */
export const readSettings = (variables: Present): Result.Result<Settings, SettingsInvalid> => {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""))
  const decoded = decode(given)
  const configured = readConfiguredNetworks(given["NETWORKS"])
  const mistakes = [
    ...(Result.isSuccess(decoded)
      ? []
      : issues(decoded.failure.issue).issues.map(({ message, path }) =>
          mistakeOf(
            (path ?? []).map((part) => (typeof part === "object" ? part.key : part)),
            message
          )
        )),
    ...networkMistakes(given),
    ...providerMistakes(given),
    ...custodyMistakes(given),
    ...configured.mistakes,
    ...offMistakes(given, configured.currencies),
    ...databaseMistakes(given),
    ...operatorMistakes(given)
  ]
  if (Result.isFailure(decoded) || mistakes.length > 0) return Result.fail(new SettingsInvalid({ mistakes }))
  const env = decoded.success
  return Result.succeed({
    databaseUrl: Redacted.make(env.DATABASE_URL),
    databaseConnections: env.DATABASE_CONNECTIONS ?? 16,
    host: env.HOST ?? "0.0.0.0",
    port: env.PORT ?? 8080,
    operatorHost: env.OPERATOR_HOST ?? "127.0.0.1",
    operatorPort: env.OPERATOR_PORT ?? 8081,
    publicAuthorities: words(env.PUBLIC_AUTHORITIES),
    trustedProxies: words(env.TRUSTED_PROXIES),
    serviceName: env.SERVICE_NAME ?? "service",
    keyPepper: Redacted.make(env.KEY_PEPPER),
    operatorToken: env.OPERATOR_TOKEN === undefined ? null : Redacted.make(env.OPERATOR_TOKEN),
    operators: operatorsOf(env.OPERATORS ?? ""),
    payoutsOff: words(env.PAYOUTS_OFF),
    // it was read with this very text checked
    grantRoot: env.GRANT_ROOT === undefined ? null : Result.getOrThrow(parseGrantRoot(env.GRANT_ROOT)),
    providers: providersOf(env),
    masterKeys: Redacted.make(env.VAULT_MASTER_KEY),
    custody: custodiesOf(env),
    webhooksToPrivateAddresses: env.WEBHOOKS_TO_PRIVATE_ADDRESSES ?? "never",
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    networks: [...networksOf(env), ...configured.networks],
    currencies: configured.currencies
  })
}
