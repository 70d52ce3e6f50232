import { Effect, FileSystem, Option } from "effect"
import { Flag } from "effect/cli"
import { parseEnv } from "node:util"
import { type Present, withoutEmpty } from "./variable.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { SettingsInvalid } from "./SettingsInvalid.ts"
import { unknownNames } from "./unknownNames.ts"

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

/** Variables that are a JSON text, or the path of a file that has it; with what the text begins with. */
const fromFiles = { NETWORKS: "[", GRANT_ROOT: "{" } as const

/** The variables, with the texts of the files that some of them name. */
const withFiles = Effect.fnUntraced(function* (variables: Present) {
  const read: Record<string, string> = {}
  for (const [name, start] of Object.entries(fromFiles)) {
    const text = variables[name]?.trim() ?? ""
    if (text !== "" && !text.startsWith(start)) read[name] = yield* readFile(text)
  }
  return { ...variables, ...read }
})

/** The variables of the environment, over those of a file. One that is empty is none: it does not take away what the file says. */
export const readVariables = Effect.fn("environment.readVariables")(function* (config: Option.Option<string>) {
  const ofEnvironment = withoutEmpty(process.env)
  if (Option.isNone(config)) return yield* withFiles(ofEnvironment)
  const { knownVariables } = yield* Effect.promise(() => import("./Settings.ts"))
  const ofFile = parseEnv(yield* readFile(config.value))
  const mistakes = unknownNames(Object.keys(ofFile), knownVariables)
  if (mistakes.length > 0) return yield* new SettingsInvalid({ mistakes })
  return yield* withFiles({ ...ofFile, ...ofEnvironment })
})

/** The settings of `bursar serve` from the environment and, if there is one, a file. */
export const serveSettings = Effect.fn("environment.serveSettings")(function* (config: Option.Option<string>) {
  const { readServeSettings } = yield* Effect.promise(() => import("./Settings.ts"))
  return yield* Effect.fromResult(readServeSettings(yield* readVariables(config)))
})

/** The settings of `bursar work`. */
export const workSettings = Effect.fn("environment.workSettings")(function* (config: Option.Option<string>) {
  const { readWorkSettings } = yield* Effect.promise(() => import("./Settings.ts"))
  return yield* Effect.fromResult(readWorkSettings(yield* readVariables(config)))
})
