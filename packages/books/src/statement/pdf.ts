import { periodEnd } from "@bursar/core/period/Period"
import { Effect, Stream } from "effect"
import Pdf from "pdfkit"
import { oneLine } from "../plainText.ts"
import type { Statement, StatementRow } from "./Statement.ts"

/** A PDF shows so many lines; all of them are in the CSV, whose digest it names. */
export const pdfLinesMax = 5_000

const fontSize = 5.5
const lineHeight = 8
const marginPoints = 28

/** The fonts that every PDF reader has know no other characters. */
const shown = (text: string): string => oneLine(text).replaceAll(/[^\x20-\x7e]/gu, (one) => encodeURIComponent(one))

type Document = InstanceType<typeof Pdf>

const begin = ({ period, title }: Pick<Statement<string, never>, "period" | "title">, csvSha256: string): Document => {
  // everything that would differ from one time to the next is given: the same statement is the same bytes
  const document = new Pdf({
    size: "A4",
    layout: "landscape",
    margin: marginPoints,
    info: { Title: `Statement ${period}`, Subject: shown(title), CreationDate: new Date(periodEnd(period)) }
  })
  document.font("Helvetica-Bold").fontSize(14).text(`Statement ${period}`)
  document.font("Helvetica").fontSize(9).text(shown(title))
  document.fontSize(7).text(`The same as CSV has the SHA-256 ${csvSha256}`).moveDown()
  return document
}

/** How wide the columns of texts are, in characters. */
const widths: { readonly [column: string]: number } = {
  tenant: 60,
  posting: 8,
  date: 10,
  time: 24,
  operation: 36,
  kind: 16,
  product: 16,
  purpose: 11,
  account: 28,
  currency: 10,
  reference: 0,
  sha256: 64
}

/** Amounts and rates stand to the right. */
const amountWidth = 20

const aligned = (column: string, text: string): string => {
  const width = widths[column]
  return width === undefined ? text.padStart(amountWidth) : text.padEnd(width)
}

/** Of these there may be any number. */
const isLine = (section: string): boolean => section === "line" || section === "rate"

/** Writes rows under a heading for each section. */
class Rows<C extends string> {
  readonly #document: Document
  readonly #sections: Statement<C, never>["sections"]
  #section = ""
  #lines = 0

  constructor(document: Document, sections: Statement<C, never>["sections"]) {
    this.#document = document
    this.#sections = sections
  }

  #write(text: string, font: string): void {
    if (this.#document.y > this.#document.page.height - marginPoints - lineHeight) this.#document.addPage()
    const { y } = this.#document
    this.#document.font(font).fontSize(fontSize).text(text, marginPoints, y, { lineBreak: false })
    this.#document.y = y + lineHeight
  }

  add({ cells, section }: StatementRow<C>): void {
    if (isLine(section)) this.#lines += 1
    if (isLine(section) && this.#lines > pdfLinesMax) return
    const columns = this.#sections[section] ?? []
    if (section !== this.#section) {
      this.#section = section
      const heading = columns.map((column) => aligned(column, column)).join("  ")
      this.#write(section.toUpperCase(), "Courier-Bold")
      this.#write(heading, "Courier-Bold")
    }
    this.#write(columns.map((column) => aligned(column, shown(cells[column] ?? ""))).join("  "), "Courier")
  }

  end(): void {
    if (this.#lines > pdfLinesMax)
      this.#write(`${this.#lines - pdfLinesMax} more lines are in the CSV alone.`, "Courier-Bold")
    this.#document.end()
  }
}

/** A statement as PDF: the same bytes for the same rows. It is as large as its lines may be many. */
export const statementPdf = <C extends string, E>(
  { period, rows, sections, title }: Statement<C, E>,
  csvSha256: string
): Effect.Effect<Uint8Array, E> =>
  Effect.gen(function* () {
    const document = begin({ period, title }, csvSha256)
    const chunks: Array<Uint8Array> = []
    document.on("data", (chunk: Uint8Array) => chunks.push(chunk))
    const page = new Rows(document, sections)
    yield* Stream.runForEach(rows, (row) => Effect.sync(() => page.add(row)))
    yield* Effect.callback<void>((resume) => {
      document.on("end", () => resume(Effect.void))
      page.end()
    })
    return Uint8Array.from(Buffer.concat(chunks))
  })
