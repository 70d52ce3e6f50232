import { Clock, Effect, Schedule, type Scope } from "effect"
import { setDrawing } from "./screen.ts"
import { stripVTControlCharacters, styleText } from "node:util"

/** How a scene ended, in a few words, and what it took. */
export interface Ending {
  readonly ok: boolean
  readonly words: string
  readonly lines: ReadonlyArray<string>
  readonly ms: number
}

interface Row {
  readonly name: string
  readonly stages: ReadonlyArray<string>
  readonly ending: Ending | undefined
}

/** The scenes of a chapter as they go on: on a terminal a line each that changes, else a line each when it has ended. */
export interface Board {
  readonly reached: (scene: number, stage: string) => Effect.Effect<void>
  readonly ended: (scene: number, ending: Ending) => Effect.Effect<void>
}

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
const frameMs = 100
const indent = "   "

/** A duration for people: `3.1 s`. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const mark = (ending: Ending | undefined, frame: string): string => {
  if (ending === undefined) return styleText("cyan", frame)
  return ending.ok ? styleText("green", "✔") : styleText("red", "✘")
}

const cut = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text)

/** A line that is no wider than the terminal, which could not take it back otherwise. */
const lineOf = ({ ending, name, stages }: Row, nameWidth: number, frame: string, columns: number): string => {
  const head = `${indent}${mark(ending, frame)} ${styleText("bold", name.padEnd(nameWidth))}  `
  const room = Math.max(20, columns - stripVTControlCharacters(head).length - 1)
  if (ending === undefined) return `${head}${styleText("dim", cut(stages.join(" › "), room))}`
  const time = `  ${seconds(ending.ms)}`
  const words = cut(ending.words, room - time.length)
  return `${head}${ending.ok ? words : styleText("red", words)}${styleText("dim", time)}`
}

/** Opens a board on standard output for scenes of these names. It must be closed, by its scope, before anything else is printed. */
export const openBoard = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>
): Effect.fn.Return<Board, never, Scope.Scope> {
  const { stdout } = process
  const nameWidth = Math.max(...names.map(({ length }) => length))
  const rows: Array<Row> = names.map((name) => ({ name, stages: [], ending: undefined }))
  const line = (row: Row, frame: string) => lineOf(row, nameWidth, frame, stdout.isTTY ? stdout.columns : 10_000)
  let drawn = 0
  const draw = Effect.map(Clock.currentTimeMillis, (now) => {
    const frame = frames.charAt(Math.floor(now / frameMs) % frames.length)
    const up = drawn === 0 ? "" : `\u001B[${drawn}A`
    stdout.write(`${up}${rows.map((row) => `\r\u001B[2K${line(row, frame)}\n`).join("")}`)
    drawn = rows.length
  })
  const change = (scene: number, next: (row: Row) => Row): void => {
    const row = rows[scene]
    if (row !== undefined) rows[scene] = next(row)
  }
  if (stdout.isTTY) {
    const erase = () => {
      if (drawn > 0) stdout.write(`\u001B[${drawn}A\u001B[J`)
      drawn = 0
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => setDrawing({ erase })),
      () =>
        Effect.andThen(
          draw,
          Effect.sync(() => setDrawing(undefined))
        )
    )
    yield* Effect.forkScoped(Effect.repeat(draw, Schedule.spaced(frameMs)))
  }
  return {
    reached: (scene, stage) => Effect.sync(() => change(scene, (row) => ({ ...row, stages: [...row.stages, stage] }))),
    ended: (scene, ending) =>
      Effect.sync(() => {
        change(scene, (row) => ({ ...row, ending }))
        const row = rows[scene]
        if (!stdout.isTTY && row !== undefined) stdout.write(`${line(row, "")}\n`)
      })
  }
})
