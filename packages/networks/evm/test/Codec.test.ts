import type { TransactionSignature } from "@bursar/core/port/ChainSender"
import { evmCodec } from "@bursar/evm"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { bytesToHex, concatHex, hexToBytes, serializeTransaction, type TransactionSerializable } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { type Draft, encodeDraft } from "../src/internal/build/Draft.ts"
import { decodeSigned } from "../src/internal/build/SignedTransaction.ts"
import { transferData } from "../src/internal/rpc/tokenCall.ts"
import { makeKeys } from "./support/keys.ts"

const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
const other = "0x00000000000000000000000000000000fA4e0001"
const format = evmCodec({ network: "ethereum", contracts: [usdt] })
const keys = makeKeys()
const from = keys.create()
const to = keys.create()

const draft = (change: Partial<Draft> = {}): Draft => ({
  from,
  chainId: 1,
  nonce: 5n,
  to,
  value: 1_000n,
  data: "0x",
  gas: 21_000n,
  maxFeePerGas: 30n,
  maxPriorityFeePerGas: 2n,
  ...change
})

const refusalOf = (bytes: Uint8Array): string => {
  const read = format.read(bytes)
  return Result.isFailure(read) ? read.failure : assert.fail(`read: ${JSON.stringify(read.success.payments.length)}`)
}

/** The unsigned bytes of any transaction that viem writes. */
const bytesOf = (transaction: TransactionSerializable): Uint8Array =>
  hexToBytes(concatHex([from as `0x${string}`, serializeTransaction(transaction)]))

