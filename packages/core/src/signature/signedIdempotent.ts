import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { type IdempotentReply, type IdempotentCommand, idempotent } from "../idempotency/idempotent.ts"
import { nonceKeptMs, SignatureNonce } from "./SignatureNonce.ts"
import type { Change } from "../engine/Change.ts"
import { isPut, readRecord, putRecord } from "../engine/Records.ts"
import { Operation } from "../operation/Operation.ts"
import { type SignatureEvidence, storedEvidence } from "./SignatureEvidence.ts"

/** What of a verified signature decides whether its request is a new one. */
export interface RequestSignature extends Pick<SignatureNonce, "keyid" | "nonce" | "contentDigest"> {
  /** When the signature expires. */
  readonly expiresAt: Timestamp
  /** What is kept of the request with the operation that it makes. */
  readonly evidence: SignatureEvidence
}

const replayed = Result.fail(
  new Refusal({ code: "signature_replayed", message: "The nonce of this signature was used for another request." })
)

/** The changes of a command with the evidence of its request in the operation that it makes. */
const withEvidenceOf = (
  changes: ReadonlyArray<Change>,
  evidence: SignatureEvidence,
  operationId: string | null
): ReadonlyArray<Change> =>
  changes.map((change) =>
    isPut(Operation, change) && change.record.id === operationId
      ? putRecord(Operation, {
          ...change.record,
          details: { ...change.record.details, signature: storedEvidence(evidence) }
        })
      : change
  )

/**
 * Makes a signed command happen at most once per idempotency key and per nonce: effect, claim, answer and nonce are one
 * commit. The same nonce with the same key and the same body is a retry and gets the first answer; with anything else
 * it is refused (`signature_replayed`), and so is a signature so old that its nonce may be forgotten. The operation that it makes keeps
 * the signed request.
 */
export const signedIdempotent = <A>(
  signature: RequestSignature,
  request: IdempotentCommand<A>
): Command<IdempotentReply> => {
  const { command: unsigned, resourceId } = request
  const command = idempotent({
    ...request,
    command: {
      ...unsigned,
      decide: (view) =>
        Result.map(unsigned.decide(view), ({ changes, reply }) => ({
          changes: withEvidenceOf(changes, signature.evidence, resourceId?.(reply) ?? null),
          reply
        }))
    }
  })
  const { contentDigest, expiresAt, keyid, nonce } = signature
  const forgetAt = expiresAt + nonceKeptMs
  return {
    name: command.name,
    reads: [...command.reads, readRecord(SignatureNonce, { keyid, nonce })],
    decide: (view) => {
      const used = view.get(SignatureNonce, { keyid: keyid, nonce: nonce })
      if (used !== undefined) {
        const retried = used.idempotencyKey === request.key && used.contentDigest === contentDigest
        return retried ? command.decide(view) : replayed
      }
      if (view.now >= forgetAt) return replayed
      const usage = { keyid, nonce, contentDigest, idempotencyKey: request.key, usedAt: view.now, forgetAt }
      return Result.map(command.decide(view), ({ changes, reply }) => ({
        changes: [...changes, putRecord(SignatureNonce, usage)],
        reply
      }))
    }
  }
}
