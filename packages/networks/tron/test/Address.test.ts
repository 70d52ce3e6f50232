import { fromEvmHex, fromHex, parseTronAddress, toHex } from "@bursar/tron"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { TronWeb } from "tronweb"

const usdt = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
const account = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH"

const refusal = (text: string): string =>
  Result.match(parseTronAddress([usdt], text), { onFailure: (why) => why, onSuccess: () => "accepted" })

describe("parseTronAddress", () => {
  it("accepts an address as it is", () => {
    assert.deepStrictEqual(parseTronAddress([usdt], account), Result.succeed(account))
  })

  it("says why a text is no address that may receive", () => {
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      ["41a614f803b6fd780986a42c78ec9c7f77e6ded13c", /base58 form/u],
      ["0xa614f803b6fd780986a42c78ec9c7f77e6ded13c", /base58 form/u],
      ["a614f803b6fd780986a42c78ec9c7f77e6ded13c", /base58 form/u],
      [usdt, /token contract/u],
      ["T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", /zero address/u],
      [`${account.slice(0, -1)}J`, /checksum/u],
      [account.toLowerCase(), /begin with T/u],
      [account.replace("d", "D"), /checksum/u],
      [account.slice(0, -1), /34 characters/u],
      [` ${account}`, /34 characters/u],
      [`${account} `, /34 characters/u],
      ["", /34 characters/u],
      // Bitcoin's, of the same length.
      ["1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", /begin with T/u],
      ["3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", /begin with T/u]
    ]
    for (const [text, expected] of cases) assert.match(refusal(text), expected, text)
  })
})

describe("the forms of an address", () => {
  it("are those of tronweb", () => {
    for (const hex of [
      "0000000000000000000000000000000000000000",
      "ffffffffffffffffffffffffffffffffffffffff",
      "a614f803b6fd780986a42c78ec9c7f77e6ded13c"
    ]) {
      assert.strictEqual(fromEvmHex(hex), TronWeb.address.fromHex(`41${hex}`))
      assert.strictEqual(fromHex(`41${hex}`), fromEvmHex(hex))
      assert.strictEqual(toHex(fromEvmHex(hex)), `41${hex}`)
    }
    assert.isUndefined(toHex("41a614f803b6fd780986a42c78ec9c7f77e6ded13c"))
  })
})
