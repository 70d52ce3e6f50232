import {
  type CustodyCurve,
  custodyCurves,
  type CustodyKey,
  CustodyKeyUnknown,
  custodyLabel,
  CustodyRefused,
  CustodyUnavailable,
  type KeyCustody
} from "@bursar/core/port/KeyCustody"
import type { VaultSignature } from "@bursar/core/port/Vault"
import { Effect, Result, Schema } from "effect"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { link, mkdir, open, readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { byCurve } from "./internal/curve.ts"
import * as envelope from "./internal/envelope.ts"
import type { MasterKeys } from "./MasterKeys.ts"

/** How a custody of sealed files is called by wallets, logs and settings. */
export const custodyName = "sealed"

const digestBytes = 32
const idCharacters = 32
const ownerOnly = 0o700
const readOnly = 0o400

const Stored = Schema.fromJsonString(
  Schema.Struct({ label: Schema.String, curve: Schema.Literals(custodyCurves), sealed: Schema.String })
)
type Stored = typeof Stored.Type

const refused = (doing: string, reason: string) => new CustodyRefused({ custody: custodyName, doing, reason })
const unavailable = (doing: string, reason: string) => new CustodyUnavailable({ custody: custodyName, doing, reason })
const unknown = (keyId: string) => new CustodyKeyUnknown({ custody: custodyName, keyId })

/** A label has one id, so whoever stores the key of a label first wins. */
const idOf = (label: string): string => createHash("sha256").update(label).digest("hex").slice(0, idCharacters)

const isId = (keyId: string): boolean => /^[0-9a-f]{32}$/u.test(keyId)

/** What a key is bound to: its file in another's place opens nothing. */
const ownerOf = ({ curve, label }: Pick<Stored, "curve" | "label">): string => `custody/${curve}/${label}`

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "unknown"

const file = <A>(doing: string, call: () => Promise<A>): Effect.Effect<A, CustodyUnavailable> =>
  Effect.tryPromise({ try: call, catch: (thrown) => unavailable(doing, `its folder answered ${codeOf(thrown)}`) })

/** Written beside, synced and linked: a crash leaves a whole file or none, and an existing one is never replaced. */
const putNew = (doing: string, folder: string, name: string, text: string) =>
  file(doing, async () => {
    const beside = join(folder, `${name}.${randomUUID()}.part`)
    const handle = await open(beside, "wx", readOnly)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    try {
      await link(beside, join(folder, name))
    } catch (thrown) {
      if (codeOf(thrown) !== "EEXIST") throw thrown
    } finally {
      await rm(beside, { force: true })
    }
    const directory = await open(folder, "r")
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  })

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

  const read = Effect.fnUntraced(function* (doing: string, keyId: string) {
    if (!isId(keyId)) return yield* unknown(keyId)
    const text = yield* file(doing, () =>
      readFile(join(folder, `${keyId}.json`), "utf8").catch((thrown: unknown) => {
        if (codeOf(thrown) === "ENOENT") return undefined
        throw thrown
      })
    )
    if (text === undefined) return yield* unknown(keyId)
    const stored = Schema.decodeUnknownResult(Stored)(text)
    if (Result.isFailure(stored) || idOf(stored.success.label) !== keyId) {
      return yield* refused(doing, `the file of the key ${keyId} has been altered`)
    }
    return stored.success
  })

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
        yield* putNew(doing, folder, `${keyId}.json`, JSON.stringify({ label, curve, sealed } satisfies Stored))
      }
      // the one that is stored, whoever stored it
      const key = there ?? (yield* describe(doing, keyId))
      return key.curve === curve ? key : yield* refused(doing, `there is one of ${key.curve}`)
    }),
    describe: Effect.fn("SealedCustody.describe")((keyId) => describe("find a key", keyId)),
    list: Effect.gen(function* () {
      const doing = "list the keys"
      const names = yield* file(doing, () => readdir(folder))
      const ids = names.flatMap((name) =>
        isId(name.slice(0, -".json".length)) ? [name.slice(0, -".json".length)] : []
      )
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
