import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { CliError, CliOutput, Command, type HelpDoc } from "effect/cli"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { bursar } from "../src/bursar.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

const pages = execFileSync("git", ["ls-files", "--", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && !file.startsWith(".changeset/"))

interface Written {
  readonly where: string
  readonly words: ReadonlyArray<string>
  /** Within a sentence, arguments may be left out. */
  readonly whole: boolean
}

/** The words of a command line, a placeholder or a quoted text as one. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  line
    .replaceAll(/<[^>]*>/gu, "X")
    .replaceAll(/"[^"]*"|'[^']*'/gu, "X")
    .replace(/(?:^|\s)[#|>;].*$/u, "")
    .trim()
    .split(/\s+/u)

const read = (page: string, line: string, whole: boolean): ReadonlyArray<Written> =>
  line.split("&&").flatMap((part) => {
    const command = /^\s*(?:[A-Z_]+=\S+ +)*(?:npx )?bursar +(.*)$/u.exec(part)?.[1]
    if (command === undefined || command.includes("…")) return []
    return [{ where: `${page}: ${part.trim()}`, words: wordsOf(command), whole }]
  })

/** Every command of a page: in its blocks for the shell, and in its sentences. */
const writtenOn = (page: string): ReadonlyArray<Written> => {
  const text = readFileSync(`${root}/${page}`, "utf8")
  const blocks = [...text.matchAll(/^[ ]*```sh\n([\s\S]*?)```/gmu)].flatMap(([, block = ""]) =>
    block
      .replaceAll(/\\\n\s*/gu, " ")
      .split("\n")
      .flatMap((line) => read(page, line, true))
  )
  const sentences = text.replaceAll(/^[ ]*```[\s\S]*?```/gmu, "").matchAll(/`(bursar [^`]+)`/gu)
  return [...blocks, ...[...sentences].flatMap(([, command = ""]) => read(page, command, false))]
}

/** What the program says of the command at a path; null if there is none. */
const helpAt = Effect.fnUntraced(function* (path: ReadonlyArray<string>) {
  let shown: HelpDoc.HelpDoc | null = null
  const formatter: CliOutput.Formatter = {
    ...CliOutput.defaultFormatter({ colors: false }),
    formatHelpDoc: (doc) => {
      shown = doc
      return ""
    }
  }
  yield* Command.runWith(bursar, { version: "0.0.0" })([...path, "--help"]).pipe(
    Effect.ignore,
    Effect.provide([CliOutput.layer(formatter), NodeServices.layer])
  )
  return shown as HelpDoc.HelpDoc | null
})

const quiet = CliOutput.layer({ ...CliOutput.defaultFormatter({ colors: false }), formatHelpDoc: () => "" })

/** The command at a path, which carries nothing out. */
const idleAt = (path: ReadonlyArray<string>) => {
  const found = path.reduce<Command.Command.Any>(
    (at, name) => at.subcommands.flatMap(({ commands }) => commands).find((one) => one.name === name) ?? at,
    bursar
  )
  // `Any` hides what the handler is given, and this one takes nothing
  return Command.withHandler(found as typeof bursar, () => Effect.void)
}

/** The flag without which the words are not taken; undefined if none is missing. */
const missingFlag = (path: ReadonlyArray<string>, words: ReadonlyArray<string>) =>
  Command.runWith(idleAt(path), { version: "0.0.0", renderErrors: false })(words).pipe(
    Effect.as(undefined),
    Effect.catch((error) => {
      const errors: ReadonlyArray<unknown> = CliError.isCliError(error) && "errors" in error ? error.errors : [error]
      return Effect.succeed(errors.find((one) => one instanceof CliError.MissingOption)?.option)
    }),
    Effect.provide([quiet, NodeServices.layer])
  )

const names = (doc: HelpDoc.HelpDoc) =>
  (doc.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name))

/** What is wrong with a written command; undefined if the program takes it. */
const mistakeIn = Effect.fnUntraced(function* ({ whole, words }: Written) {
  const path: Array<string> = []
  let doc = yield* helpAt(path)
  while (doc !== null && names(doc).includes(words[path.length] ?? "")) {
    path.push(words[path.length] ?? "")
    doc = yield* helpAt(path)
  }
  if (doc === null) return `"${path.join(" ")}" shows no help`
  if (names(doc).length > 0)
    return words[path.length]?.startsWith("-") === false
      ? `there is no command "${words.slice(0, path.length + 1).join(" ")}"`
      : undefined
  const flags = new Map(
    [...doc.flags, ...(doc.inheritedFlags ?? []), ...(doc.globalFlags ?? [])].flatMap((flag) =>
      [`--${flag.name}`, ...flag.aliases].map((name) => [name, flag] as const)
    )
  )
  let places = 0
  for (let index = path.length; index < words.length; index++) {
    const word = words[index] ?? ""
    if (!word.startsWith("-")) {
      places++
      continue
    }
    const [name = "", value] = word.split("=")
    const flag = flags.get(name)
    if (flag === undefined) return `"${path.join(" ")}" has no flag ${name}`
    if (flag.type !== "boolean" && value === undefined) index++
  }
  const missing = yield* missingFlag(path, words.slice(path.length))
  // a switch that is not written is off, in a sentence as well
  if (missing !== undefined && (whole || flags.get(`--${missing}`)?.type === "boolean"))
    return `"${path.join(" ")}" does not run without --${missing}`
  const args = doc.args ?? []
  const most = args.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : args.length
  const least = args.filter(({ required }) => required).length
  return (whole && places < least) || places > most
    ? `"${path.join(" ")}" takes ${least} to ${most} arguments, not ${places}`
    : undefined
})

describe("commands in the manual", () => {
  it.effect("exist, with the flags and arguments that are written, and need no other flags", () =>
    Effect.gen(function* () {
      const written = pages.flatMap(writtenOn)
      assert.isAbove(written.length, 50)
      const mistakes: Array<string> = []
      for (const one of written) {
        const mistake = yield* mistakeIn(one)
        if (mistake !== undefined) mistakes.push(`${one.where}\n    ${mistake}`)
      }
      assert.deepStrictEqual(mistakes, [])
    })
  )
})