describe("evmCodec, reading", () => {
  it("reads a payment of coin", () => {
    const read = Result.getOrThrow(format.read(encodeDraft(draft())))
    assert.deepStrictEqual(read.payments, [{ to, contract: null, units: 1_000n, memo: null }])
    assert.strictEqual(read.feeMax, 630_000n)
    assert.deepStrictEqual(
      read.digests.map(({ address }) => address),
      [from]
    )
  })

  it("reads a payment of a pinned token by its canonical address", () => {
    const call = draft({ to: usdt, value: 0n, data: transferData(to, 7n), gas: 80_000n })
    const read = Result.getOrThrow(format.read(encodeDraft(call)))
    assert.deepStrictEqual(read.payments, [{ to, contract: usdt, units: 7n, memo: null }])
  })

  it("reads a transaction of nothing to its payer as one that gives nothing", () => {
    const read = Result.getOrThrow(format.read(encodeDraft(draft({ to: from, value: 0n }))))
    assert.deepStrictEqual(read.payments, [])
  })

  const refused: ReadonlyArray<readonly [string, Partial<Draft>, RegExp]> = [
    ["another chain", { chainId: 56 }, /for chain 56/u],
    ["nothing for somebody else", { value: 0n }, /gives nothing/u],
    ["coin for the zero address", { to: `0x${"0".repeat(40)}` }, /zero address/u],
    ["coin for a token contract", { to: usdt }, /token contract/u],
    [
      "a call of a contract that is not pinned",
      { to: other, value: 0n, data: transferData(to, 7n) },
      /no pinned token/u
    ],
    ["coin with calldata", { data: "0x00" }, /no pinned token/u],
    ["a token with coin", { to: usdt, data: transferData(to, 7n) }, /gives coin/u],
    ["a transfer of nothing", { to: usdt, value: 0n, data: transferData(to, 0n) }, /transfers nothing/u],
    [
      "a transfer to the contract itself",
      { to: usdt, value: 0n, data: transferData(usdt, 7n) },
      /token contract, not of an account/u
    ],
    ["a transfer to the zero address", { to: usdt, value: 0n, data: transferData(`0x${"0".repeat(40)}`, 7n) }, /zero/u],
    [
      "a transfer with more after it",
      { to: usdt, value: 0n, data: `${transferData(to, 7n)}00` },
      /otherwise than to transfer/u
    ],
    [
      "a transfer with a receiver of more than 20 bytes",
      { to: usdt, value: 0n, data: transferData(to, 7n).replace("a9059cbb0", "a9059cbb1") as `0x${string}` },
      /otherwise than to transfer/u
    ],
    [
      "an approval",
      { to: usdt, value: 0n, data: transferData(to, 7n).replace("a9059cbb", "095ea7b3") as `0x${string}` },
      /otherwise than to transfer/u
    ],
    ["no gas", { gas: 0n }, /no gas/u],
    ["no price for the gas", { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }, /offers nothing/u]
  ]
  for (const [what, change, words] of refused) {
    it(`refuses ${what}`, () => assert.match(refusalOf(encodeDraft(draft(change))), words))
  }

  const fields = { chainId: 1, nonce: 5, gas: 21_000n, value: 1n } as const
  const bid = { maxFeePerGas: 30n, maxPriorityFeePerGas: 2n }
  const receiver = to as `0x${string}`
  const odd: ReadonlyArray<readonly [string, TransactionSerializable]> = [
    ["a contract that is created", { type: "eip1559", ...fields, ...bid, data: "0x00" }],
    [
      "an access list",
      { type: "eip1559", ...fields, ...bid, to: receiver, accessList: [{ address: receiver, storageKeys: [] }] }
    ],
    ["a transaction without a type", { type: "legacy", ...fields, to: receiver, gasPrice: 30n }],
    ["a transaction of type 1", { type: "eip2930", ...fields, to: receiver, gasPrice: 30n }],
    [
      "a transaction that hands the account over",
      { type: "eip7702", ...fields, ...bid, to: receiver, authorizationList: [] }
    ]
  ]
  for (const [what, transaction] of odd) {
    it(`refuses ${what}`, () => assert.isTrue(Result.isFailure(format.read(bytesOf(transaction)))))
  }

  it("refuses a transaction that is signed already", () => {
    const { bytes, recovery } = keys.sign(from, new Uint8Array(32).fill(1))
    const signed = serializeTransaction(
      { type: "eip1559", ...fields, ...bid, to: receiver },
      { r: bytesToHex(bytes.subarray(0, 32)), s: bytesToHex(bytes.subarray(32)), yParity: recovery ?? 0 }
    )
    assert.match(refusalOf(hexToBytes(concatHex([from as `0x${string}`, signed]))), /not written as/u)
  })

  it("refuses a number with a zero before it", () => {
    const hex = bytesToHex(encodeDraft(draft({ value: 0x7fn })))
    // 0x7f is its own RLP; 0x82007f is the same number in two bytes, and the list grows by two.
    const head = 2 + 2 * 20
    assert.strictEqual(hex.slice(head, head + 4), "02df")
    const spoilt = `${hex.slice(0, head)}02e1${hex.slice(head + 4).replace(/7f80c0$/u, "82007f80c0")}`
    assert.notStrictEqual(spoilt, hex)
    assert.match(refusalOf(hexToBytes(spoilt as `0x${string}`)), /not written as/u)
  })

  it("reads what the bytes say now, though the same array was read before it was changed", () => {
    const bytes = encodeDraft(draft())
    const before = Result.getOrThrow(format.read(bytes))
    // whoever was told the digest cannot change it for those who ask later
    before.digests[0]?.digest.fill(0)
    assert.notDeepEqual(Result.getOrThrow(format.read(bytes)), before)
    const other = encodeDraft(draft({ nonce: 77n }))
    assert.strictEqual(other.length, bytes.length)
    bytes.set(other)
    assert.deepStrictEqual(format.read(bytes), format.read(other))
    bytes[20] = 9
    assert.isTrue(Result.isFailure(format.read(bytes)))
  })

  it("throws when a pinned contract is none", () => {
    assert.throws(() => evmCodec({ network: "ethereum", contracts: ["0x12"] }), /not a token contract/u)
  })
})

