import { compressedPoint, onCurve } from "@bursar/custody-kit/publicKeys"
import type { CustodyCurve, CustodyKey } from "@bursar/core/port/KeyCustody"
import { Effect } from "effect"
import type Pkcs11 from "pkcs11js"
import { native, type NativeFailure } from "./failures.ts"
import { type Session, nativeSync } from "./sessions.ts"

/** Of PKCS #11 3.0, which the binding has no names for. */
const ckmEdwardsKeyPairGen = 0x1055
const ckkEdwards = 0x40

/** Object identifiers and, for ed25519, the names that tokens know it by (PKCS #11 3.0, 6.3.3). */
const curveParameters: Readonly<Record<CustodyCurve, ReadonlyArray<Buffer>>> = {
  secp256k1: [Buffer.from("06052b8104000a", "hex")],
  ed25519: [
    Buffer.from("06032b6570", "hex"),
    Buffer.from("130c656477617264733235353139", "hex"),
    Buffer.from("06092b06010401da470f01", "hex")
  ]
}

/** Handles of a key, in the epoch of a session. */
export interface Held {
  readonly privateKey: Pkcs11.Handle
  readonly key: CustodyKey
}

/** A private key of the service on the token, and why it may not be used; undefined where it may. */
export interface Found {
  readonly keyId: string
  readonly label: string
  readonly held: Held | undefined
  readonly objection: string | undefined
}

const findObjects = (
  { handle, module }: Session,
  template: Pkcs11.Template,
  objectsMax: number
): ReadonlyArray<Pkcs11.Handle> => {
  module.C_FindObjectsInit(handle, template)
  try {
    const found: Array<Pkcs11.Handle> = []
    for (;;) {
      const [next] = module.C_FindObjects(handle, 1)
      if (next === undefined || found.length >= objectsMax) return found
      found.push(next)
    }
  } finally {
    module.C_FindObjectsFinal(handle)
  }
}

/** Values of attributes, in the order asked for; undefined where the object has none of it. */
const attributes = ({ handle, module }: Session, object: Pkcs11.Handle, types: ReadonlyArray<number>) =>
  types.map((type) => {
    try {
      return module.C_GetAttributeValue(handle, object, [{ type }])[0]?.value
    } catch (thrown) {
      const isAbsent = thrown instanceof Error && /^CKR_ATTRIBUTE_(?:TYPE_INVALID|SENSITIVE)$/u.test(thrown.message)
      if (isAbsent) return undefined
      throw thrown
    }
  })

const isSet = (value: Buffer | undefined): boolean => value?.some((byte) => byte !== 0) === true

/** The point of a public key: in an OCTET STRING, as the standard says, or bare, as some tokens give it. */
const pointOf = (value: Buffer, lengths: ReadonlyArray<number>): Buffer =>
  value[0] === 4 && value[1] === value.length - 2 && lengths.includes(value.length - 2) ? value.subarray(2) : value

const publicKeyOf = (curve: CustodyCurve, value: Buffer): Uint8Array | undefined => {
  const read = curve === "secp256k1" ? compressedPoint(pointOf(value, [33, 65])) : Uint8Array.from(pointOf(value, [32]))
  return read !== undefined && onCurve(curve, read) ? read : undefined
}

const curveOf = (parameters: Buffer | undefined): CustodyCurve | undefined =>
  (["secp256k1", "ed25519"] as const).find(
    (curve) => parameters !== undefined && curveParameters[curve].some((known) => known.equals(parameters))
  )

/**
 * Why the token could give out a key, or others could have it; undefined where it was made there and never left. A key that
 * somebody put there, or that can be read, is not used: whoever made it has it.
 */
const objectionTo = (session: Session, privateKey: Pkcs11.Handle): string | undefined => {
  const { constants } = session
  const [sensitive, extractable, always, never, local, sign] = attributes(session, privateKey, [
    constants.CKA_SENSITIVE,
    constants.CKA_EXTRACTABLE,
    constants.CKA_ALWAYS_SENSITIVE,
    constants.CKA_NEVER_EXTRACTABLE,
    constants.CKA_LOCAL,
    constants.CKA_SIGN
  ])
  if (!isSet(local)) return "it was not made on the token"
  if (!isSet(sensitive) || !isSet(always)) return "it is not sensitive, or was not always"
  if (extractable === undefined || isSet(extractable) || !isSet(never)) return "it is extractable, or was"
  return isSet(sign) ? undefined : "it may not sign"
}

