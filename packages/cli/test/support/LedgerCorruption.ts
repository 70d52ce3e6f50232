/** A change to the rows of a database that breaks the books; its statement returns one text, with which the finding must name the row. */
export interface LedgerCorruption {
  /** The rule that must find it. */
  readonly invariant: string
  /** The other rules that must find it too; no more than these do. */
  readonly also?: ReadonlyArray<string>
  readonly what: string
  /** What has to be done before, such as taking a trigger away. */
  readonly first?: string
  readonly statement: string
}
