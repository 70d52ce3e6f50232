import { type KeyOf, type RecordName, type RecordOf, records } from "@bursar/core/records"
import { mapRecord, type MappedRecord } from "../internal/MappedRecord.ts"
import type { RecordTable } from "../internal/Table.ts"
import { accountNumberTable } from "./accountNumberTable.ts"
import { accountProvisioningTable } from "./accountProvisioningTable.ts"
import { addressProofTable } from "./addressProofTable.ts"
import { addressTable } from "./addressTable.ts"
import { apiKeyTable } from "./apiKeyTable.ts"
import { assetReservationTable } from "./assetReservationTable.ts"
import { backfillTable } from "./backfillTable.ts"
import { bookedIncomingTable } from "./bookedIncomingTable.ts"
import { idempotencyRecordTable } from "./idempotencyRecordTable.ts"
import { closedPeriodTable } from "./closedPeriodTable.ts"
import { customerNameTable } from "./customerNameTable.ts"
import { customerTable } from "./customerTable.ts"
import { depositTable } from "./depositTable.ts"
import { destinationTable } from "./destinationTable.ts"
import { endpointTable } from "./endpointTable.ts"
import { feeRuleTable } from "./feeRuleTable.ts"
import { fiatAccountTable } from "./fiatAccountTable.ts"
import { floatAdjustmentTable } from "./floatAdjustmentTable.ts"
import { grantProposalTable, grantTable } from "./grantTables.ts"
import { importedAddressKeyTable } from "./importedAddressKeyTable.ts"
import { importedKeyTable } from "./importedKeyTable.ts"
import { intakeCostTable } from "./intakeCostTable.ts"
import { sweepableDepositTable } from "./sweepableDepositTable.ts"
import { suspenseTakenTable } from "./suspenseTakenTable.ts"
import { unsweptImportsTable } from "./unsweptImportsTable.ts"
import { issuingAccountTable } from "./issuingAccountTable.ts"
import { networkSwitchTable } from "./networkSwitchTable.ts"
import { nonceTable } from "./nonceTable.ts"
import { operationTable } from "./operationTable.ts"
import { paidAccountTable } from "./paidAccountTable.ts"
import { paidAddressTable } from "./paidAddressTable.ts"
import { payoutEvidenceTable } from "./payoutEvidenceTable.ts"
import { payoutTable } from "./payoutTable.ts"
import { payoutWalletTable } from "./payoutWalletTable.ts"
import { providerOrderTable } from "./providerOrderTable.ts"
import { quoteTable } from "./quoteTable.ts"
import { splitEntryTable, statementLineTable, statementTable } from "./statementTables.ts"
import { placeSightTable } from "./placeSightTable.ts"
import { pastObservationTable, placeObservationTable, reconciliationBreakTable } from "./reconciliationTables.ts"
import { resolutionTable } from "./resolutionTable.ts"
import { sealedKeyTable } from "./sealedKeyTable.ts"
import { transactionAttemptTable } from "./transactionAttemptTable.ts"
import { signedRegistrationTable } from "./signedRegistrationTable.ts"
import { signingKeyTable } from "./signingKeyTable.ts"
import { outboundTransactionTable } from "./outboundTransactionTable.ts"
import { sweepAccountTable } from "./sweepAccountTable.ts"
import { sweepTable } from "./sweepTable.ts"
import { unprovenDepositTable } from "./unprovenDepositTable.ts"
import { usageTable } from "./usageTable.ts"
import { walletTransferTable } from "./walletTransferTable.ts"
import { walletUtxoTable } from "./walletUtxoTable.ts"
import { xpubTable } from "./xpubTable.ts"

/** The table of each kind of record. */
const recordTables: { readonly [N in RecordName]: RecordTable<RecordOf<N>, KeyOf<N>> } = {
  Operation: operationTable,
  IdempotencyRecord: idempotencyRecordTable,
  DepositAddress: addressTable,
  Xpub: xpubTable,
  IssuingAccount: issuingAccountTable,
  SealedKey: sealedKeyTable,
  ImportedKey: importedKeyTable,
  Deposit: depositTable,
  Backfill: backfillTable,
  ApiKey: apiKeyTable,
  SigningKey: signingKeyTable,
  SignatureNonce: nonceTable,
  SignedRegistration: signedRegistrationTable,
  WebhookEndpoint: endpointTable,
  Usage: usageTable,
  FeeRule: feeRuleTable,
  Quote: quoteTable,
  Destination: destinationTable,
  ProviderOrder: providerOrderTable,
  PayoutWallet: payoutWalletTable,
  Payout: payoutTable,
  OutboundTransaction: outboundTransactionTable,
  TransactionAttempt: transactionAttemptTable,
  WalletUtxo: walletUtxoTable,
  WalletTransfer: walletTransferTable,
  PaidAddress: paidAddressTable,
  PaidAccount: paidAccountTable,
  AccountProvisioning: accountProvisioningTable,
  SweepableDeposit: sweepableDepositTable,
  Sweep: sweepTable,
  SweepAccount: sweepAccountTable,
  ImportedAddressKey: importedAddressKeyTable,
  AddressProof: addressProofTable,
  UnprovenDeposit: unprovenDepositTable,
  IntakeCost: intakeCostTable,
  UnsweptImports: unsweptImportsTable,
  SuspenseTaken: suspenseTakenTable,
  Customer: customerTable,
  CustomerName: customerNameTable,
  FiatAccount: fiatAccountTable,
  AccountNumber: accountNumberTable,
  BookedIncoming: bookedIncomingTable,
  FloatAdjustment: floatAdjustmentTable,
  PayoutEvidence: payoutEvidenceTable,
  AssetReservation: assetReservationTable,
  Resolution: resolutionTable,
  GrantProposal: grantProposalTable,
  Grant: grantTable,
  NetworkSwitch: networkSwitchTable,
  ClosedPeriod: closedPeriodTable,
  PlaceObservation: placeObservationTable,
  PastObservation: pastObservationTable,
  PlaceSight: placeSightTable,
  ReconciliationBreak: reconciliationBreakTable,
  Statement: statementTable,
  StatementLine: statementLineTable,
  SplitEntry: splitEntryTable
}

