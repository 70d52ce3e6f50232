import type { OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import type { OperatorClient } from "@bursar/client/effect"
import { currentAuthority, mustAdopt } from "@bursar/core/grant/GrantState"
import type { Grants } from "@bursar/core/grant/Grants"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { configFlag } from "../config/environment.ts"
import { connect, connectionFlags } from "./operator.ts"
import { printRows, printText } from "./print.ts"
import { openToSign, signingFlags } from "./signing.ts"

const examining = Effect.promise(() => import("./grantChain.ts"))

/** A tenant whose chain waits for an adoption. */
interface Waiting {
  readonly id: string
  readonly slug: string
}

/** The tenants whose chains nobody goes by until they adopt, of all or of those that are named. */
const waitingChains = Effect.fnUntraced(function* (
  client: OperatorClient,
  grants: Grants["Service"],
  named: ReadonlyArray<string>
) {
  const { chainOf, verifiedChain } = yield* examining
  const { tenants } = yield* client.tenants.list()
  const ids = yield* Effect.forEach(named, (name) => chainOf(client, name))
  const waiting: Array<Waiting> = []
  for (const { id, slug } of tenants) {
    if (ids.length > 0 && !ids.includes(id)) continue
    const { fleet, tenant } = yield* verifiedChain(grants, id)
    if (tenant !== undefined && mustAdopt(fleet, tenant)) waiting.push({ id, slug })
  }
  return waiting
})

/** The open proposal to adopt on a chain; it is made where there is none. */
const adoptionOf = Effect.fnUntraced(function* (client: OperatorClient, chain: string) {
  const { proposals } = yield* client.grants.list({ params: { chain } })
  const open = proposals.find(({ kind, state }) => kind === "adoption" && state === "OPEN")
  if (open !== undefined) return open
  const payload = { kind: "adoption", values: {}, note: "The approvers have become stricter." }
  return yield* client.grants.propose({ params: { chain }, payload })
})

/** A proposal to adopt as it was verified here. */
const examined = Effect.fnUntraced(function* (
  grants: Grants["Service"],
  { id, slug }: Waiting,
  proposal: OperatorGrantProposal
) {
  const { examine, shown, titleOf, verifiedChain } = yield* examining
  const one = yield* examine(yield* verifiedChain(grants, id), proposal)
  if (one.document.tenant !== id || one.document.kind !== "adoption")
    return yield* new CommandFailed({ message: `The service shows something else than an adoption of ${slug}.` })
  const text = `${titleOf({ chain: id, name: slug })}\n${shown(one)}\n`
  return { slug, proposal, hash: one.hash, needed: one.needed, text }
})

/** `bursar grant adopt` */
export const grantAdopt = Command.make(
  "adopt",
  {
    ...connectionFlags,
    ...configFlag,
    ...signingFlags,
    key: Flag.String("key").pipe(
      Flag.withDescription("Your key file, to sign them all; without it they are only proposed and shown"),
      Flag.optional
    ),
    tenants: Argument.String("tenant").pipe(
      Argument.withDescription("Slugs or ids of tenants; by default all that wait"),
      Argument.variadic()
    )
  },
  Effect.fn(function* (options) {
    const { readGrantRoot, trustOf } = yield* Effect.promise(() => import("../config/grantRoot.ts"))
    const client = yield* connect(options)
    const { verifierOver } = yield* examining
    const grants = yield* verifierOver(client, yield* trustOf(yield* readGrantRoot(options.config)))
    const waiting = yield* waitingChains(client, grants, options.tenants)
    const all = yield* Effect.forEach(waiting, (one) =>
      Effect.flatMap(adoptionOf(client, one.id), (proposal) => examined(grants, one, proposal))
    )
    if (!options.json) yield* printText(all.map(({ text }) => text).join("\n"))
    let rows = all.map(({ needed, proposal, slug }) => ({ slug, needed, proposal }))
    if (all.length > 0 && Option.isSome(options.key)) {
      const key = yield* openToSign({ ...options, key: options.key.value }, `Sign ${all.length} adoptions?`)
      const person = currentAuthority(yield* grants.fleet).keys.get(key.publicKey)?.person
      rows = yield* Effect.forEach(all, ({ hash, needed, proposal, slug }) => {
        // it was run before, and got this far
        if (proposal.approvals.some((one) => one.person === person)) return Effect.succeed({ slug, needed, proposal })
        const params = { chain: proposal.chain, proposal_id: proposal.id }
        const approving = client.grants.approve({ params, payload: { approval: key.approve(hash) } })
        return Effect.map(approving, (after) => ({ slug, needed, proposal: after }))
      })
    }
    yield* printRows(
      options.json,
      rows.map(({ needed, proposal: { approvals, hash, id, state }, slug }) => ({
        tenant: slug,
        proposal: id,
        state,
        approved: approvals.map(({ person }) => person),
        needed,
        hash
      })),
      "No chain waits for an adoption."
    )
  })
).pipe(
  Command.withDescription(
    "Confirm the chains of tenants after an approver was removed: propose, look, and sign all at once"
  ),
  Command.withExamples([
    { command: "bursar grant adopt", description: "Propose and show what waits" },
    { command: "bursar grant adopt --key ~/.bursar/alice.pem", description: "Sign all with one passphrase" }
  ])
)
