import { Effect } from "effect"
import { consoleFrames } from "../console.ts"
import { line, whole } from "../line.ts"
import { settings } from "../settings.ts"
import type { Lines } from "./Lines.ts"

/** Scrolling in the console, in Chromium. */
export const consoleList: Lines = Effect.fnUntraced(function* (server) {
  const found = yield* consoleFrames(yield* server.ensureDatabase("console"), settings.listedOperations)
  if ("skipped" in found) return [line`the console was not measured: it ${found.skipped}`]
  const { longTasks, longestMs, medianMs, p99Ms, rows } = found
  return [
    line`the console, scrolled to row ${rows} of ${settings.listedOperations} operations: a frame took ${whole(medianMs)} ms, p99 ${whole(p99Ms)} ms, at most ${whole(longestMs)} ms; ${whole(longTasks)} tasks above 50 ms`
  ]
})
