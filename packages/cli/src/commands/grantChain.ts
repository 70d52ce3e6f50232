import type { OperatorGrantEntryList, OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import { printable } from "@bursar/api/wire/printable"
import type { OperatorClient } from "@bursar/client/effect"
import { StorageError } from "@bursar/core/engine/StorageError"
import { isOfFuture } from "@bursar/core/grant/arrival"
import type { Grant } from "@bursar/core/grant/Grant"
import { type AwaitingAdoption, awaitingAdoption } from "@bursar/core/grant/GrantState"
import { type KnownChain, neededFor } from "@bursar/core/grant/grantCommands"
import { type GrantChange, grantDiff } from "@bursar/core/grant/grantDiff"
import { type GrantDocument, readGrant } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import { Grants, layer as layerGrants } from "@bursar/core/grant/Grants"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { type ShownChanges, shownChanges } from "@bursar/core/grant/shownChanges"
import type { GrantChainBroken, GrantTrust } from "@bursar/core/grant/verifyChain"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Layer } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"
import { folded } from "./folded.ts"
import { findTenant } from "./operator.ts"

/** How many grants the operator API gives at once. */
const pageMax = 200

/** The name of a chain in paths: `fleet`, or the id of the tenant. */
export const chainOf = Effect.fn("grantChain.chainOf")(function* (client: OperatorClient, name: string) {
  return name === "fleet" ? name : (yield* findTenant(client, name)).id
})

/** A chain by its name in paths and its name for people. */
export interface NamedChain {
  readonly chain: string
  readonly name: string
}

/** A chain for a person. The name is only what the service calls the tenant now: what is signed is for the id. */
export const titleOf = ({ chain, name }: NamedChain): string =>
  chain === "fleet" ? chain : `${folded("", name).join("\n")} (tenant ${printable(chain)})`

/** The chains as the operator API gives them. Nothing of it is believed: it is verified here. */
const storeOver = (client: OperatorClient) =>
  Layer.succeed(
    GrantStore,
    GrantStore.of({
      after: (tenantId, number, limit) =>
        Effect.gen(function* () {
          const read: Array<Grant> = []
          for (let more = true; more && read.length < limit;) {
            const { entries }: typeof OperatorGrantEntryList.Type = yield* client.grants.entries({
              params: { chain: tenantId ?? "fleet" },
              query: { after: number + read.length, limit: Math.min(pageMax, limit - read.length) }
            })
            read.push(
              ...entries.map(({ recorded_at, ...entry }) => ({
                ...entry,
                recordedAt: Date.parse(recorded_at),
                proposalId: null
              }))
            )
            more = entries.length === pageMax
          }
          return read
        }).pipe(Effect.mapError((cause) => new StorageError({ doing: "read grants from the operator API", cause }))),
      // whoever looks at a chain knows which one
      ends: Effect.succeed([]),
      // proposals are no grants: they are read where they are shown
      proposals: () => Effect.succeed([]),
      proposal: () => Effect.sync((): undefined => undefined)
    })
  )

/** Verifies chains here, from what the operator API gives. */
export const verifierOver = (client: OperatorClient, trust: GrantTrust): Effect.Effect<Grants["Service"]> =>
  Effect.provide(Grants, layerGrants(trust).pipe(Layer.provide(storeOver(client))))

/** A chain as it was verified here: `fleet`, or that of the tenant of an id. */
export const verifiedChain = (
  grants: Grants["Service"],
  chain: string
): Effect.Effect<KnownChain, GrantChainBroken | StorageError> =>
  chain === "fleet" ? Effect.map(grants.fleet, (fleet) => ({ fleet })) : grants.stateOf(TenantId(chain))

/** What is signed of a proposal, and what that changes, all of it worked out here from the document's own text. */
export interface Examined extends ShownChanges {
  readonly document: GrantDocument
  readonly hash: string
  /** The grants that it would confirm, where it is an adoption. */
  readonly confirms: ReadonlyArray<AwaitingAdoption>
  readonly needed: number
  /** Whether it says that it was proposed later than now: a stop is signed all the same. */
  readonly isEarly: boolean
}

