import { Effect } from "effect"
import type { ReserveClaim } from "./reserveMessage.ts"
import type { DocumentClaim } from "./documentSignature.ts"
import {
  commitmentOf,
  documentDigest,
  type DocumentSignature,
  type Reserve,
  type SolvencyCommitment,
  type SolvencyContent,
  type SolvencySnapshot,
  type Statement,
  type UnreadAddress
} from "./SolvencySnapshot.ts"
import { summarize } from "./summarize.ts"

/** Names what the key of an address is to sign for. */
export type ClaimOf = (address: Pick<Reserve, "address" | "network">) => ReserveClaim

/**
 * Makes the public document of a snapshot. What is owed is fixed first: the keys of the reserves sign for it, so that no reserve is shown
 * with other liabilities than those that its key has seen. Last the service signs the whole.
 */
export const makeSnapshot = Effect.fnUntraced(function* <E, R, E2, R2>(
  committed: SolvencyCommitment,
  {
    reserves: prove,
    sign,
    statements,
    unread
  }: {
    readonly reserves: (claimOf: ClaimOf) => Effect.Effect<ReadonlyArray<Reserve>, E, R>
    readonly sign: (claim: DocumentClaim) => Effect.Effect<DocumentSignature, E2, R2>
    readonly statements: ReadonlyArray<Statement>
    readonly unread: ReadonlyArray<UnreadAddress>
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
  const content: SolvencyContent = { ...committed, commitment, reserves, unread, statements, summary }
  const digest = yield* documentDigest(content)
  const signature = yield* sign({ service, snapshotId, digest, takenAt })
  return { ...content, digest, signature } satisfies SolvencySnapshot
})
