import type { NetworkTraits } from "@bursar/core/money/Network"
import type { VaultSignature } from "@bursar/core/port/Vault"
import * as ed25519 from "./ed25519.ts"
import * as secp256k1 from "./secp256k1.ts"

/** What can be done with the private keys of a curve. */
interface Curve {
  readonly withKeyAt: typeof secp256k1.withKeyAt
  readonly publicKeyOf: (privateKey: Uint8Array) => Uint8Array | undefined
  readonly sign: (privateKey: Uint8Array, digest: Uint8Array) => VaultSignature
}

const onEd25519: Curve = { withKeyAt: ed25519.withKeyAt, publicKeyOf: ed25519.publicKeyOf, sign: ed25519.sign }
const onSecp256k1: Curve = { withKeyAt: secp256k1.withKeyAt, publicKeyOf: secp256k1.publicKeyOf, sign: secp256k1.sign }

/** What can be done with private keys, by curve. */
export const byCurve = { ed25519: onEd25519, secp256k1: onSecp256k1 }

/** What the keys of a network are on. */
export const curveOf = ({ keyPaths }: Pick<NetworkTraits, "keyPaths">) => byCurve[keyPaths.curve]
