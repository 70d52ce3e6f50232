import { Derivations } from "@bursar/core/port/Derivations"
import { addressOfPublicKey, deriveAddress, parseXpub } from "@bursar/evm/xpub"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { layer as layerVault } from "@bursar/vault/SealedVault"
import { Effect, Layer, Redacted, Result } from "effect"

/** The derivation of EVM networks, its addresses in lower case as the formats of these tests are. */
export const derivations = Layer.succeed(
  Derivations,
  Derivations.of({
    parse: (_network, text) => Result.map(parseXpub(text), () => ({ canonical: text })),
    derive: (_network, account, from, count) =>
      Effect.sync(() => {
        const xpub = Result.getOrThrow(parseXpub(account))
        return Array.from({ length: count }, (_, offset) => deriveAddress(xpub, from + offset).toLowerCase())
      }),
    addressesOf: (_network, publicKey) => [addressOfPublicKey(publicKey).toLowerCase()]
  })
)

/** A vault under a master key of these tests. It needs the store of keys. */
export const vault = layerVault(
  Result.getOrThrow(parseMasterKeys(Redacted.make(`test:${Buffer.alloc(32, 7).toString("base64")}`)))
)
