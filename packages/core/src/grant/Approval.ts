import { Effect, Schema } from "effect"
import { fromBase64Url, toBase64Url } from "../base/base64Url.ts"
import { fromHex } from "../base/hex.ts"
import type { ApproverKey, FileKey, Passkey } from "./ApproverSet.ts"
import { base64Url } from "./fields.ts"
import { approvalText } from "./grantHash.ts"

/** An approval by an Ed25519 key: its signature over `approvalText`. */
export const FileApproval = Schema.Struct({
  type: Schema.Literal("ed25519"),
  /** The public key. */
  key: base64Url(43, 43),
  signature: base64Url(86, 86)
})

/** An approval by a passkey: a WebAuthn assertion whose challenge is the hash of the grant. */
export const PasskeyApproval = Schema.Struct({
  type: Schema.Literal("passkey"),
  /** The credential. */
  key: base64Url(16, 1366),
  authenticator_data: base64Url(1, 1024),
  client_data: base64Url(1, 2048),
  signature: base64Url(1, 200)
})

/** An approval by a passkey. */
export type PasskeyApproval = typeof PasskeyApproval.Type

/** A person's word for a grant. Whose it is follows from the key. */
export const Approval = Schema.Union([FileApproval, PasskeyApproval])

/** A person's word for a grant. */
export type Approval = typeof Approval.Type

/**
 * Verifies assertions of passkeys, for one relying party and its origins. True only for a valid assertion of that very credential over that
 * challenge (base64url) with the person verified.
 */
export interface PasskeyVerifier {
  readonly verify: (passkey: Passkey, approval: PasskeyApproval, challenge: string) => Effect.Effect<boolean>
}

/** Takes no passkey: for processes that are given no relying party. */
export const noPasskeys: PasskeyVerifier = { verify: () => Effect.succeed(false) }

const verifyFile = (key: FileKey, signature: string, hash: string): Effect.Effect<boolean> => {
  const [publicKey, bytes] = [fromBase64Url(key.public_key), fromBase64Url(signature)]
  if (publicKey?.length !== 32 || bytes?.length !== 64) return Effect.succeed(false)
  return Effect.tryPromise(async () =>
    crypto.subtle.verify(
      "Ed25519",
      await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]),
      bytes,
      new TextEncoder().encode(approvalText(hash))
    )
  ).pipe(Effect.orElseSucceed(() => false)) // 32 bytes that are no point of the curve verify nothing
}

/** The challenge of a passkey for a grant of a hash, base64url. */
export const passkeyChallenge = (hash: string): string => toBase64Url(fromHex(hash))

/** Whether an approval is that key's word for the grant of a hash. */
export const verifyApproval = (
  passkeys: PasskeyVerifier,
  key: ApproverKey,
  { approval, hash }: { readonly approval: Approval; readonly hash: string }
): Effect.Effect<boolean> => {
  if (key.type === "ed25519")
    return approval.type === "ed25519" && approval.key === key.public_key
      ? verifyFile(key, approval.signature, hash)
      : Effect.succeed(false)
  return approval.type === "passkey" && approval.key === key.credential_id
    ? passkeys.verify(key, approval, passkeyChallenge(hash))
    : Effect.succeed(false)
}
