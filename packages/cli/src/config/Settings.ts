import type { EvmNetwork } from "@bursar/evm/EvmNetwork"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { Redacted, Result, Schema, SchemaIssue } from "effect"

/** The configuration is wrong; lists every mistake at once, by the name of its variable, and shows no secret. */
export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  mistakes: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return ["The configuration is not valid:", ...this.mistakes.map((mistake) => `  - ${mistake}`)].join("\n")
  }
}

const integer = (minimum: number, maximum: number) =>
  Schema.NumberFromString.check(
    Schema.isBetween({ minimum, maximum }, { expected: `a whole number from ${minimum} to ${maximum}` }),
    Schema.isInt()
  )

const url = (protocols: ReadonlyArray<string>) =>
  Schema.String.check(
    Schema.makeFilter((text) => {
      const parsed = URL.parse(text)
      return parsed !== null && protocols.includes(parsed.protocol)
        ? undefined
        : `must be a URL that starts with ${protocols.join(" or ")}`
    })
  )

const secret = (charactersMin: number) =>
  Schema.String.check(Schema.isMinLength(charactersMin, { expected: `at least ${charactersMin} characters` }))

const rpcUrl = Schema.optionalKey(url(["http:", "https:"]))
const confirmations = Schema.optionalKey(integer(1, 10_000))
const port = Schema.optionalKey(integer(0, 65_535))
const list = Schema.optionalKey(Schema.String)

const masterKeys = Schema.String.check(
  Schema.makeFilter((text) => {
    const parsed = parseMasterKeys(Redacted.make(text))
    return Result.isFailure(parsed) ? parsed.failure.message : undefined
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
  TRUSTED_PROXIES: list,
  SERVICE_NAME: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[a-z][a-z0-9]{1,15}$/u, { expected: "2 to 16 lower-case letters and digits, a letter first" })
    )
  ),
  KEY_PEPPER: secret(32),
  OPERATOR_TOKEN: secret(32),
  VAULT_MASTER_KEY: masterKeys,
  WEBHOOKS_TO_PRIVATE_ADDRESSES: Schema.optionalKey(Schema.Literals(["never", "sandbox"])),
  ETHEREUM_RPC_URL: rpcUrl,
  BSC_RPC_URL: rpcUrl,
  BASE_RPC_URL: rpcUrl,
  ETHEREUM_CONFIRMATIONS: confirmations,
  BSC_CONFIRMATIONS: confirmations,
  BASE_CONFIRMATIONS: confirmations,
  OTEL_EXPORTER_OTLP_ENDPOINT: Schema.optionalKey(url(["http:", "https:"]))
})

/** A node of an EVM network, and the depth at which a deposit counts where finality is not to decide. */
export interface EvmSettings {
  readonly network: EvmNetwork
  readonly rpcUrl: Redacted.Redacted
  readonly confirmations: number | null
  /** How often a new block is asked for, where the network's own pace is not to decide. */
  readonly pollIntervalMs: number | null
}

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
  /** CIDR ranges of the proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies: ReadonlyArray<string>
  readonly serviceName: string
  readonly keyPepper: Redacted.Redacted
  readonly operatorToken: Redacted.Redacted
  readonly masterKeys: Redacted.Redacted
  /** Whether webhooks of sandbox tenants may go to private addresses; those of live tenants never do. */
  readonly webhooksToPrivateAddresses: "never" | "sandbox"
  readonly evm: ReadonlyArray<EvmSettings>
  readonly otlpEndpoint: string | null
}

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

const words = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

/** The secrets of the environment: their values never stand in a message. */
const secretNames: ReadonlySet<string> = new Set(["DATABASE_URL", "KEY_PEPPER", "OPERATOR_TOKEN", "VAULT_MASTER_KEY"])

const mistakeOf = (path: ReadonlyArray<PropertyKey>, message: string): string => {
  const name = String(path[0] ?? "")
  if (message.includes("Missing key")) return `${name} is missing`
  return secretNames.has(name) || name.endsWith("_RPC_URL")
    ? `${name}: ${message.replace(/, got .*$/su, "")}`
    : `${name}: ${message}`
}

type Variables = Readonly<Record<string, string | undefined>>

const decode = Schema.decodeUnknownResult(Environment, { errors: "all" })

/** Reads the settings from environment variables. An empty variable counts as absent. */
export const readSettings = (variables: Variables): Result.Result<Settings, SettingsInvalid> => {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""))
  return Result.mapBoth(decode(given), {
    onFailure: (error) =>
      new SettingsInvalid({
        mistakes: issues(error.issue).issues.map(({ message, path }) =>
          mistakeOf(
            (path ?? []).map((part) => (typeof part === "object" ? part.key : part)),
            message
          )
        )
      }),
    onSuccess: (env): Settings => ({
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
      operatorToken: Redacted.make(env.OPERATOR_TOKEN),
      masterKeys: Redacted.make(env.VAULT_MASTER_KEY),
      webhooksToPrivateAddresses: env.WEBHOOKS_TO_PRIVATE_ADDRESSES ?? "never",
      otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
      evm: (
        [
          ["ethereum", env.ETHEREUM_RPC_URL, env.ETHEREUM_CONFIRMATIONS],
          ["bsc", env.BSC_RPC_URL, env.BSC_CONFIRMATIONS],
          ["base", env.BASE_RPC_URL, env.BASE_CONFIRMATIONS]
        ] as const
      ).flatMap(([network, nodeUrl, depth]) =>
        nodeUrl === undefined
          ? []
          : [{ network, rpcUrl: Redacted.make(nodeUrl), confirmations: depth ?? null, pollIntervalMs: null }]
      )
    })
  })
}
