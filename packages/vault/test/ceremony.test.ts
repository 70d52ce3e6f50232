import {
  CeremonyRefused,
  fingerprintOf,
  proveRestore,
  readShare,
  restoreMasterKey,
  type Share,
  splitMasterKey,
  writeShare
} from "@bursar/vault/ceremony"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { randomBytes, randomUUID } from "node:crypto"

const hold = (shares: number, needed: number, key: Uint8Array = randomBytes(32)) =>
  Effect.map(splitMasterKey(key, { ceremony: randomUUID(), keyId: "first", shares, needed }), (all) => ({ all, key }))

const read = (text: string): Share => Result.getOrThrow(readShare("a share", text))

const forged = (share: Share, change: Partial<Share>): Share => {
  const [first, second] = [share, change]
  return { ...first, ...second }
}

const refusal = (shares: ReadonlyArray<Share>) =>
  Effect.map(Effect.flip(restoreMasterKey(shares)), (error) => {
    assert.instanceOf(error, CeremonyRefused)
    return error.message
  })

describe("a ceremony of a master key", () => {
  it.effect("any quorum of its shares gives the same key and fingerprint, and fewer give nothing", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.uint8Array({ minLength: 32, maxLength: 32 }),
          fc.integer({ min: 2, max: 7 }),
          fc.nat(5),
          fc.infiniteStream(fc.nat()),
          async (key, shares, extra, order) => {
            const needed = Math.min(2 + extra, shares)
            const { all } = await Effect.runPromise(hold(shares, needed, key))
            const shuffled = all
              .map((share) => ({ share, at: order.next().value }))
              .toSorted((one, other) => one.at - other.at)
              .map(({ share }) => read(writeShare(share)))
            const restored = await Effect.runPromise(restoreMasterKey(shuffled.slice(0, needed)))
            assert.deepStrictEqual(restored.key, Uint8Array.from(key))
            assert.strictEqual(restored.fingerprint, fingerprintOf(key))
            const tooFew = await Effect.runPromise(refusal(shuffled.slice(0, needed - 1)))
            assert.include(tooFew, needed === 1 ? "no share" : "restore the key")
          }
        ),
        { numRuns: 40 }
      )
    )
  )

  it.effect("every quorum is tried, and one forged share is found", () =>
    Effect.gen(function* () {
      const { all } = yield* hold(5, 3)
      assert.strictEqual(yield* proveRestore(all), 10)
      const [first, ...rest] = all
      if (first === undefined) return assert.fail("no share")
      const bad = forged(first, { data: `${first.data.startsWith("0") ? "1" : "0"}${first.data.slice(1)}` })
      assert.instanceOf(yield* Effect.flip(proveRestore([bad, ...rest])), CeremonyRefused)
      // with one more than is needed the forged one is named
      assert.include(yield* refusal([bad, ...rest.slice(0, 3)]), "Share 1 was forged, and the others restore the key.")
      return undefined
    })
  )

  it.effect("a share of another ceremony, a share given twice, or too few are told from one another", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* hold(3, 2), yield* hold(3, 2)]
      const [a, b] = one.all
      const [x] = other.all
      if (a === undefined || b === undefined || x === undefined) return assert.fail("no share")
      assert.include(yield* refusal([a, x]), "not of the same key")
      assert.include(yield* refusal([a, a]), "twice")
      assert.include(yield* refusal([a]), "2 shares restore the key")
      assert.include(yield* refusal([]), "no share")
      // the same ceremony claimed, yet other data: what comes out is not what the fingerprint says
      assert.include(yield* refusal([a, forged(b, { data: x.data })]), "forged")
      return undefined
    })
  )

  it.effect("a share that was damaged anywhere is refused by its checksum", () =>
    Effect.gen(function* () {
      const { all } = yield* hold(3, 2)
      const text = writeShare(all[0] ?? assert.fail("no share"))
      fc.assert(
        fc.property(fc.nat(text.length - 1), fc.constantFrom("0", "1", "a", "f", "z", " "), (at, character) => {
          const damaged = text.slice(0, at) + character + text.slice(at + 1)
          const result = readShare("share-1.json", damaged)
          if (Result.isSuccess(result)) {
            assert.deepStrictEqual(JSON.parse(damaged), JSON.parse(text))
            return
          }
          assert.match(result.failure.message, /share-1\.json is (?:damaged|no share)/u)
          assert.notInclude(result.failure.message, (all[0] ?? assert.fail("no share")).data)
        }),
        { numRuns: 500 }
      )
      for (const text of ["", "{", "[]", "null"]) assert.isTrue(Result.isFailure(readShare("a", text)))
    })
  )

  it.effect("fewer than two shares or needed ones, more than there are, or a key of another length are refused", () =>
    Effect.gen(function* () {
      for (const [shares, needed] of [
        [1, 1],
        [3, 1],
        [3, 4],
        [17, 2],
        [2.5, 2]
      ] as const) {
        assert.instanceOf(yield* Effect.flip(hold(shares, needed)), CeremonyRefused)
      }
      assert.instanceOf(yield* Effect.flip(hold(3, 2, randomBytes(31))), CeremonyRefused)
      const bad = splitMasterKey(randomBytes(32), { ceremony: randomUUID(), keyId: "No id", shares: 3, needed: 2 })
      assert.instanceOf(yield* Effect.flip(bad), CeremonyRefused)
    })
  )

  it.effect("no share tells the key", () =>
    Effect.gen(function* () {
      const { all, key } = yield* hold(5, 3)
      const text = all.map(writeShare).join("")
      assert.notInclude(text, Buffer.from(key).toString("hex"))
      assert.notInclude(text, Buffer.from(key).toString("base64"))
    })
  )
})
