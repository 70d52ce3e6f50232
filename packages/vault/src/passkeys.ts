import { fromBase64Url } from "@bursar/core/base/base64Url"
import type { PasskeyVerifier } from "@bursar/core/grant/Approval"
import { noPasskeys } from "@bursar/core/grant/Approval"
import type { RelyingParty } from "@bursar/core/grant/GrantRoot"
import { verifyAuthenticationResponse } from "@simplewebauthn/server"
import { Effect } from "effect"

/**
 * Verifies passkeys' assertions (WebAuthn, section 7.2): type, challenge, origin, relying party, that the person was present and verified, and the
 * signature. Counters are not looked at: synced passkeys have none, and an assertion counts for one grant only.
 */
export const passkeyVerifier = (relyingParty: RelyingParty | undefined): PasskeyVerifier =>
  relyingParty === undefined
    ? noPasskeys
    : {
        verify: (passkey, approval, challenge) => {
          const publicKey = fromBase64Url(passkey.public_key)
          if (publicKey === undefined) return Effect.succeed(false)
          return Effect.tryPromise(() =>
            verifyAuthenticationResponse({
              response: {
                id: approval.key,
                rawId: approval.key,
                type: "public-key",
                clientExtensionResults: {},
                response: {
                  clientDataJSON: approval.client_data,
                  authenticatorData: approval.authenticator_data,
                  signature: approval.signature
                }
              },
              expectedChallenge: challenge,
              expectedOrigin: [...relyingParty.origins],
              expectedRPID: relyingParty.rp_id,
              credential: { id: passkey.credential_id, publicKey, counter: 0 },
              requireUserVerification: true
            })
          ).pipe(
            Effect.map(({ verified }) => verified),
            // what is no assertion at all is thrown
            Effect.orElseSucceed(() => false)
          )
        }
      }
