import { parse } from "@bursar/core/money/Amount"
import { type Currency, type CurrencyTable, makeCurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { makeNetworkTable } from "@bursar/core/money/Network"
import { evmTraits, presetNetworks } from "@bursar/core/money/presetNetworks"
import { facts, factsDefault } from "@bursar/evm/Network"
import { Redacted, Result, Schema, SchemaIssue } from "effect"
import { environmentOf, type EvmSettings, evmDefaults, operatorName, sameNodeMistakes } from "./NetworkSettings.ts"

const whole = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }, { expected: `a whole number from ${minimum} to ${maximum}` }))

const Code = Schema.String.check(
  Schema.isPattern(/^[A-Z][A-Z0-9_]{1,31}$/u, { expected: "2 to 32 upper-case letters, digits and _, a letter first" })
)

const Name = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))

/** Amounts go over the wire with 18 decimals at most. */
const Decimals = whole(0, 18)

const Positive = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9]\d{0,29})(?:\.\d{1,18})?$/u, { expected: "a decimal text" })
)

const NodeUrl = Schema.String.check(
  Schema.makeFilter((text) =>
    ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "") ? undefined : "must be a URL of http: or https:"
  )
)

const Token = Schema.Struct({
  code: Code,
  name: Name,
  contract: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/u, { expected: "0x and 40 hexadecimal digits" })),
  decimals: Decimals,
  /** The least that is paid out at once; one base unit where it is left out. */
  minimum_out: Schema.optionalKey(Positive)
})

/** An EVM network as operators write it in `NETWORKS`. */
const ConfiguredNetwork = Schema.Struct({
  name: Schema.String.check(
    Schema.isPattern(/^[a-z][a-z0-9-]{1,19}$/u, {
      expected: "2 to 20 lower-case letters, digits and -, a letter first"
    })
  ),
  family: Schema.Literals(["evm"]),
  /** Whether its coins are real. Known test networks are `test` where it is left out, all others `main`. */
  environment: Schema.optionalKey(Schema.Literals(["main", "test"])),
  chain_id: whole(1, Number.MAX_SAFE_INTEGER),
  native: Schema.Struct({ code: Code, name: Name, decimals: Decimals, minimum_out: Schema.optionalKey(Positive) }),
  tokens: Schema.optionalKey(Schema.Array(Token)),
  /** The node's `finalized` block, or the depth at which a transaction is final. */
  finality: Schema.Union([Schema.Literal("finalized"), whole(1, 10_000)]),
  /** The preferred node first. */
  rpc_urls: Schema.Array(NodeUrl).check(Schema.isMinLength(1)),
  /** Who runs each of them, in the same order. */
  node_operators: Schema.optionalKey(Schema.Array(operatorName).check(Schema.isMinLength(1))),
  rollup: Schema.optionalKey(Schema.Literals(["op-stack", "none"])),
  withdrawals: Schema.optionalKey(Schema.Literal("coin")),
  fees: Schema.optionalKey(
    Schema.Struct({
      gas_price_max_gwei: Schema.optionalKey(Positive),
      tip_min_gwei: Schema.optionalKey(Positive),
      transaction_max: Schema.optionalKey(Positive),
      top_up_max: Schema.optionalKey(Positive)
    })
  ),
  block_time_ms: Schema.optionalKey(whole(50, 600_000)),
  poll_interval_ms: Schema.optionalKey(whole(50, 600_000)),
  traces: Schema.optionalKey(Schema.Literals(["required", "off"])),
  receipts_root: Schema.optionalKey(Schema.Literals(["required", "off"])),
  timeout_ms: Schema.optionalKey(whole(100, 600_000)),
  calls_max: Schema.optionalKey(whole(1, 256)),
  batch_max: Schema.optionalKey(whole(1, 1_000))
})

type ConfiguredNetwork = typeof ConfiguredNetwork.Type

/** What `NETWORKS` adds, or all that is wrong with it. */
export interface ConfiguredNetworks {
  readonly networks: ReadonlyArray<EvmSettings>
  /** The currencies and networks of the contract with those that are added; without them where there are mistakes. */
  readonly currencies: CurrencyTable
  readonly mistakes: ReadonlyArray<string>
}

const decode = Schema.decodeUnknownResult(Schema.Array(ConfiguredNetwork), {
  errors: "all",
  onExcessProperty: "error"
})

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** `NETWORKS[0].tokens[1].contract`. */
const placeOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, part) => text + (typeof part === "number" ? `[${part}]` : `.${String(part)}`), "NETWORKS")

