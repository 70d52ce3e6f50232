import { Schema } from "effect"
import { fromBase64Url } from "../base/base64Url.ts"
import { fromHex } from "../base/hex.ts"
import { isOfSmallOrder } from "../base/smallOrder.ts"
import { base64Url, Digits, Name, readableSome } from "./fields.ts"

/** The most people who may approve, and the most keys that one of them may have. */
export const approversMax = 32

/** The most keys that one person may have. */
export const approverKeysMax = 8

/** An Ed25519 key in a file of the person's own: the 32 bytes of its public side. */
export const FileKey = Schema.Struct({ type: Schema.Literal("ed25519"), public_key: base64Url(43, 43) })

/** An Ed25519 key in a file of the person's own. */
export type FileKey = typeof FileKey.Type

/** A passkey (WebAuthn, ES256): its credential and its public key as COSE (RFC 9052) in the one form that authenticators write. */
export const Passkey = Schema.Struct({
  type: Schema.Literal("passkey"),
  credential_id: base64Url(16, 1366),
  public_key: base64Url(90, 200)
})

/** A passkey (WebAuthn, ES256). */
export type Passkey = typeof Passkey.Type

/** A key that a person approves with. */
export const ApproverKey = Schema.Union([FileKey, Passkey])

/** A key that a person approves with. */
export type ApproverKey = typeof ApproverKey.Type

/** A person whose word counts, whatever keys it is given with. */
export const Approver = Schema.Struct({
  id: Name,
  name: readableSome(100),
  keys: Schema.Array(ApproverKey).check(Schema.isMinLength(1), Schema.isMaxLength(approverKeysMax))
})

/** A person whose word counts, whatever keys it is given with. */
export type Approver = typeof Approver.Type

/** Who approves, and how many of them what takes: `quorums` by kind of grant, and `quorum` for every other kind. */
export const ApproverSet = Schema.Struct({
  approvers: Schema.Array(Approver).check(Schema.isMinLength(1), Schema.isMaxLength(approversMax)),
  quorum: Digits,
  quorums: Schema.Record(Name, Digits)
})

/** Who approves, and how many of them what takes. */
export type ApproverSet = typeof ApproverSet.Type

/** What a key is called by in approvals: the public key of a file, the credential of a passkey. */
export const keyName = (key: ApproverKey): string => (key.type === "ed25519" ? key.public_key : key.credential_id)

/**
 * How many people a kind of grant takes that raises a risk. Another set of approvers takes as many as any kind does: with fewer, they could first
 * change what the others take. So does an adoption, which confirms grants of every kind.
 */
export const quorumOf = ({ quorum, quorums }: ApproverSet, kind: string): number =>
  kind === "approvers" || kind === "adoption"
    ? Math.max(...[quorum, ...Object.values(quorums)].map(Number))
    : Number(quorums[kind] ?? quorum)

/** Whether less counts by a set than by the one before: a key or a person is gone, or a quorum is higher. */
export const isStricter = (before: ApproverSet, after: ApproverSet): boolean => {
  const keysOf = ({ approvers }: ApproverSet) =>
    approvers.flatMap(({ id, keys }) => keys.map((key) => `${id}|${keyName(key)}|${key.public_key}`))
  const keys = new Set(keysOf(after))
  const kinds = new Set(["", ...Object.keys(before.quorums), ...Object.keys(after.quorums)]) // "" stands for all others
  return (
    keysOf(before).some((key) => !keys.has(key)) ||
    [...kinds].some((kind) => quorumOf(after, kind) > quorumOf(before, kind))
  )
}

/** What stands around the two coordinates of an ES256 key as CTAP2 writes it: kty 2, alg -7, crv 1, in this order and nothing else. */
const [beforeX, beforeY] = [fromHex("a5010203262001215820"), fromHex("225820")]

/** Whether the key of a passkey is written in its one form: in another, the same key would pass for a second one. */
const isWellWritten = ({ public_key: publicKey }: Passkey): boolean => {
  const bytes = fromBase64Url(publicKey)
  return (
    bytes?.length === beforeX.length + 32 + beforeY.length + 32 &&
    beforeX.every((byte, at) => bytes[at] === byte) &&
    beforeY.every((byte, at) => bytes[beforeX.length + 32 + at] === byte)
  )
}

/** Whether the key of a file is one that a person can have: 32 bytes in their one form, by which nobody else's signatures verify. */
const isSomebodys = ({ public_key: publicKey }: FileKey): boolean => {
  const bytes = fromBase64Url(publicKey)
  return bytes?.length === 32 && !isOfSmallOrder(bytes)
}

const repeated = (all: ReadonlyArray<string>): string | undefined => all.find((one, at) => all.indexOf(one) !== at)

/** What is wrong with a set that reads well: somebody twice, a key twice, not in its one form or nobody's, or a quorum that nobody can reach. Undefined where nothing is. */
export const approverSetProblem = (set: ApproverSet): string | undefined => {
  const person = repeated(set.approvers.map(({ id }) => id))
  if (person !== undefined) return `${person} is named twice`
  const keys = set.approvers.flatMap(({ keys: own }) => own)
  const key = repeated(keys.map(keyName)) ?? repeated(keys.map(({ public_key: publicKey }) => publicKey))
  if (key !== undefined) return `the key ${key} stands there twice`
  const odd = keys.find((one) => one.type === "passkey" && !isWellWritten(one))
  if (odd !== undefined) return `the key ${keyName(odd)} is not written as authenticators write an ES256 key`
  const nobodys = keys.find((one) => one.type === "ed25519" && !isSomebodys(one))
  if (nobodys !== undefined) return `the key ${keyName(nobodys)} is no Ed25519 key of anybody's`
  const quorums = [set.quorum, ...Object.values(set.quorums)].map(Number)
  if (quorums.some((quorum) => quorum < 1)) return "a quorum is at least 1"
  if (quorums.some((quorum) => quorum > set.approvers.length))
    return `a quorum is above the number of people, ${set.approvers.length}`
  return undefined
}
