interface PagerProps {
  /** The id that the next page goes on after; null on the last. */
  readonly next: string | null
  /** The id that this page goes on after; undefined on the first. */
  readonly after: string | undefined
  readonly go: (after: string | undefined) => void
}

/** What a page without rows says: a later one does not know of those before it. */
export const emptyPage = (after: string | undefined, empty: string): string =>
  after === undefined ? empty : "Nothing is on this page any more. Others may be on the first."

/** Goes to the next page of a list, and back to the first. */
export const Pager = ({ after, go, next }: PagerProps) =>
  next === null && after === undefined ? null : (
    <div className="actions">
      {after === undefined ? null : (
        <button type="button" onClick={() => go(undefined)}>
          First page
        </button>
      )}
      {next === null ? null : (
        <button type="button" onClick={() => go(next)}>
          Next page
        </button>
      )}
    </div>
  )