describe("evmCodec, finishing", () => {
  const privateKey = `0x${"46".repeat(32)}` as const
  const wallet = privateKeyToAccount(privateKey)

  it("gives the bytes and the hash that viem's own wallet gives", async () => {
    // Numbers of every length, those with zero bytes and leading ones among them.
    const drafts = Array.from({ length: 60 }, (_, index) => {
      const at = BigInt(index)
      return {
        nonce: at === 0n ? 0n : (at * 0x1_00ffn) ** 3n % 2n ** 40n,
        value: 1n + 0xf0_0000_01n ** (at % 3n) * 2n ** at,
        gas: 21_000n + at * 99_991n,
        maxPriorityFeePerGas: at % 5n === 0n ? 0n : 255n ** (at % 5n),
        extra: 1n + at * 256n
      }
    })
    for (const { extra, ...numbers } of drafts) {
      const maxFeePerGas = numbers.maxPriorityFeePerGas + extra
      const unsigned = encodeDraft(draft({ from: wallet.address, maxFeePerGas, ...numbers }))
      const { digests } = Result.getOrThrow(format.read(unsigned))
      const signature = await wallet.sign({ hash: bytesToHex(digests[0]?.digest ?? new Uint8Array()) })
      const bytes = hexToBytes(signature)
      const finished = Result.getOrThrow(
        format.finish(unsigned, [
          { publicKey: hexToBytes(wallet.publicKey), bytes: bytes.subarray(0, 64), recovery: (bytes[64] ?? 27) - 27 }
        ])
      )
      const theirs = await wallet.signTransaction({
        type: "eip1559",
        chainId: 1,
        to: to as `0x${string}`,
        maxFeePerGas,
        ...numbers,
        nonce: Number(numbers.nonce)
      })
      assert.strictEqual(bytesToHex(finished.raw), theirs)
      const { payments } = Result.getOrThrow(format.read(unsigned))
      assert.deepStrictEqual(Result.getOrThrow(format.readSigned(finished.raw)), { payments })
      assert.isTrue(Result.isFailure(format.readSigned(unsigned)))
      const read = Result.getOrThrow(decodeSigned(finished.raw))
      assert.strictEqual(read.hash, finished.hash)
      assert.strictEqual(read.draft.from, wallet.address)
      assert.deepStrictEqual(read.draft, draft({ from: wallet.address, maxFeePerGas, ...numbers }))
    }
  })

  const unsigned = encodeDraft(draft())
  const digest = Result.getOrThrow(format.read(unsigned)).digests[0]?.digest ?? new Uint8Array()
  const good = keys.sign(from, digest)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

  /** The same signature with the higher s, which is as true and which the network does not take. */
  const malleated = (): TransactionSignature => {
    const s = BigInt(bytesToHex(good.bytes.subarray(32)))
    const high = (order - s).toString(16).padStart(64, "0")
    return {
      ...good,
      bytes: Uint8Array.from([...good.bytes.subarray(0, 32), ...hexToBytes(`0x${high}`)]),
      recovery: good.recovery === 0 ? 1 : 0
    }
  }

  const wrong: Readonly<Record<string, TransactionSignature>> = {
    "the higher s": malleated(),
    "the other point": { ...good, recovery: good.recovery === 0 ? 1 : 0 },
    "no point": { ...good, recovery: null },
    "a point beyond the order": { ...good, recovery: 2 },
    "a public key that is none": { ...good, publicKey: new Uint8Array(33) },
    zeros: { ...good, bytes: new Uint8Array(64) }
  }
  for (const [what, signature] of Object.entries(wrong)) {
    it(`refuses a signature with ${what}`, () => {
      assert.isTrue(Result.isFailure(format.finish(unsigned, [signature])))
    })
  }

  it("does not finish what it would not read", () => {
    const foreign = encodeDraft(draft({ chainId: 56 }))
    assert.isTrue(Result.isFailure(format.finish(foreign, [good])))
  })
})
