import { type Timestamp, toIso } from "@bursar/core/base/Timestamp"
import { type Account, balanceKey, isOwed } from "@bursar/core/ledger/Account"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { Stream } from "effect"
import { createHash } from "node:crypto"
import { type Book, type BookEntries, debitOf, within } from "./Book.ts"
import { fixedIn } from "./decimal.ts"
import type { Format } from "./Format.ts"
import { oneLine } from "./plainText.ts"

const namespace = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"

/** Amounts of the message have no more decimals, and no more digits. */
const decimalsMax = 5
const digitsMax = 18

/** What the service owes somebody in a currency: one statement. A float is what it has available and what is held of it. */
interface Owed {
  readonly name: string
  readonly id: string
  readonly currency: string
  readonly accounts: ReadonlyArray<Account>
  readonly opening: bigint
  readonly closing: bigint
  /** What of it can be paid out: no part of a float that is held. */
  readonly available: bigint
  /** Whether anything was booked on it within the book. */
  readonly isMoved: boolean
}

const isNamed = ({ currencies }: Book, code: string): boolean => {
  const currency = currencies.byCode(code)
  return currency?.kind === "FIAT" && currency.decimals <= decimalsMax && /^[A-Z]{3}$/u.test(code)
}

const nameOf = (account: Account): string => (account.startsWith("float:") ? "float" : account)

const owedIn = ({ closing, opening, tenant }: Book): ReadonlyArray<Owed> => {
  const before = new Map(opening.map((one) => [balanceKey(one.account, one.currency), one]))
  const found = new Map<string, Owed>()
  for (const { account, currency, units, version } of closing) {
    if (!isOwed(account)) continue
    const name = nameOf(account)
    const key = `${name}|${currency}`
    const id = (name === "float" ? tenant.id : account.slice("account:".length)).replaceAll("-", "")
    const opened = before.get(balanceKey(account, currency))
    const owed = found.get(key) ?? {
      name,
      id,
      currency,
      accounts: [],
      opening: 0n,
      closing: 0n,
      available: 0n,
      isMoved: false
    }
    found.set(key, {
      ...owed,
      accounts: [...owed.accounts, account],
      opening: owed.opening + (opened?.units ?? 0n),
      closing: owed.closing + units,
      available: owed.available + (account === "float:available" ? units : 0n),
      // each leg on an account is one more version of it
      isMoved: owed.isMoved || version !== (opened?.version ?? 0)
    })
  }
  return [...found.values()]
}

const statementsOf = (book: Book): ReadonlyArray<Owed> => owedIn(book).filter(({ currency }) => isNamed(book, currency))

const omittedFrom = (book: Book): ReadonlyArray<string> =>
  [...new Set(owedIn(book).map(({ currency }) => currency))].filter((code) => !isNamed(book, code)).toSorted()

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

