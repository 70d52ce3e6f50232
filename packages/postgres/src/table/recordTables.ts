import type { RecordKind, Records } from "@bursar/core/engine/Records"
import type { RecordTable } from "../internal/Table.ts"
import { destinationTable } from "./destinationTable.ts"
import { feeRuleTable } from "./feeRuleTable.ts"
import { quoteTable } from "./quoteTable.ts"
import { usageTable } from "./usageTable.ts"

/** The table of each kind of record. */
export const recordTables: { readonly [K in RecordKind]: RecordTable<Records[K]> } = {
  Usage: usageTable,
  FeeRule: feeRuleTable,
  Quote: quoteTable,
  Destination: destinationTable
}
