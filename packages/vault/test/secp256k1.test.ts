import { assert, describe, it } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import * as fc from "fast-check"
import * as ecc from "tiny-secp256k1"
import { type PublicKeys, withKeyAt } from "../src/internal/secp256k1.ts"

const theirs = (seed: Uint8Array, path: string): string =>
  Buffer.from(BIP32Factory(ecc).fromSeed(seed).derivePath(path).privateKey ?? []).toString("hex")

const ours = (seed: Uint8Array, path: string): string =>
  withKeyAt(seed, path, (key) => Buffer.from(key).toString("hex"))

describe("keys below a seed", () => {
  it("are those of BIP 32, also where a key on the way begins with zeros", () => {
    // test vectors 3 and 4 of BIP 32: leading zeros are kept
    for (const [seed, path] of [
      [
        "4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be",
        "m/0'"
      ],
      ["3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678", "m/0'/1'"]
    ] as const)
      assert.strictEqual(ours(Buffer.from(seed, "hex"), path), theirs(Buffer.from(seed, "hex"), path))
    assert.strictEqual(
      ours(Buffer.from("3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678", "hex"), "m/0'"),
      "00d948e9261e41362a688b916f297121ba6bfb2274a3575ac0e456551dfd7f7e"
    )
  })

  it("are those of another implementation, for any seed and path", () => {
    const step = fc
      .tuple(fc.integer({ min: 0, max: 0x7fff_ffff }), fc.boolean())
      .map(([at, hard]) => `${at}${hard ? "'" : ""}`)
    const paths = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => ["m", ...steps].join("/"))
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 64 }), paths, (seed, path) => {
        assert.strictEqual(ours(seed, path), theirs(seed, path))
      }),
      { numRuns: 60 }
    )
  })

  it("are the same where public keys on the way are remembered, whichever were asked for before", () => {
    const steps = fc.constantFrom("0'", "0", "1", "1'", "44'")
    const paths = fc.array(fc.array(steps, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 6 })
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 32 }), paths, (seed, all) => {
        const known: PublicKeys = new Map()
        for (const path of all.map((one) => ["m", ...one].join("/"))) {
          const key = withKeyAt(seed, path, (lent) => Buffer.from(lent).toString("hex"), known)
          assert.strictEqual(key, theirs(seed, path))
        }
      }),
      { numRuns: 30 }
    )
  })

  it("are overwritten once they were lent", () => {
    const lent = withKeyAt(Buffer.alloc(32, 7), "m/44'/60'/0'/1/0", (key) => key)
    assert.deepStrictEqual([...lent], [...new Uint8Array(32)])
  })
})
