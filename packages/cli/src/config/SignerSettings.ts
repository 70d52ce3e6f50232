import { parse as parseAmount } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import {
  ownFeesPerDayDefault,
  parseSignerAddress,
  requestAgeMaxDefaultMs,
  type SignerLimit,
  type TlsFiles,
  topUpsPerDayDefault
} from "@bursar/signer"
import type { SignerClientOptions } from "@bursar/signer/rpc/SignerClient"
import type { SignerAddress } from "@bursar/signer/SignerAddress"
import { mainnetPassphrase } from "@bursar/stellar/Reader"
import { Redacted, Result, Schema } from "effect"
import { evmDefaults, type NetworkSettings } from "./NetworkSettings.ts"
import { integer, listed, type Present } from "./variable.ts"

export type { SignerClientOptions }

const address = Schema.String.check(
  Schema.makeFilter((text) => {
    const parsed = parseSignerAddress(text)
    return Result.isFailure(parsed) ? parsed.failure : undefined
  })
)

const file = Schema.optionalKey(Schema.NonEmptyString)

/** The variables that tell where the signer is, for it and for those who call it. */
export const signerClientVariables = {
  SIGNER: address,
  SIGNER_TLS_CA: file,
  SIGNER_TLS_CERT: file,
  SIGNER_TLS_KEY: file
}

/** The variables of the signer itself. */
export const signerVariables = {
  ...signerClientVariables,
  SIGNER_SOCKET_FOR: Schema.optionalKey(Schema.Literals(["owner", "group"])),
  SIGNER_STORE: Schema.NonEmptyString,
  SIGNER_LIMITS: Schema.optionalKey(Schema.NonEmptyString),
  SIGNER_REQUEST_AGE_HOURS: Schema.optionalKey(integer(1, 8_760)),
  SIGNER_TOP_UPS_PER_DAY: Schema.optionalKey(integer(0, 1_000_000)),
  SIGNER_OWN_FEES_PER_DAY: Schema.optionalKey(integer(1, 1_000_000)),
  PUBLIC_AUTHORITIES: Schema.optionalKey(Schema.String)
}

type ClientVariables = Schema.Struct.Type<typeof signerClientVariables>

/** What the signer alone is told. */
export interface SignerSettings {
  readonly listen: {
    readonly address: SignerAddress
    readonly socketFor: "owner" | "group"
    readonly tls?: TlsFiles
  }
  /** The directory of its store. */
  readonly store: string
  readonly limits: ReadonlyArray<SignerLimit>
  /** For how long after its `created` a request may be signed for a first time. */
  readonly requestAgeMaxMs: number
  /** How many addresses of a tenant are given coin for fees on a network within a day. */
  readonly topUpsPerDay: number
  /** How much a tenant's transactions that pay nobody else cost on a network within a day, in caps on the fees of one. */
  readonly ownFeesPerDay: number
  /** The authorities that partners sign requests for. */
  readonly publicAuthorities: ReadonlyArray<string>
}

const tlsNames = ["SIGNER_TLS_CA", "SIGNER_TLS_CERT", "SIGNER_TLS_KEY"] as const

/** What the variables lack, taken together: over the network both sides show a certificate. */
export const signerClientMistakes = (given: Present): ReadonlyArray<string> => {
  const isTls = given["SIGNER"]?.startsWith("tls:") === true
  return tlsNames.flatMap((name) => {
    if (isTls && given[name] === undefined) return [`${name} is missing, which SIGNER needs over TLS`]
    return !isTls && given[name] !== undefined ? [`${name} means nothing for a socket`] : []
  })
}

const tlsOf = (env: ClientVariables): { readonly tls?: TlsFiles } =>
  env.SIGNER_TLS_CA === undefined || env.SIGNER_TLS_CERT === undefined || env.SIGNER_TLS_KEY === undefined
    ? {}
    : { tls: { ca: env.SIGNER_TLS_CA, cert: env.SIGNER_TLS_CERT, key: env.SIGNER_TLS_KEY } }

/** Where the signer is. */
export const signerClientOf = (env: ClientVariables): SignerClientOptions => ({
  // it was read with its form checked
  address: Result.getOrThrow(parseSignerAddress(env.SIGNER)),
  ...tlsOf(env)
})

const limitForm = /^([A-Z][A-Z0-9_]*):([0-9.]+)\/(payment|hour|day)$/u

const isPeriod = (text: string): text is SignerLimit["period"] => ["payment", "hour", "day"].includes(text)

