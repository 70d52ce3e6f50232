import { demux, muxed, parseStellarAddress } from "@bursar/stellar"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

// SEP-23 and the developer documentation.
const account = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"
const muxedZero = "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ"
const muxedLarge = "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK"
const largeId = 9_223_372_036_854_775_808n
const secret = "SD3SYAPKNMGK5CLJA4OS642PB2O7KZORWJ6BI54TK7OUNZHGW2CPGWR7"

const refusal = (text: string): string =>
  Result.match(parseStellarAddress(text), { onFailure: (why) => why, onSuccess: () => "accepted" })

describe("parseStellarAddress", () => {
  it("accepts accounts and muxed accounts as they are", () => {
    for (const address of [account, muxedZero, muxedLarge]) {
      assert.deepStrictEqual(parseStellarAddress(address), Result.succeed(address))
    }
  })

  it("says why a text is no address that may receive", () => {
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      [account.toLowerCase(), /upper case/u],
      [` ${account}`, /spaces/u],
      [`${account}\n`, /spaces/u],
      [`${account.slice(0, -1)}A`, /checksum/u],
      [`${muxedZero.slice(0, -1)}A`, /checksum/u],
      [account.slice(0, -1), /55 characters/u],
      [`${account}A`, /57 characters/u],
      // SEP-23's cases of padding bits that are not zero, and of a muxed account cut short.
      ["MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUR", /checksum/u],
      ["MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJ", /67 characters/u],
      ["CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA", /contract/u],
      ["TBU2RRGLXH3E5CQHTD3ODLDF2BWDCYUSSBLLZ5GNW7JXHDIYKXZWHXL7", /transaction/u],
      ["XBU2RRGLXH3E5CQHTD3ODLDF2BWDCYUSSBLLZ5GNW7JXHDIYKXZWGTOG", /sign/u],
      ["0x52908400098527886E0F7030069857D2E4169EE7", /not an address/u],
      ["DBU2RRGLXH3E5CQHTD3ODLDF2BWDCYUSSBLLZ5GNW7JXHDIYKXZWGTOG", /G… \(an account\)/u],
      ["", /not an address/u]
    ]
    for (const [text, expected] of cases) assert.match(refusal(text), expected, text)
  })

  it("warns of a secret key without repeating it, whatever its case", () => {
    for (const text of [secret, secret.toLowerCase(), `${secret} `, `${secret.slice(0, -1)}A`]) {
      assert.match(refusal(text), /SECRET/u)
      assert.notInclude(refusal(text).toUpperCase(), secret.slice(2, 20))
    }
  })
})

describe("muxed accounts", () => {
  it("are those of SEP-23", () => {
    assert.strictEqual(muxed(account, 0n), muxedZero)
    assert.strictEqual(muxed(account, largeId), muxedLarge)
    assert.deepStrictEqual(demux(muxedLarge), { account, id: largeId })
  })

  it("give back what they were made of", () => {
    for (const id of [0n, 1n, 2n ** 63n - 1n, 2n ** 64n - 1n])
      assert.deepStrictEqual(demux(muxed(account, id)), { account, id })
  })

  it("are made of nothing but an account and 64 bits", () => {
    assert.throws(() => muxed(muxedZero, 1n), /not an account/u)
    assert.throws(() => muxed(account, -1n), /64 bits/u)
    assert.throws(() => muxed(account, 2n ** 64n), /64 bits/u)
    assert.isUndefined(demux(account))
    assert.isUndefined(demux(secret))
  })
})
