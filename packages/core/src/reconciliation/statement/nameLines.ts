import { Effect } from "effect"
import type { Environment } from "../../base/Environment.ts"
import type { StorageError } from "../../engine/StorageError.ts"
import type { ToldLine } from "../../port/ProviderStatement.ts"
import { providerPlace } from "../Place.ts"
import type { NamedLine } from "./sortLines.ts"
import type { AboutOperation } from "./StatementLine.ts"
import { type StatementBooks, Statements } from "./Statements.ts"

/** A provider as far as its books matter. */
interface BookKeeper {
  readonly name: string
  readonly environment: Environment
}

/** The books of each of some providers of a kind, the one that takes new orders before others of its environment. */
export const booksOf = (
  account: "custodian" | "bank",
  keepers: ReadonlyArray<BookKeeper>
): ReadonlyArray<StatementBooks> =>
  keepers.map(({ environment, name }, at) => ({
    place: providerPlace(account, name).name,
    account,
    environment,
    provider: name,
    withAdjustments: keepers.findIndex((one) => one.environment === environment) === at
  }))

const uuids = /\b[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b/giu

/** A UUID as it is stored. Banks leave out what has no place in their references. */
const withDashes = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll("-", "")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5")

/** What a line may name an operation by: what it refers to, and ids of ours in its words. */
export const namesIn = ({ references, text }: Pick<ToldLine, "references" | "text">): ReadonlyArray<string> => [
  ...new Set([...references, ...[...references, text].flatMap((one) => one.match(uuids) ?? []).map(withDashes)])
]

const named = Effect.fnUntraced(function* (books: StatementBooks, names: ReadonlyArray<string>) {
  const all = [...new Set(names)]
  return all.length === 0 ? new Map<string, AboutOperation>() : yield* (yield* Statements).named(books, all)
})

/**
 * Finds out which operations lines are about for certain: those whose order the provider calls by the line's own id. All else that a line says
 * is a claim: whoever pays chooses its words and its references, and a bank repeats them on what it sends back.
 */
export const nameLines = Effect.fn("reconcile.nameLines")(function* (
  books: StatementBooks,
  lines: ReadonlyArray<ToldLine>
): Effect.fn.Return<ReadonlyArray<NamedLine>, StorageError, Statements> {
  const ids = yield* named(
    books,
    lines.map(({ id }) => id)
  )
  return lines.map((line) => ({ ...line, about: ids.get(line.id) ?? null }))
})

/** The operations that lines say they are about, by the ids of the lines, without those that name none. */
export const claimsOf = Effect.fn("reconcile.claimsOf")(function* (
  books: StatementBooks,
  lines: ReadonlyArray<ToldLine>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<AboutOperation>>, StorageError, Statements> {
  const operations = yield* named(books, lines.flatMap(namesIn))
  return new Map(
    lines.flatMap((line) => {
      const found = new Map(
        namesIn(line).flatMap((name) => {
          const about = operations.get(name)
          return about === undefined ? [] : [[about.operationId, about] as const]
        })
      )
      return found.size === 0 ? [] : [[line.id, [...found.values()]] as const]
    })
  )
})
