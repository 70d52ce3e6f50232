import type { Chain, Found } from "./Chain.ts"
import type { Ledger } from "./Ledger.ts"
import type { Accounts } from "./State.ts"

/** What a question is answered from: the network up to a ledger. */
export interface View {
  readonly chain: Chain
  /** The newest ledger that is known. */
  readonly height: number
}

/** The newest ledger of a view. */
export const headOf = ({ chain, height }: View): Ledger => chain.at(height) ?? chain.head()

/** A ledger that the view knows. */
export const ledgerAt = ({ chain, height }: View, sequence: number): Ledger | undefined =>
  sequence <= height ? chain.at(sequence) : undefined

/** A transaction that the view knows. */
export const findIn = ({ chain, height }: View, hash: string): Found | undefined => {
  const found = chain.find(hash)
  return found !== undefined && found.ledger.sequence <= height ? found : undefined
}

/** The accounts as the view knows them. */
export const accountsOf = ({ chain, height }: View): Accounts => chain.accounts(height)
