import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Currency as AnyCurrency } from "@bursar/core/money/Currency"
import { idOfPart } from "@bursar/core/reconciliation/statement/StatementLine"
import { decimalUnits } from "./decimalUnits.ts"
import { type Element, elementAt, elementsAt, fail, textAt } from "./Element.ts"
import {
  ImportError,
  type ImportedLine,
  type ImportedStatement,
  importLinesMax,
  type KnownCurrencies,
  referenceOf,
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

/** A moment of the message, by the statement's time zone where it says none: a day begins at midnight there. */
const momentOf = (text: string, element: Element, zone: string): Timestamp =>
  momentIn(text, "iso", zone) ?? fail(`${text} is no date`, element)

/** The time zone at the end of a date: one that says it after a day is a day all the same. */
const zoneAt = /(?:Z|[+-]\d{2}:?\d{2})$/u
const zonedDay = /^(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:?\d{2})$/u

/**
 * When a day of a statement begins: at midnight, UTC, or where its bank's day begins later, then. A bank west of Greenwich books nothing
 * before its statement begins; one east of it is at that day already.
 */
const dayOf = (text: string, element: Element, zone: string): Timestamp => {
  const day = text.replace(zonedDay, "$1")
  return Math.max(momentOf(day, element, "Z"), momentIn(day, "iso", zone) ?? 0)
}

const dateAt = (
  element: Element,
  zone: string,
  ...path: ReadonlyArray<string>
): { readonly at: Timestamp; readonly isDay: boolean } | undefined => {
  const found = elementAt(element, ...path)
  if (found === undefined) return undefined
  const [moment, day] = [textAt(found, "DtTm"), textAt(found, "Dt")]
  if (moment !== undefined) return { at: momentOf(moment, found, zone), isDay: false }
  return day === undefined ? undefined : { at: dayOf(day, found, zone), isDay: true }
}

const amountAt = (element: Element): Element | undefined =>
  elementAt(element, "Amt") ?? elementAt(element, "AmtDtls", "TxAmt", "Amt")

/** An amount with its direction, in base units of the account's currency: above zero what came. */
const signedOf = (
  amount: Element | undefined,
  direction: string | undefined,
  currency: Currency,
  element: Pick<Element, "line">
): bigint => {
  if (amount === undefined) return fail("it has no amount", element)
  const code = amount.attributes["Ccy"]
  if (code !== currency.code)
    return fail(`an amount is in ${code ?? "no currency"}, and the account is in ${currency.code}`, amount)
  const units = decimalUnits(amount.text, currency)
  if (units === undefined || units < 0n) return fail(`${amount.text.trim()} is no amount of ${currency.code}`, amount)
  if (direction === "CRDT") return units
  return direction === "DBIT" ? -units : fail("it says neither CRDT nor DBIT", element)
}

const signedAt = (element: Element, currency: Currency): bigint =>
  signedOf(amountAt(element), textAt(element, "CdtDbtInd"), currency, element)

const sum = (units: ReadonlyArray<bigint>): bigint => units.reduce((all, one) => all + one, 0n)

const referencesAt = (details: Element): ReadonlyArray<string> =>
  referencesOf((elementAt(details, "Refs")?.children ?? []).map(({ text }) => text))

/** What is kept of a transaction of an entry until that ends: a batch can have many thousands. */
interface Transaction {
  readonly amount: Element | undefined
  readonly direction: string | undefined
  readonly references: ReadonlyArray<string>
  readonly words: ReadonlyArray<string>
  readonly line: number
}

const transactionOf = (details: Element): Transaction => {
  const amount = amountAt(details)
  return {
    amount: amount && { ...amount, children: [] },
    direction: textAt(details, "CdtDbtInd"),
    references: referencesAt(details),
    words: elementsAt(details, "RmtInf", "Ustrd").map(({ text }) => text),
    line: details.line
  }
}

const isBooked = (entry: Element): boolean => {
  const status = elementAt(entry, "Sts")
  if (status === undefined) return true
  const said = textAt(status, "Cd") ?? textAt(status)
  // a status in the bank's own words (`Prtry`) is not one that says that it is booked
  return said === undefined ? status.children.every(({ text }) => text.trim() === "") : said === "BOOK"
}

/** The lines of an entry: one for each transaction of a batch whose amounts are told in its currency and come to the entry's, else one. */
const linesOf = (
  entry: Element,
  all: ReadonlyArray<Transaction>,
  { currency, zone }: { readonly currency: Currency; readonly zone: string },
  fallbackId: string
): ReadonlyArray<ImportedLine> => {
  const units = signedAt(entry, currency)
  const booked = dateAt(entry, zone, "BookgDt") ?? dateAt(entry, zone, "ValDt")
  if (booked === undefined) return fail("an entry has no date", entry)
  const [byBank, inStatement] = [referenceOf(textAt(entry, "AcctSvcrRef")), referenceOf(textAt(entry, "NtryRef"))]
  const id = byBank ?? inStatement ?? fallbackId
  const own = [byBank, inStatement]
  // many banks count the entries of each statement from 1
  const isOfStatement = byBank === undefined && inStatement !== undefined
  const common = { at: booked.at, currency: currency.code, ...(isOfStatement && { isOfStatement }) }
  if (all.length > 1 && all.every(({ amount }) => amount?.attributes["Ccy"] === currency.code)) {
    const whole = textAt(entry, "CdtDbtInd")
    const parts = all.map((one) => signedOf(one.amount, one.direction ?? whole, currency, one))
    // told as one line, what comes to nothing is no line: it takes no name from the entries after it
    const shared = byBank !== undefined && units !== 0n && { entry: { id, units } }
    if (sum(parts) === units)
      return all.map((one, index) => ({
        ...common,
        id: idOfPart(id, index + 1),
        ...shared,
        units: parts[index] ?? 0n,
        references: referencesOf([...one.references, ...own]),
        text: wordsOf([...one.words, textAt(entry, "AddtlNtryInf") ?? ""])
      }))
  }
  return [
    {
      ...common,
      id,
      units,
      references: referencesOf([...all.flatMap(({ references }) => references), ...own]),
      text: wordsOf([...all.flatMap(({ words }) => words), textAt(entry, "AddtlNtryInf") ?? ""])
    }
  ]
}

const balanceOf = (statement: Element, currency: Currency, codes: ReadonlyArray<string>) => {
  const all = elementsAt(statement, "Bal").filter((one) => !isIntermediate(one))
  for (const code of codes) {
    const found = all.find((one) => textAt(one, "Tp", "CdOrPrtry", "Cd") === code)
    if (found !== undefined) return { units: signedAt(found, currency), date: dateAt(found, "Z", "Dt"), code }
  }
  return undefined
}

/** A page of a statement while it is read: of its entries nothing is kept but their lines. */
interface Reading {
  currency: Currency | undefined
  /** The time zone of its days, by what it says of its period. */
  zone: string | undefined
  count: number
  pending: number
  readonly lines: Array<ImportedLine>
  /** The transactions of the entry that is open. */
  transactions: Array<Transaction>
}

const newReading = (): Reading => ({
  currency: undefined,
  zone: undefined,
  count: 0,
  pending: 0,
  lines: [],
  transactions: []
})

const currencyOf = (all: ReadonlyArray<Element>, where: Element, currencies: KnownCurrencies): Currency => {
  const around = { ...where, children: all }
  const code =
    textAt(around, "Acct", "Ccy") ??
    [...elementsAt(around, "Bal", "Amt"), ...elementsAt(where, "Amt")][0]?.attributes["Ccy"]
  if (code === undefined) return fail("the statement says no currency", where)
  return currencies.byCode(code) ?? fail(`the service knows no currency ${code}`, where)
}

const zoneOf = (all: ReadonlyArray<Element>, where: Element): string => {
  const around = { ...where, children: all }
  const said = textAt(around, "FrToDt", "FrDtTm") ?? textAt(around, "FrToDt", "ToDtTm") ?? ""
  return zoneAt.exec(said)?.[0] ?? "Z"
}

const addEntry = (
  reading: Reading,
  entry: Element,
  account: { readonly currency: Currency; readonly zone: string }
): void => {
  const { transactions } = reading
  reading.transactions = []
  reading.count += 1
  if (reading.count > importLinesMax) fail(`a statement has more than ${importLinesMax} entries`, entry)
  if (!isBooked(entry)) {
    reading.pending += 1
    return
  }
  for (const line of linesOf(entry, transactions, account, `${unnamed}${reading.count}`)) {
    if (line.units !== 0n) reading.lines.push(line)
  }
}

const dateOf = (statement: Element, name: string): Timestamp | undefined => {
  const found = elementAt(statement, "FrToDt", name)
  return found === undefined ? undefined : momentOf(found.text.trim(), found, zoneOf(statement.children, statement))
}

type Balance = ReturnType<typeof balanceOf>

/**
 * Where a period begins: where it says so, or with the day of its opening balance. The balance that a period before has closed with (PRCD)
 * is of the end of its day, unless the statement has that day: some banks give it the day of the statement.
 */
const beginOf = (
  statement: Element,
  opening: Balance,
  closing: Balance,
  lines: ReadonlyArray<ImportedLine>
): Timestamp | undefined => {
  const told = dateOf(statement, "FrDtTm")
  if (told !== undefined || opening?.date === undefined) return told
  const { at, isDay } = opening.date
  if (opening.code !== "PRCD" || !isDay) return at
  const last = closing?.date
  const hasThatDay = lines.some((line) => line.at < at + dayMs) || (last !== undefined && last.at < at + dayMs)
  return hasThatDay ? at : at + dayMs
}

const midnight = /T(?:00|24):00:00(?:\.0+)?(?:Z|[+-]\d{2}:?\d{2})?$/u

/** Where a period ends: where it says so, or with the day of its closing balance. */
const endOf = (
  statement: Element,
  closing: Balance,
  { begin, lines }: { readonly begin: Timestamp | undefined; readonly lines: ReadonlyArray<ImportedLine> }
): Timestamp | undefined => {
  const told = dateOf(statement, "ToDtTm")
  if (told !== undefined) {
    // a day ends there with 23:59:59, or with the midnight that is the next day's already; any other moment is in the period
    const isBefore = midnight.test(textAt(statement, "FrToDt", "ToDtTm") ?? "") && told > (begin ?? told)
    return isBefore && lines.every(({ at }) => at < told) ? told : Math.ceil((told + 1) / 1_000) * 1_000
  }
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
  const { lines } = reading
  const begin = beginOf(statement, opening, closing, lines)
  return {
    id,
    ...placeOf(statement, header, opening !== undefined && closing !== undefined),
    account: textAt(statement, "Acct", "Id", "IBAN") ?? textAt(statement, "Acct", "Id", "Othr", "Id") ?? null,
    currency: currency.code,
    from: begin,
    to: endOf(statement, closing, { begin, lines }),
    opening: opening?.units,
    closing: closing?.units,
    lines,
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
      if (isAt(path, "Ntry", "NtryDtls", "TxDtls")) {
        reading.transactions.push(transactionOf(element))
        return true
      }
      // an entry can have as many of these as transactions
      if (isAt(path, "Ntry", "NtryDtls")) return true
      if (isAt(path, "Ntry")) {
        reading.currency ??= currencyOf(before, element, currencies)
        reading.zone ??= zoneOf(before, element)
        addEntry(reading, element, { currency: reading.currency, zone: reading.zone })
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
