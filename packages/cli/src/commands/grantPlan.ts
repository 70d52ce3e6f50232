import type { OperatorClient } from "@bursar/client/effect"
import type { Approval } from "@bursar/core/grant/Approval"
import { isOfFuture } from "@bursar/core/grant/arrival"
import { canonicalText } from "@bursar/core/grant/canonical"
import { type GrantDraft, type KnownChain } from "@bursar/core/grant/grantCommands"
import { grantText, type KindAndValues, readValues } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import { planDigest, planGrants, type PlannedGrant, reviewPlan } from "@bursar/core/grant/grantPlan"
import type { Grants } from "@bursar/core/grant/Grants"
import { type Authority, currentAuthority, type FleetState, mustAdopt } from "@bursar/core/grant/GrantState"
import type { LeftOut } from "@bursar/core/grant/importedGrants"
import { verifiedPeople } from "@bursar/core/grant/verifyChain"
import { Clock, Effect } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"
import { aroundLines, changeLines, linesOfChange, type NamedChain, titleOf, verifiedChain } from "./grantChain.ts"
import { type GrantPlan, newPlan } from "./grantPlanFile.ts"

/** The chain of the fleet, then those of the tenants: what tenants' grants name of the fleet must be there before. */
const chainsOf = Effect.fnUntraced(function* (client: OperatorClient) {
  const { tenants } = yield* client.tenants.list()
  return [{ chain: "fleet", name: "fleet" }, ...tenants.map(({ id, slug }): NamedChain => ({ chain: id, name: slug }))]
})

/** A row that is not granted, with the name of its chain. */
export interface LeftOutOf extends LeftOut {
  readonly chain: string
}

/** What of a chain's rows is not granted yet, as the service says. */
const importableOf = Effect.fnUntraced(function* (client: OperatorClient, { chain, name }: NamedChain) {
  const { contents, left_out: leftOut } = yield* client.grants.importable({ params: { chain } })
  const read = yield* Effect.forEach(contents, (content) =>
    Effect.mapError(Effect.fromResult(readValues(content)), (message) => new CommandFailed({ message }))
  )
  return { contents: read, leftOut: leftOut.map((one): LeftOutOf => ({ chain: name, ...one })) }
})

/** A chain as it is verified now, after those grants of a plan that the fleet is given before. */
const knownAfter = Effect.fnUntraced(function* (
  grants: Grants["Service"],
  chain: string,
  fleet: FleetState | undefined
) {
  const known: KnownChain = yield* verifiedChain(grants, chain)
  return fleet === undefined || known.tenant === undefined ? known : { ...known, fleet }
})

/** Makes a plan of all that the service has in rows and no grant says yet. */
export const makePlan = Effect.fn("grantPlan.make")(function* (
  client: OperatorClient,
  grants: Grants["Service"],
  draft: Omit<GrantDraft, "content">
) {
  const leftOut: Array<LeftOutOf> = []
  const planned: Array<{ readonly chain: string; readonly documents: ReadonlyArray<string> }> = []
  let fleet: FleetState | undefined
  for (const one of yield* chainsOf(client)) {
    const known = yield* knownAfter(grants, one.chain, fleet)
    const found = yield* importableOf(client, one)
    leftOut.push(...found.leftOut)
    if (known.tenant !== undefined && mustAdopt(known.fleet, known.tenant)) {
      leftOut.push({ chain: one.name, what: "all", reason: "its chain must be adopted first: bursar grant adopt" })
      continue
    }
    const { after, grants: made } = yield* Effect.mapError(
      planGrants(known, found.contents, draft),
      ({ message }) => new CommandFailed({ message: `The settings of ${one.name} cannot be granted: ${message}.` })
    )
    if (one.chain === "fleet") ({ fleet } = after)
    if (made.length > 0) planned.push({ chain: one.chain, documents: made.map(({ document }) => grantText(document)) })
  }
  return { plan: newPlan(planned), leftOut }
})

/** A grant of a plan that is not on its chain yet, with those who have approved it. */
export interface ReviewedGrant extends PlannedGrant {
  readonly approvals: ReadonlyArray<Approval>
  readonly people: ReadonlySet<string>
}

/** What is left of a plan on a chain. */
export interface ReviewedChain extends NamedChain {
  readonly total: number
  readonly left: ReadonlyArray<ReviewedGrant>
}

const reviewGrant = Effect.fnUntraced(function* (
  grants: Grants["Service"],
  authority: Authority,
  { grant, plan }: { readonly grant: PlannedGrant; readonly plan: ReadonlyMap<string, ReadonlyArray<Approval>> }
) {
  const approvals = plan.get(grant.hash) ?? []
  const people = yield* verifiedPeople(grants.trust.passkeys, authority, { approvals, hash: grant.hash })
  const reviewed: ReviewedGrant = { ...grant, approvals, people }
  return reviewed
})

