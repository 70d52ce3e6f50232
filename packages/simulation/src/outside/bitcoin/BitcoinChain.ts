import { makeNode, type Node } from "@bursar/simulator-bitcoin/Node"
import { addressOf, scriptOf } from "@bursar/simulator-bitcoin/scripts"
import type { StoredBlock } from "@bursar/simulator-bitcoin/ChainState"
import { decodeTx, outpoint, type Tx } from "@bursar/simulator-bitcoin/Tx"
import type { Wallet } from "@bursar/simulator-bitcoin/Wallet"
import type { Random } from "../../kernel/Random.ts"
import type { Chain, ChainBlock, ChainTransaction, Mined, Paid } from "../Chain.ts"
import type { Faults } from "../Faults.ts"
import type { Spent } from "./bytes.ts"
import { giveBlocks, offer } from "./relay.ts"
import { strangeNode } from "./strangeNode.ts"

/** Bitcoin as it truly is, and the node that the service asks, which knows of it what it was given. */
export interface BitcoinChain extends Chain {
  readonly node: Node
  /** The node of another operator, which is now and then behind or false; null where there is one node. */
  readonly other: Node | null
  /** Takes from a node what it was handed, and lets the network have it. */
  readonly relay: (from: "other" | "own", hex: string) => void
  /** The outputs of an address that are in blocks, and that nothing that waits spends. */
  readonly unspentOf: (address: string) => ReadonlyArray<Spent>
  /** Somebody outside pays, in one transaction; where it is not sure, a reorganisation may take it for good. */
  readonly pay: (payments: ReadonlyArray<Paid>, isSure: boolean) => void
  /** A node that has so many of the first blocks, and no other. */
  readonly nodeAt: (blocks: number) => Node
}

/** How a chain differs from others. */
export interface BitcoinChainOptions {
  readonly random: Random
  readonly faults: Faults
  /** With so many blocks on it, its own included, a block can never be replaced. */
  readonly finality: number
  readonly startsAt: number
  /** Whether there is a node of another operator, too. */
  readonly hasOther: boolean
  readonly now: () => number
  /** Whoever is outside, and mines. */
  readonly outsider: Wallet
  readonly note: (what: string) => void
}

/** So many blocks that some of what was mined can be spent. */
const minedBefore = 130

const daySeconds = 86_400

const secondsOf = (millis: number): number => Math.floor(millis / 1_000)

