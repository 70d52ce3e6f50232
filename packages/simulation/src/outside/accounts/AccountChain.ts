import type { Random } from "../../kernel/Random.ts"
import type { Chain, ChainBlock, ChainTransaction, Mined } from "../Chain.ts"
import type { Faults } from "../Faults.ts"

/** A transaction of an account. */
export interface AccountTransaction extends ChainTransaction {
  /** Whether it comes from somebody who is not watched: then nothing stands in its way. */
  readonly outside: boolean
  /** Null where nobody counts. */
  readonly sequence: bigint | null
  /** The moment at which a block that others come after must not be made yet; null where it never expires. */
  readonly validUntil: number | null
  readonly bid: bigint
}

/** A transaction in a block, and what it did. */
export interface MinedAtAccount extends AccountTransaction, Mined {}

/** A block, and how the accounts stand after it. */
export interface AccountBlock extends ChainBlock {
  readonly transactions: ReadonlyArray<MinedAtAccount>
  readonly balances: ReadonlyMap<string, bigint>
  readonly sequences: ReadonlyMap<string, bigint>
}

/** A network of accounts, as it truly is. */
export interface AccountChain extends Chain {
  readonly blocks: () => ReadonlyArray<AccountBlock>
  readonly tip: () => AccountBlock
  readonly waiting: () => ReadonlyArray<AccountTransaction>
  readonly holds: (account: string, contract: string | null, block?: AccountBlock) => bigint
  readonly sequenceOf: (account: string, block?: AccountBlock) => bigint
  /** Gives an account something out of nothing: before the world begins, while there is no block but the first. */
  readonly endow: (account: string, contract: string | null, units: bigint) => void
  /** Takes a transaction among those that wait. Says why not, where not. */
  readonly take: (transaction: AccountTransaction) => "taken" | "known" | "used" | "too_low" | "expired"
}

const keyOf = (account: string, contract: string | null): string => `${account}|${contract ?? ""}`

/** How a chain differs from others. */
export interface AccountChainOptions {
  readonly random: Random
  readonly faults: Faults
  /** With so many blocks on it, its own included, a block can never be replaced. */
  readonly finality: number
  readonly startsAt: number
  /** What a transaction costs for each point of its bid. */
  readonly feePerBid: bigint
  readonly note: (what: string) => void
}

const movedBy = (
  before: ReadonlyMap<string, bigint>,
  { bid, from, outside, payments }: AccountTransaction,
  { feePerBid, unlucky }: { readonly feePerBid: bigint; readonly unlucky: boolean }
): { readonly balances: Map<string, bigint>; readonly reverted: boolean; readonly fee: bigint } | undefined => {
  const balances = new Map(before)
  const add = (account: string, contract: string | null, units: bigint): bigint => {
    const now = (balances.get(keyOf(account, contract)) ?? 0n) + units
    balances.set(keyOf(account, contract), now)
    return now
  }
  const fee = outside ? 0n : bid * feePerBid
  const native = payments.filter(({ contract }) => contract === null).reduce((sum, { units }) => sum + units, 0n)
  if (!outside && (before.get(keyOf(from, null)) ?? 0n) < fee + native) return undefined
  if (!outside) add(from, null, -fee)
  const short = payments.some(
    ({ contract, units }) => !outside && contract !== null && (before.get(keyOf(from, contract)) ?? 0n) < units
  )
  const reverted = !outside && payments.length > 0 && (short || unlucky)
  if (reverted) return { balances, reverted, fee }
  for (const { contract, to, units } of payments) {
    if (!outside) add(from, contract, -units)
    add(to, contract, units)
  }
  return { balances, reverted, fee }
}