const limitOf = (text: string, currencies: CurrencyTable): SignerLimit | undefined => {
  const [, code = "", amount = "", period = ""] = limitForm.exec(text) ?? []
  const currency = currencies.byCode(code)
  if (currency?.asset == null || !isPeriod(period)) return undefined
  const units = parseAmount(amount, currency)
  return Result.isFailure(units) ? undefined : { currency: code, ...currency.asset, units: units.success.units, period }
}

/** What is wrong with the signer's own variables. */
export const signerMistakes = (given: Present, currencies: CurrencyTable): ReadonlyArray<string> => [
  ...signerClientMistakes(given),
  ...listed(given["SIGNER_LIMITS"])
    .filter((text) => limitOf(text, currencies) === undefined)
    .map((text) => `SIGNER_LIMITS: Expected <currency>:<amount>/payment, /hour or /day, got ${text}`)
]

/** What the signer is told. */
export const signerSettingsOf = (
  env: Schema.Struct.Type<typeof signerVariables>,
  currencies: CurrencyTable
): SignerSettings => ({
  listen: { ...signerClientOf(env), socketFor: env.SIGNER_SOCKET_FOR ?? "owner" },
  store: env.SIGNER_STORE,
  limits: listed(env.SIGNER_LIMITS).flatMap((text) => limitOf(text, currencies) ?? []),
  requestAgeMaxMs:
    env.SIGNER_REQUEST_AGE_HOURS === undefined ? requestAgeMaxDefaultMs : env.SIGNER_REQUEST_AGE_HOURS * 3_600_000,
  topUpsPerDay: env.SIGNER_TOP_UPS_PER_DAY ?? topUpsPerDayDefault,
  ownFeesPerDay: env.SIGNER_OWN_FEES_PER_DAY ?? ownFeesPerDayDefault,
  publicAuthorities: listed(env.PUBLIC_AUTHORITIES)
})

/** The signer asks no node of a network whose signed transactions never expire: no host has this name. */
const nowhere = Redacted.make("http://no-node.invalid")

const paced = { confirmations: null, pollIntervalMs: null }

/** The variables that tell which chains the networks of a signer are. */
interface ChainVariables {
  readonly ETHEREUM_CHAIN?: "main" | "local"
  readonly BSC_CHAIN?: "main" | "local"
  readonly BASE_CHAIN?: "main" | "local"
  readonly BITCOIN_CHAIN?: "main" | "test" | "regtest"
  readonly TRON_GENESIS_BLOCK_ID?: string
  readonly STELLAR_NETWORK_PASSPHRASE?: string
}

const evmNetworks = [
  ["ethereum", "ETHEREUM_CHAIN"],
  ["bsc", "BSC_CHAIN"],
  ["base", "BASE_CHAIN"]
] as const

/**
 * The networks of the signer: all that are known, since it reads and writes transactions of each without a node. Of tron and stellar it
 * may have one, to prove that a transaction which has expired was not included. Which chains they are it is told where it has none, too:
 * it signs for a network of the tenant's environment alone.
 */
export const signerNetworks = (
  withNode: ReadonlyArray<NetworkSettings>,
  configured: ReadonlyArray<NetworkSettings>,
  env: ChainVariables
): ReadonlyArray<NetworkSettings> => {
  const own = new Map(withNode.map((one) => [one.network, one]))
  const all: ReadonlyArray<NetworkSettings> = [
    ...evmNetworks.map(([network, chain]) => ({
      ...evmDefaults,
      ...paced,
      network,
      rpcUrl: nowhere,
      ...(env[chain] === "local" && { environment: "SANDBOX" as const })
    })),
    { family: "bitcoin", network: "bitcoin", rpcUrl: nowhere, chain: env.BITCOIN_CHAIN ?? "main", ...paced },
    {
      family: "tron",
      network: "tron",
      nodeUrl: nowhere,
      solidityUrl: null,
      apiKey: null,
      genesisBlockId: env.TRON_GENESIS_BLOCK_ID ?? null,
      ...paced
    },
    {
      family: "stellar",
      network: "stellar",
      horizonUrl: nowhere,
      rpcUrl: null,
      networkPassphrase: env.STELLAR_NETWORK_PASSPHRASE ?? mainnetPassphrase,
      pollIntervalMs: null
    }
  ]
  const elsewhere = configured.map((one) => (one.family === "evm" ? { ...one, others: [], rpcUrl: nowhere } : one))
  return [...all.map((one) => own.get(one.network) ?? one), ...elsewhere]
}

/** The networks of them that have a node. */
export const provable = (networks: ReadonlyArray<NetworkSettings>): ReadonlyArray<string> =>
  networks.flatMap((one) => {
    const node = one.family === "tron" ? one.nodeUrl : one.family === "stellar" ? one.horizonUrl : nowhere
    return Redacted.value(node) === Redacted.value(nowhere) ? [] : [one.network]
  })
