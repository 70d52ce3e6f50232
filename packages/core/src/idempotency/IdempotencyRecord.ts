import type { Json } from "../base/Json.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { defineRecord } from "../engine/Records.ts"

/** How a claimed request ended: with the body that was answered, or with the refusal that was. */
export type StoredOutcome =
  | { readonly _tag: "Done"; readonly body: Json }
  | {
      readonly _tag: "Refused"
      readonly code: string
      readonly message: string
      readonly detail: { readonly [key: string]: Json } | null
    }

/** What an idempotency key was used for. Kept for ever: a key is never good for a second effect. */
export interface IdempotencyRecord {
  readonly key: string
  /** The method and path template of the request, such as `POST /v1/withdrawals`. */
  readonly endpoint: string
  /** SHA-256 over method, path and canonical body, hex. */
  readonly fingerprint: string
  readonly outcome: StoredOutcome
  /** The record that the request made, if it made one that can be shown again. */
  readonly resourceId: string | null
  readonly recordedAt: Timestamp
}

/** Claims by their idempotency keys: a key is claimed once. */
export const IdempotencyRecord = defineRecord<IdempotencyRecord>({
  name: "IdempotencyRecord",
  key: ({ key }) => key,
  traits: { insertOnly: true }
})