/** All kinds with their tables, in the order in which they are written. */
export const mappedRecords: ReadonlyArray<MappedRecord> = [
  mapRecord(records.Operation, recordTables.Operation),
  mapRecord(records.IdempotencyRecord, recordTables.IdempotencyRecord),
  mapRecord(records.DepositAddress, recordTables.DepositAddress),
  mapRecord(records.Xpub, recordTables.Xpub),
  mapRecord(records.IssuingAccount, recordTables.IssuingAccount),
  mapRecord(records.SealedKey, recordTables.SealedKey),
  mapRecord(records.ImportedKey, recordTables.ImportedKey),
  mapRecord(records.Deposit, recordTables.Deposit),
  mapRecord(records.Backfill, recordTables.Backfill),
  mapRecord(records.ApiKey, recordTables.ApiKey),
  mapRecord(records.SigningKey, recordTables.SigningKey),
  mapRecord(records.SignatureNonce, recordTables.SignatureNonce),
  mapRecord(records.SignedRegistration, recordTables.SignedRegistration),
  mapRecord(records.WebhookEndpoint, recordTables.WebhookEndpoint),
  mapRecord(records.Usage, recordTables.Usage),
  mapRecord(records.FeeRule, recordTables.FeeRule),
  mapRecord(records.Quote, recordTables.Quote),
  mapRecord(records.Destination, recordTables.Destination),
  mapRecord(records.ProviderOrder, recordTables.ProviderOrder),
  mapRecord(records.PayoutWallet, recordTables.PayoutWallet),
  mapRecord(records.Payout, recordTables.Payout),
  mapRecord(records.OutboundTransaction, recordTables.OutboundTransaction),
  mapRecord(records.TransactionAttempt, recordTables.TransactionAttempt),
  mapRecord(records.WalletUtxo, recordTables.WalletUtxo),
  mapRecord(records.WalletTransfer, recordTables.WalletTransfer),
  mapRecord(records.PaidAddress, recordTables.PaidAddress),
  mapRecord(records.PaidAccount, recordTables.PaidAccount),
  mapRecord(records.AccountProvisioning, recordTables.AccountProvisioning),
  mapRecord(records.SweepableDeposit, recordTables.SweepableDeposit),
  mapRecord(records.Sweep, recordTables.Sweep),
  mapRecord(records.SweepAccount, recordTables.SweepAccount),
  mapRecord(records.ImportedAddressKey, recordTables.ImportedAddressKey),
  mapRecord(records.AddressProof, recordTables.AddressProof),
  mapRecord(records.UnprovenDeposit, recordTables.UnprovenDeposit),
  mapRecord(records.IntakeCost, recordTables.IntakeCost),
  mapRecord(records.UnsweptImports, recordTables.UnsweptImports),
  mapRecord(records.SuspenseTaken, recordTables.SuspenseTaken),
  mapRecord(records.Customer, recordTables.Customer),
  mapRecord(records.CustomerName, recordTables.CustomerName),
  mapRecord(records.FiatAccount, recordTables.FiatAccount),
  mapRecord(records.AccountNumber, recordTables.AccountNumber),
  mapRecord(records.BookedIncoming, recordTables.BookedIncoming),
  mapRecord(records.FloatAdjustment, recordTables.FloatAdjustment),
  mapRecord(records.PayoutEvidence, recordTables.PayoutEvidence),
  mapRecord(records.AssetReservation, recordTables.AssetReservation),
  mapRecord(records.Resolution, recordTables.Resolution),
  mapRecord(records.GrantProposal, recordTables.GrantProposal),
  mapRecord(records.Grant, recordTables.Grant),
  mapRecord(records.NetworkSwitch, recordTables.NetworkSwitch),
  mapRecord(records.ClosedPeriod, recordTables.ClosedPeriod),
  mapRecord(records.PlaceObservation, recordTables.PlaceObservation),
  mapRecord(records.PastObservation, recordTables.PastObservation),
  mapRecord(records.PlaceSight, recordTables.PlaceSight),
  mapRecord(records.ReconciliationBreak, recordTables.ReconciliationBreak),
  mapRecord(records.Statement, recordTables.Statement),
  mapRecord(records.StatementLine, recordTables.StatementLine),
  mapRecord(records.SplitEntry, recordTables.SplitEntry)
]
