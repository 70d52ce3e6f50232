import type { NetworkTraits } from "@bursar/core/money/Network"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type SenderFeature, SenderWorld } from "./SenderWorld.ts"
import { anOrder, signedBy } from "./steps.ts"

/** What the format reads, signs and refuses. */
export const formatTests = (
  it: SuiteIt<SenderWorld>,
  timeoutMs: number,
  {
    has,
    hashPrefix
  }: { readonly has: ReadonlyArray<SenderFeature>; readonly hashPrefix: NetworkTraits["hashPrefix"] | undefined }
): void => {
  it.effect(
    "finishes to the hash by which the network knows the transaction, the same every time",
    () =>
      Effect.gen(function* () {
        const world = yield* SenderWorld
        const unsigned = yield* world.sender.build(yield* anOrder())
        const once = signedBy(world, unsigned)
        const { digests } = Result.getOrThrow(world.format.read(unsigned.bytes))
        const signatures = digests.map(({ address, digest }) => world.sign(address, digest))
        const again = Result.getOrThrow(world.format.finish(unsigned.bytes, signatures))
        const third = Result.getOrThrow(world.format.finish(unsigned.bytes, signatures))
        assert.deepStrictEqual(again, third)
        assert.isNotEmpty(once.hash)
        if (hashPrefix !== undefined) assert.match(once.hash, new RegExp(`^${hashPrefix}[0-9a-f]{64}$`, "u"))
        assert.isNotEmpty(again.raw)
      }),
    timeoutMs
  )

  it.effect(
    "refuses a signature by another key, over another digest, spoilt, or none at all",
    () =>
      Effect.gen(function* () {
        const { account, format, sender, sign } = yield* SenderWorld
        const unsigned = yield* sender.build(yield* anOrder())
        const other = yield* account
        const { digests } = Result.getOrThrow(format.read(unsigned.bytes))
        const good = digests.map(({ address, digest }) => sign(address, digest))
        const refused = {
          none: [],
          "one too many": [...good, ...good],
          "another key": digests.map(({ digest }) => sign(other, digest)),
          "another digest": digests.map(({ address, digest }) =>
            sign(
              address,
              digest.map((byte) => byte ^ 1)
            )
          ),
          "a spoilt one": good.map((signature) => ({
            ...signature,
            bytes: signature.bytes.map((byte, index) => (index === 40 ? byte ^ 1 : byte))
          })),
          "a short one": good.map((signature) => ({ ...signature, bytes: signature.bytes.subarray(1) }))
        }
        for (const [what, signatures] of Object.entries(refused)) {
          assert.isTrue(Result.isFailure(format.finish(unsigned.bytes, signatures)), what)
        }
        assert.isTrue(Result.isSuccess(format.finish(unsigned.bytes, good)))
      }),
    timeoutMs
  )

  it.effect(
    "refuses bytes that are cut short, too long, or no transaction, and never throws",
    () =>
      Effect.gen(function* () {
        const { format, sender } = yield* SenderWorld
        const { bytes } = yield* sender.build(yield* anOrder())
        const cut = Array.from({ length: bytes.length }, (_, length) => bytes.subarray(0, length))
        const long = Uint8Array.from([...bytes, 0])
        for (const wrong of [...cut, long, new Uint8Array(64).fill(255), bytes.toReversed()]) {
          assert.isTrue(Result.isFailure(format.read(wrong)), `${wrong.length} of ${bytes.length} bytes`)
          assert.isTrue(Result.isFailure(format.finish(wrong, [])))
        }
      }),
    timeoutMs
  )

  it.effect(
    "reads something else, or nothing, in bytes of which any one is changed",
    () =>
      Effect.gen(function* () {
        const { contract, format, sender } = yield* SenderWorld
        const { bytes } = yield* sender.build(yield* anOrder({ contract: has.includes("token") ? contract : null }))
        const digestsOf = (unsigned: Uint8Array) =>
          Result.map(format.read(unsigned), ({ digests }) =>
            digests.map(({ address, digest }) => `${address} ${digest.join()}`).join()
          )
        const truth = Result.getOrThrow(digestsOf(bytes))
        for (const at of bytes.keys()) {
          const read = digestsOf(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)))
          // What is signed covers every byte: two readings never share a digest.
          if (Result.isSuccess(read)) assert.notStrictEqual(read.success, truth, `byte ${at}`)
        }
      }),
    timeoutMs
  )
}
