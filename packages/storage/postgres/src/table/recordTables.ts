import type { RecordKind, Records } from "@bursar/core/engine/Records"
import type { RecordTable } from "../internal/Table.ts"
import { accountNumberTable } from "./accountNumberTable.ts"
import { addressProofTable } from "./addressProofTable.ts"
import { unprovenDepositTable } from "./unprovenDepositTable.ts"
import { assetReservationTable } from "./assetReservationTable.ts"
import { bookedIncomingTable } from "./bookedIncomingTable.ts"
import { customerNameTable } from "./customerNameTable.ts"
import { customerTable } from "./customerTable.ts"
import { accountProvisioningTable } from "./accountProvisioningTable.ts"
import { destinationTable } from "./destinationTable.ts"
import { floatAdjustmentTable } from "./floatAdjustmentTable.ts"
import { feeRuleTable } from "./feeRuleTable.ts"
import { fiatAccountTable } from "./fiatAccountTable.ts"
import { providerOrderTable } from "./providerOrderTable.ts"
import { quoteTable } from "./quoteTable.ts"
import { importedAddressKeyTable } from "./importedAddressKeyTable.ts"
import { intakeCostTable } from "./intakeCostTable.ts"
import { sweepableDepositTable } from "./sweepableDepositTable.ts"
import { sweepAccountTable } from "./sweepAccountTable.ts"
import { sweepTable } from "./sweepTable.ts"
import { usageTable } from "./usageTable.ts"
import { paidAccountTable } from "./paidAccountTable.ts"
import { resolutionTable } from "./resolutionTable.ts"
import { paidAddressTable } from "./paidAddressTable.ts"
import { payoutEvidenceTable } from "./payoutEvidenceTable.ts"
import { payoutTable } from "./payoutTable.ts"
import { payoutWalletTable } from "./payoutWalletTable.ts"
import { transactionAttemptTable } from "./transactionAttemptTable.ts"
import { outboundTransactionTable } from "./outboundTransactionTable.ts"
import { walletTransferTable } from "./walletTransferTable.ts"
import { walletUtxoTable } from "./walletUtxoTable.ts"

/** The table of each kind of record. */
export const recordTables: { readonly [K in RecordKind]: RecordTable<Records[K]> } = {
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
  Customer: customerTable,
  CustomerName: customerNameTable,
  FiatAccount: fiatAccountTable,
  AccountNumber: accountNumberTable,
  BookedIncoming: bookedIncomingTable,
  FloatAdjustment: floatAdjustmentTable,
  PayoutEvidence: payoutEvidenceTable,
  AssetReservation: assetReservationTable,
  Resolution: resolutionTable,
  SweepableDeposit: sweepableDepositTable,
  Sweep: sweepTable,
  SweepAccount: sweepAccountTable,
  ImportedAddressKey: importedAddressKeyTable,
  AddressProof: addressProofTable,
  UnprovenDeposit: unprovenDepositTable,
  IntakeCost: intakeCostTable
}
