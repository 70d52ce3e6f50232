import {
  type CustodyCurve,
  type CustodyKey,
  custodyLabel,
  type CustodyError,
  type CustodyRefused,
  type CustodyUnavailable,
  type KeyCustody
} from "@bursar/core/port/KeyCustody"
import type { VaultSignature } from "@bursar/core/port/Vault"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { mkdir } from "node:fs/promises"
import { byCurve } from "./internal/curve.ts"
import * as envelope from "./internal/envelope.ts"
import {
  custodyName,
  file,
  idOf,
  idsIn,
  ownerOf,
  putNew,
  readKey,
  refused,
  replace,
  type Stored
} from "./internal/sealedFiles.ts"
import type { MasterKeys } from "./MasterKeys.ts"

const digestBytes = 32
const ownerOnly = 0o700

const newKey = (curve: CustodyCurve): Uint8Array => {
  for (;;) {
    const key = randomBytes(digestBytes)
    if (byCurve[curve].publicKeyOf(key) !== undefined) return key
  }
}

/** Opens the key of a file for as long as it is used. */
const lend = <A>(
  keys: MasterKeys,
  doing: string,
  { of, using }: { readonly of: Stored; readonly using: (key: Uint8Array) => A }
): Effect.Effect<A, CustodyRefused> =>
  Effect.try({
    try: () => envelope.open(keys, ownerOf(of), of.sealed, using),
    catch: () => refused(doing, "it was sealed under a master key that is not here, or has been altered")
  })

/**
 * A custody of keys in files, each sealed under the master keys. It stands in for hardware where there is none: on a machine for
 * development, or in tests. Whoever has the folder and a master key has the keys.
 */
export const makeSealedCustody = Effect.fn("SealedCustody.make")(function* (
  keys: MasterKeys,
  folder: string
): Effect.fn.Return<KeyCustody, CustodyUnavailable> {
  yield* file("open its folder", () => mkdir(folder, { recursive: true, mode: ownerOnly }))

  const read = (doing: string, keyId: string) => readKey(doing, folder, keyId)

  const describe = Effect.fnUntraced(function* (doing: string, keyId: string) {
    const of = yield* read(doing, keyId)
    const publicKey = yield* lend(keys, doing, { of, using: (key) => byCurve[of.curve].publicKeyOf(key) })
    if (publicKey === undefined) return yield* refused(doing, `the file of the key ${keyId} holds no key`)
    return { keyId, label: of.label, curve: of.curve, publicKey: Uint8Array.from(publicKey) } satisfies CustodyKey
  })

  const sign = Effect.fnUntraced(function* (keyId: string, curve: CustodyCurve, bytes: Uint8Array) {
    const of = yield* read("sign", keyId)
    if (of.curve !== curve) return yield* refused("sign", `the key ${keyId} is one of ${of.curve}`)
    if (curve === "secp256k1" && bytes.length !== digestBytes) {
      return yield* refused("sign", `a digest has ${digestBytes} bytes`)
    }
    const signature: VaultSignature = yield* lend(keys, "sign", { of, using: (key) => byCurve[curve].sign(key, bytes) })
    return signature
  })

  return {
    name: custodyName,
    generate: Effect.fn("SealedCustody.generate")(function* ({ curve, label }) {
      const doing = `make the key ${label}`
      if (!custodyLabel.test(label)) return yield* refused("make a key", "the label is none")
      const keyId = idOf(label)
      const there = yield* Effect.catchTag(describe(doing, keyId), "CustodyKeyUnknown", () => Effect.undefined)
      if (there === undefined) {
        const sealed = envelope.seal(keys, ownerOf({ label, curve }), newKey(curve))
        yield* putNew(doing, folder, { label, curve, sealed })
      }
      // the one that is stored, whoever stored it
      const key = there ?? (yield* describe(doing, keyId))
      return key.curve === curve ? key : yield* refused(doing, `there is one of ${key.curve}`)
    }),
    describe: Effect.fn("SealedCustody.describe")((keyId) => describe("find a key", keyId)),
    list: Effect.gen(function* () {
      const doing = "list the keys"
      const ids = yield* idsIn(doing, folder)
      const found = yield* Effect.forEach(ids, (keyId) =>
        describe(doing, keyId).pipe(
          Effect.catchTags({ CustodyRefused: () => Effect.undefined, CustodyKeyUnknown: () => Effect.undefined })
        )
      )
      return found.filter((key) => key !== undefined).toSorted((one, other) => (one.label < other.label ? -1 : 1))
    }),
    signDigest: Effect.fn("SealedCustody.signDigest")((keyId, digest) => sign(keyId, "secp256k1", digest)),
    signMessage: Effect.fn("SealedCustody.signMessage")((keyId, message) => sign(keyId, "ed25519", message))
  }
})

/**
 * Puts every key of a folder under the current master key, without opening one, and counts those that were not and those that were.
 * Ends at the first that no master key here opens; what was done until then stays, and running it again goes on.
 */
export const reencryptSealedCustody = Effect.fn("SealedCustody.reencrypt")(function* (
  keys: MasterKeys,
  folder: string
): Effect.fn.Return<{ readonly changed: number; readonly current: number }, CustodyError> {
  const doing = "encrypt the keys anew"
  const done = { changed: 0, current: 0 }
  for (const keyId of yield* idsIn(doing, folder)) {
    const stored = yield* readKey(doing, folder, keyId)
    const sealed = yield* Effect.try({
      try: () => envelope.rewrap(keys, ownerOf(stored), stored.sealed),
      catch: () =>
        refused(doing, `the key ${keyId} was sealed under a master key that is not here, or has been altered`)
    })
    if (sealed === undefined) done.current += 1
    else {
      yield* replace(doing, folder, { ...stored, sealed })
      done.changed += 1
    }
  }
  return done
})
