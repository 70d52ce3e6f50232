import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Currency as AnyCurrency } from "@bursar/core/money/Currency"
import { decimalUnits } from "./decimalUnits.ts"
import { type Element, elementAt, elementsAt, fail, textAt } from "./Element.ts"
import {
  ImportError,
  type ImportedLine,
  type ImportedStatement,
  importLinesMax,
  type KnownCurrencies,
  referencesOf,
  wordsOf
} from "./ImportedStatement.ts"
import { joinPages, type StatementPage, unnamed } from "./joinPages.ts"
import { momentIn } from "./moments.ts"
import { isIntermediate, placeOf } from "./pagesOfCamt053.ts"
import { readXml } from "./readXml.ts"

type Currency = Pick<AnyCurrency, "code" | "decimals">

const namespace = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.\d{2}$/u

const root = ["Document", "BkToCstmrStmt", "Stmt"]
const isAt = (path: ReadonlyArray<string>, ...rest: ReadonlyArray<string>): boolean =>
  path.join("/") === [...root, ...rest].join("/")

const dayMs = 86_400_000

/** A moment of the message: a day begins at midnight, UTC, where no time zone is said. */
const momentOf = (text: string, element: Element): Timestamp =>
  momentIn(text, "iso", "Z") ?? fail(`${text} is no date`, element)

const dateAt = (
  element: Element,
  ...path: ReadonlyArray<string>
): { readonly at: Timestamp; readonly isDay: boolean } | undefined => {
  const found = elementAt(element, ...path)
  if (found === undefined) return undefined
  const [moment, day] = [textAt(found, "DtTm"), textAt(found, "Dt")]
  if (moment !== undefined) return { at: momentOf(moment, found), isDay: false }
  return day === undefined ? undefined : { at: momentOf(day, found), isDay: true }
}

/** An amount with its direction, in base units of the account's currency: above zero what came. */
const signedAt = (element: Element, currency: Currency, direction = textAt(element, "CdtDbtInd")): bigint => {
  const amount = elementAt(element, "Amt") ?? elementAt(element, "AmtDtls", "TxAmt", "Amt")
  if (amount === undefined) return fail("it has no amount", element)
  const code = amount.attributes["Ccy"]
  if (code !== currency.code)
    return fail(`an amount is in ${code ?? "no currency"}, and the account is in ${currency.code}`, amount)
  const units = decimalUnits(amount.text, currency)
  if (units === undefined || units < 0n) return fail(`${amount.text.trim()} is no amount of ${currency.code}`, amount)
  if (direction === "CRDT") return units
  return direction === "DBIT" ? -units : fail("it says neither CRDT nor DBIT", element)
}

const sum = (units: ReadonlyArray<bigint>): bigint => units.reduce((all, one) => all + one, 0n)

const referencesAt = (details: Element): ReadonlyArray<string> =>
  referencesOf((elementAt(details, "Refs")?.children ?? []).map(({ text }) => text))

const isBooked = (entry: Element): boolean => {
  const status = textAt(entry, "Sts", "Cd") ?? textAt(entry, "Sts")
  return status === undefined || status === "BOOK"
}

/** The lines of an entry: one for each transaction of a batch whose amounts are told and come to the entry's, else one. */
const linesOf = (entry: Element, currency: Currency, fallbackId: string): ReadonlyArray<ImportedLine> => {
  const units = signedAt(entry, currency)
  const booked = dateAt(entry, "BookgDt") ?? dateAt(entry, "ValDt")
  if (booked === undefined) return fail("an entry has no date", entry)
  const [byBank, inStatement] = [textAt(entry, "AcctSvcrRef"), textAt(entry, "NtryRef")]
  const id = byBank ?? inStatement ?? fallbackId
  const all = elementsAt(entry, "NtryDtls", "TxDtls")
  const own = [byBank, inStatement]
  const words = (one: Element) => elementsAt(one, "RmtInf", "Ustrd").map(({ text }) => text)
  // many banks count the entries of each statement from 1
  const isOfStatement = byBank === undefined && inStatement !== undefined
  const common = { at: booked.at, currency: currency.code, ...(isOfStatement && { isOfStatement }) }
  const told = all.filter(
    (one) => elementAt(one, "Amt") !== undefined || elementAt(one, "AmtDtls", "TxAmt", "Amt") !== undefined
  )
  if (all.length > 1 && told.length === all.length) {
    const direction = textAt(entry, "CdtDbtInd")
    const parts = all.map((one) => signedAt(one, currency, textAt(one, "CdtDbtInd") ?? direction))
    if (sum(parts) === units)
      return all.map((one, index) => ({
        ...common,
        id: `${id}/${index + 1}`,
        units: parts[index] ?? 0n,
        references: referencesOf([...referencesAt(one), ...own]),
        text: wordsOf([...words(one), textAt(entry, "AddtlNtryInf") ?? ""])
      }))
  }
  return [
    {
      ...common,
      id,
      units,
      references: referencesOf([...all.flatMap(referencesAt), ...own]),
      text: wordsOf([...all.flatMap(words), textAt(entry, "AddtlNtryInf") ?? ""])
    }
  ]
}

