import type { SignedRegistration } from "@bursar/core/signature/SignedRegistration"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** The signed requests by which partners have registered addresses and extended public keys. */
export const signedRegistrationTable: RecordTable<SignedRegistration> = {
  name: "signed_registration",
  key: ["registration_id"],
  keyType: uuid,
  columns: [
    column("registration_id", uuid, ({ id }) => id),
    column("keyid", text, ({ keyid }) => keyid),
    column("signature_base", text, ({ signatureBase }) => signatureBase),
    column("signature", text, ({ signature }) => signature),
    column("body", text, ({ body }) => body),
    column("recorded_at", timestamptz, ({ recordedAt }) => recordedAt)
  ],
  read: (row) => ({
    id: Cell.text(row.registration_id),
    keyid: Cell.text(row.keyid),
    signatureBase: Cell.text(row.signature_base),
    signature: Cell.text(row.signature),
    body: Cell.text(row.body),
    recordedAt: Cell.at(row.recorded_at)
  })
}
