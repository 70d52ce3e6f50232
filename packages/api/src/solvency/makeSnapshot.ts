import { Effect } from "effect"
import type { ReserveClaim } from "./reserveMessage.ts"
import {
  commitmentOf,
  documentDigest,
  type Reserve,
  type SolvencyCommitment,
  type SolvencyContent,
  type SolvencySnapshot,
  type Statement
} from "./SolvencySnapshot.ts"
import { summarize } from "./summarize.ts"

/** Names what the key of an address is to sign for. */
export type ClaimOf = (address: Pick<Reserve, "address" | "network">) => ReserveClaim

/**
 * Makes the public document of a snapshot. What is owed is fixed first: the keys of the reserves sign for it, so that no reserve is shown
 * with other liabilities than those that its key has seen.
 */
export const makeSnapshot = Effect.fnUntraced(function* <E, R>(
  committed: SolvencyCommitment,
  {
    reserves: prove,
    statements
  }: {
    readonly reserves: (claimOf: ClaimOf) => Effect.Effect<ReadonlyArray<Reserve>, E, R>
    readonly statements: ReadonlyArray<Statement>
  }
) {
  const commitment = yield* commitmentOf(committed)
  const { service, snapshot_id: snapshotId, taken_at: takenAt } = committed
  const reserves = yield* prove(({ address, network }) => ({
    service,
    snapshotId,
    commitment,
    network,
    address,
    takenAt
  }))
  const summary = summarize({ ...committed, reserves, statements })
  const content: SolvencyContent = { ...committed, commitment, reserves, statements, summary }
  const digest = yield* documentDigest(content)
  return { ...content, digest } satisfies SolvencySnapshot
})
