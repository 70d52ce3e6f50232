import { AddressProof } from "@bursar/core/address/AddressProof"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** What tenants have proven to have the keys of. */
export const addressProofTable: RecordTable<AddressProof> = {
  name: "address_proof",
  key: ["subject"],
  keyType: text,
  columns: [
    column("subject", text, AddressProof.key),
    column(groupColumn, text, AddressProof.group),
    column("network", text, ({ network }) => network),
    column("address", text, ({ address }) => address),
    column("message", text, ({ message }) => message),
    column("signature", text, ({ signature }) => signature),
    column("proven_at", timestamptz, ({ provenAt }) => provenAt)
  ],
  read: (row) => ({
    subject: Cell.text(row.subject),
    network: Cell.text(row.network),
    address: Cell.text(row.address),
    message: Cell.text(row.message),
    signature: Cell.text(row.signature),
    provenAt: Cell.at(row.proven_at)
  })
}
