import type { Network } from "@bursar/core/money/Network"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type GrantRoot, parseGrantRoot } from "@bursar/core/grant/GrantRoot"
import { databaseTls } from "@bursar/postgres/databaseTls"
import { parseProxies } from "@bursar/server/http/clientAddress"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import type { SecondNodePolicy } from "@bursar/worker/watch/secondNode/SecondNode"
import type { Explorer } from "@bursar/server/config/explorers"
import { Redacted, Result, Schema, SchemaIssue } from "effect"
import { anchorS3Mistakes, anchorS3Of, type AnchorS3Settings, anchorS3Variables } from "./anchorS3.ts"
import { readConfiguredNetworks } from "./ConfiguredNetworks.ts"
import { custodiesOf, custodyMistakes, type CustodySettings, custodyVariables } from "./CustodySettings.ts"
import {
  networkMistakes,
  type NetworkSettings,
  networksOf,
  presetsOn,
  networkVariables,
  withEnvironments
} from "./NetworkSettings.ts"
import {
  providerMistakes,
  providerSecrets,
  type ProviderSettings,
  providersOf,
  providerVariables
} from "./ProviderSettings.ts"
import type { NamedOperator } from "@bursar/server/config/ServerConfig"
import { metricsMistakes, metricsOf, type MetricsSettings, metricsVariables } from "./metrics.ts"
import { oidcMistakes, oidcOf, type OidcSettings, oidcVariables } from "./oidc.ts"
import { explorerMistakes, explorersOf, explorerVariables } from "./explorers.ts"
import { operatorsOf, operatorsText } from "./operators.ts"
import type { ReconcileLimits } from "@bursar/worker/reconcile/ReconcileLimits"
import type { AuditKeeperOptions } from "@bursar/worker/audit/AuditKeeper"
import { SettingsInvalid } from "./SettingsInvalid.ts"
import {
  signerClientMistakes,
  type SignerClientOptions,
  signerClientOf,
  signerClientVariables,
  signerMistakes,
  signerNetworks,
  type SignerSettings,
  signerSettingsOf,
  signerVariables
} from "./SignerSettings.ts"
import { reconciliationMistakes, reconciliationOf, reconciliationVariables } from "./reconciliation.ts"
import { secondNodeMistakes, secondNodeOf, secondNodeVariables } from "./secondNode.ts"
import { integer, type Present, secret, url, withoutEmpty } from "./variable.ts"

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

/** What every process needs. */
const common = {
  DATABASE_URL: url(["postgres:", "postgresql:"]),
  DATABASE_CONNECTIONS: Schema.optionalKey(integer(2, 1_000)),
  SERVICE_NAME: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[a-z][a-z0-9]{1,15}$/u, { expected: "2 to 16 lower-case letters and digits, a letter first" })
    )
  ),
  NETWORKS: Schema.optionalKey(Schema.NonEmptyString),
  ...networkVariables,
  GRANT_ROOT: Schema.optionalKey(grantRootText),
  OTEL_EXPORTER_OTLP_ENDPOINT: Schema.optionalKey(url(["http:", "https:"]))
}

/** What the server and the worker need. */
const working = {
  ...common,
  SECRETS_KEY: masterKeys,
  GRANT_HEADS: Schema.optionalKey(Schema.NonEmptyString),
  PAYOUTS_OFF: list,
  NETWORKS_OFF: list,
  ...signerClientVariables,
  ...providerVariables
}

const ServeEnvironment = Schema.Struct({
  ...working,
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
  KEY_PEPPER: secret(32),
  OPERATOR_TOKEN: Schema.optionalKey(secret(32)),
  OPERATORS: Schema.optionalKey(operatorsText),
  ...oidcVariables,
  ...explorerVariables
})

const WorkEnvironment = Schema.Struct({
  ...working,
  PUBLIC_AUTHORITIES: list,
  WEBHOOKS_TO_PRIVATE_ADDRESSES: Schema.optionalKey(Schema.Literals(["never", "sandbox"])),
  AUDIT_SEAL_SECONDS: Schema.optionalKey(integer(1, 3_600)),
  AUDIT_ANCHOR_SECONDS: Schema.optionalKey(integer(1, 86_400)),
  AUDIT_ANCHOR_FILE: Schema.optionalKey(Schema.NonEmptyString),
  AUDIT_ANCHOR_URL: Schema.optionalKey(url(["http:", "https:"])),
  ...anchorS3Variables,
  ...secondNodeVariables,
  ...reconciliationVariables,
  ...metricsVariables
})

const SignEnvironment = Schema.Struct({
  ...common,
  VAULT_MASTER_KEY: masterKeys,
  ...signerVariables,
  ...custodyVariables,
  ...metricsVariables
})