/** A chain that has been mined for a while to an outsider. */
export const makeBitcoinChain = (options: BitcoinChainOptions): BitcoinChain => {
  const { faults, finality, hasOther, note, now, outsider, random, startsAt } = options
  const truth = makeNode()
  const node = makeNode()
  truth.mine(minedBefore, outsider.script, secondsOf(startsAt) - daySeconds)
  let finals = truth.chain.active.length
  const depths = new Map<string, number>()
  const seen = new Map<string, ChainTransaction>()
  /** Who owns each output that ever was, and what it holds. */
  const outputs = new Map<string, Paid>()
  const foreign = new Set<string>()
  /** What outsiders have sent and send again whatever happens. */
  const sure: Array<Tx> = []
  const blocks = new Map<string, ChainBlock>()
  const seconds = (): number => secondsOf(now())
  let lastPaid: Paid | undefined
  const other = hasOther
    ? strangeNode({
        truth,
        outsider,
        finality,
        lastPaid: () => lastPaid,
        faults,
        random: random.for("second node"),
        seconds,
        now,
        note
      })
    : undefined

  /** A transaction in words of the world. What it spends is known: it was given to the network before. */
  const read = ({ spends, transaction, txid }: Tx): Mined => {
    const payments = transaction.outs.map(({ script, value }, vout) => {
      const paid = { to: addressOf(script) ?? "nobody", contract: null, units: value }
      outputs.set(outpoint(txid, vout), paid)
      return paid
    })
    const spent = spends.flatMap((key) => outputs.get(key) ?? [])
    const sum = (all: ReadonlyArray<Paid>): bigint => all.reduce((total, { units }) => total + units, 0n)
    return { hash: txid, from: spent[0]?.to ?? "nobody", payments, reverted: false, fee: sum(spent) - sum(payments) }
  }

  const blockOf = ({ block, hash, height, parent, transactions }: StoredBlock): ChainBlock => {
    const known = blocks.get(hash)
    if (known !== undefined) return known
    const [coinbase, ...others] = transactions
    if (coinbase !== undefined) read(coinbase)
    const made = {
      number: height,
      hash,
      parentHash: parent,
      time: block.timestamp * 1_000,
      transactions: others.map(read)
    }
    blocks.set(hash, made)
    return made
  }
  const all = (): ReadonlyArray<ChainBlock> => truth.chain.active.map(blockOf)

  /** Gives the service's node the blocks that it has not seen, and forgets there what outsiders will never send again. */
  const deliver = (): void => {
    giveBlocks(truth, node, seconds())
    node.mempool.drop(
      [...node.mempool.entries.keys()].filter((id) => foreign.has(id) && !truth.mempool.entries.has(id))
    )
  }

  const append = (transactions: ReadonlyArray<{ readonly fee: bigint } & Tx>): void => {
    const fees = transactions.reduce((sum, { fee }) => sum + fee, 0n)
    truth.mineOnly(transactions, fees, outsider.script, seconds())
    finals = Math.max(finals, truth.chain.active.length - finality + 1)
    for (const [above, block] of truth.chain.active.slice(-finality).toReversed().entries())
      for (const { hash } of blockOf(block).transactions) depths.set(hash, Math.max(depths.get(hash) ?? 0, above + 1))
    const height = truth.chain.active.length - 1
    for (const { hash, from } of blockOf(truth.chain.tip()).transactions)
      note(`block ${height} ${hash.slice(0, 8)} of ${from}`)
  }

  /** What a block takes: now and then something is left out, with all that spends of it. */
  const willing = () => {
    const out = new Set<string>()
    return [...truth.mempool.entries.values()].filter((entry) => {
      const isOut = truth.mempool.parentsOf(entry).some(({ txid }) => out.has(txid)) || faults.strikes("chain.censors")
      if (isOut) out.add(entry.txid)
      return !isOut
    })
  }

  const reorg = (): void => {
    const depth = 1 + random.below(Math.max(1, truth.chain.active.length - finals))
    const lost = truth.chain.active.slice(-depth)
    const [lowest] = lost
    if (lowest === undefined || lowest.height < finals) return
    truth.invalidate(lowest.hash, seconds())
    note(`reorg of ${depth} from block ${lowest.height}`)
    for (const { txid } of lost.flatMap(({ transactions }) => transactions.slice(1)))
      // what an outsider had sent may be gone for good
      if (foreign.has(txid) && random.chance(400)) truth.mempool.drop([txid])
    for (let more = depth; more >= 0; more--) append(willing())
    // what spends a coin that was not mature yet any more had been dropped
    for (const tx of sure) offer(truth, tx, seconds())
  }

  const mine = (): void => {
    if (truth.chain.active.length > finals && faults.strikes("chain.reorgs")) reorg()
    else append(willing())
    if (node.mempool.entries.size > 0 && faults.strikes("chain.forgets"))
      node.mempool.drop([...node.mempool.entries.keys()])
    if (!faults.strikes("node.lags")) deliver()
    other?.follow()
  }

  const pay = (payments: ReadonlyArray<Paid>, isSure: boolean): void => {
    const tx = outsider.pay(
      truth,
      payments.map(({ to, units }) => ({ script: scriptOf(to) ?? outsider.script, units }))
    )
    if (tx === undefined || !offer(truth, tx, seconds())) return
    if (isSure) sure.push(tx)
    else foreign.add(tx.txid)
    read(tx)
    lastPaid = payments.at(-1)
    offer(node, tx, seconds())
    other?.give(tx)
  }

  all()
  deliver()

  return {
    node,
    blocks: all,
    finalCount: () => finals,
    mineable: () => [...truth.mempool.entries.values()].map(read),
    holds: (account, contract) =>
      contract === null
        ? [...truth.chain.coins.values()]
            .filter(({ script }) => addressOf(script) === account)
            .reduce((sum, { value }) => sum + value, 0n)
        : 0n,
    mined: () => all().flatMap(({ transactions }) => transactions),
    deepest: (hash) => depths.get(hash) ?? 0,
    mine,
    seen: () => [...seen.values()],
    other: other?.node ?? null,
    relay: (from, hex) => {
      const tx = decodeTx(hex)
      if (tx === undefined || (from === "other" && other?.keeps(tx) !== true)) return
      const given = read(tx)
      seen.set(given.hash, given)
      note(
        `bitcoin is given ${given.hash.slice(0, 8)} for ${given.fee}: ${given.payments.map(({ to, units }) => `${units} to ${to}`).join()}`
      )
      offer(truth, tx, seconds())
      if (other === undefined) return
      if (from === "own") other.give(tx)
      else offer(node, tx, seconds())
    },
    unspentOf: (address) => {
      const wanted = Buffer.from(scriptOf(address) ?? [])
      return [...truth.chain.coins].flatMap(([key, { script, value }]) => {
        const [txHash = "", vout] = key.split(":")
        return wanted.equals(script) && truth.mempool.spenderOf(key) === undefined
          ? [{ txHash, vout: Number(vout), units: value, address }]
          : []
      })
    },
    pay,
    nodeAt: (count) => {
      const made = makeNode()
      for (const { block } of truth.chain.active.slice(1, count)) made.restore(block, seconds())
      return made
    }
  }
}
