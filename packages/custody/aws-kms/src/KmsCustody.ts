import {
  CreateAliasCommand,
  CreateKeyCommand,
  DescribeKeyCommand,
  GetPublicKeyCommand,
  type KeyMetadata,
  ListAliasesCommand,
  ScheduleKeyDeletionCommand,
  SignCommand
} from "@aws-sdk/client-kms"
import { fromSpki } from "@bursar/custody-kit/publicKeys"
import { fromDer, recoverable, verifiedEd25519 } from "@bursar/custody-kit/signatures"
import {
  type CustodyCurve,
  type CustodyError,
  type CustodyKey,
  CustodyKeyUnknown,
  custodyLabel,
  CustodyRefused,
  CustodyUnavailable,
  type KeyCustody
} from "@bursar/core/port/KeyCustody"
import { Effect, type Scope, Semaphore } from "effect"
import { type Ask, custodyError, makeAsk } from "./internal/ask.ts"
import { custodyName, type KmsOptions, prefixDefault } from "./KmsOptions.ts"

const digestBytes = 32
const rememberedMax = 10_000
const aliasesPerPage = 100
const aliasPagesMax = 1_000
/** The least that KMS lets a key wait before it is deleted. */
const deletionDays = 7

const specs = { secp256k1: "ECC_SECG_P256K1", ed25519: "ECC_NIST_EDWARDS25519" } as const

const refused = (doing: string, reason: string) => new CustodyRefused({ custody: custodyName, doing, reason })
const unknown = (keyId: string) => new CustodyKeyUnknown({ custody: custodyName, keyId })

/** An id that KMS gave, and no alias: whoever may change an alias could put another key in its place. */
const isId = (keyId: string): boolean => /^(?:mrk-)?[0-9a-f]{8}-?[0-9a-f-]{8,40}$/u.test(keyId)

/** Why a key may not be used; undefined where KMS made it and it signs. Imported keys are known to those who imported them. */
const objectionTo = ({ KeySpec, KeyState, KeyUsage, Origin }: KeyMetadata): string | undefined => {
  if (Origin !== "AWS_KMS" && Origin !== "AWS_CLOUDHSM") return `it was not made by KMS (${Origin ?? "unknown"})`
  if (KeyUsage !== "SIGN_VERIFY") return "it may not sign"
  if (KeySpec !== specs.secp256k1 && KeySpec !== specs.ed25519) return `it is a ${KeySpec ?? "key of an unknown kind"}`
  return KeyState === "Enabled" ? undefined : `its state is ${KeyState ?? "unknown"}`
}

/** Reads keys: those with a description of the service's own. What was read of a key stays true of it, but for its state. */
const makeReader = (ask: Ask, prefix: string) => {
  const remembered = new Map<string, CustodyKey>()

  const metadata = (doing: string, keyId: string): Effect.Effect<KeyMetadata, CustodyError> =>
    ask((client, options) => client.send(new DescribeKeyCommand({ KeyId: keyId }), options)).pipe(
      Effect.mapError((failure) => custodyError({ doing, keyId }, failure)),
      Effect.flatMap(({ KeyMetadata: found }) =>
        found === undefined ? Effect.fail(unknown(keyId)) : Effect.succeed(found)
      )
    )

  const publicKey = Effect.fnUntraced(function* (doing: string, keyId: string) {
    const { PublicKey = new Uint8Array() } = yield* ask((client, options) =>
      client.send(new GetPublicKeyCommand({ KeyId: keyId }), options)
    ).pipe(Effect.mapError((failure) => custodyError({ doing, keyId }, failure)))
    return fromSpki(PublicKey) ?? (yield* refused(doing, "the public key that KMS gave cannot be read"))
  })

  const read = Effect.fnUntraced(function* (doing: string, keyId: string) {
    if (!isId(keyId)) return yield* unknown(keyId)
    const found = yield* metadata(doing, keyId)
    const description = found.Description ?? ""
    if (found.KeyId !== keyId || !description.startsWith(prefix)) return yield* unknown(keyId)
    const objection = objectionTo(found)
    if (objection !== undefined) return yield* refused(doing, `the key ${keyId} may not be used: ${objection}`)
    const side = yield* publicKey(doing, keyId)
    const key: CustodyKey = { keyId, label: description.slice(prefix.length), ...side }
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(keyId, key)
    return key
  })

  return {
    read,
    /** Without asking, where it was read before: KMS itself refuses to sign with a key that may not. */
    known: (doing: string, keyId: string) => {
      const there = remembered.get(keyId)
      return there === undefined ? read(doing, keyId) : Effect.succeed(there)
    }
  }
}

type Reader = ReturnType<typeof makeReader>

