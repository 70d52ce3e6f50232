import { CustodyRefused, type CustodyUnavailable, type KeyWrapper } from "@bursar/core/port/KeyCustody"
import { Effect, type Scope, Semaphore } from "effect"
import type Pkcs11 from "pkcs11js"
import { randomBytes } from "node:crypto"
import { native, type NativeFailure } from "./internal/failures.ts"
import { nativeSync, openToken, type Session } from "./internal/sessions.ts"
import { custodyName, type Pkcs11Options } from "./Pkcs11Options.ts"

const ivBytes = 12
const tagBytes = 16
const keyBytes = 32
const secretBytesMax = 4_096

const refused = (doing: string, reason: string) => new CustodyRefused({ custody: custodyName, doing, reason })

const parameters = ({ constants }: Session, iv: Buffer, purpose: string): Pkcs11.Mechanism => {
  const parameter: Pkcs11.GcmParams = {
    type: constants.CK_PARAMS_AES_GCM_v240,
    iv,
    ivBits: ivBytes * 8,
    aad: Buffer.from(purpose),
    tagBits: tagBytes * 8
  }
  return { mechanism: constants.CKM_AES_GCM, parameter }
}

const isSet = (value: Buffer | undefined): boolean => value?.some((byte) => byte !== 0) === true

/** The wrapping keys of a label, and whether each was made on the token and cannot leave it. */
const wrappingKeys = (session: Session, label: string) =>
  nativeSync(() => {
    const { constants, handle, module } = session
    module.C_FindObjectsInit(handle, [
      { type: constants.CKA_CLASS, value: constants.CKO_SECRET_KEY },
      { type: constants.CKA_KEY_TYPE, value: constants.CKK_AES },
      { type: constants.CKA_LABEL, value: label }
    ])
    try {
      return module.C_FindObjects(handle, 2)
    } finally {
      module.C_FindObjectsFinal(handle)
    }
  }).pipe(
    Effect.flatMap((objects) =>
      nativeSync(() =>
        objects.map((object) => {
          const { constants, handle, module } = session
          const [local, sensitive, never] = module
            .C_GetAttributeValue(handle, object, [
              { type: constants.CKA_LOCAL },
              { type: constants.CKA_ALWAYS_SENSITIVE },
              { type: constants.CKA_NEVER_EXTRACTABLE }
            ])
            .map(({ value }) => isSet(value))
          return { object, isKept: local === true && sensitive === true && never === true }
        })
      )
    )
  )

const makeWrappingKey = ({ constants, handle, module }: Session, label: string) =>
  native(() =>
    module.C_GenerateKeyAsync(handle, { mechanism: constants.CKM_AES_KEY_GEN }, [
      { type: constants.CKA_TOKEN, value: true },
      { type: constants.CKA_PRIVATE, value: true },
      { type: constants.CKA_SENSITIVE, value: true },
      { type: constants.CKA_EXTRACTABLE, value: false },
      { type: constants.CKA_ENCRYPT, value: true },
      { type: constants.CKA_DECRYPT, value: true },
      { type: constants.CKA_VALUE_LEN, value: keyBytes },
      { type: constants.CKA_LABEL, value: label }
    ])
  )

/**
 * Wraps secrets under an AES-256 key that was made on a token and cannot leave it (AES-GCM, the purpose as associated data). The
 * key is found by its label and made when something is wrapped first.
 */
export const makePkcs11KeyWrapper = Effect.fn("Pkcs11KeyWrapper.make")(function* (
  options: Pkcs11Options & { readonly label: string }
): Effect.fn.Return<KeyWrapper, CustodyUnavailable, Scope.Scope> {
  const token = yield* openToken(options)
  const making = yield* Semaphore.make(1)

  const found = Effect.fnUntraced(function* (doing: string, session: Session) {
    const [one, other] = yield* wrappingKeys(session, options.label)
    if (other !== undefined) return yield* refused(doing, `the token has several keys ${options.label}`)
    if (one !== undefined && !one.isKept) {
      return yield* refused(doing, `the key ${options.label} was not made on the token, or can leave it`)
    }
    return one?.object
  })

  const wrappingKey = Effect.fnUntraced(function* (doing: string, session: Session) {
    const there = yield* found(doing, session)
    if (there !== undefined) return there
    yield* makeWrappingKey(session, options.label)
    return (yield* found(doing, session)) ?? (yield* refused(doing, `the token has no key ${options.label}`))
  })

  return {
    name: custodyName,
    wrap: (purpose, secret) =>
      secret.length > secretBytesMax
        ? refused("wrap a secret", `it has more than ${secretBytesMax} bytes`)
        : making.withPermits(1)(
            token.use("wrap a secret", (session) =>
              Effect.flatMap(wrappingKey("wrap a secret", session), (key) =>
                native(async () => {
                  const iv = randomBytes(ivBytes)
                  session.module.C_EncryptInit(session.handle, parameters(session, iv, purpose), key)
                  const room = Buffer.alloc(secret.length + tagBytes)
                  const sealed = await session.module.C_EncryptAsync(session.handle, Buffer.from(secret), room)
                  return Uint8Array.from(Buffer.concat([iv, sealed]))
                })
              )
            )
          ),
    unwrap: (purpose, wrapped) =>
      token.use("unwrap a secret", (session) =>
        Effect.gen(function* () {
          const key = yield* found("unwrap a secret", session)
          if (key === undefined) return yield* refused("unwrap a secret", `the token has no key ${options.label}`)
          if (wrapped.length <= ivBytes + tagBytes) return yield* refused("unwrap a secret", "it is too short")
          return yield* native(async () => {
            const iv = Buffer.from(wrapped.subarray(0, ivBytes))
            session.module.C_DecryptInit(session.handle, parameters(session, iv, purpose), key)
            const sealed = Buffer.from(wrapped.subarray(ivBytes))
            return Uint8Array.from(
              await session.module.C_DecryptAsync(session.handle, sealed, Buffer.alloc(sealed.length))
            )
          }).pipe(Effect.catchIf(isForged, () => refused("unwrap a secret", notHere)))
        })
      )
  }
})

const notHere = "it was not wrapped by this key, for this purpose, or was altered"

/** SoftHSM says that the call failed in general where the tag is wrong; the standard has names for it. */
const isForged = ({ code }: NativeFailure): boolean =>
  [
    "CKR_AEAD_DECRYPT_FAILED",
    "CKR_ENCRYPTED_DATA_INVALID",
    "CKR_ENCRYPTED_DATA_LEN_RANGE",
    "CKR_GENERAL_ERROR"
  ].includes(code)
