import type { Migration } from "./Migration.ts"
import { guardValues } from "./readableValues.ts"

/**
 * Until when the credential is good that a pass stands on. Passes of earlier versions do not say so, and their seals do not hold any more: browsers
 * sign in again.
 */
export const passCredentials: Migration = {
  id: 78,
  name: "pass credentials",
  statements: (sql) => [
    sql`alter table operator_session add column credential_expires_at timestamptz(3)`,
    guardValues(sql)
  ]
}
