import { Result, Schema } from "effect"
import { ApproverSet, approverSetProblem } from "./ApproverSet.ts"
import { hiddenSign } from "./fields.ts"
import { valuesSchemas } from "./GrantDocument.ts"

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

/**
 * The first name among quorums that is no kind of grant: the kind that is meant takes fewer people. Undefined where there is none. A chain on which
 * such a set was granted before holds still, and one that follows on such a root.
 */
export const strangeQuorum = ({ quorums }: Pick<ApproverSet, "quorums">): string | undefined =>
  Object.keys(quorums).find((kind) => !Object.hasOwn(valuesSchemas, kind))

const membersOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce(
        (sum: number, one) => sum + membersOf(one),
        Array.isArray(value) ? 0 : Object.keys(value).length
      )
    : 0

/** Whether a key stands twice in an object of a JSON text, of which one would count that a reader may not see. */
const repeatsKey = (text: string, value: unknown): boolean =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gu)].filter(([, colon]) => colon !== undefined).length !==
  membersOf(value)

const read = Schema.decodeUnknownResult(GrantRoot, { onExcessProperty: "error" })

/** Reads a root from its JSON text. Fails with what is wrong, in words for who configures it. */
export const parseGrantRoot = (text: string): Result.Result<GrantRoot, string> =>
  Result.gen(function* () {
    const json = yield* Result.try({ try: (): unknown => JSON.parse(text), catch: () => "it is not JSON" })
    if (repeatsKey(text, json))
      return yield* Result.fail("a key of an object stands in it twice: delete the first one, which does not count")
    const root = yield* Result.mapError(read(json), ({ message }) => message)
    const problem = approverSetProblem(root)
    return problem === undefined ? root : yield* Result.fail(problem)
  })

/**
 * What is wrong with a root that no chain follows on yet: a quorum of what is no kind of grant, or a name with a sign that nobody sees. Undefined where nothing
 * is. A root that chains follow on can never change, so it is not refused for these: people grant another set of approvers.
 */
export const newRootProblem = (root: GrantRoot): string | undefined => {
  const kind = strangeQuorum(root)
  if (kind !== undefined) return `quorums: ${kind} is no kind of grant`
  const sign = hiddenSign(root.approvers.map(({ name }) => name))
  return sign && `a name holds ${sign}, which nobody sees or tells from a space`
}
