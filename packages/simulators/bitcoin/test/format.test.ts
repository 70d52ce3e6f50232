import { assert, describe, it } from "@effect/vitest"
import { amount, amountText, moneyText } from "../src/bytes.ts"
import { withChecksum } from "../src/descriptor.ts"
import { addressOf, asmOf, kindOf, scriptJson, scriptOf } from "../src/scripts.ts"

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

describe("amounts", () => {
  it("are written in JSON with eight decimals, whatever a double makes of them", () => {
    assert.strictEqual(JSON.stringify({ value: amount(1n) }), '{"value":0.00000001}')
    assert.strictEqual(JSON.stringify([amount(2_099_999_999_999_999n), amount(0n)]), "[20999999.99999999,0.00000000]")
    assert.strictEqual(amountText(-150_000_000n), "-1.50000000")
  })

  it("are written in messages with at least two decimals", () => {
    assert.deepStrictEqual([5_000_000_000n, 10_290n, 100n, 0n].map(moneyText), [
      "50.00",
      "0.0001029",
      "0.000001",
      "0.00"
    ])
  })
})

// Answers of a real node in regtest.
const known: ReadonlyArray<readonly [string, string, string, string | undefined, string]> = [
  [
    "witness_v0_keyhash",
    "0014a3c6b1ee4a49d9f2af3b3802974744fba924164a",
    "0 a3c6b1ee4a49d9f2af3b3802974744fba924164a",
    "bcrt1q50rtrmj2f8vl9tem8qpfw36ylw5jg9j2dkku3w",
    "addr(bcrt1q50rtrmj2f8vl9tem8qpfw36ylw5jg9j2dkku3w)#lp4kqu8j"
  ],
  [
    "witness_v1_taproot",
    "5120483a336466d31e2be85892931ec6613ca19f9a6762329698b4c3e7151c01122b",
    "1 483a336466d31e2be85892931ec6613ca19f9a6762329698b4c3e7151c01122b",
    "bcrt1pfqarxerx6v0zh6zcj2f3a3np8jselxn8vgefdx95c0n328qpzg4s2lxlrp",
    "rawtr(483a336466d31e2be85892931ec6613ca19f9a6762329698b4c3e7151c01122b)#m34jkyn3"
  ],
  [
    "nulldata",
    "6a24aa21a9ed9d297540582b5135ae7b7ee576455137d9539109f841a8932cdf9c45701a94bd",
    "OP_RETURN aa21a9ed9d297540582b5135ae7b7ee576455137d9539109f841a8932cdf9c45701a94bd",
    undefined,
    "raw(6a24aa21a9ed9d297540582b5135ae7b7ee576455137d9539109f841a8932cdf9c45701a94bd)#6egu2n4f"
  ]
]

describe("scripts", () => {
  for (const [kind, hex, asm, address, desc] of known) {
    it(`of kind ${kind} are shown as a real node shows them`, () => {
      assert.deepStrictEqual(scriptJson(bytes(hex)), {
        ...{ asm, desc, hex },
        ...(address === undefined ? {} : { address }),
        type: kind
      })
    })
  }

  it("are told apart", () => {
    const key = "02989c0b76cb563971fdc9bef31ec06c3560f3249d6ee9e5d83c57625596e05f6f"
    const kinds: ReadonlyArray<readonly [string, string]> = [
      ["76a914a3c6b1ee4a49d9f2af3b3802974744fba924164a88ac", "pubkeyhash"],
      ["a9142c81d9994a1b071313dc700fb713078fcf072eb787", "scripthash"],
      [`0020${"ab".repeat(32)}`, "witness_v0_scripthash"],
      [`21${key}ac`, "pubkey"],
      [`5121${key}51ae`, "multisig"],
      ["51024e73", "anchor"],
      [`5220${"00".repeat(32)}`, "witness_unknown"],
      ["51", "nonstandard"],
      [`0015${"00".repeat(21)}`, "nonstandard"],
      ["", "nonstandard"]
    ]
    for (const [hex, kind] of kinds) assert.strictEqual(kindOf(bytes(hex)), kind, hex)
    assert.strictEqual(asmOf(bytes(`5121${key}51ae`)), `1 ${key} 1 OP_CHECKMULTISIG`)
  })

  it("are those of their addresses", () => {
    for (const text of [
      "bcrt1q50rtrmj2f8vl9tem8qpfw36ylw5jg9j2dkku3w",
      "mvSvTtvD9H9fkgi8MGDyLALgRaR2LhnWFM",
      "2MwJZGrrQQko1S69xSeZt2bRmCSompaJ7in",
      "bcrt1pw53jtgez0wf69n06fchp0ctk48620zdscnrj8heh86wykp9mv20q7vd3gm"
    ]) {
      const script = scriptOf(text)
      assert.isDefined(script)
      assert.strictEqual(addressOf(script), text)
    }
    for (const text of [
      "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
      "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA",
      "hello",
      ""
    ]) {
      assert.isUndefined(scriptOf(text), text)
    }
  })
})

describe("descriptors", () => {
  it("get the checksum of BIP 380", () => {
    assert.strictEqual(withChecksum("raw(deadbeef)"), "raw(deadbeef)#89f8spxm")
    assert.strictEqual(
      withChecksum("addr(bcrt1qvux25709r4uw6rzc8wyl7wwecjdhrx08uce287)"),
      "addr(bcrt1qvux25709r4uw6rzc8wyl7wwecjdhrx08uce287)#djw37kc6"
    )
  })
})
