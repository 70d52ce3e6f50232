import { Approval } from "@bursar/core/grant/Approval"
import { Effect, FileSystem, Schema } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"

/** The version of files of plans. */
const planVersion = "bursar.grant.plan.v1"

const PlanEntry = Schema.Struct({ document: Schema.String, approvals: Schema.Array(Approval) })

/** Grants that are approved together: those of a chain in their order, with the approvals that they have so far. Nothing of it is believed. */
export const GrantPlan = Schema.Struct({
  version: Schema.Literal(planVersion),
  chains: Schema.Array(Schema.Struct({ chain: Schema.String, entries: Schema.Array(PlanEntry) }))
})

/** Grants that are approved together. */
export type GrantPlan = typeof GrantPlan.Type

const json = Schema.fromJsonString(GrantPlan)

/** A plan of some documents that nobody has approved yet. */
export const newPlan = (
  chains: ReadonlyArray<{ readonly chain: string; readonly documents: ReadonlyArray<string> }>
): GrantPlan => ({
  version: planVersion,
  chains: chains.map(({ chain, documents }) => ({
    chain,
    entries: documents.map((document) => ({ document, approvals: [] }))
  }))
})

/** Reads the file of a plan. */
export const readPlan = Effect.fn("grantPlan.read")(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    files.readFileString(path),
    () => new CommandFailed({ message: `The file ${path} cannot be read.` })
  )
  return yield* Effect.mapError(
    Schema.decodeEffect(json)(text),
    () => new CommandFailed({ message: `${path} holds no plan of grants.` })
  )
})

/** Writes the file of a plan, whole or not at all. */
export const writePlan = Effect.fn("grantPlan.write")(function* (path: string, plan: GrantPlan) {
  const files = yield* FileSystem.FileSystem
  const failed = () => new CommandFailed({ message: `The file ${path} cannot be written.` })
  yield* Effect.mapError(
    Effect.andThen(
      files.writeFileString(`${path}.new`, JSON.stringify(plan, null, 2), { mode: 0o600 }),
      files.rename(`${path}.new`, path)
    ),
    failed
  )
})
