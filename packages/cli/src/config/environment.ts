import { Effect, FileSystem, Option } from "effect"
import { Flag } from "effect/cli"
import { parseEnv } from "node:util"
import { CommandFailed } from "../commands/CommandFailed.ts"

/** A file of variables; the environment itself goes before it. */
export const configFlag = {
  config: Flag.String("config").pipe(
    Flag.withDescription("A file of NAME=value lines; the environment goes before it"),
    Flag.optional
  )
}

/** The variables of the environment, over those of a file. */
export const readVariables = Effect.fn("environment.readVariables")(function* (config: Option.Option<string>) {
  if (Option.isNone(config)) return process.env
  const files = yield* FileSystem.FileSystem
  const text = yield* files
    .readFileString(config.value)
    .pipe(
      Effect.mapError(() => new CommandFailed({ message: `The configuration file ${config.value} cannot be read.` }))
    )
  return { ...parseEnv(text), ...process.env }
})

/** The settings of the service from the environment and, if there is one, a file. */
export const settingsOf = Effect.fn("environment.settingsOf")(function* (config: Option.Option<string>) {
  const { readSettings } = yield* Effect.promise(() => import("./Settings.ts"))
  return yield* Effect.fromResult(readSettings(yield* readVariables(config)))
})
