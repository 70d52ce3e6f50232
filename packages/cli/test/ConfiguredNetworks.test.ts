import { readServeSettings as readSettings } from "@bursar/cli/config/Settings"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"

const good = {
  DATABASE_URL: "postgres://u:p@127.0.0.1/bursar",
  KEY_PEPPER: "p".repeat(32),
  OPERATOR_TOKEN: "t".repeat(32),
  SECRETS_KEY: `one:${Buffer.alloc(32, 1).toString("base64")}`,
  SIGNER: "unix:/run/bursar/signer"
}

const contract = "0x1111111111111111111111111111111111111111"

const orchard = {
  name: "orchard",
  family: "evm",
  chain_id: 77_007,
  native: { code: "PLUM", name: "Plum", decimals: 18, minimum_out: "0.01" },
  tokens: [{ code: "USDC_ORCHARD", name: "USD Coin on Orchard", contract, decimals: 6 }],
  finality: "finalized",
  rpc_urls: ["https://one.example/secret-one", "https://two.example/secret-two"],
  rollup: "op-stack",
  fees: { gas_price_max_gwei: "0.5", tip_min_gwei: "0.001", transaction_max: "0.2", top_up_max: "0.05" }
}

const read = (networks: unknown, more: Readonly<Record<string, string>> = {}) =>
  readSettings({ ...good, ...more, NETWORKS: typeof networks === "string" ? networks : JSON.stringify(networks) })

const mistakesOf = (networks: unknown, more: Readonly<Record<string, string>> = {}) => {
  const settings = read(networks, more)
  return Result.isFailure(settings) ? settings.failure.mistakes : assert.fail("the settings were accepted")
}

