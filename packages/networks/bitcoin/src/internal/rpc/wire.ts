import { Schema } from "effect"

/** No block is larger, and no transaction (Bitcoin Core, `MAX_BLOCK_SERIALIZED_SIZE`). */
export const blockBytesMax = 4_000_000

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
  bestblockhash: Hash,
  // Whether the node still fetches blocks that the network had before it.
  initialblockdownload: Schema.optionalKey(Schema.Boolean),
  headers: Schema.optionalKey(UInt32)
})

/** Whether the node has read its mempool from the disk. */
export const MempoolInfo = Schema.Struct({ loaded: Schema.Boolean, size: Schema.Int })

/** The ids of the transactions that wait. */
export const RawMempool = Schema.Array(Hash)

/** The bytes of a block or of a transaction, in hexadecimal. */
export const Hex = Schema.String.check(
  Schema.isMaxLength(2 * blockBytesMax),
  Schema.isPattern(/^(?:[0-9a-f]{2})+$/u, { expected: "bytes" })
)

/**
 * An amount in whole coins. Written with eight decimals it has one nearest double, and none of 21,000,000 coins is further from
 * its own than a quarter of a satoshi: {@link satoshi} is exact.
 */
export const Amount = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 21_000_000 }))

/** The satoshi of an {@link Amount}. */
export const satoshi = (amount: number): bigint => BigInt(Math.round(amount * 100_000_000))

const Script = Schema.Struct({ hex: Schema.String.check(Schema.isPattern(/^(?:[0-9a-f]{2})*$/u)) })

/** What `gettxout` says of an output that is unspent. */
export const UnspentOutput = Schema.Struct({
  bestblock: Hash,
  confirmations: UInt32,
  value: Amount,
  scriptPubKey: Script,
  coinbase: Schema.Boolean
})

/** {@link UnspentOutput} as a type. */
export type UnspentOutput = typeof UnspentOutput.Type

/** What `estimatesmartfee` says: whole coins per 1,000 virtual bytes, or why it cannot tell. */
export const FeeEstimateAnswer = Schema.Struct({
  feerate: Schema.optionalKey(Amount),
  errors: Schema.optionalKey(Schema.Array(Schema.String)),
  blocks: Schema.Int
})

/** What `getmempoolinfo` says of the fees that the node asks for. */
export const MempoolFees = Schema.Struct({
  mempoolminfee: Amount,
  minrelaytxfee: Amount,
  // Since Bitcoin Core 24.
  incrementalrelayfee: Schema.optionalKey(Amount)
})

/** What `getmempoolentry` says of a transaction that waits. */
export const MempoolEntry = Schema.Struct({
  vsize: Schema.Int.check(Schema.isGreaterThan(0)),
  fees: Schema.Struct({ base: Amount, descendant: Amount })
})

/** What `gettxspendingprevout` says: which transaction that waits spends an output, if one does. */
export const SpendingAnswer = Schema.Array(
  Schema.Struct({ txid: Hash, vout: UInt32, spendingtxid: Schema.optionalKey(Hash) })
)

/** What `testmempoolaccept` says of one transaction. */
export const AcceptAnswer = Schema.Tuple([
  Schema.Struct({
    txid: Hash,
    allowed: Schema.Boolean,
    "reject-reason": Schema.optionalKey(Schema.String),
    "reject-details": Schema.optionalKey(Schema.String)
  })
])

/** What `scantxoutset` finds. */
export const ScanAnswer = Schema.Struct({
  success: Schema.Boolean,
  height: UInt32,
  bestblock: Hash,
  unspents: Schema.Array(
    Schema.Struct({
      txid: Hash,
      vout: UInt32,
      scriptPubKey: Script.fields.hex,
      amount: Amount,
      coinbase: Schema.Boolean,
      height: UInt32
    })
  ),
  total_amount: Amount
})

/** Where `getrawtransaction` has a transaction from: a block, which may have been replaced since, or the mempool. */
export const TransactionPlace = Schema.Struct({ txid: Hash, blockhash: Schema.optionalKey(Hash) })

/** What `getrawtransaction` says of the outputs that a transaction in a block has spent; a pruned node leaves them out. */
export const TransactionInputs = Schema.Struct({
  txid: Hash,
  fee: Schema.optionalKey(Amount),
  vin: Schema.Array(
    Schema.Struct({
      prevout: Schema.optionalKey(Schema.Struct({ value: Amount, scriptPubKey: Script }))
    })
  )
})

/** Whether the index of transactions is there and complete. */
export const IndexInfo = Schema.Struct({
  txindex: Schema.optionalKey(Schema.Struct({ synced: Schema.Boolean, best_block_height: UInt32 }))
})
