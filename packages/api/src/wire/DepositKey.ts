import { Schema } from "effect"
import { Network } from "./Network.ts"
import { AddressText, CodeText, FreeText, maybe, NetworkText, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** The wrapped private key of an address, which makes the service its custodian. */
export const DepositKeyIn = Schema.Struct({
  network: NetworkText,
  address: AddressText,
  wrapped_b64: text(16_384).annotate({ description: "The wrapped private key, base64." }),
  algorithm: Schema.optionalKey(CodeText),
  source_system: maybe(FreeText),
  source_reference: maybe(FreeText)
}).annotate({
  identifier: "DepositKeyIn",
  examples: [
    {
      network: "ethereum",
      address: "0x52908400098527886E0F7030069857D2E4169EE7",
      wrapped_b64: "d3JhcHBlZCBrZXkgbWF0ZXJpYWw=",
      source_system: "former-wallet"
    }
  ]
})
/** The wrapped private key of an address. */
export type DepositKeyIn = typeof DepositKeyIn.Type

/** An imported key, without the key. */
export const DepositKey = Schema.Struct({
  network: Network,
  address: Schema.String,
  origin: Schema.String,
  address_matches: Schema.Boolean,
  sweeps_enabled: Schema.Boolean,
  checked_by: Schema.NullOr(Schema.String),
  wrapped_key_id: Schema.String,
  algorithm: Schema.String,
  source_system: Schema.NullOr(Schema.String),
  source_reference: Schema.NullOr(Schema.String),
  imported_at: Timestamp
}).annotate({ identifier: "DepositKey" })
/** An imported key, without the key. */
export type DepositKey = typeof DepositKey.Type
