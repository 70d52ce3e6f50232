import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { assert, describe, it } from "@effect/vitest"
import { signedContract } from "../../../src/internal/read/signedContract.ts"
import { bytesField, numberField } from "../../../src/internal/rpc/protobuf.ts"

const [from, to] = [`41${"5a".repeat(20)}`, `41${"6b".repeat(20)}`]
const none = new Uint8Array()
const usual = "type.googleapis.com/protocol.TransferContract"
const paid = concatBytes(bytesField(1, hexToBytes(from)), bytesField(2, hexToBytes(to)), numberField(3, 7n))

/** What is signed to pay somebody, with `more` unknown fields behind those of each message, which is where nodes write them. */
const signed = (
  url: string,
  more: { raw?: Uint8Array; contract?: Uint8Array; any?: Uint8Array; value?: Uint8Array }
) => {
  const value = concatBytes(paid, more.value ?? none)
  const any = concatBytes(bytesField(1, utf8ToBytes(url)), bytesField(2, value), more.any ?? none)
  const contract = concatBytes(numberField(1, 1n), bytesField(2, any), more.contract ?? none)
  return bytesToHex(concatBytes(bytesField(11, contract), more.raw ?? none))
}

const transfer = { type: "TransferContract", moved: { from, to, units: 7n } }

describe("what a node runs of a payment that was written oddly", () => {
  for (const url of ["/", "a/b/", "x\n/", "x\u2028/", "a/protocol.VoteWitnessContract\n/"])
    it(`is read where the name of its type stands behind ${JSON.stringify(url)}`, () => {
      assert.deepStrictEqual(signedContract(signed(`${url}protocol.TransferContract`, {})), transfer)
    })

  for (const [name, more] of [
    ["the amount, as bytes", { value: bytesField(3, utf8ToBytes("x")) }],
    ["the sender, as a number", { value: numberField(1, 5n) }],
    ["the receiver, as a number", { value: numberField(2, 5n) }],
    ["the value, as a number", { any: numberField(2, 5n) }],
    ["the parameter, as a number", { contract: numberField(2, 5n) }],
    ["the contract, as a number", { raw: numberField(11, 5n) }]
  ] as const)
    it(`is read where an unknown field has the number of ${name}`, () => {
      assert.deepStrictEqual(signedContract(signed(usual, more)), transfer)
    })

  /** Field 3 as a number, its tag written with a bit above the 32 that nodes read. */
  const amount = (units: number) => Uint8Array.of(0x98, 0x80, 0x80, 0x80, 0x10, units)
  const parties = concatBytes(bytesField(1, hexToBytes(from)), bytesField(2, hexToBytes(to)))

  for (const [name, value] of [
    ["the amount stands behind a tag of more than 32 bits", concatBytes(parties, amount(7))],
    [
      "a tag of more than 32 bits has another amount behind the first",
      concatBytes(parties, numberField(3, 5n), amount(7))
    ],
    [
      "the amount takes ten bytes",
      concatBytes(parties, Uint8Array.of(0x18, 0x87, ...Array.from({ length: 8 }, () => 0x80), 0))
    ],
    [
      "the receiver stands behind a tag and a length of more than 32 bits",
      concatBytes(
        bytesField(1, hexToBytes(from)),
        Uint8Array.of(0x92, 0x80, 0x80, 0x80, 0x10, 0x95, 0x80, 0x80, 0x80, 0x10),
        hexToBytes(to),
        numberField(3, 7n)
      )
    ]
  ] as const)
    it(`is read where ${name}`, () => {
      const any = concatBytes(bytesField(1, utf8ToBytes(usual)), bytesField(2, value))
      const contract = concatBytes(numberField(1, 1n), bytesField(2, any))
      assert.deepStrictEqual(signedContract(bytesToHex(bytesField(11, contract))), transfer)
    })

  it("is nothing where a field has the number 0, which nodes refuse", () => {
    assert.isUndefined(signedContract(signed(usual, { value: Uint8Array.of(0, 7) })))
    assert.isUndefined(signedContract(signed(usual, { value: Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x10, 7) })))
  })
})
