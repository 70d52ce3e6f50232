import { assert, describe, it } from "@effect/vitest"
import { bytesToHex } from "viem"
import { encodedReceipt, receiptsRoot } from "../../../src/internal/read/receiptsRoot.ts"
import type { Receipt } from "../../../src/internal/rpc/wire.ts"
import { addressOf, hashOf, quantity } from "../../support/blocks.ts"

const zeros = "0".repeat(512)

const receipt = (fields: Partial<Receipt>): Receipt => ({
  transactionHash: hashOf(1),
  transactionIndex: "0x0",
  blockHash: hashOf(2),
  blockNumber: "0x1",
  status: "0x1",
  gasUsed: quantity(46_913),
  cumulativeGasUsed: quantity(46_913),
  logsBloom: `0x${zeros}`,
  logs: [],
  ...fields
})

// Roots of blocks that a node has hashed are compared in the integration tests, for blocks of 1 to 120 transactions.
describe("encodedReceipt", () => {
  it("writes the receipt of EIP-2481", () => {
    const log = {
      address: addressOf(0x11),
      topics: [hashOf(0xdead), hashOf(0xbeef)],
      data: "0x0100ff",
      blockHash: hashOf(2),
      transactionHash: hashOf(1),
      transactionIndex: "0x0",
      logIndex: "0x0"
    }
    assert.strictEqual(
      bytesToHex(encodedReceipt(receipt({ status: "0x0", cumulativeGasUsed: "0x1", logs: [log] }))),
      `0xf901668001b90100${zeros}f85ff85d94${addressOf(0x11).slice(2)}f842a0${hashOf(0xdead).slice(2)}a0${hashOf(
        0xbeef
      ).slice(2)}830100ff`
    )
  })

  it("puts the type before the fields, whatever way it is written", () => {
    for (const type of ["0x2", "0x02"]) {
      assert.strictEqual(bytesToHex(encodedReceipt(receipt({ type }))), `0x02f901080182b741b90100${zeros}c0`)
    }
    assert.strictEqual(bytesToHex(encodedReceipt(receipt({ type: "0x0" }))), `0xf901080182b741b90100${zeros}c0`)
  })

  it("adds nonce and version of a deposit of the OP stack since Canyon, and neither before", () => {
    const deposit = { type: "0x7e", depositNonce: quantity(4_012_991) }
    assert.strictEqual(
      bytesToHex(encodedReceipt(receipt({ ...deposit, depositReceiptVersion: "0x1" }))),
      `0x7ef9010d0182b741b90100${zeros}c0833d3bbf01`
    )
    assert.strictEqual(bytesToHex(encodedReceipt(receipt(deposit))), `0x7ef901080182b741b90100${zeros}c0`)
  })
})

describe("receiptsRoot", () => {
  it("depends on the order of the receipts", () => {
    const [one, two] = [receipt({}), receipt({ status: "0x0" })]
    assert.notStrictEqual(receiptsRoot([one, two]), receiptsRoot([two, one]))
  })
})
