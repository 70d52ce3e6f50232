/** Keys in a hardware security module, over PKCS #11. */
export { type Pkcs11Options } from "./Pkcs11Options.ts"
export { makePkcs11Custody } from "./Pkcs11Custody.ts"
export { makePkcs11KeyWrapper } from "./Pkcs11KeyWrapper.ts"
