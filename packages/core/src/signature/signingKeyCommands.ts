import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal, type RefusalCode } from "../base/Refusal.ts"
import { activeSigningKeysMax, SigningKey, allSigningKeys, signingKeysOf } from "./SigningKey.ts"
import { readRecord, readGroup, putRecord } from "../engine/Records.ts"
import { ApiKey } from "../access/ApiKey.ts"

const refuse = (code: RefusalCode, message: string) => Result.fail(new Refusal({ code, message }))

/**
 * Lets an API key's requests be signed with a public key, which has been checked by whoever sends this. Repeating changes
 * nothing. Refuses an API key that the tenant does not have (`not_found`); a revoked API key, a binding that was revoked,
 * and a third active key for one API key (`state_conflict`).
 */
export const addSigningKey = (given: Pick<SigningKey, "apiKeyId" | "keyid" | "publicKey">): Command<SigningKey> => ({
  name: "AddSigningKey",
  reads: [readRecord(ApiKey, given.apiKeyId), readGroup(SigningKey, allSigningKeys)],
  decide: (view) => {
    const apiKey = view.get(ApiKey, given.apiKeyId)
    if (apiKey === undefined) return refuse("not_found", "No such API key.")
    if (apiKey.revokedAt !== null) return refuse("state_conflict", "The API key is revoked.")
    const bound = signingKeysOf(view).filter(({ apiKeyId }) => apiKeyId === given.apiKeyId)
    const same = bound.find(({ keyid }) => keyid === given.keyid)
    if (same?.revokedAt === null) return Result.succeed({ changes: [], reply: same })
    if (same !== undefined) {
      return refuse("state_conflict", "This signing key was revoked for this API key; make another pair.")
    }
    if (bound.filter(({ revokedAt }) => revokedAt === null).length >= activeSigningKeysMax) {
      return refuse(
        "state_conflict",
        `This API key has ${activeSigningKeysMax} active signing keys; revoke one of them first.`
      )
    }
    const signingKey: SigningKey = { ...given, tenantId: view.tenant.id, createdAt: view.now, revokedAt: null }
    return Result.succeed({ changes: [putRecord(SigningKey, signingKey)], reply: signingKey })
  }
})

/**
 * Revokes a signing key for good: for one API key, or for all of them where `apiKeyId` is null. Repeating changes nothing.
 * Replies with the bindings that were meant; refuses with `not_found` where there are none.
 */
export const revokeSigningKey = (keyid: string, apiKeyId: string | null): Command<ReadonlyArray<SigningKey>> => ({
  name: "RevokeSigningKey",
  reads: [readGroup(SigningKey, allSigningKeys)],
  decide: (view) => {
    const meant = signingKeysOf(view).filter(
      (key) => key.keyid === keyid && (apiKeyId === null || key.apiKeyId === apiKeyId)
    )
    if (meant.length === 0) return refuse("not_found", "No such signing key.")
    const revoked = meant.map((key) => (key.revokedAt === null ? { ...key, revokedAt: view.now } : key))
    return Result.succeed({
      changes: revoked.filter((key) => !meant.includes(key)).map((signingKey) => putRecord(SigningKey, signingKey)),
      reply: revoked
    })
  }
})