/** The variables that any process or command reads. A file may have others than its process needs, but no secrets of another. */
export const knownVariables: ReadonlySet<string> = new Set([
  ...Object.keys({ ...ServeEnvironment.fields, ...WorkEnvironment.fields, ...SignEnvironment.fields }),
  "OPERATOR_OIDC_CLIENT_ID",
  "VAULT_MASTER_KEY_FILE"
])

/** What every process is told. */
export interface CommonSettings {
  readonly databaseUrl: Redacted.Redacted
  /** Connections that one process may hold. */
  readonly databaseConnections: number
  readonly serviceName: string
  /** The networks that are on. */
  readonly networks: ReadonlyArray<NetworkSettings>
  /** The currencies that there are, and the networks that are known: those of the contract and those of NETWORKS. */
  readonly currencies: CurrencyTable
  readonly otlpEndpoint: string | null
  /** What grants are verified from; null where the service goes by none. */
  readonly grantRoot: GrantRoot | null
}

/** What the server and the worker are told. */
export interface WorkingSettings extends CommonSettings {
  /** What webhook secrets are sealed under. */
  readonly secretsKeys: Redacted.Redacted
  /** Where the process is that holds the keys. */
  readonly signer: SignerClientOptions
  /** The file in which this process remembers the ends of chains of grants; null where it does so only while it runs. */
  readonly grantHeads: string | null
  /** Networks that the database may know though they are not on. */
  readonly networksOff: ReadonlyArray<Network>
  /** Networks on which nobody's chain payouts are taken. */
  readonly payoutsOff: ReadonlyArray<Network>
  readonly providers: ProviderSettings
}

/** How `bursar serve` is to run. */
export interface ServeSettings extends WorkingSettings {
  readonly host: string
  readonly port: number
  readonly operatorHost: string
  readonly operatorPort: number
  /** The authorities under which partners reach the service, such as `api.example.com`. */
  readonly publicAuthorities: ReadonlyArray<string>
  /** CIDR ranges of the proxies whose `X-Forwarded-For` and `Forwarded` count. */
  readonly trustedProxies: ReadonlyArray<string>
  readonly keyPepper: Redacted.Redacted
  /** The token that operators share; null where they have tokens of their own. */
  readonly operatorToken: Redacted.Redacted | null
  /** Operators with tokens of their own. */
  readonly operators: ReadonlyArray<NamedOperator>
  /** Where operators sign in; null where they do so nowhere. */
  readonly oidc: OidcSettings | null
  /** Where operators look up what is on a network, where that is not the usual place. */
  readonly explorers: ReadonlyMap<Network, Explorer | null>
}

/** How `bursar work` is to run. */
export interface WorkSettings extends WorkingSettings {
  /** The authorities that partners sign their requests for, as the server has them. */
  readonly publicAuthorities: ReadonlyArray<string>
  /** Whether webhooks of sandbox tenants may go to private addresses; those of live tenants never do. */
  readonly webhooksToPrivateAddresses: "never" | "sandbox"
  /** How the log of operators' actions is sealed, and where its seals are put down outside. */
  readonly audit: AuditKeeperOptions
  /** The object store that its seals are put down in, too; none where absent. */
  readonly anchorS3?: AnchorS3Settings | null
  /** Which arrivals need the word of a second node; none where absent. */
  readonly secondNode?: SecondNodePolicy
  /** How the books are compared with the world. */
  readonly reconciliation: ReconcileLimits
  /** Where this process shows its metrics; nowhere where absent. */
  readonly metrics?: MetricsSettings | null
}

/** How `bursar sign` is to run. */
export interface SignSettings extends CommonSettings, SignerSettings {
  readonly masterKeys: Redacted.Redacted
  /** Where keys are held beside the vault. */
  readonly custody: CustodySettings
  /** Where this process shows its metrics; nowhere where absent. */
  readonly metrics?: MetricsSettings | null
}

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names of networks that are none, in the lists of those that are switched off. */
const offMistakes = (given: Present, { networks }: CurrencyTable): ReadonlyArray<string> =>
  ["PAYOUTS_OFF", "NETWORKS_OFF"].flatMap((name) =>
    words(given[name])
      .filter((word) => !networks.has(word))
      .map((word) => `${name}: ${word} is not a network`)
  )

/** Networks that are said to be off and have a node. */
const onAndOff = (given: Present, configured: ReturnType<typeof readConfiguredNetworks>): ReadonlyArray<string> => {
  const on = new Set([...presetsOn(given), ...configured.networks.map(({ network }) => network)])
  return words(given["NETWORKS_OFF"])
    .filter((word) => on.has(word))
    .map((word) => `NETWORKS_OFF: ${word} has a node: take one of them out`)
}

