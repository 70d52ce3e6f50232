import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"
import { Uuid } from "./Uuid.ts"

/** How a private key may be wrapped. */
export const wrappingAlgorithms = ["RSA-OAEP-SHA256", "RSA-OAEP-SHA256+AES-KWP"] as const

/** What the tenant wraps private keys for. */
export const WrappingKey = Schema.Struct({
  id: Uuid,
  public_key: Schema.String.annotate({ description: "An RSA key of 3072 bits, SPKI in PEM." }),
  algorithms: Schema.Array(Schema.Literals(wrappingAlgorithms)).annotate({
    description:
      "RSA-OAEP-SHA256 (SHA-256 also for MGF1): the 32 bytes of the private key under the RSA key. RSA-OAEP-SHA256+AES-KWP: 32 random bytes under the RSA key, followed by the private key under them with AES key wrap with padding (RFC 5649)."
  }),
  created_at: Timestamp
}).annotate({ identifier: "WrappingKey" })
/** What the tenant wraps private keys for. */
export type WrappingKey = typeof WrappingKey.Type
