interface RowKeys {
  readonly count: number
  /** The row that the keyboard is at; -1 before the first. */
  readonly at: number
  readonly move: (index: number) => void
  readonly open: (index: number) => void
}

/** Listens for the keys of a list: `j` and `k` go down and up, Enter opens. Returns how to stop. */
export const rowKeys = ({ at, count, move, open }: RowKeys) => {
  const pressed = (event: KeyboardEvent) => {
    const { target } = event
    if (target instanceof HTMLElement && target.closest("input,textarea,select,button,a,dialog") !== null) return
    if (event.key === "j") move(Math.min(count - 1, at + 1))
    else if (event.key === "k") move(Math.max(0, at - 1))
    else if (event.key === "Enter" && at >= 0) open(at)
  }
  document.addEventListener("keydown", pressed)
  return () => document.removeEventListener("keydown", pressed)
}
