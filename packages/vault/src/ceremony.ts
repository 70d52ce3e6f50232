import { Effect, Result, Schema } from "effect"
import { createHash } from "node:crypto"
import { combine, split } from "shamir-secret-sharing"
import { wiping } from "./internal/wiping.ts"

/** How many shares a key may have. */
export const sharesMax = 16

const keyBytes = 32
const fingerprintCharacters = 32

/** The ceremony or a restore cannot be done as asked. Says which share is wrong and why, and shows nothing of one. */
export class CeremonyRefused extends Schema.TaggedError<CeremonyRefused>()("CeremonyRefused", {
  message: Schema.String
}) {}

const Hex = Schema.String.check(Schema.isPattern(/^[0-9a-f]+$/u))

const shareFields = {
  bursar: Schema.Literal("share of a master key"),
  version: Schema.Literal(1),
  ceremony: Schema.String.check(Schema.isUUID()),
  key_id: Schema.String.check(Schema.isPattern(/^[a-z0-9]{1,16}$/u)),
  number: Schema.Int,
  shares: Schema.Int,
  needed: Schema.Int,
  fingerprint: Hex,
  data: Hex
}

const Share = Schema.Struct({ ...shareFields, checksum: Hex })
/** One share of a master key, as it is written into its file. */
export type Share = typeof Share.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Share))

/** What a ceremony is asked for. */
export interface CeremonyPlan {
  /** A random UUID. */
  readonly ceremony: string
  readonly keyId: string
  readonly shares: number
  /** How many shares restore the key. */
  readonly needed: number
}

/** A master key that was put together again. */
export interface RestoredKey {
  readonly keyId: string
  readonly fingerprint: string
  /** 32 bytes; whoever takes them wipes them. */
  readonly key: Uint8Array
}

/** What names a master key without telling anything of it: two keys with the same fingerprint are the same. */
export const fingerprintOf = (key: Uint8Array): string =>
  createHash("sha256")
    .update("bursar master key fingerprint v1\n")
    .update(key)
    .digest("hex")
    .slice(0, fingerprintCharacters)

const checksumOf = ({ ceremony, data, fingerprint, key_id, needed, number, shares }: Omit<Share, "checksum">): string =>
  createHash("sha256")
    .update(JSON.stringify([1, ceremony, key_id, number, shares, needed, fingerprint, data]))
    .digest("hex")

const planMistake = ({ keyId, needed, shares }: CeremonyPlan): string | undefined => {
  if (!/^[a-z0-9]{1,16}$/u.test(keyId)) return "The id of a master key has 1 to 16 lower-case letters and digits."
  if (!Number.isInteger(shares) || shares < 2 || shares > sharesMax) return `A key has 2 to ${sharesMax} shares.`
  if (!Number.isInteger(needed) || needed < 2 || needed > shares)
    return "At least 2 shares must be needed to restore the key, and no more than there are."
  return undefined
}

const shamir = <A>(call: () => Promise<A>): Effect.Effect<A, CeremonyRefused> =>
  Effect.tryPromise({ try: call, catch: () => new CeremonyRefused({ message: "The shares do not fit together." }) })

/** Splits a master key of 32 bytes into shares, of which `needed` restore it and fewer tell nothing of it (Shamir). */
export const splitMasterKey = Effect.fn("Vault.splitMasterKey")(function* (key: Uint8Array, plan: CeremonyPlan) {
  const mistake = key.length === keyBytes ? planMistake(plan) : `A master key has ${keyBytes} bytes.`
  if (mistake !== undefined) return yield* new CeremonyRefused({ message: mistake })
  // the library takes a Uint8Array alone, and no Buffer
  const parts = yield* shamir(() => split(Uint8Array.from(key), plan.shares, plan.needed))
  return parts.map((part, index): Share => {
    const share = {
      bursar: "share of a master key",
      version: 1,
      ceremony: plan.ceremony,
      key_id: plan.keyId,
      number: index + 1,
      shares: plan.shares,
      needed: plan.needed,
      fingerprint: fingerprintOf(key),
      data: Buffer.from(part).toString("hex")
    } as const
    part.fill(0)
    return { ...share, checksum: checksumOf(share) }
  })
})

/** The text of a share's file. */
export const writeShare = (share: Share): string => `${JSON.stringify(share, null, 2)}\n`

