import nodeCrypto, {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  KeyObject,
  sign,
  verify,
  type webcrypto
} from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import type { Random } from "./Random.ts"
import { wrappingPair } from "./wrappingPair.ts"

type Subtle = typeof crypto.subtle

const bytesOf = (data: BufferSource): Uint8Array =>
  ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)

const copied = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer

const nameOf = (algorithm: AlgorithmIdentifier): string =>
  (typeof algorithm === "string" ? algorithm : algorithm.name).toUpperCase()

const hashes: ReadonlyMap<string, string> = new Map([
  ["SHA-256", "sha256"],
  ["SHA-384", "sha384"],
  ["SHA-512", "sha512"]
])

const hashOf = (name: string): string => hashes.get(name.toUpperCase()) ?? name

/** The DER in front of the 32 bytes of an Ed25519 public key (RFC 8410). */
const spkiHead = Buffer.from("302a300506032b6570032100", "hex")

/** The keys that were imported here, as what signs with them at once. */
const keyObjects = new WeakMap<object, KeyObject>()

/** How many answers are kept of what always has the same. */
const keptMax = 100_000

/** An answer by what it follows from, so that it is worked out once: every process of every world verifies the same chains again. */
const keeping = <A>() => {
  const kept = new Map<string, A>()
  return (name: string, make: () => A): A => {
    const there = kept.get(name)
    if (there !== undefined) return there
    const made = make()
    if (kept.size >= keptMax) kept.clear()
    kept.set(name, made)
    return made
  }
}

const publicKeyOf = keeping<KeyObject>()
const verdictOf = keeping<boolean>()

/** The names of public keys that were imported here, by which verdicts are kept. */
const publicNames = new WeakMap<KeyObject, string>()

const readPublicKey = (raw: Uint8Array): KeyObject => {
  const name = Buffer.from(raw).toString("latin1")
  return publicKeyOf(name, () => {
    const key = createPublicKey({ key: Buffer.concat([spkiHead, raw]), format: "der", type: "spki" })
    publicNames.set(key, name)
    return key
  })
}

const verified = (key: KeyObject, signature: Uint8Array, data: Uint8Array): boolean => {
  const name = publicNames.get(key)
  const check = () => verify(null, data, key, signature)
  if (name === undefined) return check()
  const digest = createHash("sha256").update(data).digest("latin1")
  return verdictOf(`${name}${digest}${Buffer.from(signature).toString("latin1")}`, check)
}

const keyObjectOf = (key: CryptoKey): KeyObject => keyObjects.get(key) ?? KeyObject.from(key)

const macOf = (key: CryptoKey, data: BufferSource): Buffer => {
  const { hash } = key.algorithm as HmacKeyAlgorithm // it is a key of HMAC
  return createHmac(hashOf(hash.name), keyObjectOf(key)).update(bytesOf(data)).digest()
}

/**
 * What the platform answers from a pool of threads, whose answers come in any order, is answered at once instead. What is not used here
 * is left as it is.
 */
const atOnce = (real: Subtle, stirred: () => void) => {
  const answer = <A>(make: () => A): Promise<A> => {
    stirred()
    return Promise.resolve().then(make)
  }
  const importedKey = (
    format: string,
    data: BufferSource | JsonWebKey,
    algorithm: AlgorithmIdentifier | HmacImportParams,
    extractable: boolean,
    usages: ReadonlyArray<KeyUsage>
  ): webcrypto.CryptoKey | undefined => {
    const made = (key: KeyObject) => {
      const imported = key.toCryptoKey(algorithm as Algorithm, extractable, [...usages])
      keyObjects.set(imported, key)
      return imported
    }
    const raw = ArrayBuffer.isView(data) || data instanceof ArrayBuffer ? bytesOf(data) : undefined
    if (nameOf(algorithm) === "HMAC" && raw !== undefined) return made(createSecretKey(raw))
    if (nameOf(algorithm) !== "ED25519") return undefined
    if (format === "raw" && raw !== undefined) return made(readPublicKey(raw))
    if (format !== "jwk" || raw !== undefined) return undefined
    return made(createPrivateKey({ key: data as webcrypto.JsonWebKey, format: "jwk" }))
  }
  return {
    digest: (algorithm: AlgorithmIdentifier, data: BufferSource) =>
      answer(() =>
        copied(
          createHash(hashOf(nameOf(algorithm)))
            .update(bytesOf(data))
            .digest()
        )
      ),
    sign: (algorithm: AlgorithmIdentifier, key: CryptoKey, data: BufferSource) =>
      answer(() =>
        copied(nameOf(algorithm) === "HMAC" ? macOf(key, data) : sign(null, bytesOf(data), keyObjectOf(key)))
      ),
    verify: (algorithm: AlgorithmIdentifier, key: CryptoKey, signature: BufferSource, data: BufferSource) =>
      answer(() =>
        nameOf(algorithm) === "HMAC"
          ? macOf(key, data).equals(bytesOf(signature))
          : verified(keyObjectOf(key), bytesOf(signature), bytesOf(data))
      ),
    importKey: (...asked: Parameters<typeof importedKey>) =>
      answer(() => importedKey(...asked)).then(
        (key) => key ?? Reflect.apply(real.importKey, real, asked) // another algorithm: the platform's own
      )
  }
}

/** Puts properties in place of others, and gives what puts the others back. */
const replaced = (target: object, by: object): (() => void) => {
  const before = Object.keys(by).map((name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const)
  for (const [name, value] of Object.entries(by)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true })
  }
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(target, name)
      else Object.defineProperty(target, name, descriptor)
    }
  }
}

const uuidOf = (bytes: Uint8Array): string => {
  const hex = Buffer.from(bytes).toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Keeps what runs from writing to the console: what is left of a dead process may log without the loggers of its world. */
export const hush = (): (() => void) => {
  const silent = () => undefined
  return replaced(console, { log: silent, info: silent, warn: silent, error: silent, debug: silent })
}

/**
 * Makes the platform's randomness follow from a seed and its cryptography answer at once, for as long as a world runs. Only one world runs
 * in a process at a time. `reach` stands in place of `fetch`, where it is given. Gives what undoes it.
 */
export const seedPlatform = (random: Random, stirred: () => void, reach: typeof fetch | null): (() => void) => {
  const randomUUID = () => uuidOf(random.bytes(16))
  const undo = [
    ...(reach === null ? [] : [replaced(globalThis, { fetch: reach })]),
    replaced(crypto.subtle, atOnce(crypto.subtle, stirred)),
    replaced(crypto, {
      randomUUID,
      getRandomValues: (target: Uint8Array) => {
        target.set(random.bytes(target.length))
        return target
      }
    }),
    replaced(Math, { random: () => random.below(2 ** 30) / 2 ** 30 }),
    replaced(nodeCrypto, {
      randomUUID,
      randomBytes: (length: number) => Buffer.from(random.bytes(length)),
      generateKeyPair: (
        _type: "rsa",
        _options: object,
        tell: (error: null, ...pair: ReadonlyArray<KeyObject>) => void
      ) => tell(null, wrappingPair.publicKey, wrappingPair.privateKey)
    })
  ]
  syncBuiltinESMExports()
  return () => {
    for (const one of undo) one()
    syncBuiltinESMExports()
  }
}
