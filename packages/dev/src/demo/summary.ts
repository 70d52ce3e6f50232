import { styleText } from "node:util"
import { type Ending, seconds } from "./Board.ts"

/** A scene that was played. */
export interface Played {
  readonly chapter: string
  readonly scene: string
  readonly ending: Ending
}

/** What came of every scene, as a table, and what to do now. */
export const summary = (played: ReadonlyArray<Played>, webhooks: number): string => {
  const chapterWidth = Math.max(...played.map(({ chapter }) => chapter.length))
  const sceneWidth = Math.max(...played.map(({ scene }) => scene.length))
  const lines = played.map(({ chapter, ending, scene }, index) => {
    const first = played[index - 1]?.chapter === chapter ? "" : chapter
    const result = ending.ok ? styleText("green", "ok    ") : styleText("red", "failed")
    return `  ${first.padEnd(chapterWidth)}  ${scene.padEnd(sceneWidth)}  ${result}  ${seconds(ending.ms).padStart(7)}`
  })
  const failed = played.filter(({ ending }) => !ending.ok)
  const head = `  ${"chapter".padEnd(chapterWidth)}  ${"step".padEnd(sceneWidth)}  result     time`
  const verdict =
    failed.length === 0
      ? styleText(["bold", "green"], `All ${played.length} steps succeeded; ${webhooks} webhooks were verified.`)
      : [
          styleText(["bold", "red"], `${failed.length} of ${played.length} steps failed:`),
          ...failed.map(({ chapter, ending, scene }) => `  ${chapter}, ${scene}: ${ending.words}`)
        ].join("\n")
  return [
    "",
    styleText("dim", head),
    ...lines,
    "",
    verdict,
    "",
    "Everything goes on running, with what has happened in it. Ctrl-C stops it."
  ].join("\n")
}
