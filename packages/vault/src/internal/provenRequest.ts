import { clockSkewSecondsMax } from "@bursar/api/signature/SignatureProfile"
import { type ProvenRequest, readSignatureBase, verifyEvidence } from "@bursar/api/signature/verifyEvidence"
import type { SigningRequest } from "@bursar/core/port/TransactionSigner"
import type { SigningKey } from "@bursar/core/signature/SigningKey"
import { Effect, Result } from "effect"
import { nodeProof } from "./nodeProof.ts"

/** What a signed request is verified by. */
export interface Proving {
  /** Those of the tenant, revoked or not. */
  readonly signingKeys: ReadonlyArray<SigningKey>
  /** Whether a request that was signed for this authority was signed for this service. */
  readonly isOurs: (authority: string) => boolean
}

/**
 * The binding of a key that a request of a moment was signed under. One that came later never counts: a key that was revoked and is bound
 * again, to another API key, would bring back what was signed before.
 */
const bindingOf = (
  signingKeys: ReadonlyArray<SigningKey>,
  { approvedAt = 0, keyid }: SigningRequest,
  created: number
) => {
  const bound = signingKeys.filter(
    (key) => key.keyid === keyid && key.createdAt <= (created + clockSkewSecondsMax) * 1_000
  )
  return (
    bound.find(({ revokedAt }) => revokedAt === null) ??
    bound.find(({ revokedAt }) => revokedAt !== null && approvedAt > revokedAt)
  )
}

/**
 * A request that a registered key of the tenant has signed for a path of this service; else says in words why it counts for nothing. A key that
 * was revoked since authorises nothing any more, but what it had signed before and an operator has approved since: that operator answers for the
 * key, and never for the signature. A request to another service, such as one of a sandbox, counts for nothing here.
 */
export const provenRequest = Effect.fnUntraced(function* (
  evidence: SigningRequest,
  { isOurs, signingKeys }: Proving,
  path: string
): Effect.fn.Return<Result.Result<ProvenRequest, string>> {
  const claimed = readSignatureBase(evidence.signatureBase)
  if (claimed === undefined) return Result.fail("the request's signature does not verify")
  const key = bindingOf(signingKeys, evidence, claimed.created)
  if (key === undefined) return Result.fail(`the tenant has no active signing key ${evidence.keyid}`)
  const proven = yield* Effect.orElseSucceed(verifyEvidence(evidence, { x: key.publicKey }, nodeProof), () => undefined)
  if (proven === undefined) return Result.fail("the request's signature does not verify")
  const { components, created } = proven
  if (key.revokedAt !== null && (created - clockSkewSecondsMax) * 1_000 > key.revokedAt)
    return Result.fail("the request was signed after its key had been revoked")
  if (!isOurs(components["@authority"]))
    return Result.fail(`the request was signed for ${components["@authority"]}, which is another service`)
  return components["@method"] === "POST" && components["@path"] === path
    ? Result.succeed(proven)
    : Result.fail(`the signed request is ${components["@method"]} ${components["@path"]}`)
})
