import { Effect } from "effect"
import { recoverMessageAddress } from "viem"

const signatureForm = /^0x[0-9a-fA-F]{130}$/u

/**
 * Whether the key of an address has signed a text by EIP-191 (`personal_sign`): 65 bytes in hexadecimal. What a contract would
 * accept (EIP-1271) proves nothing here: it takes a node, and the contract may answer otherwise tomorrow.
 */
export const verifyMessage = (address: string, message: string, signature: string): Effect.Effect<boolean> =>
  signatureForm.test(signature)
    ? Effect.tryPromise(() => recoverMessageAddress({ message, signature: signature as `0x${string}` })).pipe(
        // its form has been checked
        Effect.map((signer) => signer.toLowerCase() === address.toLowerCase()),
        Effect.orElseSucceed(() => false)
      )
    : Effect.succeed(false)
