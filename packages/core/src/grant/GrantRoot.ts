import { Result, Schema } from "effect"
import { ApproverSet, approverSetProblem } from "./ApproverSet.ts"

/** Where passkeys are used: WebAuthn's relying party id, and the origins of the pages that ask for them. */
export const RelyingParty = Schema.Struct({
  rp_id: Schema.String.check(Schema.isPattern(/^[a-z0-9.-]{1,253}$/u, { expected: "a domain" })),
  origins: Schema.Array(Schema.String.check(Schema.isPattern(/^https?:\/\/[^/]+$/u, { expected: "an origin" })))
})

/** Where passkeys are used. */
export type RelyingParty = typeof RelyingParty.Type

/**
 * What every chain of grants starts from: the first approvers and their quorums. It is configuration, not data: whoever may write to the
 * database cannot change it. It never changes while its chains live; the grants of the fleet change who approves after.
 */
export const GrantRoot = Schema.Struct({
  ...ApproverSet.fields,
  relying_party: Schema.optionalKey(RelyingParty)
})

/** What every chain of grants starts from. */
export type GrantRoot = typeof GrantRoot.Type

const read = Schema.decodeUnknownResult(GrantRoot, { onExcessProperty: "error" })

/** Reads a root from its JSON text. Fails with what is wrong, in words for who configures it. */
export const parseGrantRoot = (text: string): Result.Result<GrantRoot, string> =>
  Result.gen(function* () {
    const json = yield* Result.try({ try: (): unknown => JSON.parse(text), catch: () => "it is not JSON" })
    const root = yield* Result.mapError(read(json), ({ message }) => message)
    const problem = approverSetProblem(root)
    return problem === undefined ? root : yield* Result.fail(problem)
  })
