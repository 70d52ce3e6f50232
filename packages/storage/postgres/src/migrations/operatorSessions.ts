import type { Migration } from "./Migration.ts"

/** The links and sessions of operators in browsers, by digests that open nothing. */
export const operatorSessions: Migration = {
  id: 51,
  name: "operator sessions",
  statements: (sql) => [
    sql`create table operator_session (
      digest text not null,
      kind text not null,
      operator text not null,
      credential text not null,
      seal text not null,
      role text not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      constraint operator_session_pkey primary key (digest),
      constraint operator_session_digest_hex check (digest ~ '^[0-9a-f]{64}$'),
      constraint operator_session_kind_known check (kind in ('LINK', 'SESSION')),
      constraint operator_session_ends check (expires_at > created_at)
    )`,
    sql`create index operator_session_end on operator_session (expires_at)`
  ]
}