/** Finds keys by their labels and makes them: an alias belongs to one key, so the first to set it wins. */
const makeMaker = (ask: Ask, reader: Reader, prefix: string) => {
  const find = Effect.fnUntraced(function* (doing: string, label: string) {
    const found = yield* ask((client, options) =>
      client.send(new DescribeKeyCommand({ KeyId: `alias/${prefix}${label}` }), options)
    ).pipe(
      Effect.catchIf(
        ({ code }) => code === "NotFoundException",
        () => Effect.succeed(undefined)
      ),
      Effect.mapError((failure) => custodyError({ doing }, failure))
    )
    const keyId = found?.KeyMetadata?.KeyId
    if (keyId === undefined) return undefined
    const key = yield* reader.read(doing, keyId)
    // who may change aliases could point one at another wallet's key
    return key.label === label ? key : yield* refused(doing, `the alias of ${label} is of the key of ${key.label}`)
  })

  const discard = (keyId: string) =>
    Effect.ignore(
      ask((client, options) =>
        client.send(new ScheduleKeyDeletionCommand({ KeyId: keyId, PendingWindowInDays: deletionDays }), options)
      )
    )

  return Effect.fnUntraced(function* (label: string, curve: CustodyCurve) {
    const doing = `make the key ${label}`
    const there = yield* find(doing, label)
    if (there !== undefined) return there
    const { KeyMetadata: made } = yield* ask((client, options) =>
      client.send(
        new CreateKeyCommand({ KeySpec: specs[curve], KeyUsage: "SIGN_VERIFY", Description: prefix + label }),
        options
      )
    ).pipe(Effect.mapError((failure) => custodyError({ doing }, failure)))
    const keyId = made?.KeyId
    if (keyId === undefined) return yield* refused(doing, "KMS gave no id")
    const isFirst = yield* ask((client, options) =>
      client.send(new CreateAliasCommand({ AliasName: `alias/${prefix}${label}`, TargetKeyId: keyId }), options)
    ).pipe(
      Effect.as(true),
      Effect.catchIf(
        ({ code }) => code === "AlreadyExistsException",
        () => Effect.as(discard(keyId), false)
      ),
      Effect.mapError((failure) => custodyError({ doing }, failure))
    )
    const key = isFirst ? yield* reader.read(doing, keyId) : yield* find(doing, label)
    return (
      key ?? (yield* new CustodyUnavailable({ custody: custodyName, doing, reason: "its alias is not visible yet" }))
    )
  })
}

const listAll = (ask: Ask, reader: Reader, prefix: string) =>
  Effect.gen(function* () {
    const doing = "list the keys"
    const ids: Array<string> = []
    let marker: string | undefined
    for (let pages = 0; pages < aliasPagesMax; pages += 1) {
      const after = marker === undefined ? {} : { Marker: marker }
      const page = yield* ask((client, options) =>
        client.send(new ListAliasesCommand({ Limit: aliasesPerPage, ...after }), options)
      ).pipe(Effect.mapError((failure) => custodyError({ doing }, failure)))
      for (const { AliasName = "", TargetKeyId } of page.Aliases ?? []) {
        if (AliasName.startsWith(`alias/${prefix}`) && TargetKeyId !== undefined) ids.push(TargetKeyId)
      }
      marker = page.NextMarker
      if (page.Truncated !== true || marker === undefined) break
    }
    const keys = yield* Effect.forEach(
      new Set(ids),
      (keyId) =>
        reader
          .read(doing, keyId)
          .pipe(
            Effect.catchTags({ CustodyRefused: () => Effect.undefined, CustodyKeyUnknown: () => Effect.undefined })
          ),
      { concurrency: 4 }
    )
    return keys.filter((key) => key !== undefined).toSorted((one, other) => (one.label < other.label ? -1 : 1))
  })

/**
 * A custody in AWS KMS. Keys are made by KMS and named by their ids; a signature is verified before it is given out. Calls that are
 * throttled, or get no answer, are made again a few times and are then unavailable.
 */
export const makeKmsCustody = Effect.fn("KmsCustody.make")(function* (
  options: KmsOptions
): Effect.fn.Return<KeyCustody, CustodyRefused, Scope.Scope> {
  const { prefix = prefixDefault } = options
  const ask = yield* makeAsk(options)
  const reader = makeReader(ask, prefix)
  const make = makeMaker(ask, reader, prefix)
  const generating = yield* Semaphore.make(1)

  const known = Effect.fnUntraced(function* (keyId: string, curve: CustodyCurve) {
    const key = yield* reader.known("sign", keyId)
    return key.curve === curve ? key : yield* refused("sign", `the key ${keyId} is one of ${key.curve}`)
  })

  const sign = (
    keyId: string,
    bytes: Uint8Array,
    how: Pick<SignCommand["input"], "MessageType" | "SigningAlgorithm">
  ) =>
    ask((client, aborting) => client.send(new SignCommand({ KeyId: keyId, Message: bytes, ...how }), aborting)).pipe(
      Effect.mapBoth({
        onFailure: (failure) => custodyError({ doing: "sign", keyId }, failure),
        onSuccess: ({ Signature = new Uint8Array() }) => Signature
      })
    )

  const notOurs = refused("sign", "what KMS gave is no signature by the key")

  return {
    name: custodyName,
    generate: Effect.fn("KmsCustody.generate")(function* ({ curve, label }) {
      if (!custodyLabel.test(label)) return yield* refused("make a key", "the label is none")
      const key = yield* generating.withPermits(1)(make(label, curve))
      return key.curve === curve ? key : yield* refused(`make the key ${label}`, `there is one of ${key.curve}`)
    }),
    describe: Effect.fn("KmsCustody.describe")((keyId) => reader.read("find a key", keyId)),
    list: listAll(ask, reader, prefix),
    signDigest: Effect.fn("KmsCustody.signDigest")(function* (keyId, digest) {
      const { publicKey } = yield* known(keyId, "secp256k1")
      if (digest.length !== digestBytes) return yield* refused("sign", `a digest has ${digestBytes} bytes`)
      const der = yield* sign(keyId, digest, { MessageType: "DIGEST", SigningAlgorithm: "ECDSA_SHA_256" })
      const compact = fromDer(der)
      return (compact && recoverable(compact, { digest, publicKey })) ?? (yield* notOurs)
    }),
    signMessage: Effect.fn("KmsCustody.signMessage")(function* (keyId, message) {
      const { publicKey } = yield* known(keyId, "ed25519")
      const bytes = yield* sign(keyId, message, { MessageType: "RAW", SigningAlgorithm: "ED25519_SHA_512" })
      return verifiedEd25519(bytes, { message, publicKey }) ?? (yield* notOurs)
    })
  }
})
