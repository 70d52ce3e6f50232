import { ImportedAddressKey } from "@bursar/core/sweep/ImportedAddressKey"
import * as Cell from "../internal/cells.ts"
import { text, uuid } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

/** The family in the key of a row, `family|address`. */
const familyIn = (key: string): string => key.slice(0, key.indexOf("|"))

/** Which imported keys addresses have. */
export const importedAddressKeyTable: RecordTable<ImportedAddressKey> = {
  name: "imported_address_key",
  key: ["imported_address"],
  keyType: text,
  columns: [
    column("imported_address", text, ImportedAddressKey.key),
    column(groupColumn, text, ImportedAddressKey.group),
    column("network", text, ({ network }) => network),
    column("address", text, ({ address }) => address),
    column("key_id", uuid, ({ keyId }) => keyId),
    column("public_key", text, ({ publicKey }) => publicKey)
  ],
  read: (row) => ({
    network: Cell.text(row.network),
    family: familyIn(Cell.text(row.imported_address)),
    address: Cell.text(row.address),
    keyId: Cell.text(row.key_id),
    publicKey: Cell.text(row.public_key)
  })
}
