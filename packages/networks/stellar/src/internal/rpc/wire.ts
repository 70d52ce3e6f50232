import { Schema } from "effect"

const pattern = (shape: RegExp, expected: string) => Schema.String.check(Schema.isPattern(shape, { expected }))

/** 32 bytes in lower case. */
export const Hash = pattern(/^[0-9a-f]{64}$/u, "a hash of 32 bytes")

/** A number of history, 64 bits wide. */
const Toid = pattern(/^[0-9]{1,19}$/u, "a number of history")

/** An amount that an account can hold, with at most seven decimals. */
export const Amount = pattern(/^[0-9]{1,12}(?:\.[0-9]{1,7})?$/u, "an amount")

/** Bytes. */
export const Base64 = pattern(/^[A-Za-z0-9+/]*={0,2}$/u, "base64")

/** A number of 32 bits. */
export const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff_ffff }))

/** A field that may be missing or null. */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A closed ledger. */
export const LedgerAnswer = Schema.Struct({
  hash: Hash,
  prev_hash: optional(Hash),
  sequence: Count,
  closed_at: Schema.String,
  successful_transaction_count: Count,
  operation_count: Count,
  header_xdr: Base64
})

/** {@link LedgerAnswer} as a type. */
export type LedgerAnswer = typeof LedgerAnswer.Type

/** A page of records. */
export const page = <S extends Schema.Constraint>(record: S) =>
  Schema.Struct({ _embedded: Schema.Struct({ records: Schema.Array(record) }) })

/** Ledgers one after the other. */
export const LedgersPage = page(LedgerAnswer)

/** The memo of a transaction. */
export const TransactionMemo = Schema.Struct({
  memo_type: Schema.Literals(["none", "text", "id", "hash", "return"]),
  memo: optional(Schema.String),
  memo_bytes: optional(Base64)
})

/** {@link TransactionMemo} as a type. */
export type TransactionMemo = typeof TransactionMemo.Type

/** What every transaction of a ledger says. Its memo and its result are read where they matter. */
export const Transaction = Schema.Struct({
  paging_token: Toid,
  hash: Hash,
  successful: Schema.Boolean,
  operation_count: Count
})

/** {@link Transaction} as a type. */
export type Transaction = typeof Transaction.Type

/** What was signed for a transaction. */
export const TransactionEnvelope = Schema.Struct({ envelope_xdr: Base64 })

/** Where the results of the operations of a transaction are. */
export const TransactionResult = Schema.Struct({ result_xdr: Base64 })

/** What every operation says. */
export const Operation = Schema.Struct({
  id: Toid,
  type: Schema.NonEmptyString,
  transaction_hash: Hash,
  transaction_successful: Schema.Boolean
})

/** {@link Operation} as a type. */
export type Operation = typeof Operation.Type

/** Records one after the other, each still to be read. */
export const RecordsPage = page(Schema.Unknown)

/** An account that is not muxed. */
export const Account = pattern(/^G[A-Z2-7]{55}$/u, "an account")

const Muxed = pattern(/^M[A-Z2-7]{68}$/u, "a muxed account")

/** Fields that name an asset. */
const asset = {
  asset_type: Schema.String,
  asset_code: optional(Schema.String),
  asset_issuer: optional(Schema.String)
}

/** Payments of all kinds: amount and asset are what the receiver gets. */
export const Payment = Schema.Struct({
  ...asset,
  amount: Amount,
  from: Account,
  from_muxed: optional(Muxed),
  to: Account,
  to_muxed: optional(Muxed)
})

/** What a payment that names two assets leaves its sender in, and the assets on the way: what arrives may have been bought with something else. */
export const SentAsset = Schema.Struct({
  path: optional(Schema.Array(Schema.Unknown)),
  source_asset_type: Schema.String,
  source_asset_code: optional(Schema.String),
  source_asset_issuer: optional(Schema.String)
})

/** An account that is made out of another's coin. */
export const CreateAccount = Schema.Struct({
  account: Account,
  funder: Account,
  funder_muxed: optional(Muxed),
  starting_balance: Amount
})

/** An account that is dissolved into another. */
export const AccountMerge = Schema.Struct({
  account: Account,
  account_muxed: optional(Muxed),
  into: Account,
  into_muxed: optional(Muxed)
})

/** A call of a contract, with what it moved of the network's assets, each still to be read. */
export const InvokeHostFunction = Schema.Struct({
  asset_balance_changes: optional(Schema.Array(Schema.Unknown))
})

/**
 * What a contract moved. Parties may be contracts, which can hold more than accounts can: what anybody may write here is read no
 * closer than it must be. The type of the muxed id is not told by every release of Horizon.
 */
export const BalanceChange = Schema.Struct({
  ...asset,
  type: Schema.String,
  amount: Schema.String,
  from: optional(Schema.String),
  to: optional(Schema.String),
  destination_muxed_id: optional(Schema.Union([Schema.String, Schema.Int])),
  destination_muxed_id_type: optional(Schema.String)
})

/** {@link BalanceChange} as a type. */
export type BalanceChange = typeof BalanceChange.Type

/** What every effect of an operation says. */
export const EffectRecord = Schema.Struct({ type: Schema.String })

/** An account that has more of an asset. */
export const AccountCredited = Schema.Struct({
  ...asset,
  account: Account,
  account_muxed: optional(Muxed),
  amount: Amount
})

/** An account that is there now. */
export const AccountCreated = Schema.Struct({ account: Account, starting_balance: Amount })

/** What the root of a node says of its network. */
export const RootAnswer = Schema.Struct({ network_passphrase: Schema.String })

/** What Stellar RPC says of its network. */
export const NetworkAnswer = Schema.Struct({ result: Schema.Struct({ passphrase: Schema.String }) })

const decimals = 7

/** Base units of an amount of Horizon, whose form has been checked. Exact: the text is never taken for a number. */
export const unitsOf = (amount: string): bigint => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}
