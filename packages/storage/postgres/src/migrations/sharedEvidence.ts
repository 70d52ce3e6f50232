import type { Migration } from "./Migration.ts"

/** One transaction may be evidence of several payouts: of those of a batch that it has paid, and of one for which the chain has denied it before. */
export const sharedEvidence: Migration = {
  id: 85,
  name: "shared_evidence",
  statements: (sql) => [sql`drop index payout_evidence_hash`]
}
