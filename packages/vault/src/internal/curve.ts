import type { Network } from "@bursar/core/money/Network"
import * as ed25519 from "./ed25519.ts"
import * as secp256k1 from "./secp256k1.ts"

const onEd25519 = { withKeyAt: ed25519.withKeyAt, publicKeyOf: ed25519.publicKeyOf, sign: ed25519.sign }
const onSecp256k1 = { withKeyAt: secp256k1.withKeyAt, publicKeyOf: secp256k1.publicKeyOf, sign: secp256k1.sign }

/** What the keys of a network are on: ed25519 on stellar, secp256k1 everywhere else. */
export const curveOf = (network: Network) => (network === "stellar" ? onEd25519 : onSecp256k1)
