import { Schema } from "effect"

/** 32 bytes, in the order in which they are shown. */
export const Hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "a hash of 32 bytes" }))

const UInt32 = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff_ffff }))

/** What `getblockheader` says of a block. Every field of the 80 bytes that are hashed is there. */
export const VerboseHeader = Schema.Struct({
  hash: Hash,
  // -1 where the block is not in the main chain.
  confirmations: Schema.Int,
  height: UInt32,
  version: Schema.Int.check(Schema.isBetween({ minimum: -0x8000_0000, maximum: 0x7fff_ffff })),
  merkleroot: Hash,
  time: UInt32,
  mediantime: UInt32,
  nonce: UInt32,
  bits: Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}$/u, { expected: "4 bytes" })),
  nTx: Schema.Int,
  // The first block has none.
  previousblockhash: Schema.optionalKey(Hash)
})

/** {@link VerboseHeader} as a type. */
export type VerboseHeader = typeof VerboseHeader.Type

/** What `getblockchaininfo` says of where the node stands. */
export const ChainInfo = Schema.Struct({
  chain: Schema.String,
  blocks: UInt32,
  bestblockhash: Hash
})

/** Whether the node has read its mempool from the disk. */
export const MempoolInfo = Schema.Struct({ loaded: Schema.Boolean, size: Schema.Int })

/** The ids of the transactions that wait. */
export const RawMempool = Schema.Array(Hash)

/** Bytes in hexadecimal. */
export const Hex = Schema.String.check(Schema.isPattern(/^(?:[0-9a-f]{2})+$/u, { expected: "bytes" }))
