import { ClosedPeriod } from "./period/ClosedPeriod.ts"
import { AccountNumber, BookedIncoming, FiatAccount } from "./account/FiatAccount.ts"
import { AddressProof } from "./address/AddressProof.ts"
import { UnprovenDeposit } from "./deposit/UnprovenDeposit.ts"
import { Backfill, DepositAddress } from "./address/DepositAddress.ts"
import { ImportedKey } from "./address/ImportedKey.ts"
import { SealedKey } from "./port/SealedKey.ts"
import { IssuingAccount } from "./address/IssuingAccount.ts"
import { Xpub, XpubUse } from "./address/Xpub.ts"
import { orderOwner } from "./custody/orderOwner.ts"
import { ProviderOrder } from "./custody/ProviderOrder.ts"
import { Customer, CustomerName } from "./customer/Customer.ts"
import { Deposit, NewestDeposit } from "./deposit/Deposit.ts"
import { WebhookEndpoint } from "./webhook/WebhookEndpoint.ts"
import { IdempotencyRecord } from "./idempotency/IdempotencyRecord.ts"
import { AssetReservation } from "./operation/AssetReservation.ts"
import { Usage } from "./limit/Usage.ts"
import { FloatAdjustment } from "./adjustment/FloatAdjustment.ts"
import { Operation } from "./operation/Operation.ts"
import { AccountProvisioning } from "./provisioning/AccountProvisioning.ts"
import { PayoutWallet } from "./transaction/PayoutWallet.ts"
import { TransactionAttempt } from "./transaction/TransactionAttempt.ts"
import { OutboundTransaction } from "./transaction/OutboundTransaction.ts"
import { WalletTransfer } from "./deposit/WalletTransfer.ts"
import { WalletUtxo } from "./transaction/WalletUtxo.ts"
import { PaidAddress } from "./payout/PaidAddress.ts"
import { Payout } from "./payout/Payout.ts"
import { PayoutEvidence } from "./payout/PayoutEvidence.ts"
import { FeeRule } from "./pricing/FeeRule.ts"
import { Quote } from "./pricing/Quote.ts"
import { Resolution } from "./resolution/Resolution.ts"
import { SignatureNonce } from "./signature/SignatureNonce.ts"
import { SignedRegistration } from "./signature/SignedRegistration.ts"
import { SigningKey } from "./signature/SigningKey.ts"
import { ImportedAddressKey } from "./sweep/ImportedAddressKey.ts"
import { SweepableDeposit } from "./sweep/SweepableDeposit.ts"
import { IntakeCost } from "./sweep/IntakeCost.ts"
import { SuspenseTaken } from "./operation/SuspenseTaken.ts"
import { UnsweptImports } from "./operation/UnsweptImports.ts"
import { Sweep } from "./sweep/Sweep.ts"
import { SweepAccount } from "./sweep/SweepAccount.ts"
import { ApiKey } from "./access/ApiKey.ts"
import { PaidAccount } from "./transfer/PaidAccount.ts"
import { Grant, GrantProposal } from "./grant/Grant.ts"
import { Destination } from "./destination/Destination.ts"
import { networkHeight } from "./address/networkHeight.ts"
import type { Newest, RecordDefinition, SharedFact } from "./engine/Records.ts"
import { leaseEpoch } from "./engine/fenced.ts"
import { payoutsOff } from "./operation/payoutsOff.ts"
import { NetworkSwitch } from "./port/NetworkSwitches.ts"
import { PastObservation, PlaceObservation } from "./reconciliation/PlaceObservation.ts"
import { PlaceSight } from "./reconciliation/PlaceSight.ts"
import { ReconciliationBreak } from "./reconciliation/ReconciliationBreak.ts"
import { Statement } from "./reconciliation/statement/Statement.ts"
import { SplitEntry } from "./reconciliation/statement/SplitEntry.ts"
import { StatementLine } from "./reconciliation/statement/StatementLine.ts"

/**
 * The records of all features. They are written in this order, so that what is named by others stands before them. A storage
 * adapter that has tables has one for each.
 */
export const records = {
  Operation,
  IdempotencyRecord,
  DepositAddress,
  Xpub,
  IssuingAccount,
  SealedKey,
  ImportedKey,
  Deposit,
  Backfill,
  ApiKey,
  SigningKey,
  SignatureNonce,
  SignedRegistration,
  WebhookEndpoint,
  Usage,
  FeeRule,
  Quote,
  Destination,
  ProviderOrder,
  PayoutWallet,
  Payout,
  OutboundTransaction,
  TransactionAttempt,
  WalletUtxo,
  WalletTransfer,
  PaidAddress,
  PaidAccount,
  AccountProvisioning,
  SweepableDeposit,
  Sweep,
  SweepAccount,
  ImportedAddressKey,
  AddressProof,
  UnprovenDeposit,
  IntakeCost,
  UnsweptImports,
  SuspenseTaken,
  Customer,
  CustomerName,
  FiatAccount,
  AccountNumber,
  BookedIncoming,
  FloatAdjustment,
  PayoutEvidence,
  AssetReservation,
  Resolution,
  GrantProposal,
  Grant,
  NetworkSwitch,
  ClosedPeriod,
  PlaceObservation,
  PastObservation,
  PlaceSight,
  ReconciliationBreak,
  Statement,
  StatementLine,
  SplitEntry
}

/** The name of a kind of record. */
export type RecordName = keyof typeof records

/** The records of a kind. */
export type RecordOf<N extends RecordName> = (typeof records)[N] extends RecordDefinition<infer A, infer _> ? A : never

/** The keys of a kind. */
export type KeyOf<N extends RecordName> = (typeof records)[N] extends RecordDefinition<infer _, infer K> ? K : never

/** What is read as the newest of a group. */
export const newest = { NewestDeposit, XpubUse }

/** The name of a definition of the newest. */
export type NewestName = keyof typeof newest

/** The records that a definition of the newest is of. */
export type NewestOf<N extends NewestName> = (typeof newest)[N] extends Newest<infer A> ? A : never

/** What all tenants share and commands may read. */
export const facts = { leaseEpoch, networkHeight, orderOwner, payoutsOff }

/** The name of a shared fact. */
export type FactName = keyof typeof facts

/** What a shared fact is. */
export type FactOf<N extends FactName> = (typeof facts)[N] extends SharedFact<infer A> ? A : never
