/** Chain adapter for stellar. */
export * from "./StellarAddress.ts"
