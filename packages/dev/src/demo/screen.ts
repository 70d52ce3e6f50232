/** What stands at the bottom of the terminal and is drawn again and again; it gives way to a line. */
interface Drawing {
  readonly erase: () => void
}

let drawing: Drawing | undefined

/** Says what is drawn at the bottom of the terminal now; undefined where nothing is. */
export const setDrawing = (next: Drawing | undefined): void => void (drawing = next)

/** Writes a line to standard output, above what is being drawn there. */
export const writeLine = (line: string): void => {
  drawing?.erase()
  process.stdout.write(`${line}\n`)
}
