import type { RecordKind, Records } from "@bursar/core/engine/Records"
import type { RecordTable } from "../internal/Table.ts"
import { accountNumberTable } from "./accountNumberTable.ts"
import { addressProofTable } from "./addressProofTable.ts"
import { unprovenDepositTable } from "./unprovenDepositTable.ts"
import { assetReservationTable } from "./assetReservationTable.ts"
import { bookedIncomingTable } from "./bookedIncomingTable.ts"
import { customerNameTable } from "./customerNameTable.ts"
import { customerTable } from "./customerTable.ts"
import { accountSetupTable } from "./accountSetupTable.ts"
import { destinationTable } from "./destinationTable.ts"
import { floatAdjustmentTable } from "./floatAdjustmentTable.ts"
import { feeRuleTable } from "./feeRuleTable.ts"
import { fiatAccountTable } from "./fiatAccountTable.ts"
import { providerOrderTable } from "./providerOrderTable.ts"
import { quoteTable } from "./quoteTable.ts"
import { importedAddressKeyTable } from "./importedAddressKeyTable.ts"
import { intakeCostTable } from "./intakeCostTable.ts"
import { intakeTable } from "./intakeTable.ts"
import { sweepAccountTable } from "./sweepAccountTable.ts"
import { sweepTable } from "./sweepTable.ts"
import { usageTable } from "./usageTable.ts"
import { paidAccountTable } from "./paidAccountTable.ts"
import { resolutionTable } from "./resolutionTable.ts"
import { paidAddressTable } from "./paidAddressTable.ts"
import { payoutEvidenceTable } from "./payoutEvidenceTable.ts"
import { payoutTable } from "./payoutTable.ts"
import { payoutWalletTable } from "./payoutWalletTable.ts"
import { sentTransactionTable } from "./sentTransactionTable.ts"
import { spendTable } from "./spendTable.ts"
import { walletArrivalTable } from "./walletArrivalTable.ts"
import { walletCoinTable } from "./walletCoinTable.ts"

/** The table of each kind of record. */
export const recordTables: { readonly [K in RecordKind]: RecordTable<Records[K]> } = {
  Usage: usageTable,
  FeeRule: feeRuleTable,
  Quote: quoteTable,
  Destination: destinationTable,
  ProviderOrder: providerOrderTable,
  PayoutWallet: payoutWalletTable,
  Payout: payoutTable,
  Spend: spendTable,
  SentTransaction: sentTransactionTable,
  WalletCoin: walletCoinTable,
  WalletArrival: walletArrivalTable,
  PaidAddress: paidAddressTable,
  PaidAccount: paidAccountTable,
  AccountSetup: accountSetupTable,
  Customer: customerTable,
  CustomerName: customerNameTable,
  FiatAccount: fiatAccountTable,
  AccountNumber: accountNumberTable,
  BookedIncoming: bookedIncomingTable,
  FloatAdjustment: floatAdjustmentTable,
  PayoutEvidence: payoutEvidenceTable,
  AssetReservation: assetReservationTable,
  Resolution: resolutionTable,
  Intake: intakeTable,
  Sweep: sweepTable,
  SweepAccount: sweepAccountTable,
  ImportedAddressKey: importedAddressKeyTable,
  AddressProof: addressProofTable,
  UnprovenDeposit: unprovenDepositTable,
  IntakeCost: intakeCostTable
}
