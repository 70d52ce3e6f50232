import { Context, type Effect, type Result } from "effect"
import type { Network } from "../money/Network.ts"
import type { SignatureEvidence } from "../signature/SignatureEvidence.ts"
import type { SigningKey } from "../signature/SigningKey.ts"

/** What a partner has registered by a signed request, in the words of that request. */
export type Registered =
  | { readonly _tag: "Xpub"; readonly network: Network; readonly xpub: string }
  | {
      readonly _tag: "Addresses"
      readonly addresses: ReadonlyArray<{ readonly network: Network; readonly address: string }>
    }

/** A kept request, with the keys that count. */
export interface KeptRequest {
  readonly evidence: SignatureEvidence
  /** One that is revoked counts for what was signed before. */
  readonly signingKeys: ReadonlyArray<SigningKey>
}

/** Verifies once more the signed requests by which partners have registered something, before it is shown. */
export class SignedRegistrations extends Context.Service<
  SignedRegistrations,
  {
    /** What a request registers, or in words why it counts for nothing. */
    readonly read: (request: KeptRequest) => Effect.Effect<Result.Result<Registered, string>>
  }
>()("@bursar/core/port/SignedRegistrations") {}
