import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { beancount } from "../src/Beancount.ts"
import { fromBeancountAccount } from "../src/beancountAccount.ts"
import { fromBeancountCommodity } from "../src/beancountCommodity.ts"
import { type Book, debitsOf } from "../src/Book.ts"
import { camt053, camtObjection } from "../src/Camt053.ts"
import { fixedIn } from "../src/decimal.ts"
import type { Format } from "../src/Format.ts"
import { hledger } from "../src/Hledger.ts"
import { incomeAccounts, IncomeSums } from "../src/income/Income.ts"
import { randomBook, type WholeBook } from "./support/randomBook.ts"
import { camtSchema, hledgerPath, pythonPath, runOn } from "./support/tools.ts"

const written = (format: Format, { book, entries }: WholeBook): Promise<string> =>
  Effect.runPromise(Stream.mkString(format.write(book, entries)))

/** What accounts hold, but for those that hold nothing, as decimal texts in the currencies' own decimals. */
const expected = ({ closing, currencies }: Book): ReadonlyArray<string> =>
  closing
    .filter(({ units }) => units !== 0n)
    .map(
      ({ account, currency, units }) =>
        `${account} ${currency} ${fixedIn(currencies, debitsOf(account, units), currency)}`
    )
    .toSorted()

const runs = { numRuns: 25 }

