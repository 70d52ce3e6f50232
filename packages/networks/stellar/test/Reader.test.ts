import { mainnetPassphrase, makeStellarReader, type StellarReaderOptions, TransferIndex } from "@bursar/stellar"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { assert, describe, it } from "@effect/vitest"
import { Networks } from "@stellar/stellar-sdk/base"
import { Redacted } from "effect"

const issuer = "GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"

const made = (options: Partial<StellarReaderOptions>) =>
  makeStellarReader({
    horizonUrl: Redacted.make("http://127.0.0.1:8000"),
    networkPassphrase: mainnetPassphrase,
    assets: defaultCurrencies.contracts("stellar"),
    ...options
  })

describe("makeStellarReader", () => {
  it("needs one confirmation, and knows the assets of the currency table", () => {
    const chain = made({})
    assert.strictEqual(chain.network, "stellar")
    assert.strictEqual(chain.requiredConfirmations, 1)
    assert.strictEqual(chain.pollIntervalMs, 5_000)
    assert.deepStrictEqual(defaultCurrencies.contracts("stellar"), [`USDC:${issuer}`])
  })

  it("refuses mistakes of the configuration", () => {
    const mistakes: ReadonlyArray<readonly [Partial<StellarReaderOptions>, RegExp]> = [
      [{ horizonUrl: Redacted.make("ftp://127.0.0.1") }, /horizon url/u],
      [{ horizonUrl: Redacted.make("horizon.example") }, /horizon url/u],
      [{ rpcUrl: Redacted.make("nowhere") }, /rpc url/u],
      [{ networkPassphrase: "" }, /networkPassphrase/u],
      [{ assets: ["USDC"] }, /USDC is not an asset/u],
      [{ assets: [`USDC:${issuer.slice(0, -1)}A`] }, /not an asset/u],
      [{ assets: [`US DC:${issuer}`] }, /not an asset/u],
      [{ assets: [`USDC:${issuer}:x`] }, /not an asset/u],
      // what the SDK would pay is XLM of the issuer, another asset
      [{ assets: [`xlm:${issuer}`] }, /not an asset/u],
      [{ pollIntervalMs: 0 }, /pollIntervalMs/u],
      [{ timeoutMs: 1.5 }, /timeoutMs/u],
      [{ callsMax: -1 }, /callsMax/u]
    ]
    for (const [options, expected] of mistakes) assert.throws(() => made(options), expected)
  })

  it("knows the main network by the SDK's name", () => {
    assert.strictEqual(mainnetPassphrase, Networks.PUBLIC)
  })
})

describe("TransferIndex", () => {
  it("is another for every transfer that a transaction can have", () => {
    const operations = Array.from({ length: 100 }, (_, index) => index)
    const changes = Array.from({ length: 50 }, (_, index) => index)
    const all = operations.flatMap((operation) => [
      TransferIndex.ofOperation(operation),
      ...changes.map((change) => TransferIndex.ofBalanceChange(operation, change))
    ])
    assert.strictEqual(new Set(all).size, all.length)
    assert.isTrue(all.every((index) => Number.isSafeInteger(index) && index >= 0))
    assert.strictEqual(TransferIndex.ofBalanceChange(0, 0), TransferIndex.changesFirst)
  })
})
