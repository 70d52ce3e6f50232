import { Stream } from "effect"
import { csvRow } from "../csvRow.ts"

/** A row of a statement: the section that it stands in, and its cells by column. Columns that are left out are empty. */
export interface StatementRow<C extends string> {
  readonly section: string
  readonly cells: { readonly [column in C]?: string }
}

/** A statement of a month: who it is of, and its rows, in order, in bounded memory. */
export interface Statement<C extends string, E> {
  readonly title: string
  readonly period: string
  /** Its layout: that which is made now, or that in which it was hashed. */
  readonly statementVersion: number
  readonly columns: ReadonlyArray<C>
  /** The columns that each section uses. */
  readonly sections: { readonly [section: string]: ReadonlyArray<C> }
  readonly rows: Stream.Stream<StatementRow<C>, E>
}

/** A statement as CSV. Its bytes are hashed and stay as they are: another layout is another `statementVersion`. */
export const statementCsv = <C extends string, E>({ columns, rows }: Statement<C, E>): Stream.Stream<string, E> =>
  Stream.succeed(csvRow(["section", ...columns])).pipe(
    Stream.concat(
      Stream.map(rows, ({ cells, section }) => csvRow([section, ...columns.map((column) => cells[column] ?? "")]))
    )
  )
