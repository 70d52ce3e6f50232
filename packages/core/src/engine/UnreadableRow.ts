/** A row that cannot be read as what it has to be: somebody has changed it in the database. */
export interface UnreadableRow {
  /** The row, by its table and its key. */
  readonly row: string
  /** What is wrong with it, in words. */
  readonly problem: string
}
