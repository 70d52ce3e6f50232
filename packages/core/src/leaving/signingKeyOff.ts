import { idOfShown } from "../access/KeyFormat.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Read } from "../engine/Read.ts"
import { readGroup } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { allGranted, type TenantState } from "../grant/GrantState.ts"
import type { Operation } from "../operation/Operation.ts"
import { approvedAfter } from "../operation/Review.ts"
import { evidenceOf } from "../signature/SignatureEvidence.ts"
import { allSigningKeys, SigningKey, type SigningKeyBinding, signingKeysOf } from "../signature/SigningKey.ts"
import type { LeavingRule } from "./rules.ts"

/** What `signingKeyOff` reads. */
export const signingKeyReads: ReadonlyArray<Read> = [readGroup(SigningKey, allSigningKeys)]

/** Who asked for something that was signed: the key that signed, and the API key that it must be bound to, if that is known. */
export interface SignedBy {
  readonly keyid: string
  readonly apiKeyId: string | undefined
}

/** By whom an operation was signed; undefined where nobody has. `madeBy` is what may be shown of the API key. */
export const signedBy = (operation: Operation, madeBy = operation.details.made_by): SignedBy | undefined => {
  const keyid = evidenceOf(operation)?.keyid
  return keyid === undefined ? undefined : { keyid, apiKeyId: madeBy === undefined ? undefined : idOfShown(madeBy) }
}

/** The bindings that count for a signature: that to the API key of the request, else any. */
const counting = <B extends SigningKeyBinding>({ apiKeyId, keyid }: SignedBy, all: ReadonlyArray<B>) => {
  const bound = all.filter((one) => one.keyid === keyid)
  const own = bound.filter((one) => one.apiKeyId === apiKeyId)
  return own.length > 0 ? own : bound
}

/** When the key that signed was revoked, by the rows; undefined where it was not, or no row knows it. */
export const revokedInRows = (view: View, by: SignedBy): Timestamp | undefined => {
  const revoked = counting(by, signingKeysOf(view)).map(({ revokedAt }) => revokedAt)
  return revoked.some((at) => at === null) ? undefined : revoked.flatMap((at) => at ?? []).toSorted((a, b) => a - b)[0]
}

/** The grant of the chain that revoked the key that signed, by its number; undefined where none did. */
export const revokedInChain = (tenant: TenantState, by: SignedBy): number | undefined => {
  const all = allGranted(tenant, "signing_key").map(({ number, values }) => ({
    apiKeyId: values.api_key_id,
    keyid: values.keyid,
    revoked: values.state === "REVOKED" ? number : undefined
  }))
  const found = counting(by, all).map(({ revoked }) => revoked)
  return found.some((number) => number === undefined)
    ? undefined
    : found.flatMap((number) => number ?? []).toSorted((a, b) => b - a)[0]
}

/** That the key of a request was revoked, in words. */
export const keyWasRevoked = ({ keyid }: SignedBy): string => `The signing key ${keyid} of the request was revoked.`

/**
 * The key that signed the request counts still, or an operator who approved it since answers for it. That there is none at all is for whoever
 * verifies the signature.
 */
export const signingKeyOff =
  (madeBy: (view: View, operation: Operation) => string | undefined): LeavingRule =>
  (view, operation) => {
    const by = signedBy(operation, madeBy(view, operation))
    const revokedAt = by && revokedInRows(view, by)
    return by === undefined || revokedAt === undefined || approvedAfter(operation, revokedAt)
      ? undefined
      : keyWasRevoked(by)
  }
