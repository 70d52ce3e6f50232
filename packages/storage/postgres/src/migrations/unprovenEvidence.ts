import type { Migration } from "./Migration.ts"

/** Evidence that proves nothing can be stored: the constraint of before asked for a proof also where there is no fee. */
export const unprovenEvidence: Migration = {
  id: 67,
  name: "unproven_evidence",
  statements: (sql) => [
    sql`alter table payout_evidence drop constraint payout_evidence_fee,
      add constraint payout_evidence_fee check (fee is null or (fee >= 0 and verdict is not distinct from 'PROVEN'))`
  ]
}
