import { signature } from "@bursar/simulator-tron/account"
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import { assert, describe, it } from "@effect/vitest"
import { tronCodec } from "@bursar/tron"
import { Effect, Result } from "effect"
import { pointFromScalar } from "tiny-secp256k1"
import { TronWeb } from "tronweb"
import { bytesField, numberField } from "../src/internal/rpc/protobuf.ts"
import { decodeRaw, encodeRaw, idOf, type RawTransaction } from "../src/internal/build/RawTransaction.ts"
import { fromHex } from "../src/Address.ts"
import { inHex, pinned } from "./support/World.ts"

const key = "7".repeat(64)
const publicKey = pointFromScalar(hexToBytes(key), true)!
const owner = TronWeb.address.fromPrivateKey(key) || ""
const receiver = fromHex(`41${"5a".repeat(20)}`)
const [usdt, usdc] = pinned
const format = tronCodec({ contracts: pinned })

const blockHeader = {
  ref_block_bytes: "9d3c",
  ref_block_hash: "1ebf88508a03865c",
  expiration: 1_795_000_600_000,
  timestamp: 1_795_000_000_017
}

const frame = {
  refBlockBytes: blockHeader.ref_block_bytes,
  refBlockHash: blockHeader.ref_block_hash,
  expiration: BigInt(blockHeader.expiration),
  timestamp: BigInt(blockHeader.timestamp)
}

const coin: RawTransaction = {
  ...frame,
  feeLimit: 0n,
  action: { _tag: "Native", owner: inHex(owner), to: inHex(receiver), units: 1_234_567n }
}

const tokens: RawTransaction = {
  ...frame,
  feeLimit: 20_000_000n,
  action: { _tag: "Token", owner: inHex(owner), contract: inHex(usdt!), to: inHex(receiver), units: 987_654_321n }
}

const wallet = new TronWeb({ fullHost: "http://127.0.0.1:9" })

const sign = (bytes: Uint8Array, by = key) => {
  const signed = hexToBytes(signature(by, idOf(bytes)))
  return { publicKey, bytes: signed.subarray(0, 64), recovery: signed[64]! - 27 }
}

