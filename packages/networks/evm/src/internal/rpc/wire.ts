import { Schema } from "effect"

const hex = (pattern: RegExp, expected: string) => Schema.String.check(Schema.isPattern(pattern, { expected }))

/** 32 bytes. */
export const Hash = hex(/^0x[0-9a-f]{64}$/iu, "a hash of 32 bytes")

/** 20 bytes. */
export const Address = hex(/^0x[0-9a-f]{40}$/iu, "an address of 20 bytes")

/** Whether something is 20 bytes. */
export const isAddress = Schema.is(Address)

/** A quantity of up to 256 bits. */
export const Quantity = hex(/^0x[0-9a-f]{1,64}$/iu, "a quantity")

/** A quantity that a JavaScript number holds exactly. */
export const SmallQuantity = hex(/^0x[0-9a-f]{1,13}$/iu, "a small quantity")

/** Seconds since 1970, within what a date holds. */
export const Seconds = hex(/^0x[0-9a-f]{1,10}$/iu, "a time in seconds")

/** 256 bytes in which the addresses and topics of logs leave their marks. */
export const Bloom = hex(/^0x[0-9a-f]{512}$/iu, "a bloom filter")

/** Bytes of any length. */
export const Bytes = hex(/^0x[0-9a-f]*$/iu, "bytes")

const headerFields = {
  hash: Hash,
  parentHash: Hash,
  number: SmallQuantity,
  timestamp: Seconds
}

/** A header, as far as it is read. */
export const Header = Schema.Struct(headerFields)

/** {@link Header} as a type. */
export type Header = typeof Header.Type

/** Where a transaction stands: what is checked of every one, whatever its kind. */
export const PlacedTransaction = Schema.Struct({
  hash: Hash,
  blockHash: Hash,
  blockNumber: SmallQuantity,
  transactionIndex: SmallQuantity,
  // What it says of itself, read by `understood`: a kind that is not known must not keep its block from being read.
  from: Schema.optional(Schema.Unknown),
  to: Schema.optional(Schema.Unknown),
  value: Schema.optional(Schema.Unknown),
  input: Schema.optional(Schema.Unknown),
  type: Schema.optional(Schema.Unknown),
  mint: Schema.optional(Schema.Unknown)
})

/** {@link PlacedTransaction} as a type. */
export type PlacedTransaction = typeof PlacedTransaction.Type

/** A transaction of a kind that is known. */
export const Transaction = Schema.Struct({
  hash: Hash,
  from: Address,
  to: Schema.optional(Schema.NullOr(Address)),
  value: Quantity,
  // Only whether it is empty matters; checking every digit of a large calldata is wasted.
  input: hex(/^0x/iu, "bytes"),
  type: Schema.optional(SmallQuantity),
  // Deposits of base (type 0x7e): what Ethereum minted to the sender before the transaction ran.
  mint: Schema.optional(Schema.NullOr(Quantity))
})

/** {@link Transaction} as a type. */
export type Transaction = typeof Transaction.Type

/**
 * The kinds of transactions that are understood (EIP-2718): legacy, access lists (2930), fees (1559), blobs (4844), delegations
 * (7702), and deposits of the OP stack.
 */
const knownTypes: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 0x7e])

/** Whether the kind of a transaction is known; what has no type is of the first. */
export const isKnownType = ({ type }: { readonly type?: unknown }): boolean =>
  type === undefined || (typeof type === "string" && knownTypes.has(Number(type)))

const isTransaction = Schema.is(Transaction)

/** What a transaction says of itself; undefined where its kind is not known or a field is none that its kind can have. */
export const understood = (transaction: PlacedTransaction): Transaction | undefined =>
  isKnownType(transaction) && isTransaction(transaction) ? transaction : undefined

/** A payment of the beacon chain, which no transaction brings (EIP-4895). */
export const Withdrawal = Schema.Struct({
  index: Quantity,
  validatorIndex: Quantity,
  address: Address,
  // In gwei.
  amount: Quantity
})

/** {@link Withdrawal} as a type. */
export type Withdrawal = typeof Withdrawal.Type

/** A block with its transactions in full. */
export const FullBlock = Schema.Struct({
  ...headerFields,
  logsBloom: Bloom,
  transactionsRoot: Hash,
  receiptsRoot: Hash,
  transactions: Schema.Array(PlacedTransaction),
  // Read by `readWithdrawals`: not every chain means by them what Ethereum does.
  withdrawals: Schema.optional(Schema.Unknown),
  withdrawalsRoot: Schema.optional(Schema.Unknown)
})

/** {@link FullBlock} as a type. */
export type FullBlock = typeof FullBlock.Type

/** A log in its receipt. */
export const Log = Schema.Struct({
  address: Address,
  topics: Schema.Array(Hash),
  data: Bytes,
  blockHash: Hash,
  transactionHash: Hash,
  transactionIndex: SmallQuantity,
  logIndex: SmallQuantity,
  removed: Schema.optional(Schema.NullOr(Schema.Boolean))
})

/** {@link Log} as a type. */
export type Log = typeof Log.Type

/** A receipt. `status` is there on all blocks since 2017. */
export const Receipt = Schema.Struct({
  transactionHash: Hash,
  transactionIndex: SmallQuantity,
  blockHash: Hash,
  blockNumber: SmallQuantity,
  status: Schema.Literals(["0x0", "0x1"]),
  gasUsed: Quantity,
  cumulativeGasUsed: Quantity,
  type: Schema.optional(SmallQuantity),
  // Deposits of base have these, and their encoding does.
  depositNonce: Schema.optional(Schema.NullOr(Quantity)),
  depositReceiptVersion: Schema.optional(Schema.NullOr(Quantity)),
  contractAddress: Schema.optional(Schema.NullOr(Address)),
  logsBloom: Bloom,
  logs: Schema.Array(Log)
})

/** {@link Receipt} as a type. */
export type Receipt = typeof Receipt.Type

/** Whether two hexadecimal texts are the same bytes. */
export const same = (a: string, b: string): boolean => a === b || a.toLowerCase() === b.toLowerCase()
