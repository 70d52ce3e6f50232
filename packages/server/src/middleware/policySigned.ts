import { SignedByPolicy } from "@bursar/api/annotations/SignedProduct"
import { Context, Effect } from "effect"
import type { MakeCheck } from "../http/Arrived.ts"
import { pass } from "../http/Step.ts"
import { makeRequireSignature } from "./requireSignature.ts"

/**
 * Lets only signed requests through where the tenant's policy demands that, and notes by whom they are signed. The contract
 * says which endpoints it may be demanded of; the policy is the one that the key was checked with.
 */
export const make = Effect.map(makeRequireSignature, (requireSignature): MakeCheck => ({ annotations }) => {
  const product = Context.get(annotations, SignedByPolicy)
  if (product === null) return () => pass
  return (arrived) =>
    arrived.facts.tenant?.policy.signaturesRequired.includes(product) === true ? requireSignature(arrived) : pass
})