describe("tronCodec", () => {
  it.effect("writes a transfer of TRX as tronweb does, byte for byte", () =>
    Effect.gen(function* () {
      const theirs = yield* Effect.promise(() =>
        wallet.transactionBuilder.sendTrx(receiver, 1_234_567, owner, { blockHeader })
      )
      assert.strictEqual(bytesToHex(encodeRaw(coin)), theirs.raw_data_hex)
      assert.strictEqual(idOf(encodeRaw(coin)), theirs.txID)
    })
  )

  it.effect("writes a transfer of a token as tronweb does, byte for byte", () =>
    Effect.gen(function* () {
      const { transaction } = yield* Effect.promise(() =>
        wallet.transactionBuilder.triggerSmartContract(
          usdt!,
          "transfer(address,uint256)",
          { txLocal: true, feeLimit: 20_000_000, blockHeader },
          [
            { type: "address", value: receiver },
            { type: "uint256", value: 987_654_321 }
          ],
          owner
        )
      )
      assert.strictEqual(bytesToHex(encodeRaw(tokens)), transaction.raw_data_hex)
      assert.strictEqual(idOf(encodeRaw(tokens)), transaction.txID)
    })
  )

  it("reads who pays whom how much of what, and the most that it can cost", () => {
    const { payments, feeMax, digests } = Result.getOrThrow(format.read(encodeRaw(tokens)))
    assert.deepStrictEqual(payments, [{ to: receiver, contract: usdt!, units: 987_654_321n, memo: null }])
    assert.isTrue(feeMax > 20_000_000n && feeMax < 20_500_000n)
    assert.deepStrictEqual(
      digests.map(({ address, digest }) => [address, bytesToHex(digest)]),
      [[owner, idOf(encodeRaw(tokens))]]
    )
    const native = Result.getOrThrow(format.read(encodeRaw(coin)))
    assert.deepStrictEqual(native.payments, [{ to: receiver, contract: null, units: 1_234_567n, memo: null }])
    // A new account and its bandwidth, and all bytes burnt for.
    assert.isTrue(native.feeMax > 1_100_000n && native.feeMax < 1_500_000n)
  })

  it("joins the signature to a transaction whose id is the hash of what was signed", () => {
    const bytes = encodeRaw(coin)
    const { hash, raw } = Result.getOrThrow(format.finish(bytes, [sign(bytes)]))
    assert.strictEqual(hash, idOf(bytes))
    const { payments } = Result.getOrThrow(format.read(bytes))
    assert.deepInclude(Result.getOrThrow(format.readSigned(raw)), { payments })
    assert.isTrue(Result.isFailure(format.readSigned(bytes)))
    assert.strictEqual(
      bytesToHex(raw),
      bytesToHex(concatBytes(bytesField(1, bytes), bytesField(2, hexToBytes(signature(key, hash)))))
    )
  })

  it("refuses a signature that names another point, is by another key, or is not the lower one", () => {
    const bytes = encodeRaw(coin)
    const good = sign(bytes)
    const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n
    const high = order - BigInt(`0x${bytesToHex(good.bytes.subarray(32))}`)
    const upper = concatBytes(good.bytes.subarray(0, 32), hexToBytes(high.toString(16).padStart(64, "0")))
    const wrong = {
      "another point": { ...good, recovery: good.recovery ^ 1 },
      "no point": { ...good, recovery: null },
      "another key": sign(bytes, "8".repeat(64)),
      "no key": { ...good, publicKey: new Uint8Array(33) },
      "the higher one": { ...good, bytes: upper, recovery: good.recovery ^ 1 }
    }
    for (const [what, each] of Object.entries(wrong))
      assert.isTrue(Result.isFailure(format.finish(bytes, [each])), what)
  })

  const refused = (bytes: Uint8Array): string => Result.getOrThrow(Result.flip(format.read(bytes)))

  it("refuses what it does not fully understand", () => {
    const { action } = tokens
    if (action._tag !== "Token") throw new Error("this is a token")
    const swapped = (from: string, to: string) => hexToBytes(bytesToHex(encodeRaw(tokens)).replace(from, to))
    assert.match(refused(encodeRaw({ ...tokens, action: { ...action, contract: action.owner } })), /no contract known/u)
    assert.match(refused(swapped("a9059cbb", "095ea7b3")), /neither a transfer/u, "approve")
    assert.match(refused(swapped("a9059cbb000000", "a9059cbb000001")), /neither a transfer/u, "a spoilt address")
    assert.match(refused(concatBytes(encodeRaw(coin), numberField(18, 1n))), /no limit of energy/u)
    assert.match(refused(encodeRaw({ ...tokens, feeLimit: 0n })), /needs a limit/u)
    assert.match(
      refused(concatBytes(encodeRaw(coin), bytesField(12, Uint8Array.of(1)))),
      /more than a plain/u,
      "scripts"
    )
    assert.match(refused(concatBytes(encodeRaw(coin), numberField(8, 1n))), /more than a plain/u, "another expiration")
    assert.match(refused(encodeRaw({ ...coin, expiration: 0n })), /does not say of when/u)
    assert.match(refused(encodeRaw({ ...coin, refBlockHash: "" })), /names no block/u)
    assert.match(refused(encodeRaw({ ...coin, action: { ...coin.action, units: 0n } })), /transfers nothing/u)
    assert.match(
      refused(encodeRaw({ ...tokens, action: { ...action, to: action.contract } })),
      /token contract/u,
      "paying the contract itself"
    )
    assert.match(
      refused(encodeRaw({ ...coin, action: { ...coin.action, to: `41${"0".repeat(40)}` } })),
      /zero address/u
    )
  })

  it.effect("refuses what tronweb builds beside transfers: votes, stakes, value and memos", () =>
    Effect.gen(function* () {
      const { transactionBuilder: builder } = wallet
      const options = { blockHeader }
      const others = yield* Effect.promise(() =>
        Promise.all([
          builder.freezeBalanceV2(1_000_000, "ENERGY", owner, options),
          builder.delegateResource(1_000_000, receiver, "ENERGY", owner, false, 0, options),
          builder.sendToken(receiver, 5, "1000001", owner, options),
          builder.sendTrx(receiver, 5, owner, { blockHeader, permissionId: 2 }),
          builder
            .triggerSmartContract(
              usdc!,
              "transfer(address,uint256)",
              { txLocal: true, feeLimit: 1_000_000, callValue: 7, blockHeader },
              [
                { type: "address", value: receiver },
                { type: "uint256", value: 1 }
              ],
              owner
            )
            .then(({ transaction }) => transaction)
        ])
      )
      for (const { raw_data, raw_data_hex } of others) {
        assert.isTrue(Result.isFailure(format.read(hexToBytes(raw_data_hex))), raw_data.contract[0]?.type)
      }
      const memo = concatBytes(encodeRaw(coin).subarray(0, 14), bytesField(10, Uint8Array.of(1)))
      assert.isTrue(Result.isFailure(decodeRaw(memo)))
    })
  )
})
