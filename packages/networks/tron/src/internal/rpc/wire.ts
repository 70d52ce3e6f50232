import { Schema } from "effect"

const hex = (pattern: RegExp, expected: string) => Schema.String.check(Schema.isPattern(pattern, { expected }))

/** 32 bytes in lower case, without a prefix. */
export const Hash = hex(/^[0-9a-f]{64}$/u, "a hash of 32 bytes")

/** 21 bytes, as an address has them outside the virtual machine. */
export const Address = hex(/^41[0-9a-f]{40}$/u, "an address of 21 bytes")

/** Bytes of any length. */
const Bytes = hex(/^(?:[0-9a-f]{2})*$/u, "bytes")

const natural = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))

/** A height, or a time in milliseconds within what a date holds. Zero is left out of answers. */
const Small = Schema.optionalKey(natural(8_640_000_000_000_000))

/** An amount of 64 bits: a number where that is exact, else a bigint. Zero is left out of answers. */
export const Units = Schema.Union([natural(Number.MAX_SAFE_INTEGER), Schema.BigInt])

/** A header with the id of its block. */
export const HeaderAnswer = Schema.Struct({
  blockID: Hash,
  block_header: Schema.Struct({
    raw_data: Schema.Struct({
      number: Small,
      timestamp: Small,
      parentHash: Hash,
      txTrieRoot: Schema.optionalKey(Hash)
    })
  })
})

/** {@link HeaderAnswer} as a type. */
export type HeaderAnswer = typeof HeaderAnswer.Type

/** What every transaction of a block says, whatever it does. It has one result. */
export const PlacedTransaction = Schema.Struct({
  txID: Hash,
  raw_data_hex: Schema.optionalKey(Bytes),
  ret: Schema.optionalKey(Schema.Array(Schema.Struct({ contractRet: Schema.optionalKey(Schema.String) })))
})

/** {@link PlacedTransaction} as a type. */
export type PlacedTransaction = typeof PlacedTransaction.Type

/** What a transaction does. It has one contract. */
export const TransactionBody = Schema.Struct({
  raw_data: Schema.Struct({
    /** The memo. */
    data: Schema.optionalKey(Schema.String),
    contract: Schema.Array(
      Schema.Struct({
        type: Schema.String,
        parameter: Schema.Struct({ value: Schema.optionalKey(Schema.Unknown) })
      })
    )
  })
})

/** {@link TransactionBody} as a type. */
export type TransactionBody = typeof TransactionBody.Type

/** A block with its transactions, each still to be read; without any, the field is left out. */
export const BlockAnswer = Schema.Struct({
  ...HeaderAnswer.fields,
  transactions: Schema.optionalKey(Schema.Array(Schema.Unknown))
})

/** {@link BlockAnswer} as a type. */
export type BlockAnswer = typeof BlockAnswer.Type

/** What a TransferContract says. */
export const TransferContract = Schema.Struct({ owner_address: Address, to_address: Address, amount: Units })

/** What a TriggerSmartContract says. */
export const TriggerSmartContract = Schema.Struct({
  owner_address: Address,
  contract_address: Address,
  call_value: Schema.optionalKey(Units)
})

/** Who wrote a log of the virtual machine. Such addresses have 20 bytes. */
export const LogAddress = Schema.Struct({ address: Schema.optionalKey(Schema.String) })

/** A log of the virtual machine. */
export const Log = Schema.Struct({
  ...LogAddress.fields,
  topics: Schema.optionalKey(Schema.Array(Hash)),
  data: Schema.optionalKey(Schema.String)
})

/** {@link Log} as a type. */
export type Log = typeof Log.Type

/** What a contract did besides computing: a call, or one of the operations of staking, as `note` says. */
export const InternalTransaction = Schema.Struct({
  caller_address: Schema.optionalKey(Schema.String),
  transferTo_address: Schema.optionalKey(Schema.String),
  callValueInfo: Schema.optionalKey(
    Schema.Array(Schema.Struct({ callValue: Schema.optionalKey(Units), tokenId: Schema.optionalKey(Schema.String) }))
  ),
  note: Schema.optionalKey(Schema.String),
  rejected: Schema.optionalKey(Schema.Boolean)
})

/** {@link InternalTransaction} as a type. */
export type InternalTransaction = typeof InternalTransaction.Type

/** How a transaction ended. What it did besides, its logs and its inner calls, is still to be read. */
export const TransactionInfo = Schema.Struct({
  id: Hash,
  blockNumber: Small,
  blockTimeStamp: Small,
  /** Sun that it burnt. */
  fee: Schema.optionalKey(Units),
  result: Schema.optionalKey(Schema.String),
  receipt: Schema.optionalKey(Schema.Struct({ result: Schema.optionalKey(Schema.String) })),
  log: Schema.optionalKey(Schema.Unknown),
  internal_transactions: Schema.optionalKey(Schema.Unknown)
})

/** {@link TransactionInfo} as a type. */
export type TransactionInfo = typeof TransactionInfo.Type

/** Entries one after the other, each still to be read. */
export const Entries = Schema.Array(Schema.Unknown)

/** The infos of a block. */
export const TransactionInfos = Schema.Array(TransactionInfo)
