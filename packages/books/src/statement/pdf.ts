import { periodEnd } from "@bursar/core/period/Period"
import { Effect, Stream } from "effect"
import Pdf from "pdfkit"
import { oneLine } from "../plainText.ts"
import { type Block, Blocks, type Table, tablesOf } from "./pdfTables.ts"
import type { Statement } from "./Statement.ts"

export { pdfLinesMax } from "./pdfTables.ts"

const marginPoints = 28

/** The largest type of a table; one that is wider than the page is set in a smaller one, so that nothing is cut off. */
const fontSizeMax = 7

/** How wide a character of Courier is, and how high a line, for each point of type. */
const characterWidth = 0.6
const lineHeight = 1.4

/** The fonts that every PDF reader has know no other characters. */
const shown = (text: string): string => oneLine(text).replaceAll(/[^\x20-\x7e]/gu, (one) => encodeURIComponent(one))

type Document = InstanceType<typeof Pdf>

const begin = ({ period, title }: Pick<Statement<string, never>, "period" | "title">, csvSha256: string): Document => {
  // everything that would differ from one time to the next is given: the same statement is the same bytes
  const document = new Pdf({
    size: "A4",
    layout: "landscape",
    margin: marginPoints,
    bufferPages: true,
    info: { Title: `Statement ${period}`, Subject: shown(title), CreationDate: new Date(periodEnd(period)) }
  })
  document.font("Helvetica-Bold").fontSize(14).text(`Statement ${period}`)
  document.font("Helvetica").fontSize(9).text(shown(title))
  document.fontSize(7).text(`The same as CSV has the SHA-256 ${csvSha256}`).moveDown()
  return document
}

/** Writes a line of type. */
const write = (document: Document, text: string, font: string, size: number): void => {
  const { y } = document
  document.font(font).fontSize(size).text(text, marginPoints, y, { lineBreak: false })
  document.y = y + size * lineHeight
}

const hasRoom = (document: Document, lines: number, size: number): boolean =>
  document.y + lines * size * lineHeight <= document.page.height - 2 * marginPoints

/** The size in which a table is as wide as the page at most. */
const sizeOf = (document: Document, { width }: Table): number =>
  Math.min(fontSizeMax, (document.page.width - 2 * marginPoints) / (width * characterWidth))

/** Begins a page. Others get their turn before it: a page takes some tens of milliseconds, and there may be hundreds. */
const turnPage = (document: Document): Effect.Effect<void> =>
  Effect.andThen(
    Effect.yieldNow,
    Effect.sync(() => void document.addPage())
  )

/** Writes rows below their heading, which stands on each page again. */
const writeBlock = Effect.fnUntraced(function* (document: Document, { rows }: Block, table: Table) {
  const size = sizeOf(document, table)
  const head = () => {
    write(document, table.title, "Helvetica-Bold", fontSizeMax + 1)
    write(document, table.heading, "Courier-Bold", size)
  }
  // a heading and the first row below it stay together
  if (!hasRoom(document, 4, fontSizeMax)) yield* turnPage(document)
  head()
  for (const row of rows) {
    if (!hasRoom(document, 1, size)) {
      yield* turnPage(document)
      head()
    }
    write(document, table.line(row), "Courier", size)
  }
  document.y += fontSizeMax
})

/** After so many pages that are numbered others get their turn. */
const numberedPerTurn = 32

/** Numbers the pages, each of which says what it is a page of. */
const number = Effect.fnUntraced(function* (document: Document, about: string) {
  const { count } = document.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    if (page > 0 && page % numberedPerTurn === 0) yield* Effect.yieldNow
    document.switchToPage(page)
    const y = document.page.height - marginPoints - fontSizeMax
    document.font("Helvetica").fontSize(fontSizeMax)
    document.text(`${about}, page ${page + 1} of ${count}`, marginPoints, y, { lineBreak: false })
  }
})

/** A statement as PDF: the same bytes for the same rows. It is as large as its rows may be many. */
export const statementPdf = <C extends string, E>(
  { period, rows, sections, statementVersion, title }: Statement<C, E>,
  csvSha256: string
): Effect.Effect<Uint8Array, E> =>
  Effect.gen(function* () {
    const blocks = new Blocks<C>({ sections, statementVersion }, shown)
    yield* Stream.runForEach(rows, (row) => Effect.sync(() => blocks.add(row)))
    const document = begin({ period, title }, csvSha256)
    const chunks: Array<Uint8Array> = []
    document.on("data", (chunk: Uint8Array) => chunks.push(chunk))
    const tables = tablesOf(sections, blocks.all)
    for (const block of blocks.all) {
      const table = tables.get(block.section)
      if (table !== undefined) yield* writeBlock(document, block, table)
    }
    if (blocks.leftOut > 0) write(document, `${blocks.leftOut} more lines are in the CSV alone.`, "Helvetica-Bold", 8)
    yield* number(document, `Statement ${period}, ${shown(title)}`)
    yield* Effect.callback<void>((resume) => {
      document.on("end", () => resume(Effect.void))
      document.end()
    })
    return Uint8Array.from(Buffer.concat(chunks))
  })
