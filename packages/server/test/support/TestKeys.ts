import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { createHash } from "node:crypto"
import { keyed, keysAt } from "@bursar/testkit/fixtures/deposits"
import { Derivations } from "@bursar/core/port/Derivations"
import { MessageProofs } from "@bursar/core/port/MessageProofs"
import { addressOfPublicKey, deriveAddress, parseXpub } from "@bursar/evm/xpub"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { layer as layerVault } from "@bursar/vault/SealedVault"
import { Effect, Layer, Redacted, Result } from "effect"

/** The derivation of EVM networks, its addresses in lower case as the formats of these tests are. */
const layerDerivations = Layer.succeed(
  Derivations,
  Derivations.of({
    parse: (_network, text) => Result.map(parseXpub(text), () => ({ canonical: text })),
    derive: (_network, account, from, count) =>
      Effect.sync(() => {
        const xpub = Result.getOrThrow(parseXpub(account))
        return Array.from({ length: count }, (_, offset) => keyed(deriveAddress(xpub, from + offset).toLowerCase()))
      }),
    addressesOf: (_network, publicKey) => [addressOfPublicKey(publicKey).toLowerCase()],
    keysOf: (_network, address) => keysAt(address),
    keysOfPublicKey: (_network, publicKey) => keysAt(addressOfPublicKey(publicKey))
  })
)

/** What the key of an address signs in these tests: the standards are for the adapters to know. */
export const signatureOf = (network: string, address: string, message: string): string =>
  createHash("sha256").update(`${network}|${address}|${message}`).digest("hex")

/** How addresses follow from keys in these tests, and who signed a message. */
export const derivations = Layer.merge(
  layerDerivations,
  Layer.succeed(
    MessageProofs,
    MessageProofs.of({
      verify: (network, address, message, signature) =>
        Effect.succeed(signature === signatureOf(network, address, message))
    })
  )
)

/** A vault under a master key of these tests. It needs the store of keys. */
export const vault = layerVault(
  Result.getOrThrow(parseMasterKeys(Redacted.make(`test:${Buffer.alloc(32, 7).toString("base64")}`))),
  presetNetworks
)
