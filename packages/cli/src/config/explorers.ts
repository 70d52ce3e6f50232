import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import type { Explorer } from "@bursar/server/config/explorers"
import { Result, Schema } from "effect"
import type { Present } from "./variable.ts"

/** The variables that say where operators look transactions up. */
export const explorerVariables = { EXPLORERS: Schema.optionalKey(Schema.NonEmptyString) }

/** A URL in whose path, query or fragment, and nowhere else, a name in braces stands once. */
const template = (name: string) =>
  Schema.String.check(
    Schema.makeFilter((text) => {
      const [before = "", ...after] = text.split(`{${name}}`)
      const url = URL.parse(before)
      const isRight = after.length === 1 && url !== null && ["http:", "https:"].includes(url.protocol)
      return isRight && before.slice(before.indexOf("//") + 2).includes("/") && url.username + url.password === ""
        ? undefined
        : `a URL of http: or https: with {${name}} in its path, and without a user`
    })
  )

const Explorers = Schema.fromJsonString(
  Schema.Record(
    Schema.String,
    Schema.NullOr(Schema.Struct({ transaction: template("hash"), address: template("address") }))
  )
)

const expected =
  'EXPLORERS: Expected JSON like {"ethereum":{"transaction":"https://…/{hash}","address":"https://…/{address}"},"bsc":null}'

const explorersIn = (
  text: string | undefined,
  { networks }: CurrencyTable
): Result.Result<ReadonlyMap<Network, Explorer | null>, ReadonlyArray<string>> => {
  if (text === undefined) return Result.succeed(new Map())
  const read = Schema.decodeUnknownResult(Explorers)(text, { onExcessProperty: "error" })
  if (Result.isFailure(read)) return Result.fail([expected])
  const strangers = Object.keys(read.success).filter((name) => !networks.has(name))
  return strangers.length > 0
    ? Result.fail(strangers.map((name) => `EXPLORERS: ${name} is not a network`))
    : Result.succeed(new Map(Object.entries(read.success)))
}

/** What is wrong with the explorers. */
export const explorerMistakes = (given: Present, currencies: CurrencyTable): ReadonlyArray<string> =>
  Result.match(explorersIn(given["EXPLORERS"], currencies), { onFailure: (wrong) => wrong, onSuccess: () => [] })

/** The explorers that the configuration names; null where it names none on purpose. */
export const explorersOf = (
  env: Schema.Struct.Type<typeof explorerVariables>,
  currencies: CurrencyTable
): ReadonlyMap<Network, Explorer | null> => Result.getOrElse(explorersIn(env.EXPLORERS, currencies), () => new Map())
