import { type Currency, makeCurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { inEnvironments, makeNetworkTable } from "@bursar/core/money/Network"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { assert, describe, it } from "@effect/vitest"

const coin = (code: string, network: string, contract: string | null): Currency => ({
  code,
  name: code,
  kind: "COIN",
  decimals: 6,
  asset: { network, contract }
})
const cash: Currency = { code: "USD", name: "Dollar", kind: "FIAT", decimals: 2, asset: null }
const usdt = coin("USDT_ETH", "ethereum", "0xdAC1")
const usdc = coin("USDC_TRON", "tron", "TAbc")
const ether = coin("ETH", "ethereum", null)

describe("the table of currencies", () => {
  const table = makeCurrencyTable([cash, usdt, ether, usdc], presetNetworks)

  it("finds by code and by asset, hexadecimal contracts in either case and others in theirs alone", () => {
    assert.strictEqual(table.byCode("USDT_ETH"), usdt)
    assert.isUndefined(table.byCode("USDT"))
    assert.strictEqual(table.byAsset("ethereum", "0xDAc1"), usdt)
    assert.strictEqual(table.byAsset("ethereum", null), ether)
    assert.strictEqual(table.byAsset("tron", "TAbc"), usdc)
    assert.isUndefined(table.byAsset("tron", "tabc"))
    assert.isUndefined(table.byAsset("tron", null))
  })

  it("names the contracts of a network, and neither its coin nor those of others", () => {
    assert.deepStrictEqual(table.contracts("ethereum"), ["0xdAC1"])
    assert.deepStrictEqual(table.contracts("tron"), ["TAbc"])
    assert.deepStrictEqual(table.contracts("bitcoin"), [])
  })

  it.each([
    ["a code that stands twice", [cash, cash], "currency USD is listed twice"],
    ["an asset that stands twice", [usdt, { ...usdt, code: "B" }], "the asset of B is listed twice"],
    ["a contract that differs in case", [usdt, coin("B", "ethereum", "0xdac1")], "the asset of B is listed twice"],
    ["an unknown network", [coin("B", "nowhere", null)], "no network is called nowhere"]
  ])("%s is a mistake", (_, currencies, message) => {
    assert.throws(() => makeCurrencyTable(currencies, presetNetworks), message)
  })
})

it("the currencies of the service are each found by their code and their asset", () => {
  for (const currency of defaultCurrencies.all) {
    assert.strictEqual(defaultCurrencies.byCode(currency.code), currency)
    if (currency.asset === null) continue
    assert.strictEqual(defaultCurrencies.byAsset(currency.asset.network, currency.asset.contract), currency)
  }
})

describe("the table of networks", () => {
  const made = () => makeNetworkTable(presetNetworks.all)

  it("a name that stands twice, or is asked for and not there, is a mistake", () => {
    const table = made()
    const [first] = table.all
    assert.isDefined(first)
    assert.throws(() => makeNetworkTable([first, first]), `network ${first.name} is listed twice`)
    assert.throws(() => table.of("nowhere"), "no network is called nowhere")
    assert.throws(() => table.siblings("nowhere"), "no network is called nowhere")
    assert.strictEqual(table.of(first.name), first)
    assert.isFalse(table.has("nowhere"))
    assert.isTrue(table.has(first.name))
  })

  it("a network is first among its siblings, which are of its family and environment", () => {
    const table = made()
    assert.deepStrictEqual(table.siblings("bitcoin"), ["bitcoin"])
    const evm = table.all.filter(({ family }) => family === "evm").map(({ name }) => name)
    assert.isAbove(evm.length, 1)
    for (const name of evm) {
      assert.deepStrictEqual(table.siblings(name), [name, ...evm.filter((other) => other !== name)])
    }
    const apart = inEnvironments(table, new Map([["ethereum", "SANDBOX"]]))
    assert.deepStrictEqual(apart.siblings("ethereum"), ["ethereum"])
    assert.strictEqual(apart.of("ethereum").environment, "SANDBOX")
    assert.strictEqual(apart.of("bitcoin").environment, table.of("bitcoin").environment)
    assert.notInclude(apart.siblings(evm.find((name) => name !== "ethereum") ?? ""), "ethereum")
  })

  it.each([
    ["ethereum", 0, "m/44'/60'/0'/1/0"],
    ["ethereum", 7, "m/44'/60'/0'/1/7"],
    ["bitcoin", 2, "m/84'/0'/0'/1/2"],
    // the account of index 0 is the one whose parts are issued
    ["stellar", 0, "m/44'/148'/1'"],
    ["stellar", 4, "m/44'/148'/5'"]
  ])("wallet %2$i of %1$s has its key at a path that stays as it is", (network, index, path) => {
    assert.strictEqual(presetNetworks.of(network).keyPaths.wallet(index), path)
  })
})
