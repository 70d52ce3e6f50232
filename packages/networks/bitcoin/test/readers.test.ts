import { bitcoinCodec } from "@bursar/bitcoin"
import { addressOfScript, parseBitcoinAddress } from "@bursar/bitcoin/Address"
import { huntTest } from "@bursar/testkit/hunt/huntTest"
import { assert, describe } from "@effect/vitest"
import { Psbt, Transaction } from "bitcoinjs-lib"
import { Result } from "effect"
import { decodeTransaction } from "../src/internal/build/SignedTransaction.ts"
import { deriveAddress, parseXpub } from "../src/internal/keys/xpub.ts"
import { blockWithoutWitness, transactionWithoutWitness } from "../src/internal/read/withoutWitness.ts"
import { scriptOfAddress } from "../src/internal/rpc/scriptOfAddress.ts"

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))

const witnessProgram = bytesOf("0014751e76e8199196d454941c45d1b3a323f1433bd6")

const transaction = (): Transaction => {
  const made = new Transaction()
  made.addInput(new Uint8Array(32).fill(7), 0)
  made.addOutput(witnessProgram, 100_000n)
  return made
}

const withWitness = (): Transaction => {
  const made = transaction()
  made.setWitness(0, [new Uint8Array(71).fill(3), new Uint8Array(33).fill(2)])
  return made
}

const psbt = (): Uint8Array => {
  const made = new Psbt()
  made.setVersion(2)
  made.addInput({
    hash: "11".repeat(32),
    index: 1,
    sequence: 0xffff_fffd,
    witnessUtxo: { script: witnessProgram, value: 100_000n }
  })
  made.addOutput({ script: witnessProgram, value: 95_000n })
  return made.toBuffer()
}

/** Reads, where what is cut off may be told by a `RangeError` alone. */
const reading = (read: () => Uint8Array): Uint8Array | undefined => {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

describe("what strangers and nodes send of bitcoin, by many inputs that go where code has not been", () => {
  for (const chain of ["main", "test", "regtest"] as const) {
    huntTest(`an address of ${chain} is one that can be paid, and its own canonical form, or is refused`, {
      seeds: [
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
        "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
        "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
        "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
        "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
        "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"
      ],
      words: ["bc1", "tb1", "bcrt1", "q", "p", "BC1Q"],
      read: (bytes) => {
        const read = parseBitcoinAddress(chain, textOf(bytes))
        if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
        assert.deepStrictEqual(parseBitcoinAddress(chain, read.success), read)
        assert.strictEqual(
          addressOfScript(chain, Result.getOrThrow(scriptOfAddress(chain, read.success))),
          read.success
        )
      }
    })
  }

  huntTest("an extended public key derives addresses that are well formed, or is refused", {
    seeds: [
      "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",
      "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs"
    ],
    words: ["xpub", "ypub", "zpub", "tpub", "xprv", "1", "z"],
    read: (bytes) => {
      const read = parseXpub("main", textOf(bytes))
      if (Result.isFailure(read)) return
      assert.isTrue(Result.isSuccess(parseBitcoinAddress("main", deriveAddress(read.success, 0))))
    }
  })

  huntTest("a transaction is read in its one spelling, or is none", {
    seeds: [transaction().toBuffer(), withWitness().toBuffer()],
    read: (bytes) => {
      const read = decodeTransaction(bytes)
      if (read !== undefined) assert.strictEqual(read.toHex(), Buffer.from(bytes).toString("hex"))
    }
  })

  huntTest("bytes without their witness are those that are hashed", {
    seeds: [transaction().toBuffer(), withWitness().toBuffer()],
    read: (bytes) => {
      const plain = reading(() => transactionWithoutWitness(bytes))
      const known = decodeTransaction(bytes)
      if (plain === undefined || known === undefined) return assert.isUndefined(known)
      known.stripWitnesses()
      assert.strictEqual(Buffer.from(plain).toString("hex"), known.toHex())
    }
  })

  huntTest("a block without its witnesses is read to its end, or is cut off", {
    seeds: [Uint8Array.from([...new Uint8Array(80), 2, ...transaction().toBuffer(), ...withWitness().toBuffer()])],
    read: (bytes) => {
      const plain = reading(() => blockWithoutWitness(bytes))
      if (plain !== undefined) assert.isAtMost(plain.length, bytes.length)
    }
  })

  huntTest("an order to sign says whom it pays and what it costs, or is refused", {
    seeds: [psbt()],
    words: ["psbt\xff"],
    read: (bytes) => {
      const read = bitcoinCodec({ chain: "regtest" }).read(bytes)
      if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
      assert.isTrue(read.success.feeMax >= 0n)
      for (const { units } of read.success.payments) assert.isTrue(units > 0n)
    }
  })
})
