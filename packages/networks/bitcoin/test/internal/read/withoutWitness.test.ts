import { assert, describe, it } from "@effect/vitest"
import { Block, Transaction } from "bitcoinjs-lib"
import { blockWithoutWitness, transactionWithoutWitness } from "../../../src/internal/read/withoutWitness.ts"
import { type Asked, askedIn, recording } from "../../support/recorded.ts"

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))
const { phases } = recording("transactions")

/** What was answered to the questions of a method in hexadecimal. */
const answers = (method: string, fits: (asked: Asked) => boolean) => [
  ...new Set(
    phases
      .flatMap(askedIn)
      .filter((asked) => asked.method === method && fits(asked) && typeof asked.result === "string")
      .map(({ result }) => String(result))
  )
]

const blocks = answers("getblock", ({ params }) => params[1] === 0).map(bytesOf)
const transactions = answers("getrawtransaction", ({ params }) => params[1] === false).map(bytesOf)

const stripped = (transaction: Transaction) => {
  transaction.stripWitnesses()
  return transaction
}

describe("the bytes of what a real node gave, without witnesses", () => {
  it("are those of the same transactions, as the library strips them", () => {
    assert.isAtLeast(transactions.length, 4)
    for (const bytes of transactions) {
      assert.deepStrictEqual(transactionWithoutWitness(bytes), stripped(Transaction.fromBuffer(bytes)).toBuffer())
    }
    assert.isTrue(transactions.some((bytes) => Transaction.fromBuffer(bytes).hasWitnesses()))
    assert.isTrue(blocks.some((bytes) => Block.fromBuffer(bytes).hasWitness()))
    for (const bytes of blocks) {
      const block = Block.fromBuffer(bytes)
      const plain = Block.fromBuffer(blockWithoutWitness(bytes))
      assert.strictEqual(plain.getId(), block.getId())
      assert.isTrue(plain.checkTxRoots())
      assert.deepStrictEqual(
        plain.transactions?.map((one) => one.toHex()),
        block.transactions?.map((one) => stripped(one).toHex())
      )
    }
  })

  it("are none where a byte is missing or left over", () => {
    for (const bytes of blocks) {
      for (const length of bytes.keys()) assert.throws(() => blockWithoutWitness(bytes.subarray(0, length)), RangeError)
      assert.throws(() => blockWithoutWitness(Uint8Array.of(...bytes, 0)), RangeError)
    }
    for (const bytes of transactions) {
      for (const length of bytes.keys()) {
        assert.throws(() => transactionWithoutWitness(bytes.subarray(0, length)), RangeError)
      }
      assert.throws(() => transactionWithoutWitness(Uint8Array.of(...bytes, 0)), RangeError)
    }
  })

  it("are none where a length or a count goes beyond the end, however far", () => {
    const start = bytesOf("02000000")
    for (const count of ["fdffff", "feffffffff", "ffffffffffffffffff"].map(bytesOf)) {
      assert.throws(() => transactionWithoutWitness(Uint8Array.of(...start, ...count)), RangeError)
      const script = Uint8Array.of(...start, 1, ...new Uint8Array(36), ...count, 1, 2, 3)
      assert.throws(() => transactionWithoutWitness(script), RangeError)
      assert.throws(() => blockWithoutWitness(Uint8Array.of(...new Uint8Array(80), ...count)), RangeError)
    }
  })
})
