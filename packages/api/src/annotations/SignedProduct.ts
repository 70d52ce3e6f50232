import { Context } from "effect"

/** What a tenant's policy may demand a signature for, beside what the contract has signed by everybody. */
export const signedProducts = ["addresses", "swaps", "transfers", "withdrawals", "xpubs"] as const

/** What a tenant's policy may demand a signature for. */
export type SignedProduct = (typeof signedProducts)[number]

/** The product of an endpoint whose requests must be signed where the tenant's policy demands it; null where it cannot. */
export const SignedByPolicy = Context.Reference<SignedProduct | null>("@bursar/api/SignedByPolicy", {
  defaultValue: () => null
})
