import { Effect, FileSystem, Option } from "effect"
import { Flag } from "effect/cli"
import { parseEnv } from "node:util"
import type { Present } from "./variable.ts"
import { CommandFailed } from "./CommandFailed.ts"

/** A file of variables; the environment itself goes before it. */
export const configFlag = {
  config: Flag.String("config").pipe(
    Flag.withDescription("A file of NAME=value lines; the environment goes before it"),
    Flag.optional
  )
}

const readFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* files
    .readFileString(path)
    .pipe(Effect.mapError(() => new CommandFailed({ message: `The configuration file ${path} cannot be read.` })))
})

/** NETWORKS is the list itself, or the path of a file that has it. */
const withNetworksFile = Effect.fnUntraced(function* (variables: Present) {
  const networks = variables["NETWORKS"]?.trim() ?? ""
  return networks === "" || networks.startsWith("[") ? variables : { ...variables, NETWORKS: yield* readFile(networks) }
})

/** The variables of the environment, over those of a file. */
export const readVariables = Effect.fn("environment.readVariables")(function* (config: Option.Option<string>) {
  if (Option.isNone(config)) return yield* withNetworksFile(process.env)
  return yield* withNetworksFile({ ...parseEnv(yield* readFile(config.value)), ...process.env })
})
