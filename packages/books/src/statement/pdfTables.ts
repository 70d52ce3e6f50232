import type { Statement, StatementRow } from "./Statement.ts"

/** A PDF shows so many lines, and so many rows of each other section; all of them are in the CSV, whose digest it names. */
export const pdfLinesMax = 5_000

/** So much of what others have written is shown; all of it is in the CSV. */
const referenceMax = 40

/** What a section is called. The rest of a statement says whose it is and of when: that is the title of a PDF. */
const titles: { readonly [section: string]: string } = {
  opening: "Opening balances",
  line: "Entries",
  rate: "Rates of conversions",
  closing: "Closing balances",
  fees: "Fees",
  tenant: "Tenant",
  account: "Accounts",
  income: "Income and costs",
  total: "Totals"
}

/** What a column is called where its section means something else by it. */
const names: { readonly [sectionAndColumn: string]: string } = {
  "rate.currency": "given in",
  "rate.debit": "given",
  "rate.credit": "received",
  "fees.kind": "product",
  "fees.balance": "amount"
}

/** Columns of texts. All others are amounts and rates, which stand to the right. */
const texts = new Set([
  "tenant",
  "posting",
  "date",
  "time",
  "operation",
  "kind",
  "product",
  "purpose",
  "account",
  "currency",
  "reference",
  "sha256"
])

/** Of these there may be any number, and in the rows of a statement they may stand among each other. */
const isLine = (section: string): boolean => section === "line" || section === "rate"

/** With which rows those of a section are counted, where so many are shown alone; undefined where all are. */
const countedWith = (section: string, statementVersion: number): string | undefined => {
  if (isLine(section)) return "line"
  return statementVersion < 4 ? undefined : section
}

/** Rows of a section that stand together, as they are shown. */
export interface Block {
  readonly section: string
  readonly rows: Array<ReadonlyArray<string>>
}

type Sections = Statement<string, never>["sections"]

const cellOf = (column: string, text: string): string =>
  column === "reference" && text.length > referenceMax ? `${text.slice(0, referenceMax - 3)}...` : text

/** The rows of a statement by the sections that they stand in. */
export class Blocks<C extends string> {
  readonly all: Array<Block> = []
  readonly #sections: Statement<C, never>["sections"]
  readonly #statementVersion: number
  readonly #shown: (text: string) => string
  readonly #counts = new Map<string, number>()

  constructor(
    { sections, statementVersion }: Pick<Statement<C, never>, "sections" | "statementVersion">,
    shown: (text: string) => string
  ) {
    this.#sections = sections
    this.#statementVersion = statementVersion
    this.#shown = shown
  }

  /** How many lines are not shown. */
  get leftOut(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + Math.max(0, count - pdfLinesMax), 0)
  }

  add({ cells, section }: StatementRow<C>): void {
    if (titles[section] === undefined || !this.#isShown(section)) return
    const columns = this.#sections[section] ?? []
    this.#blockOf(section).rows.push(columns.map((column) => cellOf(column, this.#shown(cells[column] ?? ""))))
  }

  /** Counts one more row of a section. */
  #isShown(section: string): boolean {
    const counted = countedWith(section, this.#statementVersion)
    if (counted === undefined) return true
    const count = (this.#counts.get(counted) ?? 0) + 1
    this.#counts.set(counted, count)
    return count <= pdfLinesMax
  }

  #blockOf(section: string): Block {
    const last = isLine(section) ? this.all.find((one) => one.section === section) : this.all.at(-1)
    if (last?.section === section) return last
    const block: Block = { section, rows: [] }
    this.all.push(block)
    return block
  }
}

/** How the rows of a section are shown: each column as wide as what stands in it. */
export interface Table {
  readonly title: string
  readonly heading: string
  /** In characters. */
  readonly width: number
  readonly line: (row: ReadonlyArray<string>) => string
}

const tableOf = (section: string, columns: ReadonlyArray<string>, blocks: ReadonlyArray<Block>): Table => {
  const heading = columns.map((column) => names[`${section}.${column}`] ?? column)
  const widths = heading.map(({ length }) => length)
  for (const { rows } of blocks) {
    for (const row of rows) row.forEach(({ length }, at) => (widths[at] = Math.max(widths[at] ?? 0, length)))
  }
  const line = (row: ReadonlyArray<string>): string =>
    row
      .map((text, at) => (texts.has(columns[at] ?? "") ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd()
  return {
    title: titles[section] ?? section,
    heading: line(heading),
    width: widths.reduce((sum, width) => sum + width + 2, -2),
    line
  }
}

/** The tables of a statement, by section. */
export const tablesOf = (sections: Sections, blocks: ReadonlyArray<Block>): ReadonlyMap<string, Table> =>
  new Map(
    Object.entries(sections).map(([section, columns]) => [
      section,
      tableOf(
        section,
        columns,
        blocks.filter((one) => one.section === section)
      )
    ])
  )
