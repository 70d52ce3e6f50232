import type { Migration } from "./Migration.ts"

/** What a payout's wallet paid the network for a transaction that was given as evidence. */
export const evidenceFees: Migration = {
  id: 46,
  name: "evidence fees",
  statements: (sql) => [
    sql`alter table payout_evidence add column fee numeric(78, 0),
      add constraint payout_evidence_fee check (fee >= 0 and verdict = 'PROVEN')`
  ]
}