const publicSide = (session: Session, id: Buffer) => {
  const { constants } = session
  const [publicKey, other] = findObjects(
    session,
    [
      { type: constants.CKA_CLASS, value: constants.CKO_PUBLIC_KEY },
      { type: constants.CKA_ID, value: id }
    ],
    2
  )
  if (publicKey === undefined || other !== undefined) return undefined
  const [parameters, point] = attributes(session, publicKey, [constants.CKA_EC_PARAMS, constants.CKA_EC_POINT])
  const curve = curveOf(parameters)
  const read = curve === undefined || point === undefined ? undefined : publicKeyOf(curve, point)
  return curve === undefined || read === undefined ? undefined : { curve, publicKey: read }
}

const describeObject = (session: Session, prefix: string, privateKey: Pkcs11.Handle): Found | undefined => {
  const { constants } = session
  const [id, label] = attributes(session, privateKey, [constants.CKA_ID, constants.CKA_LABEL])
  const text = label?.toString("utf8") ?? ""
  if (id === undefined || id.length === 0 || !text.startsWith(prefix)) return undefined
  const found = { keyId: id.toString("hex"), label: text.slice(prefix.length) }
  const side = publicSide(session, id)
  const objection =
    objectionTo(session, privateKey) ??
    (side === undefined ? "it has no public key beside it, several, or one that cannot be read" : undefined)
  return {
    ...found,
    objection,
    held: objection === undefined && side !== undefined ? { privateKey, key: { ...found, ...side } } : undefined
  }
}

/** How many keys of the service are looked at on a token. */
const keysMax = 100_000

/** The private keys of the service on a token: all, of one id, or of one label. */
export const findKeys = (
  session: Session,
  prefix: string,
  by: { readonly keyId?: string; readonly label?: string } = {}
): Effect.Effect<ReadonlyArray<Found>, NativeFailure> =>
  nativeSync(() => {
    const { constants } = session
    const template: Pkcs11.Template = [
      { type: constants.CKA_CLASS, value: constants.CKO_PRIVATE_KEY },
      { type: constants.CKA_TOKEN, value: true },
      ...(by.keyId === undefined ? [] : [{ type: constants.CKA_ID, value: Buffer.from(by.keyId, "hex") }]),
      ...(by.label === undefined ? [] : [{ type: constants.CKA_LABEL, value: prefix + by.label }])
    ]
    return findObjects(session, template, keysMax)
      .map((object) => describeObject(session, prefix, object))
      .filter((found) => found !== undefined)
  })

/** Makes a key pair on the token that can never leave it. Fails where the token does not offer the curve. */
export const generateKey = (
  session: Session,
  wish: { readonly id: Buffer; readonly label: string; readonly curve: CustodyCurve }
): Effect.Effect<void, NativeFailure> => {
  const { constants, handle, module } = session
  const { curve, id, label } = wish
  const isEdwards = curve === "ed25519"
  const mechanism = { mechanism: isEdwards ? ckmEdwardsKeyPairGen : constants.CKM_EC_KEY_PAIR_GEN }
  const common: Pkcs11.Template = [
    { type: constants.CKA_TOKEN, value: true },
    { type: constants.CKA_ID, value: id },
    { type: constants.CKA_LABEL, value: label },
    { type: constants.CKA_KEY_TYPE, value: isEdwards ? ckkEdwards : constants.CKK_EC }
  ]
  const privateTemplate: Pkcs11.Template = [
    ...common,
    { type: constants.CKA_PRIVATE, value: true },
    { type: constants.CKA_SENSITIVE, value: true },
    { type: constants.CKA_EXTRACTABLE, value: false },
    { type: constants.CKA_MODIFIABLE, value: false },
    { type: constants.CKA_SIGN, value: true }
  ]
  const attempts = curveParameters[curve].map((parameters) =>
    native(() =>
      module.C_GenerateKeyPairAsync(
        handle,
        mechanism,
        [...common, { type: constants.CKA_VERIFY, value: true }, { type: constants.CKA_EC_PARAMS, value: parameters }],
        privateTemplate
      )
    )
  )
  // tokens differ in how they call the curve
  return Effect.asVoid(Effect.firstSuccessOf(attempts))
}
