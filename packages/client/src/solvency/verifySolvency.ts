import { tenantProofFindings, type TenantKnows } from "@bursar/api/solvency/verifyTenantProof"
import type { SolvencyProof } from "@bursar/api/solvency/SolvencyProof"
import { Effect } from "effect"

export type { TenantKnows } from "@bursar/api/solvency/verifyTenantProof"

/** What came of verifying a proof of solvency. */
export interface SolvencyVerdict {
  readonly ok: boolean
  /** What is wrong, in words; empty where nothing is. */
  readonly findings: ReadonlyArray<string>
}

/**
 * Verifies the answer of `GET /v1/solvency?document=true` without believing the service: that each leaf is in its tree with your id and its
 * amount, that no sum on the way is negative or hides another, and that the document is whole, is the one that was published, and has these
 * trees. An answer without the document is not ok, since nothing else ties its leaves to the digest: ask with `document=true`, or put the
 * document that was published into `document`.
 * Give your own tenant id, and the digest and the service's key as they were published elsewhere. Compare the amounts with your own books.
 * It has no code of networks: it neither verifies the signatures of reserves nor sees that two texts are names of one address or chain (such as
 * muxed accounts of one account on Stellar), whose coins would count twice. `bursar solvency verify` does both.
 */
export const verifySolvency = async (proof: SolvencyProof, knows: TenantKnows): Promise<SolvencyVerdict> => {
  const findings = await Effect.runPromise(tenantProofFindings(proof, knows))
  return { ok: findings.length === 0, findings }
}
