import { demux, muxed, parseStellarAddress, stellarCodec } from "@bursar/stellar"
import { huntTest } from "@bursar/testkit/hunt/huntTest"
import { assert, describe } from "@effect/vitest"
import { Keypair } from "@stellar/stellar-sdk/base"
import { Result } from "effect"
import { readMemo } from "../src/internal/build/readMemo.ts"
import {
  decodePayment,
  decodeSigned,
  encodePayment,
  type StellarPayment
} from "../src/internal/build/StellarPayment.ts"
import { arrivedUnits, mergedUnits } from "../src/internal/read/results.ts"
import { readSigned, signedMove } from "../src/internal/read/signed.ts"

const passphrase = "Test SDF Network ; September 2015"
const usdc = "USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"
const payer = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(1)).publicKey()
const receiver = Keypair.fromRawEd25519Seed(new Uint8Array(32).fill(3)).publicKey()

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

const plain: StellarPayment = {
  source: payer,
  sequence: 4_294_967_297n,
  fee: 200n,
  minTime: 1_790_000_000,
  maxTime: 1_790_000_300,
  memo: null,
  action: { _tag: "Pay", from: payer, to: receiver, contract: null, units: 12_345_678n }
}
const envelopes = [
  plain,
  { ...plain, action: { _tag: "Pay", from: payer, to: receiver, contract: usdc, units: 1n } } as const,
  { ...plain, action: { _tag: "Create", from: payer, to: receiver, units: 10_000_000n } } as const,
  { ...plain, action: { _tag: "Nothing" } } as const
].map((one) => encodePayment(one, passphrase))

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

describe("what strangers and nodes send of stellar, by many inputs that go where code has not been", () => {
  huntTest("an address has one form, or is refused", {
    seeds: [payer, muxed(payer, 42n), muxed(payer, 2n ** 64n - 1n)],
    words: ["G", "M", "S", "C", "T", "A".repeat(8)],
    read: (bytes) => {
      const text = textOf(bytes)
      const read = parseStellarAddress(text)
      if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
      assert.strictEqual(read.success, text)
      const parts = demux(text)
      if (parts !== undefined) assert.strictEqual(muxed(parts.account, parts.id), text)
    }
  })

  huntTest("a memo is one that the network takes, or is refused", {
    seeds: ["invoice 7", "id:42", `hash:${"ab".repeat(32)}`, `return:${"cd".repeat(32)}`, "text:id:42", "überweisung"],
    words: ["id:", "hash:", "return:", "text:", "18446744073709551615", "18446744073709551616", "-0"],
    read: (bytes) => {
      const read = readMemo(receiver, Buffer.from(bytes).toString("utf8"))
      if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
      // what is read is written, and reads again as the same
      const written = encodePayment({ ...plain, memo: read.success }, passphrase)
      assert.deepStrictEqual(Result.getOrThrow(decodePayment(written, passphrase)).stellarPayment.memo, read.success)
    }
  })

  huntTest("an envelope to sign is read as what would be written, or is refused", {
    seeds: envelopes,
    read: (bytes) => {
      const read = decodePayment(bytes, passphrase)
      if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
      assert.strictEqual(base64(encodePayment(read.success.stellarPayment, passphrase)), base64(bytes))
    }
  })

  huntTest("an order to sign says whom it pays and what it costs, or is refused", {
    seeds: envelopes,
    read: (bytes) => {
      const read = stellarCodec({ networkPassphrase: passphrase, assets: [usdc] }).read(bytes)
      if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
      assert.isTrue(read.success.feeMax >= 0n)
      for (const { units } of read.success.payments) assert.isTrue(units > 0n)
    }
  })

  huntTest("a signed envelope is read, or is refused", {
    seeds: envelopes,
    read: (bytes) => void decodeSigned(bytes, passphrase)
  })

  huntTest("an envelope that a node shows is read, or is none", {
    seeds: envelopes.map(base64),
    read: (bytes) => {
      const signed = readSigned(passphrase, textOf(bytes))
      if (signed === undefined) return
      for (const hash of signed.hashes()) assert.match(hash ?? "", /^[0-9a-f]{64}$/u)
      for (const index of signed.operations.keys()) {
        const move = signedMove(signed, index, "")
        if (move !== undefined) assert.isTrue(move.units >= 0n)
      }
    }
  })

  huntTest("a result that a node shows is read, or is none", {
    seeds: ["AAAAAAAAAGQAAAAAAAAAAQAAAAAAAAAIAAAAAAAAAAAAmJaAAAAAAA==", "AAAAAAAAAGQAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAA="],
    read: (bytes) => {
      for (const read of [mergedUnits, arrivedUnits]) {
        const units = read(textOf(bytes), 0)
        if (units !== undefined) assert.strictEqual(typeof units, "bigint")
      }
    }
  })
})