describe("NETWORKS", () => {
  it("adds EVM networks with their assets, limits and nodes beside those of the contract", () => {
    const { currencies, networks } = Result.getOrThrow(read([orchard], { PAYOUTS_OFF: "orchard,tron" }))
    const [one] = networks
    if (one?.family !== "evm") return assert.fail("the network is missing")
    assert.deepStrictEqual(
      [one, ...(one.others ?? [])].map(({ rpcUrl }) => Redacted.value(rpcUrl)),
      orchard.rpc_urls
    )
    assert.deepInclude(one.facts, {
      chainId: 77_007,
      rollup: "op-stack",
      feeCapPerGas: 500_000_000n,
      tipMin: 1_000_000n
    })
    assert.isNull(one.confirmations)
    assert.deepInclude(currencies.byCode("PLUM"), { decimals: 18, minimumOut: 10n ** 16n, kind: "COIN" })
    assert.strictEqual(currencies.byAsset("orchard", contract.toUpperCase().replace("X", "x"))?.code, "USDC_ORCHARD")
    assert.isDefined(currencies.byCode("USDC_BASE"))
    assert.deepStrictEqual(currencies.networks.siblings("orchard"), ["orchard", "ethereum", "bsc", "base"])
    assert.deepStrictEqual(currencies.networks.siblings("base"), ["base", "ethereum", "bsc", "orchard"])
    assert.deepInclude(currencies.networks.of("orchard").limits, { feeMax: 2n * 10n ** 17n, topUpMax: 5n * 10n ** 16n })
  })

  it("says how hard its nodes are asked, of each", () => {
    const [one] = Result.getOrThrow(read([{ ...orchard, timeout_ms: 5_000, calls_max: 2, batch_max: 1 }])).networks
    for (const node of [one, ...(one?.others ?? [])])
      assert.deepInclude(node, { timeoutMs: 5_000, callsMax: 2, batchMax: 1 })
    assert.lengthOf(mistakesOf([{ ...orchard, batch_max: 0 }]), 1)
  })

  it("names who runs the nodes, each by itself", () => {
    const [one] = Result.getOrThrow(read([{ ...orchard, node_operators: ["ours", "acme"] }])).networks
    if (one?.family !== "evm") return assert.fail("the network is missing")
    assert.deepStrictEqual([one.operator, one.others?.[0]?.operator], ["ours", "acme"])
    assert.deepStrictEqual(mistakesOf([{ ...orchard, node_operators: ["ours"] }]), [
      "NETWORKS[0].node_operators names 1 operators for 2 nodes: each node needs its own, in the same order"
    ])
    const rpc_urls = ["https://one.example/a", "https://one.example/b"]
    assert.deepStrictEqual(mistakesOf([{ ...orchard, rpc_urls, node_operators: ["ours", "acme"] }]), [
      "NETWORKS[0].node_operators: ours and acme are one operator, their nodes have the same host"
    ])
    return undefined
  })

  it("is nothing where it is left out, and a depth may take the place of finality", () => {
    assert.deepStrictEqual(Result.getOrThrow(readSettings(good)).networks, [])
    const [one] = Result.getOrThrow(read([{ ...orchard, finality: 12, tokens: undefined }])).networks
    assert.strictEqual(one?.family === "evm" && one.confirmations, 12)
  })

  it("is refused with all of its mistakes at once, each by its place", () => {
    const bad = {
      ...orchard,
      name: "Orchard 2",
      family: "cosmos",
      chain_id: 0,
      native: { code: "plum", name: "Plum", decimals: 19 },
      tokens: [{ code: "NOWHERE", name: "No contract", decimals: -1 }],
      finality: "safe",
      rpc_urls: ["ftp://node.example/secret-three"],
      fees: { gas_price_max_gwei: "fast" },
      colour: "blue"
    }
    const found = mistakesOf([orchard, bad], { KEY_PEPPER: "short" })
    for (const place of [
      "name",
      "family",
      "chain_id",
      "native.code",
      "native.decimals",
      "tokens[0].contract",
      "tokens[0].decimals",
      "finality",
      "rpc_urls[0]",
      "fees.gas_price_max_gwei",
      "colour"
    ]) {
      assert.isTrue(
        found.some((one) => one.startsWith(`NETWORKS[1].${place}`)),
        `${place}: ${found.join("\n")}`
      )
    }
    assert.isTrue(found.some((one) => one.startsWith("KEY_PEPPER")))
    assert.notInclude(found.join("\n"), "secret-")
  })

  it("is refused where a name, a chain, a code or a contract stands twice or is the service's own", () => {
    const taken = {
      ...orchard,
      name: "base",
      chain_id: 8453,
      native: { ...orchard.native, code: "ETH" },
      tokens: [
        { code: "USDC_ORCHARD", name: "Again", contract, decimals: 6 },
        { code: "OTHER", name: "Other", contract: contract.toUpperCase().replace("X", "x"), decimals: 6 }
      ]
    }
    assert.deepStrictEqual(mistakesOf([orchard, taken, orchard]), [
      "NETWORKS[1].name: the name base is one of the service's own",
      "NETWORKS[2].name: the name orchard stands twice",
      "NETWORKS[1].chain_id: the chain 8453 is one of the service's own",
      "NETWORKS[2].chain_id: the chain 77007 stands twice",
      "NETWORKS[1].native.code: the code ETH is one of the service's own",
      "NETWORKS[1].tokens[0].code: the code USDC_ORCHARD stands twice",
      "NETWORKS[2].native.code: the code PLUM stands twice",
      "NETWORKS[2].tokens[0].code: the code USDC_ORCHARD stands twice",
      `NETWORKS[1].tokens[1].contract: the contract ${contract} stands twice`
    ])
  })

  it("is refused where an amount is nothing or finer than its asset, and where it is no list", () => {
    const fees = { gas_price_max_gwei: "0.0000000001", tip_min_gwei: "0" }
    assert.deepStrictEqual(mistakesOf([{ ...orchard, fees }]), [
      "NETWORKS[0].fees.gas_price_max_gwei: Expected an amount above 0 with at most 9 decimals",
      "NETWORKS[0].fees.tip_min_gwei: Expected an amount above 0 with at most 9 decimals"
    ])
    for (const text of ["[", "{}", "7"]) {
      assert.deepStrictEqual(mistakesOf(text), ["NETWORKS: Expected a JSON list of networks"])
    }
  })
})
