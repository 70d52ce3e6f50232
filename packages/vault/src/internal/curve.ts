import type { Network } from "@bursar/core/money/Network"
import * as ed25519 from "./ed25519.ts"
import * as secp256k1 from "./secp256k1.ts"

/** What the keys of a network are on: ed25519 on stellar, secp256k1 everywhere else. */
export const curveOf = (network: Network) => (network === "stellar" ? ed25519 : secp256k1)
