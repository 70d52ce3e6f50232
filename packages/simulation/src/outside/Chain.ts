/** What a transaction gives to an account. */
export interface Paid {
  readonly to: string
  /** Null for the native asset. */
  readonly contract: string | null
  readonly units: bigint
}

/** A transaction as a network knows it. */
export interface ChainTransaction {
  readonly hash: string
  /** Whose money it is. */
  readonly from: string
  readonly payments: ReadonlyArray<Paid>
}

/** A transaction in a block, and what it did. */
export interface Mined extends ChainTransaction {
  readonly reverted: boolean
  readonly fee: bigint
}

/** A block. */
export interface ChainBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly time: number
  readonly transactions: ReadonlyArray<Mined>
}

/** A network as it truly is: whoever asks a node may be told less. */
export interface Chain {
  /** By their numbers. */
  readonly blocks: () => ReadonlyArray<ChainBlock>
  /** How many of the blocks can never be replaced. */
  readonly finalCount: () => number
  /** What waits that a block could take as things stand: not what its account cannot pay for, or what comes after that. */
  readonly mineable: () => ReadonlyArray<ChainTransaction>
  readonly holds: (account: string, contract: string | null) => bigint
  /** All that stands in blocks now. */
  readonly mined: () => ReadonlyArray<Mined>
  /** The most blocks that a transaction ever had on it, its own included, on whichever branch. */
  readonly deepest: (hash: string) => number
  /** One block more; what goes wrong with it is drawn. */
  readonly mine: (time: number) => void
  /** All transactions that anybody ever gave it. */
  readonly seen: () => ReadonlyArray<ChainTransaction>
}
