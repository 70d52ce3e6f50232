import type { Command } from "@bursar/core/engine/Command"
import type { Writer } from "@bursar/core/engine/Writer"
import { Storage } from "@bursar/core/engine/Storage"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, type Exit } from "effect"
import { contextNow } from "../../fixtures/commands.ts"
import type { SuiteIt, TwoWriters } from "../harness.ts"
import type { StorageSuitePorts } from "./ports.ts"

/** The tests of the storage suite. */
export type StorageIt = SuiteIt<StorageSuitePorts | Writer | TwoWriters>

/** Commits commands as one batch, now. */
export const commit = Effect.fn("commit")(function* (tenantId: TenantId, ...commands: ReadonlyArray<Command<unknown>>) {
  const storage = yield* Storage
  return yield* storage.commit(tenantId, commands, yield* contextNow)
})

/** The ends of the exits: "Success", "Fail" for a refusal, "Die" for a defect. */
export const ends = (exits: ReadonlyArray<Exit.Exit<unknown, unknown>>): ReadonlyArray<string> =>
  exits.map((exit) => (exit._tag === "Success" ? "Success" : exit.cause.reasons.map((reason) => reason._tag).join("+")))
