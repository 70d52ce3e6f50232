/** Signatures of custodies: read in their own forms, and checked before anybody uses them. */
export { fromDer, recoverable, verifiedEd25519 } from "./signatures.ts"
export { compressedPoint, fromSpki, onCurve } from "./publicKeys.ts"
