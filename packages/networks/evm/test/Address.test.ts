import { parseEvmAddress } from "@bursar/evm"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { getAddress } from "viem"

// From EIP-55.
const vectors = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
]

const pinned = ["0xdAC17F958D2ee523a2206206994597C13D831ec7"]

const parse = (text: string) => parseEvmAddress("ethereum", pinned, text)

describe("parseEvmAddress", () => {
  for (const address of vectors) {
    it(`gives the checksummed form of ${address}, however its case`, () => {
      const digits = address.slice(2)
      for (const text of [address, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
        assert.deepStrictEqual(parse(text), Result.succeed(getAddress(address)))
      }
    })
  }

  it("refuses every single letter whose case is wrong", () => {
    const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    for (let at = 2; at < address.length; at++) {
      const letter = address.charAt(at)
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      if (other === letter) continue
      const result = parse(address.slice(0, at) + other + address.slice(at + 1))
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) assert.include(result.failure, "checksum")
    }
  })

  for (const [name, text, says] of [
    ["one digit too few", `0x${"a".repeat(39)}`, "40 hexadecimal digits"],
    ["one digit too many", `0x${"a".repeat(41)}`, "40 hexadecimal digits"],
    ["a missing 0x", "a".repeat(40), "start with 0x"],
    ["an upper-case 0X", `0X${"a".repeat(40)}`, "40 hexadecimal digits"],
    ["a letter that is no digit", `0x${"g".repeat(40)}`, "40 hexadecimal digits"],
    ["spaces around it", ` 0x${"a".repeat(40)} `, "40 hexadecimal digits"],
    ["a new line after it", `0x${"a".repeat(40)}\n`, "40 hexadecimal digits"],
    ["nothing", "", "40 hexadecimal digits"],
    ["a name", "vitalik.eth", "40 hexadecimal digits"],
    ["ICAP", "XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS", "ICAP"],
    ["the zero address", `0x${"0".repeat(40)}`, "zero address"],
    ["a pinned token", pinned[0] ?? "", "token contract"],
    ["a pinned token in lower case", (pinned[0] ?? "").toLowerCase(), "token contract"]
  ] as const) {
    it(`refuses ${name}`, () => {
      const result = parse(text)
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) assert.include(result.failure, says)
    })
  }
})
