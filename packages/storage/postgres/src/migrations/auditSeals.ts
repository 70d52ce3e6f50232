import type { Migration } from "./Migration.ts"

/** The signer's seals of the log of operators' actions: ranges of it, one after the other, which are only ever added to. */
export const auditSeals: Migration = {
  id: 41,
  name: "audit seals",
  statements: (sql) => [
    sql`create table operator_audit_seal (
      number bigint not null,
      from_id bigint not null,
      to_id bigint not null,
      hash text not null,
      sealed_at timestamptz(3) not null,
      key_id text not null,
      previous text not null,
      mac text not null,
      constraint operator_audit_seal_pkey primary key (number),
      constraint operator_audit_seal_range check (number > 0 and from_id > 0 and to_id >= from_id),
      constraint operator_audit_seal_hex
        check (hash ~ '^[0-9a-f]{64}$' and previous ~ '^[0-9a-f]{64}$' and mac ~ '^[0-9a-f]{64}$')
    )`,
    sql`create function operator_audit_seal_is_only_added_to() returns trigger language plpgsql as $$
    begin
      raise exception 'operator_audit_seal is only added to' using errcode = 'restrict_violation';
    end $$`,
    sql`create trigger operator_audit_seal_kept before update or delete or truncate on operator_audit_seal
      for each statement execute function operator_audit_seal_is_only_added_to()`
  ]
}