describe("books in the programs of accountants", () => {
  it.skipIf(hledgerPath === undefined)(
    "HLEDGER: hledger loads any book, its assertions hold, and its balances are ours to the unit",
    () =>
      fc.assert(
        fc.asyncProperty(randomBook, async (whole) => {
          const text = await written(hledger, whole)
          const out = await runOn(hledgerPath ?? "", "book.journal", text, (file) => [
            "-f",
            file,
            "balance",
            "--flat",
            "-N",
            "--layout=bare",
            "-O",
            "csv"
          ])
          const rows = out.trim().split("\n").slice(1)
          const balances = rows.map((row) => row.slice(1, -1).replaceAll('","', " ").replaceAll(",", ""))
          assert.deepStrictEqual(balances.toSorted(), expected(whole.book))
          const counted = await runOn(hledgerPath ?? "", "book.journal", text, (file) => [
            "-f",
            file,
            "print",
            "-O",
            "csv"
          ])
          const codes = new Set(
            [...counted.matchAll(/^"\d+","[^"]*","","\*","(\d+)"/gmu)].map(([, code]) => Number(code))
          )
          const postings = whole.all.filter(({ posting }) => posting > whole.book.range.after)
          assert.deepStrictEqual(
            [...codes],
            postings.map(({ posting }) => posting)
          )
        }),
        runs
      ),
    120_000
  )

  it.skipIf(hledgerPath === undefined)(
    "HLEDGER: hledger sums up costs and income by product, to the unit",
    () =>
      fc.assert(
        fc.asyncProperty(randomBook, async (whole) => {
          const { book } = whole
          const text = await written(hledger, whole)
          const rows: Array<string> = []
          for (const account of incomeAccounts) {
            const flags = ["balance", "--pivot", "product", `acct:^${account}$`, "tag:product", "-N", "--layout=bare"]
            const out = await runOn(hledgerPath ?? "", "book.journal", text, (file) => [
              "-f",
              file,
              ...flags,
              "-O",
              "csv"
            ])
            rows.push(
              ...out
                .trim()
                .split("\n")
                .slice(1)
                .filter((row) => row !== "")
                .map((row) => `${account} ${row.slice(1, -1).replaceAll('","', " ").replaceAll(",", "")}`)
            )
          }
          const sums = new IncomeSums()
          for (const one of whole.all.filter(({ posting }) => posting > book.range.after)) sums.add(one)
          const ours = sums.lines().flatMap(({ currency, exchange, fees, networkFees, product }) =>
            Object.entries({ fees: -fees, network_fees: networkFees, exchange })
              .filter(([, units]) => units !== 0n)
              .map(
                ([account, units]) => `${account} ${product} ${currency} ${fixedIn(book.currencies, units, currency)}`
              )
          )
          assert.deepStrictEqual(rows.toSorted(), ours.toSorted())
        }),
        { numRuns: 8 }
      ),
    120_000
  )

  it.skipIf(hledgerPath === undefined)(
    "HLEDGER: hledger refuses a book that lacks a posting",
    () =>
      fc.assert(
        fc.asyncProperty(randomBook, async ({ all, book, entries }) => {
          const gone = all.find(
            ({ legs, posting }) => posting > book.range.after && legs.some((leg) => leg.balance !== 0n)
          )
          const moved = new Map<string, bigint>()
          for (const leg of gone?.legs ?? []) {
            const key = `${leg.account} ${leg.currency}`
            moved.set(key, (moved.get(key) ?? 0n) + (leg.direction === "DEBIT" ? leg.units : -leg.units))
          }
          fc.pre([...moved.values()].some((units) => units !== 0n))
          const without = (after: number) => Stream.filter(entries(after), ({ posting }) => posting !== gone?.posting)
          const text = await Effect.runPromise(Stream.mkString(hledger.write(book, without)))
          const outcome = await runOn(hledgerPath ?? "", "book.journal", text, (file) => ["-f", file, "balance"]).then(
            () => "loaded",
            () => "refused"
          )
          assert.strictEqual(outcome, "refused")
        }),
        { numRuns: 8 }
      ),
    120_000
  )

  it.skipIf(pythonPath === undefined)(
    "BEANCOUNT_PYTHON: beancount loads any book without an error, and its balances are ours to the unit",
    () =>
      fc.assert(
        fc.asyncProperty(randomBook, async (whole) => {
          const text = await written(beancount, whole)
          const script = `
import sys
from beancount import loader
from beancount.core import data, realization
entries, errors, options = loader.load_file(sys.argv[1])
for error in errors: print("error", error)
for account in realization.iter_children(realization.realize(entries)):
    for position in account.balance:
        print(account.account, position.units.currency, format(position.units.number, "f"))
print("transactions", sum(isinstance(entry, data.Transaction) for entry in entries))
`
          const out = await runOn(pythonPath ?? "", "book.beancount", text, (file) => ["-c", script, file])
          const lines = out.trim().split("\n")
          const transactions = Number(lines.pop()?.split(" ")[1])
          const balances = lines.map((line) => {
            const [name = "", commodity = "", ...rest] = line.split(" ")
            return name === "error"
              ? line
              : [fromBeancountAccount(name), fromBeancountCommodity(commodity), ...rest].join(" ")
          })
          assert.deepStrictEqual(balances.toSorted(), expected(whole.book))
          const { after, through } = whole.book.range
          const carried = after > 0 && whole.book.opening.some(({ units }) => units !== 0n)
          assert.strictEqual(transactions, through - after + (carried ? 1 : 0))
        }),
        runs
      ),
    120_000
  )

  it.skipIf(pythonPath === undefined || camtSchema === undefined)(
    "BEANCOUNT_PYTHON, CAMT053_XSD: CAMT.053 of any book is valid by the schema of ISO 20022, and its entries lead from one balance to the other",
    () =>
      fc.assert(
        fc.asyncProperty(randomBook, async (whole) => {
          fc.pre(camtObjection(whole.book) === undefined)
          const text = await written(camt053, whole)
          const script = `
import sys
from decimal import Decimal
from lxml import etree
tree = etree.parse(sys.argv[2])
etree.XMLSchema(etree.parse(sys.argv[1])).assertValid(tree)
ns = {"c": "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"}
def signed(node):
    amount = Decimal(node.find("c:Amt", ns).text)
    return amount if node.find("c:CdtDbtInd", ns).text == "CRDT" else -amount
for statement in tree.iterfind(".//c:Stmt", ns):
    codes = {one.find(".//c:Cd", ns).text: signed(one) for one in statement.iterfind("c:Bal", ns)}
    assert codes["OPBD"] + sum(signed(one) for one in statement.iterfind("c:Ntry", ns)) == codes["CLBD"]
    print(statement.find("c:Acct/c:Nm", ns).text, statement.find("c:Acct/c:Ccy", ns).text, format(codes["CLBD"], "f"))
`
          const out = await runOn(pythonPath ?? "", "book.xml", text, (file) => ["-c", script, camtSchema ?? "", file])
          const { closing, currencies } = whole.book
          const sums = new Map<string, bigint>()
          for (const { account, currency, units } of closing) {
            if (!/^(?:float|account):/u.test(account) || (currency !== "EUR" && currency !== "USD")) continue
            const key = `${account.startsWith("float:") ? "float" : account} ${currency}`
            sums.set(key, (sums.get(key) ?? 0n) + units)
          }
          assert.deepStrictEqual(
            out.trim().split("\n").toSorted(),
            [...sums].map(([key, units]) => `${key} ${fixedIn(currencies, units, key.split(" ")[1] ?? "")}`).toSorted()
          )
        }),
        runs
      ),
    120_000
  )
})
