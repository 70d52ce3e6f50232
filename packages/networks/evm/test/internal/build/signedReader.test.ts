import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { hexToBytes } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { readUnowned } from "../../../src/internal/build/SignedTransaction.ts"
import { makeSignedReader } from "../../../src/internal/build/signedReader.ts"

const signedAt = (key: `0x${string}`, nonce: number) =>
  Effect.map(
    Effect.promise(() =>
      privateKeyToAccount(key).signTransaction({
        type: "eip1559",
        chainId: 1,
        nonce,
        to: "0x1111111111111111111111111111111111111111",
        value: 1n,
        gas: 21_000n,
        maxFeePerGas: 2n,
        maxPriorityFeePerGas: 1n
      })
    ),
    (text) => hexToBytes(text)
  )

describe("a reader of signed transactions", () => {
  it.effect("gives what the bytes say, whatever was read before under the same hash, or changed since", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* signedAt(`0x${"1".repeat(64)}`, 1), yield* signedAt(`0x${"2".repeat(64)}`, 2)]
      const read = makeSignedReader()
      const lent = Uint8Array.from(one)
      const first = Result.getOrThrow(read(lent, "hash"))
      assert.deepStrictEqual(Result.succeed(first), readUnowned(one))
      // the same bytes are read once
      assert.strictEqual(Result.getOrThrow(read(Uint8Array.from(one), "hash")), first)
      assert.deepStrictEqual(read(other, "hash"), readUnowned(other))
      lent.set([0], 5)
      assert.deepStrictEqual(read(lent, "hash"), readUnowned(lent))
      // what is none is kept as nothing
      assert.isTrue(Result.isFailure(read(Uint8Array.of(2, 1), "other")))
      assert.deepStrictEqual(read(one, "other"), readUnowned(one))
    })
  )
})