/** A text of the message: on one line, without what XML forbids, and no longer than its element may be. */
const text = (value: string, lengthMax: number): string =>
  [...oneLine(value)]
    .slice(0, lengthMax)
    .join("")
    .replaceAll(/[&<>"']/gu, (one) => entities[one] ?? "")

/**
 * An id of the message, or of a statement in it, that no other tenant's and no other month's has, and that the same export has again: a
 * digest, because an id has at most 35 characters, which is less than a tenant and a range take. The end is not in it: while a month is
 * not over, that is the moment of the export. The beginning is: it tells apart months in which nothing was booked.
 */
const idOf = ({ from, range, tenant }: Book, ...parts: ReadonlyArray<string>): string =>
  createHash("sha256")
    .update(JSON.stringify([tenant.id, range.after, range.through, from, ...parts]))
    .digest("hex")
    .slice(0, 32)

const amountOf = (book: Book, units: bigint, currency: string): string => {
  const size = units < 0n ? -units : units
  if (size.toString().length > digitsMax) throw new Error(`CAMT.053 has no amount of ${size} base units of ${currency}`)
  return `<Amt Ccy="${currency}">${fixedIn(book.currencies, size, currency)}</Amt><CdtDbtInd>${units < 0n ? "DBIT" : "CRDT"}</CdtDbtInd>`
}

const balance = (
  book: Book,
  {
    at,
    code,
    currency,
    units
  }: { readonly code: string; readonly units: bigint; readonly currency: string; readonly at: Timestamp }
): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amountOf(book, units, currency)}<Dt><DtTm>${toIso(at)}</DtTm></Dt></Bal>\n`

const statementHeader = (book: Book, owed: Owed): string => {
  const { from, to } = book
  const { available, closing, currency, opening } = owed
  return [
    `<Stmt><Id>${idOf(book, owed.name, currency)}</Id><CreDtTm>${toIso(to)}</CreDtTm>`,
    `<FrToDt><FrDtTm>${toIso(from)}</FrDtTm><ToDtTm>${toIso(to)}</ToDtTm></FrToDt>`,
    `<Acct><Id><Othr><Id>${text(owed.id, 34)}</Id></Othr></Id><Ccy>${currency}</Ccy><Nm>${text(owed.name, 70)}</Nm></Acct>\n`,
    balance(book, { code: "OPBD", units: opening, currency, at: from }),
    balance(book, { code: "CLBD", units: closing, currency, at: to }),
    ...(owed.name === "float" ? [balance(book, { code: "CLAV", units: available, currency, at: to })] : [])
  ].join("")
}

const statementEntry = (book: Book, { currency }: Owed, { legs, postedAt, posting, subject }: JournalEntry): string => {
  const units = legs.reduce((sum, leg) => sum - debitOf(leg), 0n)
  // what is held, and what is free again, is booked within the float
  if (units === 0n) return ""
  const { partnerReference, txHash } = subject
  const about = [`operation ${subject.id}`, ...(txHash === null ? [] : [`transaction ${txHash}`])].join(", ")
  return [
    `<Ntry><NtryRef>${posting}</NtryRef>${amountOf(book, units, currency)}<Sts><Cd>BOOK</Cd></Sts>`,
    `<BookgDt><DtTm>${toIso(within(book, postedAt))}</DtTm></BookgDt><ValDt><DtTm>${toIso(postedAt)}</DtTm></ValDt>`,
    `<AcctSvcrRef>${subject.id.replaceAll("-", "")}</AcctSvcrRef>`,
    `<BkTxCd><Prtry><Cd>${subject.kind ?? "UNKNOWN"}</Cd></Prtry></BkTxCd>`,
    ...(partnerReference === null || partnerReference === ""
      ? []
      : [
          `<NtryDtls><TxDtls><Refs><EndToEndId>${text(partnerReference, 35)}</EndToEndId></Refs>`,
          `<RmtInf><Ustrd>${text(partnerReference, 140)}</Ustrd></RmtInf></TxDtls></NtryDtls>`
        ]),
    `<AddtlNtryInf>${text(about, 500)}</AddtlNtryInf></Ntry>\n`
  ].join("")
}

const groupHeader = (book: Book): string => {
  const omitted = omittedFrom(book)
  const told =
    omitted.length === 0 ? "" : `<AddtlInf>${text(`Not in this file: ${omitted.join(", ")}`, 500)}</AddtlInf>`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<Document xmlns="${namespace}"><BkToCstmrStmt>\n`,
    `<GrpHdr><MsgId>${idOf(book)}</MsgId><CreDtTm>${toIso(book.to)}</CreDtTm>${told}</GrpHdr>\n`
  ].join("")
}

/** Why a book cannot be a CAMT.053 message: nothing in it is owed in money that ISO 4217 names. Undefined where it can. */
export const camtObjection = (book: Book): string | undefined =>
  statementsOf(book).length > 0
    ? undefined
    : "CAMT.053 knows the currencies of ISO 4217 alone, and these books owe nobody anything in one of them."

/** The entries of a statement. Where nothing was booked on it none are asked for: there may be many accounts, and each would be asked about by itself. */
const entriesOf = <E>(book: Book, owed: Owed, entries: BookEntries<E>): Stream.Stream<string, E> => {
  const { accounts, currency, isMoved } = owed
  return isMoved
    ? Stream.map(entries(book.range.after, { accounts, currency }), (entry) => statementEntry(book, owed, entry))
    : Stream.empty
}

/**
 * A bank's statement for each float and customer's account in a currency of ISO 4217 (camt.053.001.08). Others are named in the
 * header. It has each statement's balances before its entries, so it is written whole.
 */
export const camt053: Format = {
  contentType: "application/xml",
  extension: "xml",
  posting: null,
  write: <E>(book: Book, entries: BookEntries<E>) =>
    Stream.sync(() => groupHeader(book)).pipe(
      Stream.concat(
        Stream.fromIterable(statementsOf(book)).pipe(
          Stream.flatMap((owed) =>
            Stream.sync(() => statementHeader(book, owed)).pipe(
              Stream.concat(entriesOf(book, owed, entries)),
              Stream.concat(Stream.succeed("</Stmt>\n"))
            )
          )
        )
      ),
      Stream.concat(Stream.succeed("</BkToCstmrStmt></Document>\n"))
    )
}