/** Whether a grant stops something and does nothing else: it puts nothing back, whatever its author knew. */
const onlyStops = (document: GrantDocument): boolean =>
  (document.kind === "network" && document.values.stopped) ||
  (document.kind === "suspension" && document.values.suspended)

/** Looks at a proposal of a chain without believing what the service says of it. A stop waits for no clock to be set. */
export const examine = Effect.fn("grantChain.examine")(function* (
  known: KnownChain,
  { document: text }: Pick<OperatorGrantProposal, "document">
) {
  const refuse = (message: string) => new CommandFailed({ message })
  const document = yield* Effect.mapError(Effect.fromResult(readGrant(text)), ({ message }) =>
    refuse(`The service shows something that is no grant: ${message}.`)
  )
  const judged = yield* Effect.mapError(Effect.fromResult(neededFor(known, document)), ({ message }) =>
    refuse(`The grant cannot hold: ${message}.`)
  )
  const now = yield* Clock.currentTimeMillis
  if (Date.parse(document.expires_at) <= now)
    return yield* refuse(`The proposal has expired at ${document.expires_at}.`)
  const isEarly = isOfFuture(document, now)
  if (isEarly && !onlyStops(document))
    return yield* refuse(
      `The proposal says that it was proposed at ${document.proposed_at}, which is in the future: look at the clocks of this machine and of the service.`
    )
  const examined: Examined = {
    document,
    hash: yield* grantHash(text),
    ...shownChanges(document, judged),
    confirms:
      document.kind === "adoption" && known.tenant !== undefined ? awaitingAdoption(known.fleet, known.tenant) : [],
    needed: judged.needed,
    isEarly
  }
  return examined
})

const confirmed = ({ approvedBy, grant }: AwaitingAdoption): ReadonlyArray<string> => [
  `  ${grant.number}. ${grant.document.kind} ${grant.document.subject}, approved by ${approvedBy
    .map(({ counts, person }) => (counts ? person : `${person} (removed)`))
    .join(", ")}`,
  ...grantDiff(undefined, grant.values).flatMap(({ path, to }) => folded("       ", `${path}: ${to ?? ""}`))
]

/** What a grant changes, on lines in which everything is seen. */
export const linesOfChange = ({ from, path, to }: GrantChange): ReadonlyArray<string> =>
  folded("  ", `${path}: ${from ?? "(nothing)"} → ${to ?? "(nothing)"}`)

/** What a grant changes, on lines under a title. Of one that repeats its chain, what it puts back: which of that was lowered, no chain says. */
export const changeLines = ({ changes, repeats }: ShownChanges): ReadonlyArray<string> =>
  repeats
    ? [
        "Says again what holds. It puts back whatever operators have lowered without a grant, to",
        ...changes.flatMap(({ path, to }) => folded("  ", `${path}: ${to ?? "(nothing)"}`))
      ]
    : ["Changes", ...changes.flatMap(linesOfChange)]

/** What is signed of a document beside what it changes. */
export const aroundLines = (document: GrantDocument): ReadonlyArray<string> => [
  ...folded("Note         ", document.note === "" ? "-" : document.note),
  ...folded("Proposed     ", `by ${document.proposed_by}, ${document.proposed_at}`),
  `Expires      ${document.expires_at}`
]

/** An examined proposal as lines for a person. */
export const shown = (examined: Examined): string => {
  const { confirms, document, hash, isEarly, needed } = examined
  return [
    `Kind         ${document.kind}`,
    `Chain        ${document.tenant === null ? "the fleet (all tenants)" : `tenant ${document.tenant}`}`,
    ...folded("Subject      ", document.subject),
    ...aroundLines(document),
    ...(isEarly
      ? [
          "Clocks       By the clock of this machine, it was proposed in the future: look at",
          "             this clock and at the service's. It only stops something, and can be",
          "             signed now; a plan with it can be signed and imported only then."
        ]
      : []),
    `People       ${needed} must approve`,
    `Hash         ${hash}`,
    ...(document.kind === "adoption"
      ? ["Confirms these grants, which removed keys could have added at any time", ...confirms.flatMap(confirmed)]
      : changeLines(examined)),
    ...(document.kind === "policy" && !examined.repeats
      ? ["What it raises holds then, also where operators have lowered it without a grant."]
      : [])
  ].join("\n")
}
