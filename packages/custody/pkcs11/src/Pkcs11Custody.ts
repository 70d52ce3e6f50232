import { recoverable, verifiedEd25519 } from "@bursar/custody-kit/signatures"
import {
  type CustodyCurve,
  type CustodyError,
  CustodyKeyUnknown,
  custodyLabel,
  CustodyRefused,
  type CustodyUnavailable,
  type KeyCustody
} from "@bursar/core/port/KeyCustody"
import type { VaultSignature } from "@bursar/core/port/Vault"
import { Effect, type Scope, Semaphore } from "effect"
import { randomBytes } from "node:crypto"
import { isNotOffered, native, type NativeFailure } from "./internal/failures.ts"
import { findKeys, type Found, generateKey, type Held } from "./internal/keys.ts"
import { openToken, type Session } from "./internal/sessions.ts"
import { custodyName, type Pkcs11Options } from "./Pkcs11Options.ts"

/** CKM_EDDSA of PKCS #11 3.0, which the binding has no name for. */
const ckmEddsa = 0x1057
const idBytes = 16
const digestBytes = 32
const signatureBytesMax = 256
const prefixDefault = "bursar/"

/** Keys whose handles are remembered. */
const rememberedMax = 10_000

const refused = (doing: string, reason: string) => new CustodyRefused({ custody: custodyName, doing, reason })
const unknown = (keyId: string) => new CustodyKeyUnknown({ custody: custodyName, keyId })

/** The one usable key among those found; a key that may not be used is refused by name, and never passed over for another. */
const onlyOne = (doing: string, found: ReadonlyArray<Found>): Effect.Effect<Held | undefined, CustodyRefused> => {
  const [one, other] = found
  if (one === undefined) return Effect.succeed(undefined)
  if (other !== undefined) return Effect.fail(refused(doing, `the token has several keys ${one.label}`))
  return one.held === undefined
    ? Effect.fail(refused(doing, `the key ${one.keyId} may not be used: ${one.objection}`))
    : Effect.succeed(one.held)
}

const signWith = (session: Session, mechanism: number, { privateKey }: Held, data: Uint8Array) => {
  const { handle, module } = session
  return native(() => {
    module.C_SignInit(handle, { mechanism }, privateKey)
    return module.C_SignAsync(handle, Buffer.from(data), Buffer.alloc(signatureBytesMax))
  })
}

/**
 * A custody over a PKCS #11 token. Keys are made on the token, sensitive and not extractable, which is checked after they were
 * made and before each is used first. A signature is verified before it is given out.
 */
export const makePkcs11Custody = Effect.fn("Pkcs11Custody.make")(function* (
  options: Pkcs11Options
): Effect.fn.Return<KeyCustody, CustodyUnavailable, Scope.Scope> {
  const { prefix = prefixDefault } = options
  const token = yield* openToken(options)
  const generating = yield* Semaphore.make(1)
  const remembered = new Map<string, Held & { readonly epoch: number }>()

  const lookUp = Effect.fnUntraced(function* (doing: string, session: Session, keyId: string) {
    const there = remembered.get(keyId)
    if (there?.epoch === session.epoch) return there
    const held = yield* Effect.flatMap(findKeys(session, prefix, { keyId }), (found) => onlyOne(doing, found))
    if (held === undefined) return yield* Effect.fail(unknown(keyId))
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(keyId, { ...held, epoch: session.epoch })
    return held
  })

  const isId = (keyId: string): boolean => /^(?:[0-9a-f]{2}){1,64}$/u.test(keyId)

  const withKey = <A>(
    doing: string,
    keyId: string,
    use: (session: Session, held: Held) => Effect.Effect<A, CustodyError | NativeFailure>
  ): Effect.Effect<A, CustodyError> =>
    isId(keyId)
      ? token.use(doing, (session) => Effect.flatMap(lookUp(doing, session, keyId), (held) => use(session, held)))
      : Effect.fail(unknown(keyId))

  /** Signs, and gives the signature where it is one. */
  const sign = (
    keyId: string,
    {
      curve,
      data,
      read
    }: {
      readonly curve: CustodyCurve
      readonly data: Uint8Array
      readonly read: (bytes: Uint8Array, publicKey: Uint8Array) => VaultSignature | undefined
    }
  ) =>
    withKey("sign", keyId, (session, held) =>
      Effect.gen(function* () {
        if (held.key.curve !== curve) {
          return yield* Effect.fail(refused("sign", `the key ${keyId} is one of ${held.key.curve}`))
        }
        const mechanism = curve === "ed25519" ? ckmEddsa : session.constants.CKM_ECDSA
        const signature = read(yield* signWith(session, mechanism, held, data), held.key.publicKey)
        return signature ?? (yield* Effect.fail(refused("sign", "what the token gave is no signature by the key")))
      })
    )

  const make = Effect.fnUntraced(function* (label: string, curve: CustodyCurve) {
    const doing = `make the key ${label}`
    const find = token.use(doing, (session) =>
      Effect.flatMap(findKeys(session, prefix, { label }), (found) => onlyOne(doing, found))
    )
    const there = yield* find
    if (there !== undefined) return there
    const id = randomBytes(idBytes)
    yield* token.use(doing, (session) =>
      generateKey(session, { id, label: prefix + label, curve }).pipe(
        Effect.mapError((failure) =>
          isNotOffered(failure) ? refused(doing, `the token does not offer ${curve} (${failure.code})`) : failure
        )
      )
    )
    const made = yield* find
    return made ?? (yield* refused(doing, "the token made it and does not have it"))
  })

  return {
    name: custodyName,
    generate: Effect.fn("Pkcs11Custody.generate")(function* ({ curve, label }) {
      if (!custodyLabel.test(label)) return yield* refused("make a key", "the label is none")
      // one at a time: the token takes any number of keys with one label
      const { key } = yield* generating.withPermits(1)(make(label, curve))
      return key.curve === curve ? key : yield* refused(`make the key ${label}`, `there is one of ${key.curve}`)
    }),
    describe: Effect.fn("Pkcs11Custody.describe")((keyId) =>
      withKey("find a key", keyId, (_session, { key }) => Effect.succeed(key))
    ),
    list: token.use("list the keys", (session) =>
      Effect.map(findKeys(session, prefix), (found) =>
        found
          .flatMap(({ held }) => (held === undefined ? [] : [held.key]))
          .toSorted((one, other) => (one.label < other.label ? -1 : 1))
      )
    ),
    signDigest: Effect.fn("Pkcs11Custody.signDigest")(function* (keyId, digest) {
      if (digest.length !== digestBytes && isId(keyId)) {
        return yield* refused("sign", `a digest has ${digestBytes} bytes`)
      }
      const read = (bytes: Uint8Array, publicKey: Uint8Array) => recoverable(bytes, { digest, publicKey })
      return yield* sign(keyId, { curve: "secp256k1", data: digest, read })
    }),
    signMessage: Effect.fn("Pkcs11Custody.signMessage")((keyId, message) =>
      sign(keyId, {
        curve: "ed25519",
        data: message,
        read: (bytes, publicKey) => verifiedEd25519(bytes, { message, publicKey })
      })
    )
  }
})
