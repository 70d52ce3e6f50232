import type { Effect } from "effect"

/** A request that a provider sends us, as it came: names of headers in lower case, the body byte for byte. */
export interface ProviderRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/**
 * Reads a provider's webhook. `Untrusted` where its signature is missing, wrong or too old: then nothing of it is looked
 * at. `Hint` names what to read again from the provider; what the webhook itself says is never taken for true.
 */
export type ReadHint = (request: ProviderRequest) => Effect.Effect<
  | { readonly _tag: "Untrusted"; readonly reason: string }
  /** `about` is the provider's own id of an applicant or an account; of a transfer our reference, or the provider's id where it carries none. */
  | { readonly _tag: "Hint"; readonly what: "applicant" | "account" | "transfer" | "other"; readonly about: string }
>