type Raw = Readonly<Record<string, unknown>>

const isRaw = (value: unknown): value is Raw => typeof value === "object" && value !== null && !Array.isArray(value)

const rawOf = (value: unknown): Raw => (isRaw(value) ? value : {})

const listOf = (value: unknown): ReadonlyArray<Raw> => (Array.isArray(value) ? value.map(rawOf) : [])

/** What stands twice, or is somebody else's, among the values at some places. */
const taken = (
  what: string,
  values: ReadonlyArray<readonly [place: string, value: unknown]>,
  ours: (value: string) => boolean
): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return values.flatMap(([place, value]) => {
    if (typeof value !== "string" && typeof value !== "number") return []
    const text = String(value)
    if (ours(text)) return [`${place}: ${what} ${text} is one of the service's own`]
    if (seen.has(text)) return [`${place}: ${what} ${text} stands twice`]
    seen.add(text)
    return []
  })
}

const presetChains = new Set(Object.values(facts).map(({ chainId }) => String(chainId)))

/** What is wrong between the parts of the list, as far as it can be read. */
const contradictions = (all: ReadonlyArray<Raw>): ReadonlyArray<string> => {
  const placed = all.map((one, index) => [`NETWORKS[${index}]`, one] as const)
  const tokens = placed.map(([place, one]) => [place, listOf(one["tokens"])] as const)
  const codes = placed.flatMap(([place, one], index) => [
    [`${place}.native.code`, rawOf(one["native"])["code"]] as const,
    ...(tokens[index]?.[1] ?? []).map(({ code }, at) => [`${place}.tokens[${at}].code`, code] as const)
  ])
  return [
    ...taken(
      "the name",
      placed.map(([place, { name }]) => [`${place}.name`, name]),
      presetNetworks.has
    ),
    ...taken(
      "the chain",
      placed.map(([place, one]) => [`${place}.chain_id`, one["chain_id"]]),
      (id) => presetChains.has(id)
    ),
    ...taken("the code", codes, (code) => defaultCurrencies.byCode(code) !== undefined),
    ...tokens.flatMap(([place, list]) =>
      taken(
        "the contract",
        list.map(({ contract }, at) => [
          `${place}.tokens[${at}].contract`,
          typeof contract === "string" ? contract.toLowerCase() : undefined
        ]),
        () => false
      )
    )
  ]
}

const gweiDecimals = 9

/** A decimal text in base units; undefined where it has more decimals than there are, or is nothing. */
const unitsOf = (text: string, decimals: number): bigint | undefined =>
  Result.getOrUndefined(parse(text, { code: "", name: "", kind: "COIN", decimals, asset: null }))?.units

/** Amounts that are nothing, or finer than what they are of. */
const amountMistakes = (
  { fees = {}, native, tokens = [] }: ConfiguredNetwork,
  place: string
): ReadonlyArray<string> => {
  const amounts: ReadonlyArray<readonly [string, string | undefined, number]> = [
    ["native.minimum_out", native.minimum_out, native.decimals],
    ...tokens.map((token, at) => [`tokens[${at}].minimum_out`, token.minimum_out, token.decimals] as const),
    ["fees.gas_price_max_gwei", fees.gas_price_max_gwei, gweiDecimals],
    ["fees.tip_min_gwei", fees.tip_min_gwei, gweiDecimals],
    ["fees.transaction_max", fees.transaction_max, native.decimals],
    ["fees.top_up_max", fees.top_up_max, native.decimals]
  ]
  return amounts.flatMap(([field, text, decimals]) =>
    text === undefined || unitsOf(text, decimals) !== undefined
      ? []
      : [`${place}.${field}: Expected an amount above 0 with at most ${decimals} decimals`]
  )
}

/** Operators that do not go with the nodes. */
const operatorMistakes = (one: ConfiguredNetwork, place: string): ReadonlyArray<string> => {
  const { node_operators: operators, rpc_urls: urls } = one
  if (operators === undefined) return []
  const field = `${place}.node_operators`
  return operators.length === urls.length
    ? sameNodeMistakes(field, urls, operators, environmentOf(settingsOf(one)) === "SANDBOX")
    : [
        `${field} names ${operators.length} operators for ${urls.length} nodes: each node needs its own, in the same order`
      ]
}