/** A database whose connection would not be protected. */
const databaseMistakes = (given: Present): ReadonlyArray<string> => {
  const tls = databaseTls(given["DATABASE_URL"] ?? "")
  return URL.canParse(given["DATABASE_URL"] ?? "") && Result.isFailure(tls) ? [`DATABASE_URL: ${tls.failure}`] : []
}

/** A shared token beside those of people, with which one person would be two; or neither. */
const operatorMistakes = (given: Present): ReadonlyArray<string> => {
  const [people, shared] = [given["OPERATORS"] !== undefined, given["OPERATOR_TOKEN"] !== undefined]
  if (people && shared)
    return ["OPERATOR_TOKEN: Expected none, because OPERATORS gives each person credentials of their own"]
  return people || shared ? [] : ["OPERATOR_TOKEN is missing: set OPERATORS, or a token that operators share"]
}

/** The secrets of the environment, beside URLs: their values never stand in a message. */
const secretNames: ReadonlySet<string> = new Set([
  "KEY_PEPPER",
  "OPERATOR_TOKEN",
  "OPERATORS",
  "VAULT_MASTER_KEY",
  "SECRETS_KEY",
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

type Mistakes = ReadonlyArray<string>

/** Settings that a process must not have: whoever breaks into it would have them too. */
const strayMistakes = (given: Present, names: Iterable<string>, why: string): Mistakes =>
  [...names].filter((name) => given[name] !== undefined).map((name) => `${name} does not belong here: ${why}`)

const keysElsewhere = "only bursar sign has the keys of wallets"
const operatorsElsewhere = "only bursar serve answers operators and partners"
const notForSigner = "the signer does without it"

/** What nobody but the signer has: master keys, and the way to keys in custody. */
export const ofSignerAlone: ReadonlySet<string> = new Set([
  "VAULT_MASTER_KEY",
  "VAULT_MASTER_KEY_FILE",
  ...Object.keys(custodyVariables)
])

/** What the signer must not have: who it is shown to could act for operators, or at providers. */
export const notOfSigner: ReadonlySet<string> = new Set([
  "KEY_PEPPER",
  "OPERATOR_TOKEN",
  "OPERATORS",
  "SECRETS_KEY",
  ...providerSecrets,
  "ETHEREUM_RPC_URL",
  "BSC_RPC_URL",
  "BASE_RPC_URL",
  "BITCOIN_RPC_URL"
])

/** Decodes variables, and gives every mistake at once. */
const read = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  given: Present,
  others: Mistakes
): Result.Result<S["Type"], SettingsInvalid> => {
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(given)
  const found = Result.isSuccess(decoded)
    ? []
    : issues(decoded.failure.issue).issues.map(({ message, path }) =>
        mistakeOf(
          (path ?? []).map((part) => (typeof part === "object" ? part.key : part)),
          message
        )
      )
  const mistakes = [...found, ...others]
  return Result.isFailure(decoded) || mistakes.length > 0
    ? Result.fail(new SettingsInvalid({ mistakes }))
    : Result.succeed(decoded.success)
}

type CommonVariables = Schema.Struct.Type<typeof common>

const commonOf = (env: CommonVariables, currencies: CurrencyTable, networks: ReadonlyArray<NetworkSettings>) => ({
  databaseUrl: Redacted.make(env.DATABASE_URL),
  databaseConnections: env.DATABASE_CONNECTIONS ?? 16,
  serviceName: env.SERVICE_NAME ?? "service",
  otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
  grantRoot: env.GRANT_ROOT === undefined ? null : Result.getOrThrow(parseGrantRoot(env.GRANT_ROOT)),
  networks,
  currencies: withEnvironments(currencies, networks)
})

/** A file of ends of chains without what they are verified from: rows would decide what grants decided before. */
const rootMistakes = (given: Present): Mistakes =>
  given["GRANT_HEADS"] !== undefined && given["GRANT_ROOT"] === undefined
    ? [
        "GRANT_ROOT is missing, without which GRANT_HEADS means nothing: rows of the database would decide instead of grants"
      ]
    : []

/** What the server and the worker read alike. */
const workingMistakes = (given: Present, configured: ReturnType<typeof readConfiguredNetworks>): Mistakes => [
  ...networkMistakes(given),
  ...providerMistakes(given),
  ...configured.mistakes,
  ...offMistakes(given, configured.currencies),
  ...onAndOff(given, configured),
  ...databaseMistakes(given),
  ...rootMistakes(given),
  ...signerClientMistakes(given),
  ...strayMistakes(given, ofSignerAlone, keysElsewhere)
]

const workingOf = (
  env: Schema.Struct.Type<typeof working>,
  configured: ReturnType<typeof readConfiguredNetworks>
): WorkingSettings => ({
  ...commonOf(env, configured.currencies, [...networksOf(env), ...configured.networks]),
  secretsKeys: Redacted.make(env.SECRETS_KEY),
  signer: signerClientOf(env),
  grantHeads: env.GRANT_HEADS ?? null,
  payoutsOff: words(env.PAYOUTS_OFF),
  networksOff: words(env.NETWORKS_OFF),
  providers: providersOf(env)
})

/** Reads the settings of `bursar serve` from environment variables. An empty variable counts as absent. */
export const readServeSettings = (variables: Present): Result.Result<ServeSettings, SettingsInvalid> => {
  const given = withoutEmpty(variables)
  const configured = readConfiguredNetworks(given["NETWORKS"])
  const mistakes = [
    ...workingMistakes(given, configured),
    ...operatorMistakes(given),
    ...oidcMistakes(given),
    ...explorerMistakes(given, configured.currencies)
  ]
  return Result.map(read(ServeEnvironment, given, mistakes), (env) => ({
    ...workingOf(env, configured),
    host: env.HOST ?? "0.0.0.0",
    port: env.PORT ?? 8080,
    operatorHost: env.OPERATOR_HOST ?? "127.0.0.1",
    operatorPort: env.OPERATOR_PORT ?? 8081,
    publicAuthorities: words(env.PUBLIC_AUTHORITIES),
    trustedProxies: words(env.TRUSTED_PROXIES),
    keyPepper: Redacted.make(env.KEY_PEPPER),
    operatorToken: env.OPERATOR_TOKEN === undefined ? null : Redacted.make(env.OPERATOR_TOKEN),
    operators: operatorsOf(env.OPERATORS ?? ""),
    oidc: oidcOf(env, env.OPERATORS ?? ""),
    explorers: explorersOf(env, configured.currencies)
  }))
}

const auditOf = (env: typeof WorkEnvironment.Type): AuditKeeperOptions => ({
  ...(env.AUDIT_SEAL_SECONDS === undefined ? {} : { sealEvery: `${env.AUDIT_SEAL_SECONDS} seconds` }),
  ...(env.AUDIT_ANCHOR_SECONDS === undefined ? {} : { anchorEvery: `${env.AUDIT_ANCHOR_SECONDS} seconds` }),
  anchorFile: env.AUDIT_ANCHOR_FILE ?? null,
  anchorUrl: env.AUDIT_ANCHOR_URL ?? null
})

/** Reads the settings of `bursar work` from environment variables. An empty variable counts as absent. */
export const readWorkSettings = (variables: Present): Result.Result<WorkSettings, SettingsInvalid> => {
  const given = withoutEmpty(variables)
  const configured = readConfiguredNetworks(given["NETWORKS"])
  const mistakes = [
    ...workingMistakes(given, configured),
    ...secondNodeMistakes(given, configured.currencies),
    ...anchorS3Mistakes(given),
    ...reconciliationMistakes(given, configured.currencies),
    ...metricsMistakes(given),
    ...strayMistakes(given, ["KEY_PEPPER", "OPERATOR_TOKEN", "OPERATORS"], operatorsElsewhere)
  ]
  return Result.map(read(WorkEnvironment, given, mistakes), (env) => ({
    ...workingOf(env, configured),
    publicAuthorities: words(env.PUBLIC_AUTHORITIES),
    webhooksToPrivateAddresses: env.WEBHOOKS_TO_PRIVATE_ADDRESSES ?? "never",
    audit: auditOf(env),
    anchorS3: anchorS3Of(env),
    secondNode: secondNodeOf(env, configured.currencies),
    reconciliation: reconciliationOf(env, configured.currencies),
    metrics: metricsOf(env)
  }))
}

/** Reads the settings of `bursar sign` from environment variables. An empty variable counts as absent. */
export const readSignSettings = (variables: Present): Result.Result<SignSettings, SettingsInvalid> => {
  const given = withoutEmpty(variables)
  const configured = readConfiguredNetworks(given["NETWORKS"])
  const mistakes = [
    ...configured.mistakes,
    ...databaseMistakes(given),
    ...signerMistakes(given, configured.currencies),
    ...custodyMistakes(given),
    ...metricsMistakes(given),
    ...strayMistakes(given, notOfSigner, notForSigner)
  ]
  return Result.map(read(SignEnvironment, given, mistakes), (env) => {
    const { currencies } = configured
    return {
      ...commonOf(env, currencies, signerNetworks(networksOf(env), configured.networks, env)),
      ...signerSettingsOf(env, currencies),
      masterKeys: Redacted.make(env.VAULT_MASTER_KEY),
      custody: custodiesOf(env),
      metrics: metricsOf(env)
    }
  })
}