const balanceOf = (statement: Element, currency: Currency, codes: ReadonlyArray<string>) => {
  const all = elementsAt(statement, "Bal").filter((one) => !isIntermediate(one))
  for (const code of codes) {
    const found = all.find((one) => textAt(one, "Tp", "CdOrPrtry", "Cd") === code)
    if (found !== undefined) return { units: signedAt(found, currency), date: dateAt(found, "Dt") }
  }
  return undefined
}

/** A page of a statement while it is read: of its entries nothing is kept but their lines. */
interface Reading {
  currency: Currency | undefined
  count: number
  pending: number
  readonly lines: Array<ImportedLine>
}

const newReading = (): Reading => ({ currency: undefined, count: 0, pending: 0, lines: [] })

const currencyOf = (all: ReadonlyArray<Element>, where: Element, currencies: KnownCurrencies): Currency => {
  const around = { ...where, children: all }
  const code =
    textAt(around, "Acct", "Ccy") ??
    [...elementsAt(around, "Bal", "Amt"), ...elementsAt(where, "Amt")][0]?.attributes["Ccy"]
  if (code === undefined) return fail("the statement says no currency", where)
  return currencies.byCode(code) ?? fail(`the service knows no currency ${code}`, where)
}

const addEntry = (reading: Reading, entry: Element, currency: Currency): void => {
  reading.count += 1
  if (reading.count > importLinesMax) fail(`a statement has more than ${importLinesMax} entries`, entry)
  if (!isBooked(entry)) {
    reading.pending += 1
    return
  }
  for (const line of linesOf(entry, currency, `${unnamed}${reading.count}`)) {
    if (line.units !== 0n) reading.lines.push(line)
  }
}

const dateOf = (statement: Element, name: string): Timestamp | undefined => {
  const found = elementAt(statement, "FrToDt", name)
  return found === undefined ? undefined : momentOf(found.text.trim(), found)
}

type Balance = ReturnType<typeof balanceOf>

/** Where a period begins: where it says so, or on the day of its opening balance. */
const beginOf = (statement: Element, opening: Balance): Timestamp | undefined =>
  dateOf(statement, "FrDtTm") ?? opening?.date?.at

/** Where a period ends: where it says so, or with the day of its closing balance. */
const endOf = (statement: Element, closing: Balance): Timestamp | undefined => {
  const told = dateOf(statement, "ToDtTm")
  // 23:59:59 is how a day ends there
  if (told !== undefined) return Math.ceil((told + 1) / 1_000) * 1_000
  const last = closing?.date
  return last === undefined || !last.isDay ? last?.at : last.at + dayMs
}

const pageOf = (
  statement: Element,
  header: Element | undefined,
  reading: Reading,
  currencies: KnownCurrencies
): StatementPage => {
  const id = textAt(statement, "Id")
  if (id === undefined) return fail("the statement has no id", statement)
  const currency = reading.currency ?? currencyOf(statement.children, statement, currencies)
  const opening = balanceOf(statement, currency, ["OPBD", "PRCD"])
  const closing = balanceOf(statement, currency, ["CLBD"])
  return {
    id,
    ...placeOf(statement, header, opening !== undefined && closing !== undefined),
    account: textAt(statement, "Acct", "Id", "IBAN") ?? textAt(statement, "Acct", "Id", "Othr", "Id") ?? null,
    currency: currency.code,
    from: beginOf(statement, opening),
    to: endOf(statement, closing),
    opening: opening?.units,
    closing: closing?.units,
    lines: reading.lines,
    pending: reading.pending,
    where: `line ${statement.line}`
  }
}

/**
 * Reads a bank's statements (camt.053, any version). It is refused where anything of it cannot be trusted: a document type definition,
 * an amount in another currency than the account's or with more decimals, balances that its entries do not lead to, a page that is missing
 * or can be in another message, an id that stands twice. Throws ImportError.
 */
export const readCamt053 = (text: string, currencies: KnownCurrencies): ReadonlyArray<ImportedStatement> => {
  const pages: Array<StatementPage> = []
  let reading = newReading()
  readXml(text, {
    open: (path, uri) => {
      if (path.length === 1 && !(path[0] === "Document" && namespace.test(uri)))
        throw new ImportError({ detail: `it is no camt.053 message, but ${uri || path[0]}`, where: null })
      if (isAt(path)) reading = newReading()
    },
    take: (path, element, before) => {
      if (isAt(path, "Ntry")) {
        reading.currency ??= currencyOf(before, element, currencies)
        addEntry(reading, element, reading.currency)
        return true
      }
      if (!isAt(path)) return false
      const header = before.find(({ name }) => name === "GrpHdr")
      pages.push(pageOf(element, header, reading, currencies))
      return true
    }
  })
  if (pages.length === 0) throw new ImportError({ detail: "it has no statement in it", where: null })
  return [...Map.groupBy(pages, ({ id }) => id).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [joinPages([first, ...others])]
  )
}
