import { Effect } from "effect"
import { sha256Hex } from "../base/sha256.ts"
import { type GrantDocument, type GrantKind, grantText, type KindAndValues, readGrant } from "./GrantDocument.ts"
import { draftGrant, type GrantDraft, type HashedDocument, type KnownChain, neededFor } from "./grantCommands.ts"
import { grantHash } from "./grantHash.ts"
import { granted } from "./GrantState.ts"
import { type GrantProblem, problem } from "./judgeGrant.ts"
import { type ShownChanges, shownChanges } from "./shownChanges.ts"
import { chainAfter } from "./verifyChain.ts"

/** A grant of a plan, as it was worked out from the chain that it follows on. */
export interface PlannedGrant extends HashedDocument, ShownChanges {
  /** How many people it takes. */
  readonly needed: number
}

/** Grants of one chain that follow on each other, and the chain as it will be after them. */
export interface PlannedChain {
  readonly grants: ReadonlyArray<PlannedGrant>
  readonly after: KnownChain
}

/** Works out what a document would change at the end of a chain, and the chain after it. */
const planned = Effect.fnUntraced(function* (chain: KnownChain, document: GrantDocument) {
  const judged = yield* Effect.fromResult(neededFor(chain, document))
  const hash = yield* grantHash(grantText(document))
  const grant: PlannedGrant = { document, hash, ...shownChanges(document, judged), needed: judged.needed }
  return { grant, after: chainAfter(chain, grant, Date.parse(document.proposed_at)) }
})

/** Makes the documents that grant some values, one after the other, at the end of a chain. Fails with the first that could not hold. */
export const planGrants: (
  chain: KnownChain,
  contents: ReadonlyArray<KindAndValues>,
  draft: Omit<GrantDraft, "content">
) => Effect.Effect<PlannedChain, GrantProblem> = Effect.fn("grant.planGrants")(function* (chain, contents, draft) {
  const grants: Array<PlannedGrant> = []
  let after = chain
  for (const content of contents) {
    const step = yield* planned(after, draftGrant(after, { ...draft, content }))
    grants.push(step.grant)
    after = step.after
  }
  return { grants, after } satisfies PlannedChain
})

/** Whether a chain has a grant already that a plan names: it was appended, and nothing has taken its place. */
const stands = ({ fleet, tenant }: KnownChain, document: GrantDocument, hash: string): boolean =>
  granted(tenant ?? fleet, document.kind, document.subject)?.hash === hash

/** What rows become. Who signs a plan does not look for anything else in it, such as other approvers, or an adoption and what that confirms. */
const plannedKinds: ReadonlySet<GrantKind> = new Set<GrantKind>([
  "network",
  "suspension",
  "destination",
  "api_key",
  "signing_key",
  "payout_wallet",
  "issuing_account",
  "policy"
])

/**
 * Reads the documents of a plan anew, without believing anything that it says beside them, for a chain on which the first of them may stand already:
 * gives those that are left. Fails with the first that no plan may hold, or that cannot follow, as where the chain went on without the plan.
 */
export const reviewPlan = Effect.fn("grant.reviewPlan")(function* (chain: KnownChain, texts: ReadonlyArray<string>) {
  const grants: Array<PlannedGrant> = []
  let after = chain
  for (const text of texts) {
    const document = yield* Effect.fromResult(readGrant(text))
    if (!plannedKinds.has(document.kind))
      return yield* Effect.fromResult(problem("wrong_kind", `${document.kind} is nothing that rows become`))
    if (grants.length === 0 && stands(chain, document, yield* grantHash(text))) continue
    const step = yield* planned(after, document)
    grants.push(step.grant)
    after = step.after
  }
  return { grants, after } satisfies PlannedChain
})

/** What people compare before they sign: it covers every document of a plan, in its order. */
export const planDigest = (hashes: ReadonlyArray<string>): Effect.Effect<string> =>
  sha256Hex(`bursar.grant.plan.v1\n${hashes.join("\n")}`)
