import type { AccountNumber, BookedIncoming, FiatAccount } from "../account/FiatAccount.ts"
import { type AddressProof, type UnprovenDeposit, xpubProofs, xpubSubject } from "../address/AddressProof.ts"
import type { Customer, CustomerName } from "../customer/Customer.ts"
import { type AssetReservation, reservationKey } from "../ledger/AssetReservation.ts"
import { type FloatAdjustment, waitingAdjustments } from "../operation/FloatAdjustment.ts"
import type { Usage } from "../limit/Usage.ts"
import { type FeeRule, feeRuleGroup } from "../pricing/FeeRule.ts"
import { type ProviderOrder, providerOrderKey } from "../custody/ProviderOrder.ts"
import type { Quote } from "../pricing/Quote.ts"
import { type Destination, destinationGroup } from "../withdrawal/Destination.ts"
import type { PaidAccount } from "../transfer/PaidAccount.ts"
import { type AccountProvisioning, provisioningKey } from "../transaction/AccountProvisioning.ts"
import { walletTransferKey, type WalletTransfer } from "../transaction/WalletTransfer.ts"
import { utxoKey, type WalletUtxo } from "../transaction/WalletUtxo.ts"
import type { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { type TransactionAttempt, attemptKey } from "../transaction/TransactionAttempt.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { type PaidAddress, paidAddressKey } from "../payout/PaidAddress.ts"
import type { Payout } from "../payout/Payout.ts"
import type { PayoutEvidence } from "../payout/PayoutEvidence.ts"
import type { Resolution } from "../resolution/Resolution.ts"
import { type ImportedAddressKey, importedAddressKey } from "../sweep/ImportedAddressKey.ts"
import { type SweepableDeposit, sweepableKey, isFree } from "../sweep/SweepableDeposit.ts"
import type { IntakeCost } from "../sweep/IntakeCost.ts"
import { transactionOfSweep, type Sweep } from "../sweep/Sweep.ts"
import { type SweepAccount, sweepAccountKey } from "../sweep/SweepAccount.ts"

/**
 * The kinds of records that need nothing but to be read and replaced by their key, or as a group. What a rule needs beyond
 * that (legs, deposits, addresses …) is a change of its own. A kind is added here, in `recordKinds`, and in each storage
 * adapter.
 */
export interface Records {
  readonly Usage: Usage
  readonly FeeRule: FeeRule
  readonly Quote: Quote
  readonly Destination: Destination
  readonly ProviderOrder: ProviderOrder
  readonly PayoutWallet: PayoutWallet
  readonly Payout: Payout
  readonly OutboundTransaction: OutboundTransaction
  readonly TransactionAttempt: TransactionAttempt
  readonly WalletUtxo: WalletUtxo
  readonly WalletTransfer: WalletTransfer
  readonly PaidAddress: PaidAddress
  readonly PaidAccount: PaidAccount
  readonly AccountProvisioning: AccountProvisioning
  readonly SweepableDeposit: SweepableDeposit
  readonly Sweep: Sweep
  readonly SweepAccount: SweepAccount
  readonly ImportedAddressKey: ImportedAddressKey
  readonly AddressProof: AddressProof
  readonly UnprovenDeposit: UnprovenDeposit
  readonly IntakeCost: IntakeCost
  readonly Customer: Customer
  readonly CustomerName: CustomerName
  readonly FiatAccount: FiatAccount
  readonly AccountNumber: AccountNumber
  readonly BookedIncoming: BookedIncoming
  readonly FloatAdjustment: FloatAdjustment
  readonly PayoutEvidence: PayoutEvidence
  readonly AssetReservation: AssetReservation
  readonly Resolution: Resolution
}

/** The name of a kind of record. */
export type RecordKind = keyof Records

/** How the records of a kind are told apart and gathered. */
export interface RecordKindOf<A> {
  /** Its key among the tenant's records of its kind. */
  readonly key: (record: A) => string
  /** The group that it is loaded with, null where it is in none (any more). Groups are small: they are loaded whole. */
  readonly group: (record: A) => string | null
}

/** Every kind, with its key and its group. */
export const recordKinds: { readonly [K in RecordKind]: RecordKindOf<Records[K]> } = {
  Usage: { key: ({ scope }) => scope, group: () => null },
  FeeRule: { key: ({ id }) => id, group: () => feeRuleGroup },
  Quote: { key: ({ id }) => id, group: () => null },
  Destination: { key: ({ id }) => id, group: () => destinationGroup },
  ProviderOrder: {
    key: ({ provider, providerReference }) => providerOrderKey(provider, providerReference),
    group: () => null
  },
  PayoutWallet: { key: ({ id }) => id, group: ({ network }) => network },
  Payout: { key: ({ operationId }) => operationId, group: () => null },
  OutboundTransaction: { key: ({ id }) => id, group: () => null },
  TransactionAttempt: {
    key: ({ hash, network }) => attemptKey(network, hash),
    group: ({ transactionId }) => transactionId
  },
  WalletUtxo: {
    key: (utxo) => utxoKey(utxo.network, utxo),
    group: ({ state, walletId }) => (state === "FREE" ? walletId : null)
  },
  WalletTransfer: { key: walletTransferKey, group: () => null },
  PaidAddress: { key: ({ address, network }) => paidAddressKey(network, address), group: () => null },
  PaidAccount: { key: ({ account }) => account, group: () => null },
  AccountProvisioning: { key: provisioningKey, group: ({ network }) => network },
  SweepableDeposit: { key: sweepableKey, group: (sweepable) => (isFree(sweepable) ? sweepable.addressId : null) },
  Sweep: { key: ({ id }) => id, group: transactionOfSweep },
  SweepAccount: { key: ({ account, network }) => sweepAccountKey(network, account), group: () => null },
  ImportedAddressKey: { key: ({ address, network }) => importedAddressKey(network, address), group: () => null },
  AddressProof: {
    key: ({ subject }) => subject,
    group: ({ subject }) => (subject.startsWith(xpubSubject("")) ? xpubProofs : null)
  },
  UnprovenDeposit: { key: ({ depositId }) => depositId, group: ({ subject, waits }) => (waits ? subject : null) },
  IntakeCost: { key: ({ currency }) => currency, group: () => "all" },
  Customer: { key: ({ id }) => id, group: () => null },
  CustomerName: { key: ({ externalId }) => externalId, group: () => null },
  FiatAccount: { key: ({ id }) => id, group: ({ customerId }) => customerId },
  AccountNumber: { key: ({ number }) => number, group: () => null },
  BookedIncoming: { key: ({ key }) => key, group: () => null },
  FloatAdjustment: { key: ({ id }) => id, group: ({ state }) => (state === "PROPOSED" ? waitingAdjustments : null) },
  PayoutEvidence: { key: ({ key }) => key, group: ({ operationId }) => operationId },
  AssetReservation: { key: reservationKey, group: ({ account }) => account },
  Resolution: { key: ({ id }) => id, group: ({ operationId }) => operationId }
}

/** The names of all kinds. */
export const recordKindNames = Object.keys(recordKinds) as ReadonlyArray<RecordKind> // its keys are the kinds

/** Records by kind, then by key. */
export type RecordMaps = { readonly [K in RecordKind]?: ReadonlyMap<string, Records[K]> }

/** A record that a decider puts, whether it is new or replaces the one of its key. */
export type RecordPut = {
  readonly [K in RecordKind]: { readonly _tag: "RecordPut"; readonly kind: K; readonly record: Records[K] }
}[RecordKind]

/** A record, or all records of a group, that a decider wants to know. */
export type RecordRead =
  | { readonly _tag: "Record"; readonly kind: RecordKind; readonly key: string }
  | { readonly _tag: "RecordGroup"; readonly kind: RecordKind; readonly group: string }

/** Says that a command reads one record. */
export const readRecord = (kind: RecordKind, key: string): RecordRead => ({ _tag: "Record", kind, key })

/** Says that a command reads all records of a group. */
export const readGroup = (kind: RecordKind, group: string): RecordRead => ({ _tag: "RecordGroup", kind, group })

/** The change that puts a record. */
export const putRecord = <K extends RecordKind>(kind: K, record: Records[K]): RecordPut =>
  ({ _tag: "RecordPut", kind, record }) as RecordPut // kind and record belong together by the signature
