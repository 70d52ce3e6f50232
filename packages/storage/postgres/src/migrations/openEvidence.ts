import type { Migration } from "./Migration.ts"

/** The chain may say of evidence that it is in a block which is not final yet: that is no denial. */
export const openEvidence: Migration = {
  id: 80,
  name: "open_evidence",
  statements: (sql) => [
    sql`alter table payout_evidence drop constraint payout_evidence_verdict_known,
      add constraint payout_evidence_verdict_known
        check (verdict in ('PROVEN', 'NOT_PROVEN', 'NOT_FINAL', 'UNREADABLE'))`
  ]
}
