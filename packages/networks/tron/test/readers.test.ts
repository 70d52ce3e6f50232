import { huntTest } from "@bursar/testkit/hunt/huntTest"
import { fromHex, parseTronAddress, toHex, tronCodec } from "@bursar/tron"
import { assert, describe } from "@effect/vitest"
import { Result } from "effect"
import { decodeRaw, encodeRaw, type RawTransaction } from "../src/internal/build/RawTransaction.ts"
import { pinned } from "./support/World.ts"

const account = "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH"
const [usdt = ""] = pinned

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

const frame = {
  refBlockBytes: "9d3c",
  refBlockHash: "1ebf88508a03865c",
  expiration: 1_795_000_600_000n,
  timestamp: 1_795_000_000_017n
}
const owner = `41${"5a".repeat(20)}`
const to = `41${"6b".repeat(20)}`
const coin: RawTransaction = { ...frame, feeLimit: 0n, action: { _tag: "Native", owner, to, units: 1_234_567n } }
const token: RawTransaction = {
  ...frame,
  feeLimit: 20_000_000n,
  action: { _tag: "Token", owner, contract: toHex(usdt) ?? "", to, units: 987_654_321n }
}

describe("what strangers send of tron, by many inputs that go where code has not been", () => {
  huntTest("an address has one form, or is refused", {
    seeds: [account, usdt, "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"],
    words: ["T", "41", "0x", "1"],
    read: (bytes) => {
      const text = textOf(bytes)
      const read = parseTronAddress(pinned, text)
      if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
      assert.strictEqual(read.success, text)
      assert.strictEqual(fromHex(toHex(text) ?? ""), text)
    }
  })

  huntTest("what is signed is read as what would be written, or is refused", {
    seeds: [encodeRaw(coin), encodeRaw(token)],
    words: ["type.googleapis.com/protocol.", "TransferContract", "TriggerSmartContract", "\x0a\x02", "\x40"],
    read: (bytes) => {
      const read = decodeRaw(bytes)
      if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
      assert.strictEqual(Buffer.from(encodeRaw(read.success)).toString("hex"), Buffer.from(bytes).toString("hex"))
    }
  })

  huntTest("an order to sign says whom it pays and what it costs, or is refused", {
    seeds: [encodeRaw(coin), encodeRaw(token)],
    read: (bytes) => {
      const read = tronCodec({ contracts: pinned }).read(bytes)
      if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
      assert.isTrue(read.success.feeMax >= 0n)
      for (const { units } of read.success.payments) assert.isTrue(units > 0n)
    }
  })
})
