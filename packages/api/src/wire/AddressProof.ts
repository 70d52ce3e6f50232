import { Schema } from "effect"
import { Network } from "./Network.ts"
import { AddressText, NetworkText, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** The standards by which a message is signed. */
export const messageFormats = ["EIP-191", "TIP-191", "BIP-322", "SEP-53"] as const

const MessageFormat = Schema.Literals(messageFormats).annotate({
  description:
    "EIP-191 on EVM networks and TIP-191 on tron, 65 bytes in hexadecimal after 0x; BIP-322 in its simple form on bitcoin for P2WPKH and P2TR, else the older form with a recoverable signature, in base64; SEP-53 on stellar, 64 bytes in base64."
})

const subject = {
  network: NetworkText,
  address: Schema.optionalKey(Schema.NullOr(AddressText)).annotate({
    description: "An address that the tenant has registered; not with `xpub_id`."
  }),
  xpub_id: Schema.optionalKey(Schema.NullOr(Uuid)).annotate({
    description: "An extended public key of the tenant, proven by its address at 0/0; not with `address`."
  })
}

/** What is to be proven. */
export const AddressChallengeIn = Schema.Struct(subject).annotate({
  identifier: "AddressChallengeIn",
  examples: [{ network: "ethereum", address: "0x52908400098527886E0F7030069857D2E4169EE7" }]
})
/** What is to be proven. */
export type AddressChallengeIn = typeof AddressChallengeIn.Type

/** The text to sign with the key of an address. */
export const AddressChallenge = Schema.Struct({
  network: Network,
  address: Schema.String.annotate({ description: "The address whose key signs." }),
  xpub_id: Schema.NullOr(Uuid),
  message: Schema.String.annotate({ description: "Sign exactly this text, including its line breaks." }),
  format: MessageFormat,
  issued_at: Timestamp.annotate({ description: "Send it back with the signature." }),
  expires_at: Timestamp
}).annotate({ identifier: "AddressChallenge" })
/** The text to sign with the key of an address. */
export type AddressChallenge = typeof AddressChallenge.Type

/** A challenge that was signed. */
export const AddressProofIn = Schema.Struct({
  ...subject,
  issued_at: Timestamp.annotate({ description: "That of the challenge." }),
  signature: text(1_024)
}).annotate({
  identifier: "AddressProofIn",
  examples: [
    {
      network: "ethereum",
      address: "0x52908400098527886E0F7030069857D2E4169EE7",
      issued_at: "2026-01-01T00:00:00.000Z",
      signature: `0x${"5a".repeat(65)}`
    }
  ]
})
/** A challenge that was signed. */
export type AddressProofIn = typeof AddressProofIn.Type

/** What was proven, and what it brought. */
export const AddressProof = Schema.Struct({
  network: Network,
  address: Schema.String,
  xpub_id: Schema.NullOr(Uuid),
  proven_at: Timestamp.annotate({ description: "When it was first proven." }),
  deposits_credited: Schema.Int.annotate({
    description: "The number of confirmed deposits that waited for this proof and that this request credited."
  })
}).annotate({ identifier: "AddressProof" })
/** What was proven, and what it brought. */
export type AddressProof = typeof AddressProof.Type
