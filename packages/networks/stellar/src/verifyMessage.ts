import { hash, Keypair } from "@stellar/stellar-sdk/base"
import { Result } from "effect"
import { demux } from "./StellarAddress.ts"

const prefix = "Stellar Signed Message:\n"
const signatureForm = /^[A-Za-z0-9+/]{86}==$/u

/** Whether the key of an account, or of the account that a muxed one is a part of, has signed a text by SEP-53: 64 bytes in base64. */
export const verifyMessage = (address: string, message: string, signature: string): boolean =>
  signatureForm.test(signature) &&
  Result.getOrElse(
    Result.try(() =>
      Keypair.fromPublicKey(demux(address)?.account ?? address).verify(
        hash(Buffer.from(prefix + message, "utf8")),
        Buffer.from(signature, "base64")
      )
    ),
    () => false
  )
