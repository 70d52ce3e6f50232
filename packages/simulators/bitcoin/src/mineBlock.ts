import { Block, crypto, script as codes, Transaction } from "bitcoinjs-lib"
import { fromHex, unshown } from "./bytes.ts"
import type { ChainState } from "./ChainState.ts"
import type { Tx } from "./Tx.ts"

/** What a block is made of. */
export interface Template {
  readonly script: Uint8Array
  readonly transactions: ReadonlyArray<Tx>
  /** What its transactions pay in fees. */
  readonly fees: bigint
  /** In seconds, later than the median time of the tip. */
  readonly time: number
}

const version = 0x2000_0000
const bits = 0x207f_ffff
const subsidyFirst = 50n * 100_000_000n
const halvingBlocks = 150
const witnessReserved = new Uint8Array(32)

/** What a block of a height may mint: half as much every 150 blocks of regtest. */
export const subsidyAt = (height: number): bigint => subsidyFirst >> BigInt(Math.floor(height / halvingBlocks))

/** The height (BIP 34), as a small number where there is one. */
const heightPush = (height: number): Uint8Array =>
  height <= 16 ? Uint8Array.of(height === 0 ? 0 : 0x50 + height) : codes.compile([codes.number.encode(height)])

const makeCoinbase = (height: number, value: bigint, script: Uint8Array, extraNonce: number): Transaction => {
  const coinbase = new Transaction()
  coinbase.version = 2
  // The extra nonce keeps two blocks apart that were made of the same things in the same second.
  const unique = codes.compile([codes.number.encode(extraNonce)])
  coinbase.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, Uint8Array.of(...heightPush(height), 0x00, ...unique))
  coinbase.setWitness(0, [witnessReserved])
  coinbase.addOutput(script, value)
  return coinbase
}

const commitment = (transactions: ReadonlyArray<Transaction>): Uint8Array => {
  const hashes = transactions.map((transaction, index) =>
    index === 0 ? new Uint8Array(32) : transaction.getHash(true)
  )
  let level: ReadonlyArray<Uint8Array> = hashes
  while (level.length > 1) {
    const row = level
    level = Array.from({ length: Math.ceil(row.length / 2) }, (_, index) => {
      const left = row[index * 2] ?? new Uint8Array(32)
      return crypto.hash256(Uint8Array.of(...left, ...(row[index * 2 + 1] ?? left)))
    })
  }
  return crypto.hash256(Uint8Array.of(...(level[0] ?? new Uint8Array(32)), ...witnessReserved))
}

/**
 * Makes the next block of the main chain: a real one, with its merkle root, its witness commitment and its proof of work, which
 * regtest makes so easy that every second try succeeds.
 */
export const mineBlock = (chain: ChainState, { fees, script, time, transactions }: Template): Block => {
  const tip = chain.tip()
  const height = tip.height + 1
  const coinbase = makeCoinbase(height, subsidyAt(height) + fees, script, chain.blocks.size)
  const all = [coinbase, ...transactions.map(({ transaction }) => transaction)]
  coinbase.addOutput(Uint8Array.of(...fromHex("6a24aa21a9ed"), ...commitment(all)), 0n)
  const block = new Block()
  block.version = version
  block.prevHash = unshown(tip.hash)
  block.transactions = all
  block.merkleRoot = Block.calculateMerkleRoot(all)
  block.timestamp = time
  block.bits = bits
  while (!block.checkProofOfWork()) block.nonce++
  return block
}