/** Reads a share. `name` is what its file is called, for the person who has to look at it. */
export const readShare = (name: string, text: string): Result.Result<Share, CeremonyRefused> => {
  const share = decode(text)
  if (share._tag === "None")
    return Result.fail(new CeremonyRefused({ message: `${name} is no share of a master key.` }))
  return checksumOf(share.value) === share.value.checksum
    ? Result.succeed(share.value)
    : Result.fail(new CeremonyRefused({ message: `${name} is damaged: its checksum does not fit what it says.` }))
}

/** What all shares of one ceremony say alike. */
const sameCeremony = (one: Share, other: Share): boolean =>
  one.ceremony === other.ceremony &&
  one.key_id === other.key_id &&
  one.shares === other.shares &&
  one.needed === other.needed &&
  one.fingerprint === other.fingerprint &&
  one.data.length === other.data.length

const restoreMistake = (shares: ReadonlyArray<Share>): string | undefined => {
  const [first] = shares
  if (first === undefined) return "There is no share."
  const strange = shares.find((share) => !sameCeremony(first, share))
  if (strange !== undefined) {
    return `Share ${strange.number} of ceremony ${strange.ceremony} and share ${first.number} of ceremony ${first.ceremony} are not of the same key.`
  }
  const twice = shares.find(({ number }, index) => shares.findIndex((share) => share.number === number) !== index)
  if (twice !== undefined) return `Share ${twice.number} is given twice.`
  if (shares.length < first.needed) return `${first.needed} shares restore the key, and ${shares.length} were given.`
  return undefined
}

/** The key that shares of one ceremony give; undefined where it is not the one whose fingerprint they tell. */
const combined = Effect.fnUntraced(function* (shares: ReadonlyArray<Share>) {
  const parts = shares.map(({ data }) => Uint8Array.from(Buffer.from(data, "hex")))
  const key = yield* shamir(() => combine(parts))
  for (const part of parts) part.fill(0)
  if (fingerprintOf(key) === shares[0]?.fingerprint) return key
  key.fill(0)
  return undefined
})

/** Every choice of `count` out of some shares. */
const quorums = (shares: ReadonlyArray<Share>, count: number): ReadonlyArray<ReadonlyArray<Share>> => {
  if (count === 0) return [[]]
  return shares.flatMap((share, index) => quorums(shares.slice(index + 1), count - 1).map((rest) => [share, ...rest]))
}

const isRight = (shares: ReadonlyArray<Share>) =>
  Effect.map(combined(shares), (key) => {
    key?.fill(0)
    return key !== undefined
  })

/** Which shares were forged, where the others are enough to tell; in words. */
const forgedAmong = Effect.fnUntraced(function* (shares: ReadonlyArray<Share>) {
  for (const quorum of quorums(shares, shares[0]?.needed ?? 1)) {
    if (!(yield* isRight(quorum))) continue
    const others = shares.filter((share) => !quorum.includes(share))
    const forged = yield* Effect.filter(others, (share) =>
      Effect.map(isRight([...quorum.slice(1), share]), (right) => !right)
    )
    return `Share ${forged.map(({ number }) => number).join(", ")} was forged, and the others restore the key.`
  }
  return "The shares give another key than they say: one of them was forged."
})

/** Puts a master key together from shares of its ceremony, and refuses unless it is the one whose fingerprint they tell. */
export const restoreMasterKey = Effect.fn("Vault.restoreMasterKey")(function* (
  shares: ReadonlyArray<Share>
): Effect.fn.Return<RestoredKey, CeremonyRefused> {
  const mistake = restoreMistake(shares)
  if (mistake !== undefined) return yield* new CeremonyRefused({ message: mistake })
  const key = yield* combined(shares)
  const [first] = shares
  if (first === undefined || key === undefined)
    return yield* new CeremonyRefused({ message: yield* forgedAmong(shares) })
  return { keyId: first.key_id, fingerprint: first.fingerprint, key }
})

/** Restores the key from every quorum of its shares and compares: how many quorums there were. */
export const proveRestore = Effect.fn("Vault.proveRestore")(function* (shares: ReadonlyArray<Share>) {
  const all = quorums(shares, shares[0]?.needed ?? 1)
  for (const quorum of all) {
    const { key } = yield* restoreMasterKey(quorum)
    wiping(key, () => undefined)
  }
  return all.length
})
