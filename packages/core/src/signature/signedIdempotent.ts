import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { type IdempotentReply, type IdempotentCommand, idempotent } from "../idempotency/idempotent.ts"
import { nonceKeptMs, SignatureNonce } from "./SignatureNonce.ts"
import { readRecord, putRecord } from "../engine/Records.ts"

/** What of a verified signature decides whether its request is a new one. */
export interface RequestSignature extends Pick<SignatureNonce, "keyid" | "nonce" | "contentDigest"> {
  /** When the signature expires. */
  readonly expiresAt: Timestamp
}

const replayed = Result.fail(
  new Refusal({ code: "signature_replayed", message: "The nonce of this signature was used for another request." })
)

/**
 * Makes a signed command happen at most once per idempotency key and per nonce: effect, claim, answer and nonce are one
 * commit. The same nonce with the same key and the same body is a retry and gets the first answer; with anything else
 * it is refused (`signature_replayed`), and so is a signature so old that its nonce may be forgotten.
 */
export const signedIdempotent = <A>(
  signature: RequestSignature,
  request: IdempotentCommand<A>
): Command<IdempotentReply> => {
  const command = idempotent(request)
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