/** Looks at a plan with the eyes of this machine: verifies the chains, works out what each document changes, and who has approved it. */
export const review = Effect.fn("grantPlan.review")(function* (
  client: OperatorClient,
  grants: Grants["Service"],
  { chains }: GrantPlan
) {
  const now = yield* Clock.currentTimeMillis
  const names = new Map((yield* chainsOf(client)).map(({ chain, name }) => [chain, name]))
  const authority = currentAuthority(yield* grants.fleet)
  const hashes: Array<string> = []
  const reviewed: Array<ReviewedChain> = []
  let fleet: FleetState | undefined
  for (const { chain, entries } of chains) {
    const name = names.get(chain)
    const refuse = ({ message }: { readonly message: string }) =>
      new CommandFailed({
        message: `The plan does not fit the chain of ${name ?? chain}: ${message}. Make a new plan in another file.`
      })
    if (name === undefined) return yield* refuse({ message: "there is no such tenant" })
    const known = yield* knownAfter(grants, chain, fleet)
    const documents = entries.map(({ document }) => document)
    const { after, grants: left } = yield* Effect.mapError(reviewPlan(known, documents), refuse)
    if (chain === "fleet") ({ fleet } = after)
    const late = left.find(({ document }) => Date.parse(document.expires_at) <= now)
    if (late !== undefined) return yield* refuse({ message: `it has expired at ${late.document.expires_at}` })
    const early = left.find(({ document }) => isOfFuture(document, now))
    if (early !== undefined)
      return yield* refuse({
        message: `it says that it was proposed at ${early.document.proposed_at}, which is in the future: look at the clocks of this machine and of the one that made it`
      })
    const own = yield* Effect.forEach(documents, grantHash)
    hashes.push(...own)
    const plan = new Map(own.map((hash, at) => [hash, entries[at]?.approvals ?? []]))
    const all = yield* Effect.forEach(left, (grant) =>
      Effect.mapError(reviewGrant(grants, authority, { grant, plan }), refuse)
    )
    reviewed.push({ chain, name, total: entries.length, left: all })
  }
  return { digest: yield* planDigest(hashes), chains: reviewed }
})

/** A plan as this machine sees it. */
export type Reviewed = Effect.Success<ReturnType<typeof review>>

const line = ({ changes, document, needed, people, repeats }: ReviewedGrant): ReadonlyArray<string> => [
  `  ${document.number}. ${document.kind} ${document.subject} (${people.size} of ${needed} have approved)`,
  ...(repeats ? changeLines({ changes, repeats }) : changes.flatMap(linesOfChange)).map((text) => `     ${text}`)
]

/** The grants of a chain, each under what is signed around it: that is the same for most, and is said again where it is another. */
const leftLines = (left: ReadonlyArray<ReviewedGrant>): ReadonlyArray<string> => {
  const around = left.map(({ document }) => aroundLines(document).map((text) => `  ${text}`))
  return left.flatMap((grant, at) => {
    const own = around[at] ?? []
    return [...(own.join("\n") === around[at - 1]?.join("\n") ? [] : own), ...line(grant)]
  })
}

/** A plan as lines for a person. */
export const shownPlan = ({ chains, digest }: Reviewed): string =>
  [
    ...chains.flatMap((one) => [
      `${titleOf(one)}: ${one.left.length} to grant${one.left.length < one.total ? `, ${one.total - one.left.length} granted already` : ""}`,
      ...leftLines(one.left)
    ]),
    `Digest       ${digest}`
  ].join("\n")

/** The plan with a person's approval of everything that is left of it. What the person has approved already stays as it is. */
export const signPlan = (
  { chains, version }: GrantPlan,
  reviewed: Reviewed,
  { approve, person }: { readonly approve: (hash: string) => Approval; readonly person: string }
): GrantPlan => {
  const missing = new Map(
    reviewed.chains.flatMap(({ left }) =>
      left.flatMap(({ document, hash, people }) => (people.has(person) ? [] : [[grantText(document), hash] as const]))
    )
  )
  return {
    version,
    chains: chains.map(({ chain, entries }) => ({
      chain,
      entries: entries.map((entry) => {
        const hash = missing.get(entry.document)
        return hash === undefined ? entry : { ...entry, approvals: [...entry.approvals, approve(hash)] }
      })
    }))
  }
}

/** What a row says, without from when on a destination receives: that follows from when the plan was made. */
const rowText = ({ kind, values }: KindAndValues): string =>
  `${kind} ${canonicalText("usable_from" in values ? { ...values, usable_from: undefined } : values)}`

/**
 * Appends what is left of a plan. Before anything is appended, each grant must have enough approvals and must still say what the service's rows
 * say: who has lowered a limit since is not overruled by what was signed before.
 */
export const applyPlan = Effect.fn("grantPlan.apply")(function* (client: OperatorClient, { chains }: Reviewed) {
  for (const one of chains) {
    const few = one.left.find(({ needed, people }) => people.size < needed)
    if (few !== undefined)
      return yield* new CommandFailed({
        message: `${few.people.size} of ${few.needed} people have approved the plan: nothing was granted.`
      })
    if (one.left.length === 0) continue
    const rows = new Set((yield* importableOf(client, one)).contents.map(rowText))
    const changed = one.left.find(({ document }) => !rows.has(rowText(document)))
    if (changed !== undefined)
      return yield* new CommandFailed({
        message: `${changed.document.kind} ${changed.document.subject} of ${one.name} has changed since the plan was made: make a new plan in another file.`
      })
  }
  for (const { chain, left } of chains)
    for (const { approvals, document } of left)
      yield* client.grants.append({ params: { chain }, payload: { document: grantText(document), approvals } })
})
