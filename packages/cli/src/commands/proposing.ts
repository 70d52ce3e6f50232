import { ErrorBody } from "@bursar/api/errors/ErrorBody"
import type { OperatorGrantProposal } from "@bursar/api/operator/OperatorGrant"
import { printable } from "@bursar/api/wire/printable"
import type { OperatorClient } from "@bursar/client/effect"
import { canonicalText } from "@bursar/core/grant/canonical"
import { readGrant, readValues } from "@bursar/core/grant/GrantDocument"
import { Effect, type FileSystem, Option, Result, Schema } from "effect"
import { relative } from "node:path"
import { CommandFailed } from "../config/CommandFailed.ts"
import { readHandshake } from "../config/Handshake.ts"
import { commandText } from "./commandText.ts"
import { printText } from "./print.ts"

const isRefusal = Schema.is(ErrorBody)

const Missing = Schema.Struct({
  kind: Schema.String,
  chain: Schema.String,
  values: Schema.Record(Schema.String, Schema.Json)
})

/** A grant that something takes. */
type Missing = typeof Missing.Type

/** The grant that a refusal asks for; none where it is about something else. */
const missingGrant = (error: unknown): Option.Option<Missing> =>
  isRefusal(error) && error.error.code === "grant_required"
    ? Schema.decodeUnknownOption(Missing)(error.error.detail)
    : Option.none()

const here = (path: string): string => relative(process.cwd(), path)

/** The commands by which people approve a proposal: those of the demo's approvers, where the service is that of `bursar-dev` here. */
const approvalCommands = Effect.fnUntraced(function* (
  client: OperatorClient,
  { chain, id }: Pick<OperatorGrantProposal, "chain" | "id">
) {
  const { tenants } = yield* client.tenants.list()
  const name = tenants.find((tenant) => tenant.id === chain)?.slug ?? chain
  const approve = ["grant", "approve", printable(name), printable(id), "--key"]
  const dev = Option.flatMap(yield* readHandshake, ({ grants }) => Option.fromNullOr(grants))
  return Option.match(dev, {
    onNone: () => [commandText([...approve, "<key file>"])],
    onSome: ({ approvers, passphrase_file: passphrase }) =>
      approvers.map(({ key_file: file }) =>
        commandText([...approve, here(file), "--passphrase-file", here(passphrase)])
      )
  })
})

/** What a proposal waits for, for whoever made it. */
const nextStep = Effect.fnUntraced(function* (client: OperatorClient, proposal: OperatorGrantProposal) {
  const { approvals, approvals_needed: needed, kind, subject } = proposal
  const missing = (needed ?? 1) - approvals.length
  return [
    `The grant ${printable(kind)}${subject === kind ? "" : ` ${printable(subject)}`} is proposed. It holds once ${missing} ${missing === 1 ? "person has" : "people have"} approved it:`,
    ...(yield* approvalCommands(client, proposal)).map((command) => `  ${command}`)
  ].join("\n")
})

/** Whether a proposal says what is missing. */
const says = ({ document }: OperatorGrantProposal, { kind, values }: Missing): boolean => {
  const [read, wanted] = [readGrant(document), readValues({ kind, values })]
  if (Result.isFailure(read) || Result.isFailure(wanted)) return false
  return read.success.kind === kind && canonicalText(read.success.values) === canonicalText(wanted.success.values)
}

/** Proposes a grant, or finds the open proposal that says the same. */
const proposeOnce = Effect.fnUntraced(function* (client: OperatorClient, missing: Missing) {
  const { chain, kind, values } = missing
  const params = { chain }
  return yield* Effect.catch(client.grants.propose({ params, payload: { kind, values } }), (error) =>
    Effect.gen(function* () {
      if (!isRefusal(error) || error.error.code !== "state_conflict") return yield* Effect.fail(error)
      const { proposals } = yield* client.grants.list({ params })
      const open = proposals.find((one) => one.state === "OPEN" && says(one, missing))
      return open ?? (yield* Effect.fail(error))
    })
  )
})

/** Prints who must approve a proposal, and how. */
export const printNextStep = Effect.fn("proposing.printNextStep")(function* (
  client: OperatorClient,
  proposal: OperatorGrantProposal
) {
  yield* printText(`\n${yield* nextStep(client, proposal)}`)
})

const asked = (client: OperatorClient, missing: Missing) =>
  Effect.gen(function* () {
    const proposal = yield* proposeOnce(client, missing)
    return yield* new CommandFailed({
      message: `Nothing has changed yet: this takes a grant. ${yield* nextStep(client, proposal)}`
    })
  })

/** Asks for something. What takes a grant is proposed instead, and fails with how to approve it. */
export const orProposed =
  (client: OperatorClient) =>
  <A, E, R>(request: Effect.Effect<A, E, R>) =>
    Effect.catch(
      request,
      (error): Effect.Effect<never, E | Effect.Error<ReturnType<typeof asked>>, FileSystem.FileSystem> =>
        Option.match(missingGrant(error), {
          onNone: () => Effect.fail(error),
          onSome: (missing) => asked(client, missing)
        })
    )

/** What of a tenant's settings of a kind no grant speaks of yet; nothing where the service does not go by grants. */
const ungranted = Effect.fnUntraced(function* (
  client: OperatorClient,
  { chain, kind }: { readonly chain: string; readonly kind: string }
) {
  const { contents } = yield* Effect.catchIf(
    client.grants.importable({ params: { chain } }),
    (error) => isRefusal(error) && error.error.code === "product_not_enabled",
    () => Effect.succeed({ contents: [] })
  )
  return contents.find((one) => one.kind === kind)?.values
})

/** The values that the service has of a kind and no grant says. */
export const ungrantedValues = Effect.fn("proposing.ungrantedValues")(function* (
  client: OperatorClient,
  at: { readonly chain: string; readonly kind: string }
) {
  const values = yield* ungranted(client, at)
  return (
    values ??
    (yield* new CommandFailed({ message: `The service has no ${at.kind} that is not granted: name a file of values.` }))
  )
})

/** Says what is to be granted next of something that was just made, where the service goes by grants. */
export const printUngranted = Effect.fn("proposing.printUngranted")(function* (
  client: OperatorClient,
  {
    chain,
    kind,
    name,
    why
  }: { readonly chain: string; readonly kind: string; readonly name: string; readonly why: string }
) {
  if ((yield* ungranted(client, { chain, kind })) === undefined) return
  yield* printText(`\n${why}\n  ${commandText(["grant", "propose", printable(name), kind])}`)
})
