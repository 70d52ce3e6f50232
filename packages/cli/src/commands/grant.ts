import { Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { configFlag } from "../config/environment.ts"
import { CommandFailed } from "../config/CommandFailed.ts"
import { ownDatabaseUrl } from "./database.ts"
import { folded } from "./folded.ts"
import { grantAdopt } from "./grantAdopt.ts"
import { grantImport } from "./grantImport.ts"
import { connect, connectionFlags, given, proposing } from "./operator.ts"
import { printRecord, printRows, printText } from "./print.ts"
import { keyFlag, openToSign, signingFlags } from "./signing.ts"

const chainArgument = Argument.String("chain").pipe(Argument.withDescription("fleet, or the slug or id of a tenant"))

const idArgument = Argument.String("proposal").pipe(Argument.withDescription("The id of the proposal"))

/** What the commands need that look at a chain with their own eyes. */
const examining = Effect.promise(() => import("./grantChain.ts"))

/** A client, and the chain that the arguments name. */
const open = Effect.fnUntraced(function* (options: Parameters<typeof connect>[0] & { readonly chain: string }) {
  const client = yield* connect(options)
  const { chainOf } = yield* examining
  return { client, chain: yield* chainOf(client, options.chain) }
})

/** A proposal as it is verified here, from the root that this machine has. */
const openProposal = Effect.fnUntraced(function* (
  options: Parameters<typeof connect>[0] & {
    readonly chain: string
    readonly proposal: string
    readonly config: Option.Option<string>
  }
) {
  const { chain, client } = yield* open(options)
  const { readGrantRoot, trustOf } = yield* Effect.promise(() => import("../config/grantRoot.ts"))
  const { examine, shown, verifiedChain, verifierOver } = yield* examining
  const trust = yield* trustOf(yield* readGrantRoot(options.config))
  const params = { chain, proposal_id: options.proposal }
  const proposal = yield* client.grants.show({ params })
  const tenant = chain === "fleet" ? null : chain
  const examined = yield* examine(yield* verifiedChain(yield* verifierOver(client, trust), chain), proposal)
  if (examined.document.tenant !== tenant)
    return yield* new CommandFailed({ message: "The service shows a grant of another chain." })
  return { client, params, proposal, examined, text: shown(examined) }
})

const list = Command.make(
  "list",
  { ...connectionFlags, chain: chainArgument },
  Effect.fn(function* (options) {
    const { chain, client } = yield* open(options)
    const { proposals } = yield* client.grants.list({ params: { chain } })
    const rows = proposals.map(({ approvals, approvals_needed: needed, ...one }) => ({
      id: one.id,
      kind: one.kind,
      subject: one.subject,
      state: one.state,
      approved: approvals.map(({ person }) => person),
      needed,
      proposed_by: one.proposed_by,
      expires_at: one.expires_at,
      outdated_because: one.outdated_because
    }))
    yield* printRows(options.json, options.json ? proposals : rows, "No grant has been proposed on this chain.")
  })
).pipe(Command.withDescription("List proposals of a chain: all that wait, then the newest 200 others"))

const show = Command.make(
  "show",
  { ...connectionFlags, ...configFlag, chain: chainArgument, proposal: idArgument },
  Effect.fn(function* (options) {
    if (options.json) {
      const { chain, client } = yield* open(options)
      return yield* printRecord(true, yield* client.grants.show({ params: { chain, proposal_id: options.proposal } }))
    }
    const { proposal, text } = yield* openProposal(options)
    const people = proposal.approvals.map(({ person }) => person).join(", ")
    yield* printText([text, "", ...folded("Approved by ", people || "nobody")].join("\n"))
  })
).pipe(Command.withDescription("Show what a proposal changes, verified from your GRANT_ROOT"))

const readValues = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    files.readFileString(path),
    () => new CommandFailed({ message: `The file ${path} cannot be read.` })
  )
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))(text),
    () => new CommandFailed({ message: `${path} holds no JSON object.` })
  )
})

