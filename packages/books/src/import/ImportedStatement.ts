import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Currency } from "@bursar/core/money/Currency"
import type { ToldLine } from "@bursar/core/port/ProviderStatement"
import { Schema } from "effect"

/** A line of a statement as a file has it. */
export interface ImportedLine extends ToldLine {
  /** Whether its id is its statement's alone: that of another one may be the same. */
  readonly isOfStatement?: true
  /** The entry of the bank that it is a part of: one object for all its parts while a file is read. */
  readonly entry?: Pick<ToldLine, "id" | "units">
}

/** A statement as a file has it. All lines of its period are in it. */
export interface ImportedStatement {
  readonly id: string
  /** Whose it is by its own word: an IBAN, or what the bank calls the account; null where it does not say. */
  readonly account: string | null
  /** The currencies that it is about. */
  readonly currencies: ReadonlyArray<string>
  readonly from: Timestamp
  /** Where its period ends; not in it. */
  readonly to: Timestamp
  /** In the order of the file. */
  readonly lines: ReadonlyArray<ImportedLine>
  /** Entries that are announced and not booked: they are left out. */
  readonly pending: number
}

/** The currencies that a file may be in, with the decimals that its amounts may have. */
export interface KnownCurrencies {
  readonly byCode: (code: string) => Pick<Currency, "code" | "decimals"> | undefined
}

/** A file is no statement that can be trusted. `where` is a line of the file, or a row of it; null where it is all of it. */
export class ImportError extends Schema.TaggedError<ImportError>()("ImportError", {
  detail: Schema.String,
  where: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return this.where === null ? this.detail : `${this.where}: ${this.detail}`
  }
}

/** The largest file that is read. */
export const importBytesMax = 64 * 1024 * 1024

/** The most lines that a statement may have. */
export const importLinesMax = 200_000

/** The longest words of a line that are kept. */
const wordsMax = 280

/** The longest reference, and how many a line may have. */
const referenceMax = 140
const referencesMax = 20

/** Words of a line, on one line and not too long. */
export const wordsOf = (parts: ReadonlyArray<string>): string =>
  parts
    .map((one) => one.replaceAll(/[\s\p{Cc}]+/gu, " ").trim())
    .filter((one) => one !== "")
    .join(" · ")
    .slice(0, wordsMax)

/** What banks write in place of a reference that they do not have. */
const noReference: ReadonlySet<string> = new Set(["NOTPROVIDED", "NONREF"])

/** A reference, unless it says that there is none. */
export const referenceOf = (text: string | undefined): string | undefined =>
  text === undefined || noReference.has(text) ? undefined : text

/** References of a line, each once, without those that say that there is none. */
export const referencesOf = (all: ReadonlyArray<string | undefined>): ReadonlyArray<string> =>
  [...new Set(all.map((one) => one?.trim() ?? ""))]
    .filter((one) => one !== "" && referenceOf(one) !== undefined && one.length <= referenceMax)
    .slice(0, referencesMax)
