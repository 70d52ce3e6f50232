import { DecryptCommand, EncryptCommand } from "@aws-sdk/client-kms"
import { CustodyRefused, type KeyWrapper } from "@bursar/core/port/KeyCustody"
import { Effect, type Scope } from "effect"
import { custodyError, makeAsk } from "./internal/ask.ts"
import { custodyName, type KmsOptions } from "./KmsOptions.ts"

/** The most that KMS encrypts in one call. */
const secretBytesMax = 4_096

/**
 * Wraps secrets under a symmetric key of KMS, which you make and name here: by its id or ARN, or by an alias. The purpose is part of
 * the encryption context, which KMS writes into its audit log and asks for again.
 */
export const makeKmsKeyWrapper = Effect.fn("KmsKeyWrapper.make")(function* (
  options: KmsOptions & { readonly wrappingKey: string }
): Effect.fn.Return<KeyWrapper, CustodyRefused, Scope.Scope> {
  const ask = yield* makeAsk(options)
  const KeyId = options.wrappingKey
  const context = (purpose: string) => ({ purpose })
  return {
    name: custodyName,
    wrap: (purpose, secret) =>
      secret.length > secretBytesMax
        ? new CustodyRefused({
            custody: custodyName,
            doing: "wrap a secret",
            reason: `it has more than ${secretBytesMax} bytes`
          })
        : ask((client, aborting) =>
            client.send(new EncryptCommand({ KeyId, Plaintext: secret, EncryptionContext: context(purpose) }), aborting)
          ).pipe(
            Effect.mapBoth({
              onFailure: (failure) => custodyError({ doing: "wrap a secret" }, failure),
              onSuccess: ({ CiphertextBlob = new Uint8Array() }) => Uint8Array.from(CiphertextBlob)
            })
          ),
    unwrap: (purpose, wrapped) =>
      ask((client, aborting) =>
        // the key is named, so that what somebody wrapped under a key of their own is refused
        client.send(
          new DecryptCommand({ KeyId, CiphertextBlob: wrapped, EncryptionContext: context(purpose) }),
          aborting
        )
      ).pipe(
        Effect.mapBoth({
          onFailure: (failure) => custodyError({ doing: "unwrap a secret" }, failure),
          onSuccess: ({ Plaintext = new Uint8Array() }) => Uint8Array.from(Plaintext)
        })
      )
  }
})