/** A chain with one empty block. Only its own transactions pay fees: those of outsiders cost nobody here anything. */
export const makeAccountChain = ({
  faults,
  feePerBid,
  finality,
  note,
  random,
  startsAt
}: AccountChainOptions): AccountChain => {
  let made = 0
  const hashOf = (serial: number): string => `0x${serial.toString(16).padStart(64, "0")}`
  let chain: ReadonlyArray<AccountBlock> = [
    {
      number: 0,
      hash: hashOf(1),
      parentHash: hashOf(0),
      time: startsAt,
      transactions: [],
      balances: new Map(),
      sequences: new Map()
    }
  ]
  made = 1
  let pool: ReadonlyArray<AccountTransaction> = []
  /** What waits at other nodes, of which the one that is asked knows nothing. */
  let elsewhere: ReadonlyArray<AccountTransaction> = []
  let finals = 1
  const seen: Array<AccountTransaction> = []
  const depths = new Map<string, number>()
  const [first] = chain
  const tip = (): AccountBlock => {
    const last = chain.at(-1) ?? first
    if (last === undefined) throw new Error("a chain has a block")
    return last
  }
  const holds = (account: string, contract: string | null, block = tip()): bigint =>
    block.balances.get(keyOf(account, contract)) ?? 0n
  const sequenceOf = (account: string, block = tip()): bigint => block.sequences.get(account) ?? 0n

  /** Whether it may stand right behind a block: of what expires, a block that comes after a later one takes none, as on tron. */
  const fits = (
    { from, sequence, validUntil }: AccountTransaction,
    { time }: AccountBlock,
    counts: AccountBlock["sequences"]
  ): boolean =>
    (sequence === null || (counts.get(from) ?? 0n) === sequence) && (validUntil === null || time < validUntil)

  const isExpired = ({ validUntil }: AccountTransaction, time: number): boolean =>
    validUntil !== null && validUntil <= time

  const rival = (one: AccountTransaction, other: AccountTransaction): boolean =>
    one.sequence !== null && one.from === other.from && one.sequence === other.sequence

  const append = (time: number, candidates: ReadonlyArray<AccountTransaction>): void => {
    const parent = tip()
    let { balances, sequences }: Pick<AccountBlock, "balances" | "sequences"> = parent
    const transactions: Array<MinedAtAccount> = []
    const left = [...candidates]
    // whoever asks a node again has it in two places, and no number keeps it out
    const standing = new Set(chain.flatMap((block) => block.transactions.map(({ hash }) => hash)))
    for (let at = 0; at < left.length;) {
      const one = left[at]
      if (one === undefined) break
      const moved =
        fits(one, parent, sequences) && !standing.has(one.hash)
          ? movedBy(balances, one, { feePerBid, unlucky: faults.strikes("chain.reverts") })
          : undefined
      if (moved === undefined) {
        at += 1
        continue
      }
      balances = moved.balances
      if (one.sequence !== null) sequences = new Map(sequences).set(one.from, one.sequence + 1n)
      transactions.push({ ...one, reverted: moved.reverted, fee: moved.fee })
      standing.add(one.hash)
      left.splice(at, 1)
      // a later number of the same account may fit now
      at = 0
    }
    made += 1
    const hash = hashOf(made)
    chain = [
      ...chain,
      { number: parent.number + 1, hash, parentHash: parent.hash, time, transactions, balances, sequences }
    ]
    const gone = (one: AccountTransaction): boolean =>
      transactions.some(({ hash: there }) => there === one.hash) || isExpired(one, time)
    pool = pool.filter(
      (one) => !gone(one) && (one.sequence === null || one.sequence >= (sequences.get(one.from) ?? 0n))
    )
    elsewhere = elsewhere.filter((one) => !gone(one))
    finals = Math.max(finals, chain.length - finality + 1)
    for (const [above, block] of chain.slice(-finality).toReversed().entries())
      for (const one of block.transactions) depths.set(one.hash, Math.max(depths.get(one.hash) ?? 0, above + 1))
    for (const { from, hash: mined, reverted } of transactions)
      note(`block ${parent.number + 1} ${mined.slice(0, 10)} of ${from}${reverted ? " reverted" : ""}`)
  }

  const willing = (): ReadonlyArray<AccountTransaction> =>
    [...pool, ...elsewhere].filter(() => !faults.strikes("chain.censors"))

  const reorg = (time: number): void => {
    const depth = 1 + random.below(Math.max(1, chain.length - finals))
    if (chain.length - depth < finals) return
    const lost = chain.slice(-depth).flatMap(({ transactions }) => transactions)
    chain = chain.slice(0, -depth)
    note(`reorg of ${depth} from block ${tip().number + 1}`)
    const fates = lost.map(({ fee: _fee, reverted: _reverted, ...one }) => {
      // what an outsider had sent may be gone for good
      if (one.outside && random.chance(400)) return { one, fate: "lost" }
      return { one, fate: random.chance(300) ? "elsewhere" : "waits" }
    })
    const having = (wanted: string) => fates.filter(({ fate }) => fate === wanted).map(({ one }) => one)
    elsewhere = [...elsewhere, ...having("elsewhere")]
    pool = [...having("waits"), ...pool]
    for (let more = depth; more >= 0; more--) append(time, willing())
  }

  return {
    blocks: () => chain,
    tip,
    finalCount: () => finals,
    waiting: () => pool,
    mineable: () => {
      const last = tip()
      return pool.filter(
        (one) =>
          fits(one, last, last.sequences) && movedBy(last.balances, one, { feePerBid, unlucky: false }) !== undefined
      )
    },
    holds,
    sequenceOf,
    mined: () => chain.flatMap(({ transactions }) => transactions),
    seen: () => seen,
    deepest: (hash) => depths.get(hash) ?? 0,
    endow: (account, contract, units) => {
      const last = tip()
      const balances = new Map(last.balances).set(keyOf(account, contract), holds(account, contract) + units)
      chain = [...chain.slice(0, -1), { ...last, balances }]
    },
    take: (transaction) => {
      seen.push(transaction)
      note(
        `chain is given ${transaction.hash.slice(0, 10)} of ${transaction.from} ${transaction.sequence ?? transaction.validUntil} for ${transaction.bid}: ${transaction.payments.map(({ contract, to, units }) => `${units} ${contract ?? "coin"} to ${to}`).join()}`
      )
      const there = [...pool, ...chain.flatMap(({ transactions }) => transactions)]
      if (there.some(({ hash }) => hash === transaction.hash)) return "known"
      const { from, sequence } = transaction
      if (isExpired(transaction, tip().time)) return "expired"
      if (sequence !== null && sequenceOf(from) > sequence) return "used"
      const rivals = pool.filter((one) => rival(one, transaction))
      if (rivals.some(({ bid }) => bid >= transaction.bid)) return "too_low"
      pool = [...pool.filter((one) => !rivals.includes(one)), transaction]
      return "taken"
    },
    mine: (time) => {
      if (chain.length > finals && faults.strikes("chain.reorgs")) return reorg(time)
      if (pool.length > 0 && faults.strikes("chain.forgets")) {
        elsewhere = [...elsewhere, ...pool]
        pool = []
      }
      append(time, willing())
    }
  }
}
