import { createHash } from "node:crypto"
import type { SendOrder } from "@bursar/core/port/ChainSender"
import { Schema } from "effect"
import type { AccountTransaction } from "./AccountChain.ts"

const PaidBytes = Schema.Struct({
  to: Schema.String,
  contract: Schema.NullOr(Schema.String),
  units: Schema.BigIntFromString
})

/** An unsigned transaction of the simulated network, as its bytes say. */
const UnsignedBytes = Schema.Struct({
  from: Schema.String,
  /** Where transactions of an account are counted. */
  sequence: Schema.optionalKey(Schema.BigIntFromString),
  /** Where they expire: the moment, and what tells two of the same payments apart. */
  validUntil: Schema.optionalKey(Schema.Int),
  salt: Schema.optionalKey(Schema.Int),
  payments: Schema.Array(PaidBytes),
  bid: Schema.BigIntFromString
})

const SignedBytes = Schema.Struct({ unsigned: Schema.String, publicKey: Schema.String, signature: Schema.String })

const unsignedJson = Schema.fromJsonString(UnsignedBytes)
const signedJson = Schema.fromJsonString(SignedBytes)

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const bytes = (written: string): Uint8Array => new TextEncoder().encode(written)

/** What an unsigned transaction says. Throws where these are no bytes of one. */
export const readUnsigned = (raw: Uint8Array) => Schema.decodeUnknownSync(unsignedJson)(text(raw))

/** What a signed transaction says. Throws where these are no bytes of one. */
export const readSigned = (raw: Uint8Array) => {
  const signed = Schema.decodeUnknownSync(signedJson)(text(raw))
  return { ...signed, transaction: readUnsigned(bytes(signed.unsigned)) }
}

/** The bytes that say something. */
export const writeUnsignedOf = (unsigned: typeof UnsignedBytes.Type): Uint8Array =>
  bytes(Schema.encodeSync(unsignedJson)(unsigned))

/** The bytes of an order that uses up a sequence number, or expires. */
export const writeUnsigned = ({ from, guard, salt, validUntil, ...order }: SendOrder, bid: bigint): Uint8Array => {
  if (guard._tag === "Utxos") throw new Error("the simulated network has accounts")
  const once = guard._tag === "Sequence" ? { sequence: guard.sequence } : { validUntil, salt }
  const payments = order.payments.map(({ contract, to, units }) => ({ to, contract, units }))
  return writeUnsignedOf({ from, ...once, payments, bid })
}

/** A transaction as its account gives it to the network, under its hash. */
export const givenAs = (
  { bid, from, payments, sequence, validUntil }: typeof UnsignedBytes.Type,
  hash: string
): AccountTransaction => ({
  hash,
  from,
  outside: false,
  sequence: sequence ?? null,
  validUntil: validUntil ?? null,
  payments,
  bid
})

/** Joins a signature to the bytes that it signs. */
export const writeSigned = (unsigned: Uint8Array, publicKey: Uint8Array, signature: Uint8Array): Uint8Array =>
  bytes(
    Schema.encodeSync(signedJson)({
      unsigned: text(unsigned),
      publicKey: Buffer.from(publicKey).toString("hex"),
      signature: Buffer.from(signature).toString("hex")
    })
  )

/** SHA-256. */
export const digestOf = (raw: Uint8Array): Uint8Array => Uint8Array.from(createHash("sha256").update(raw).digest())

/** The name of a signed transaction. */
export const hashOf = (raw: Uint8Array): string => `0x${createHash("sha256").update(raw).digest("hex")}`
