import type { NonceKey, SignatureNonce } from "@bursar/core/signature/SignatureNonce"
import * as Cell from "../internal/cells.ts"
import { text, timestamptz } from "../internal/columnTypes.ts"
import { column, type RecordTable } from "../internal/Table.ts"

/** The nonces that signing keys have used, until they may be forgotten. */
export const nonceTable: RecordTable<SignatureNonce, NonceKey> = {
  name: "signature_nonce",
  key: ["keyid", "nonce"],
  keyColumns: [column("keyid", text, ({ keyid }) => keyid), column("nonce", text, ({ nonce }) => nonce)],
  expiry: "forget_at",
  columns: [
    column("keyid", text, ({ keyid }) => keyid),
    column("nonce", text, ({ nonce }) => nonce),
    column("idempotency_key", text, ({ idempotencyKey }) => idempotencyKey),
    column("content_digest", text, ({ contentDigest }) => contentDigest),
    column("used_at", timestamptz, ({ usedAt }) => usedAt),
    column("forget_at", timestamptz, ({ forgetAt }) => forgetAt)
  ],
  read: (row) => ({
    keyid: Cell.text(row.keyid),
    nonce: Cell.text(row.nonce),
    idempotencyKey: Cell.text(row.idempotency_key),
    contentDigest: Cell.text(row.content_digest),
    usedAt: Cell.at(row.used_at),
    forgetAt: Cell.at(row.forget_at)
  })
}
