import { Effect } from "effect"
import type { Environment } from "../../base/Environment.ts"
import type { StorageError } from "../../engine/StorageError.ts"
import type { ToldLine } from "../../port/ProviderStatement.ts"
import { providerPlace } from "../Place.ts"
import type { NamedLine } from "./recordLines.ts"
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

/** Finds out which operations lines name. A line that names two is about neither: somebody has to look. */
export const nameLines = Effect.fn("reconcile.nameLines")(function* (
  books: StatementBooks,
  lines: ReadonlyArray<ToldLine>
): Effect.fn.Return<ReadonlyArray<NamedLine>, StorageError, Statements> {
  const names = [...new Set(lines.flatMap(namesIn))]
  const named = names.length === 0 ? new Map() : yield* (yield* Statements).named(books, names)
  return lines.map((line): NamedLine => {
    const found = new Map(
      namesIn(line).flatMap((name) => {
        const about = named.get(name)
        return about === undefined ? [] : [[about.operationId, about] as const]
      })
    )
    const [about] = found.values()
    return { ...line, about: found.size === 1 && about !== undefined ? about : null }
  })
})
