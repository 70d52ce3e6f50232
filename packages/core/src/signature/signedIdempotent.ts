import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { type IdempotentReply, type IdempotentCommand, idempotent } from "../idempotency/idempotent.ts"
import type { View } from "../engine/View.ts"
import { nonceKeptMs, SignatureNonce } from "./SignatureNonce.ts"
import type { Change } from "../engine/Change.ts"
import { isPut, readRecord, putRecord } from "../engine/Records.ts"
import { Operation } from "../operation/Operation.ts"
import { type SignatureEvidence, storedEvidence } from "./SignatureEvidence.ts"
import { SignedRegistration } from "./SignedRegistration.ts"

/** What of a verified signature decides whether its request is a new one. */
export interface RequestSignature extends Pick<SignatureNonce, "keyid" | "nonce" | "contentDigest"> {
  /** When the signature expires. */
  readonly expiresAt: Timestamp
  /** The id of what the request makes: it follows from the request, so that no other id can be its. Any id where absent. */
  readonly makes?: string
  /** What is kept of the request with the operation that it makes. */
  readonly evidence: SignatureEvidence
}

const replayed = Result.fail(
  new Refusal({ code: "signature_replayed", message: "The nonce of this signature was used for another request." })
)

const forgotten = Result.fail(
  new Refusal({
    code: "signature_replayed",
    message:
      "By the tenant's time, which may be ahead of the clock, the signature expired so long ago that its nonce may have been used and forgotten."
  })
)

const spent = Result.fail(
  new Refusal({
    code: "idempotency_key_reused",
    message: "A signed request with this idempotency key has made something already; use a fresh key."
  })
)

/** The view with the id that the first new record takes. */
const namingFirst = (view: View, id: string): View => {
  let named = false
  return {
    ...view,
    newId: () => {
      if (named) return view.newId()
      named = true
      return id
    }
  }
}

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

/** The changes of a command that registers something, with what they name by the request that is kept. */
export type NameRegistration = (
  changes: ReadonlyArray<Change>,
  kept: Pick<SignedRegistration, "id" | "keyid">
) => ReadonlyArray<Change>

/** The changes of a command that registers something, with the request itself. */
const withRegistration = (
  changes: ReadonlyArray<Change>,
  view: View,
  { evidence: { body, keyid, signature, signatureBase }, makes: id = view.newId() }: RequestSignature,
  name: NameRegistration
): ReadonlyArray<Change> => {
  const kept = { id, keyid, signatureBase, signature, body, recordedAt: view.now }
  return [putRecord(SignedRegistration, kept), ...name(changes, kept)]
}

/** A command that happens at most once because its request is signed. */
export interface SignedCommand<A> extends IdempotentCommand<A> {
  /** The request is kept as that by which something was registered. */
  readonly registers?: NameRegistration
}

/**
 * Makes a signed command happen at most once per idempotency key and per nonce: effect, claim, answer and nonce are one
 * commit. The same nonce with the same key and the same body is a retry and gets the first answer; with anything else
 * it is refused (`signature_replayed`), and so is a signature so old that its nonce may be forgotten. The operation that it makes keeps
 * the signed request; so does what it registers.
 */
export const signedIdempotent = <A>(
  signature: RequestSignature,
  request: SignedCommand<A>
): Command<IdempotentReply> => {
  const { command: unsigned, resourceId } = request
  const made = resourceId === undefined ? undefined : signature.makes
  const command = idempotent({
    ...request,
    command: {
      ...unsigned,
      reads: [...unsigned.reads, ...(made === undefined ? [] : [readRecord(Operation, made)])],
      decide: (view) => {
        if (made !== undefined && view.get(Operation, made) !== undefined) return spent
        const naming = made === undefined ? view : namingFirst(view, made)
        return Result.map(unsigned.decide(naming), ({ changes, reply }) => {
          const id = resourceId?.(reply) ?? null
          const isOperation = changes.some((change) => isPut(Operation, change) && change.record.id === id)
          if (made !== undefined && isOperation && id !== made)
            throw new Error(`${unsigned.name} took the id of its operation too late`)
          return {
            changes:
              request.registers === undefined
                ? withEvidenceOf(changes, signature.evidence, id)
                : withRegistration(changes, view, signature, request.registers),
            reply
          }
        })
      }
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
      if (view.now >= forgetAt) return forgotten
      const usage = { keyid, nonce, contentDigest, idempotencyKey: request.key, usedAt: view.now, forgetAt }
      return Result.map(command.decide(view), ({ changes, reply }) => ({
        changes: [...changes, putRecord(SignatureNonce, usage)],
        reply
      }))
    }
  }
}