const settingsOf = (one: ConfiguredNetwork): EvmSettings => {
  const { fees = {} } = one
  const priceMax = fees.gas_price_max_gwei === undefined ? undefined : unitsOf(fees.gas_price_max_gwei, gweiDecimals)
  const tipMin = fees.tip_min_gwei === undefined ? undefined : unitsOf(fees.tip_min_gwei, gweiDecimals)
  const nodes = one.rpc_urls.map((url, index): EvmSettings => ({
    ...evmDefaults,
    ...(one.node_operators?.[index] !== undefined && { operator: one.node_operators[index] }),
    network: one.name,
    rpcUrl: Redacted.make(url),
    confirmations: one.finality === "finalized" ? null : one.finality,
    pollIntervalMs: one.poll_interval_ms ?? null,
    blockTimeMs: one.block_time_ms ?? null,
    timeoutMs: one.timeout_ms ?? null,
    callsMax: one.calls_max ?? null,
    batchMax: one.batch_max ?? null,
    ...(one.traces && { traces: one.traces }),
    ...(one.environment && { environment: one.environment === "main" ? "LIVE" : "SANDBOX" }),
    ...(one.receipts_root && { receiptsRoot: one.receipts_root }),
    facts: {
      ...factsDefault,
      chainId: one.chain_id,
      rollup: one.rollup ?? factsDefault.rollup,
      ...(one.withdrawals && { withdrawals: one.withdrawals }),
      feeCapPerGas: priceMax ?? factsDefault.feeCapPerGas,
      tipMin: tipMin ?? factsDefault.tipMin
    }
  }))
  const [first, ...others] = nodes
  if (first === undefined) throw new Error("a network has one node at least")
  return others.length === 0 ? first : { ...first, others }
}

const currenciesOf = ({ name, native, tokens = [] }: ConfiguredNetwork): ReadonlyArray<Currency> => {
  const least = (text: string | undefined, decimals: number) => {
    const units = text === undefined ? undefined : unitsOf(text, decimals)
    return units === undefined ? {} : { minimumOut: units }
  }
  return [
    {
      code: native.code,
      name: native.name,
      kind: "COIN",
      decimals: native.decimals,
      asset: { network: name, contract: null },
      ...least(native.minimum_out, native.decimals)
    },
    ...tokens.map((token): Currency => ({
      code: token.code,
      name: token.name,
      kind: "TOKEN",
      decimals: token.decimals,
      asset: { network: name, contract: token.contract },
      ...least(token.minimum_out, token.decimals)
    }))
  ]
}

const traitsOf = ({ fees = {}, name, native }: ConfiguredNetwork) => {
  const feeMax = fees.transaction_max === undefined ? undefined : unitsOf(fees.transaction_max, native.decimals)
  const topUpMax = fees.top_up_max === undefined ? undefined : unitsOf(fees.top_up_max, native.decimals)
  return evmTraits(
    name,
    { code: native.code, decimals: native.decimals },
    { ...(feeMax !== undefined && { feeMax }), ...(topUpMax !== undefined && { topUpMax }) }
  )
}

const wrong = (mistakes: ReadonlyArray<string>): ConfiguredNetworks => ({
  networks: [],
  currencies: defaultCurrencies,
  mistakes
})

/** Reads `NETWORKS`: a JSON list of EVM networks beside those of the contract. Its mistakes show no URL of a node. */
export const readConfiguredNetworks = (text: string | undefined): ConfiguredNetworks => {
  if (text === undefined) return wrong([])
  const json = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(json) || !Array.isArray(json.success))
    return wrong(["NETWORKS: Expected a JSON list of networks"])
  const decoded = decode(json.success)
  const between = contradictions(listOf(json.success))
  if (Result.isFailure(decoded)) {
    const found = issues(decoded.failure.issue).issues.map(({ message, path }) => {
      const parts = (path ?? []).map((part) => (typeof part === "object" ? part.key : part))
      const place = placeOf(parts)
      return message.includes("Missing key") ? `${place} is missing` : `${place}: ${message.replace(/, got .*$/su, "")}`
    })
    return wrong([...found, ...between])
  }
  const all = decoded.success
  const mistakes = [
    ...between,
    ...all.flatMap((one, index) => [
      ...amountMistakes(one, `NETWORKS[${index}]`),
      ...operatorMistakes(one, `NETWORKS[${index}]`)
    ])
  ]
  if (mistakes.length > 0) return wrong(mistakes)
  return {
    networks: all.map(settingsOf),
    currencies: makeCurrencyTable(
      [...defaultCurrencies.all, ...all.flatMap(currenciesOf)],
      makeNetworkTable([...presetNetworks.all, ...all.map(traitsOf)])
    ),
    mistakes: []
  }
}
