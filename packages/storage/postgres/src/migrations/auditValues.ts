import type { Migration } from "./Migration.ts"

/** What an operator asked for and what it changed, beside each record that is written from now on. */
export const auditValues: Migration = {
  id: 45,
  name: "audit values",
  statements: (sql) => [
    sql`alter table operator_audit add column digest text, add column "values" text,
      add constraint operator_audit_valued check ((digest is null) = ("values" is null)),
      add constraint operator_audit_digest_hex check (digest ~ '^[0-9a-f]{64}$')`
  ]
}
