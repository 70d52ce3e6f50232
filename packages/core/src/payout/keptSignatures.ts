import type { EarlierSignature } from "../port/TransactionSigner.ts"

/** What the signer has signed that concerns an outbound transaction, and that is not stored. */
export interface KeptSignatures {
  /** For its own payments, under its guard, oldest first. */
  readonly own: ReadonlyArray<EarlierSignature>
  /** For something else alone, under its guard. */
  readonly inPlace: EarlierSignature | undefined
  /** For one of its payments, beside others or under another guard, oldest first. */
  readonly elsewhere: ReadonlyArray<EarlierSignature>
}

/** Sorts what is not stored by what it is for. */
export const keptSignatures = (unstored: ReadonlyArray<EarlierSignature>): KeptSignatures => ({
  own: unstored.filter(({ shares }) => shares === "same"),
  inPlace: unstored.find(({ shares }) => shares === "guard"),
  elsewhere: unstored.filter(({ shares }) => shares === "requests")
})
