import type { NetworkTraits } from "../money/Network.ts"
import { canonicalHash } from "../payout/PayoutEvidence.ts"

/** A hash with the number of one of its outputs or logs behind it, as some custodians name what they have paid. */
const numbered = /^\s*([0-9a-z]+)(?:[:#_-][0-9]{1,9})?\s*$/iu

/**
 * The transaction that a custodian names, as its network writes it; undefined where what it names is no hash of the network, such as a move within the
 * custodian.
 */
export const toldHash = (traits: Pick<NetworkTraits, "hashPrefix">, told: string): string | undefined =>
  canonicalHash(traits, numbered.exec(told)?.[1] ?? told)
