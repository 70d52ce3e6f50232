import type { JsonObject } from "./json.ts"

/** The kinds of effect that the local network knows, with their numbers. */
export const effectTypes = {
  account_created: 0,
  account_removed: 1,
  account_credited: 2,
  account_debited: 3,
  account_thresholds_updated: 4,
  account_home_domain_updated: 5,
  account_flags_updated: 6,
  signer_created: 10,
  signer_removed: 11,
  signer_updated: 12,
  trustline_created: 20,
  trustline_removed: 21,
  trustline_updated: 22,
  trustline_flags_updated: 26,
  data_created: 40,
  data_removed: 41,
  data_updated: 42,
  sequence_bumped: 43
} as const

/** What an operation did to one account. */
export interface AccountEffect {
  /** As the operation named it, muxed or not. */
  readonly account: string
  readonly type: keyof typeof effectTypes
  readonly details: JsonObject
}
