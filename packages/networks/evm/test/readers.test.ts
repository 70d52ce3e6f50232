import { evmCodec, parseEvmAddress } from "@bursar/evm"
import { deriveAddress, parseXpub } from "@bursar/evm/Keys"
import { readTransferCall, transferCall } from "@bursar/network-kit/Token"
import { huntTest } from "@bursar/testkit/hunt/huntTest"
import { assert, describe } from "@effect/vitest"
import { Result } from "effect"
import { serializeTransaction, toBytes } from "viem"
import { type Draft, encodeDraft } from "../src/internal/build/Draft.ts"
import { decodeSigned } from "../src/internal/build/SignedTransaction.ts"
import { transferData } from "../src/internal/rpc/tokenCall.ts"

const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
const from = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
const to = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"
const xpub =
  "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

const draft: Draft = {
  from,
  chainId: 1,
  nonce: 5n,
  to,
  value: 1_000n,
  data: "0x",
  gas: 21_000n,
  maxFeePerGas: 30n,
  maxPriorityFeePerGas: 2n
}
const token: Draft = { ...draft, to: usdt, value: 0n, data: transferData(to, 7n), gas: 80_000n }

const signed = toBytes(
  serializeTransaction(
    { type: "eip1559", chainId: 1, nonce: 5, to, value: 1_000n, gas: 21_000n, maxFeePerGas: 30n },
    { r: `0x${"11".repeat(32)}`, s: `0x${"12".repeat(32)}`, yParity: 1 }
  )
)

describe("what strangers send of EVM networks, by many inputs that go where code has not been", () => {
  huntTest("an address has one canonical form, or is refused", {
    seeds: [from, from.toLowerCase(), `0x${to.slice(2).toUpperCase()}`, usdt],
    words: ["0x", "0X", "0".repeat(40)],
    read: (bytes) => {
      const read = parseEvmAddress("ethereum", [usdt], textOf(bytes))
      if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
      assert.strictEqual(read.success.toLowerCase(), textOf(bytes).toLowerCase())
      assert.deepStrictEqual(parseEvmAddress("ethereum", [usdt], read.success), read)
    }
  })

  huntTest("an extended public key derives addresses that are well formed, or is refused", {
    seeds: [xpub],
    words: ["xpub", "tpub", "xprv", "1"],
    read: (bytes) => {
      const read = parseXpub(textOf(bytes))
      if (Result.isSuccess(read)) assert.match(deriveAddress(read.success, 0), /^0x[0-9A-Fa-f]{40}$/u)
    }
  })

  huntTest("a call of a token is read as what would be written, or is none", {
    seeds: [transferCall(to.slice(2).toLowerCase(), 7n), transferCall("0".repeat(40), 2n ** 256n - 1n)],
    words: ["a9059cbb", "0".repeat(24), "f".repeat(64)],
    read: (bytes) => {
      const text = textOf(bytes)
      const read = readTransferCall(text)
      if (read !== undefined) assert.strictEqual(transferCall(read.to, read.units), text)
    }
  })

  huntTest("an order to sign says whom it pays and what it costs, or is refused", {
    seeds: [encodeDraft(draft), encodeDraft(token)],
    read: (bytes) => {
      const read = evmCodec({ network: "ethereum", contracts: [usdt] }).read(bytes)
      if (Result.isFailure(read)) return assert.notStrictEqual(read.failure, "")
      assert.isTrue(read.success.feeMax >= 0n)
      for (const { units } of read.success.payments) assert.isTrue(units > 0n)
    }
  })

  huntTest("a signed transaction is one of a payer that its signature tells, or is refused", {
    seeds: [signed],
    read: (bytes) => {
      const read = decodeSigned(bytes)
      if (Result.isSuccess(read)) assert.match(read.success.draft.from, /^0x[0-9A-Fa-f]{40}$/u)
    }
  })
})