const propose = Command.make(
  "propose",
  {
    ...connectionFlags,
    chain: chainArgument,
    kind: Argument.String("kind").pipe(Argument.withDescription("The kind of grant, such as destination")),
    values: Argument.String("values").pipe(
      Argument.withDescription(
        "A file with its values as a JSON object; by default what the service has and no grant says"
      ),
      Argument.optional
    ),
    note: Flag.String("note").pipe(Flag.withDescription("Why, for those who approve it"), Flag.optional),
    expiresInHours: Flag.Int("expires-in-hours").pipe(
      Flag.withDescription("For how long it can be approved; 72 by default"),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const { chain, client } = yield* open(options)
    const { printNextStep, ungrantedValues } = yield* proposing
    const proposal = yield* client.grants.propose({
      params: { chain },
      payload: {
        kind: options.kind,
        values: Option.isSome(options.values)
          ? yield* readValues(options.values.value)
          : yield* ungrantedValues(client, { chain, kind: options.kind }),
        ...given("note", options.note),
        ...given("expires_in_hours", options.expiresInHours)
      }
    })
    const { approvals_needed: needed, expires_at, hash, id, kind, subject } = proposal
    yield* printRecord(options.json, options.json ? proposal : { id, kind, subject, needed, expires_at, hash })
    if (!options.json) yield* printNextStep(client, proposal)
  })
).pipe(
  Command.withDescription("Propose a grant; it counts for nothing until people approve it"),
  Command.withExamples([
    { command: "bursar grant propose acme destination usdc.json --note 'Treasury moved'", description: "For a tenant" }
  ])
)

const approve = Command.make(
  "approve",
  {
    ...connectionFlags,
    ...configFlag,
    ...signingFlags,
    chain: chainArgument,
    proposal: idArgument,
    key: keyFlag
  },
  Effect.fn(function* (options) {
    const { client, examined, params, text } = yield* openProposal(options)
    if (!options.json) yield* printText(`${text}\n`)
    const key = yield* openToSign(options, "Sign exactly this?")
    const after = yield* client.grants.approve({ params, payload: { approval: key.approve(examined.hash) } })
    if (options.json) return yield* printRecord(true, after)
    const missing = Math.max(0, examined.needed - after.approvals.length)
    yield* printText(after.state === "GRANTED" ? "The grant holds." : `Approved. ${missing} more must approve.`)
  })
).pipe(
  Command.withDescription("Look at a proposal, verified from your GRANT_ROOT, and sign it with your key"),
  Command.withExamples([
    {
      command: "bursar grant approve acme <proposal> --key ~/.bursar/alice.pem",
      description: "Shows it and asks first"
    }
  ])
)

const reject = Command.make(
  "reject",
  {
    ...connectionFlags,
    chain: chainArgument,
    proposal: idArgument,
    reason: Argument.String("reason").pipe(Argument.withDescription("Why"))
  },
  Effect.fn(function* (options) {
    const { chain, client } = yield* open(options)
    const params = { chain, proposal_id: options.proposal }
    const rejected = yield* client.grants.reject({ params, payload: { reason: options.reason } })
    const { id, kind, state, subject } = rejected
    yield* printRecord(options.json, options.json ? rejected : { id, kind, subject, state })
  })
).pipe(Command.withDescription("Reject a proposal for good"))

const verify = Command.make(
  "verify",
  {
    ...configFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ config, json }) {
    const { readGrantRoot } = yield* Effect.promise(() => import("../config/grantRoot.ts"))
    const root = yield* readGrantRoot(config)
    const { verifyGrants } = yield* Effect.promise(() => import("../assemble/verifyGrants.ts"))
    const reports = yield* verifyGrants(yield* ownDatabaseUrl(config), root)
    yield* printRows(json, reports, "")
    const wrong = reports.filter(({ problem }) => problem !== null).length
    if (wrong > 0)
      return yield* new CommandFailed({ message: `${wrong} of ${reports.length} chains of grants do not hold.` })
  })
).pipe(
  Command.withDescription("Verify every chain of grants in the database from GRANT_ROOT, without the service"),
  Command.withExamples([{ command: "bursar grant verify", description: "Note the last hash of each chain elsewhere" }])
)

/** `bursar grant …` */
export const grantCommand = Command.make("grant").pipe(
  Command.withDescription("What people agree with their own keys: where money may go, and how much"),
  Command.withSubcommands([list, show, propose, approve, reject, grantAdopt, grantImport, verify])
)
