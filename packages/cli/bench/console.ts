import { migrate } from "@bursar/postgres"
import { Effect, Redacted } from "effect"
import { consoleSkipped, goTo, openBrowser } from "../test/support/consoleBrowser.ts"
import { writeOperations } from "../test/support/manyOperations.ts"
import { operatorOn } from "../test/support/tenant.ts"
import { environmentOf, secrets, serve, sqlOn } from "../test/support/world.ts"

/** How many rows the list has when the measurement ends. */
const rowsRead = 4_000

/** What a person notices while scrolling: how long frames took, and the tasks of the page above 50 ms. All in milliseconds. */
export interface Scrolled {
  readonly rows: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly longestMs: number
  readonly longTasks: number
}

/** Runs in the page: scrolls the list on, as far as it has been read, until it has so many rows. */
const scroll = `async (rows) => {
  const list = document.querySelector('[role="region"][aria-label="Operations"], section[aria-label="Operations"]') ?? document.querySelector("tbody").closest("div")
  const tasks = []
  new PerformanceObserver((seen) => tasks.push(...seen.getEntries())).observe({ entryTypes: ["longtask"] })
  const frames = []
  let before
  const shown = () => Number(/(\\d[\\d\\s\u202f,]*) shown/u.exec(document.body.innerText)?.[1]?.replaceAll(/\\D/gu, "") ?? 0)
  await new Promise((resolve) => {
    const frame = (now) => {
      if (before !== undefined) frames.push(now - before)
      before = now
      list.scrollBy(0, 400)
      if (frames.length % 10 === 0 && shown() >= rows) resolve()
      else requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
  return { frames, longTasks: tasks.length, rows: shown() }
}`

interface Measured {
  readonly frames: ReadonlyArray<number>
  readonly longTasks: number
  readonly rows: number
}

/** Scrolls through the list of so many operations in Chromium; undefined where there is none, with the reason. */
export const consoleFrames = Effect.fnUntraced(function* (url: string, operations: number) {
  if (consoleSkipped !== undefined) return { skipped: consoleSkipped }
  yield* migrate({ url: Redacted.make(url) })
  const { operatorUrl } = yield* serve(environmentOf(url))
  const operator = yield* operatorOn(operatorUrl)
  const { id } = yield* operator.tenants.create({ payload: { slug: "busy", name: "Busy", kind: "SANDBOX" } })
  yield* writeOperations(yield* sqlOn(url), id, operations)
  const { signedIn } = yield* openBrowser(operatorUrl)
  const { page } = yield* signedIn(secrets.OPERATOR_TOKEN)
  const { frames, longTasks, rows } = yield* Effect.promise(async (): Promise<Measured> => {
    await goTo(page, "/operations", "Operations")
    await page.getByText("200 shown, scroll for more").waitFor()
    return page.evaluate<Measured>(`(${scroll})(${rowsRead})`)
  })
  const sorted = frames.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
  return { rows, longTasks, medianMs: at(0.5), p99Ms: at(0.99), longestMs: at(1) } satisfies Scrolled
})
