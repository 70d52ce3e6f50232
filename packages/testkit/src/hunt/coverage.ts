import { Session } from "node:inspector"

/** One function of a script, as V8 counts it: ranges that lie in each other, the outer first. */
interface Counted {
  readonly ranges: ReadonlyArray<{ readonly startOffset: number; readonly endOffset: number; readonly count: number }>
}

/** Tells whether code ran that had not run before. */
export interface Coverage {
  /** Whether code ran, since the last call of either, that is not among what has been taken. */
  readonly isFresh: () => boolean
  /** Takes what ran since the last call of either, and says how many characters of source are new in it. */
  readonly take: () => number
  /** How many characters of source have been taken in all. */
  readonly covered: () => number
  readonly close: () => void
}

/** How many characters of a function ran that are not marked; with `marks` they are from now on. */
const freshOf = (ran: Uint8Array, { ranges }: Counted, marks: boolean): number => {
  const [whole] = ranges
  if (whole === undefined) return 0
  const now = new Uint8Array(whole.endOffset - whole.startOffset)
  for (const { count, endOffset, startOffset } of ranges) {
    now.fill(count > 0 ? 1 : 0, startOffset - whole.startOffset, endOffset - whole.startOffset)
  }
  let fresh = 0
  for (let at = 0; at < now.length; at++) {
    if (now[at] === 1 && ran[at] === 0) {
      if (marks) ran[at] = 1
      fresh += 1
    }
  }
  return fresh
}

/** Opens V8's own block coverage of the scripts of which the address matches. One at a time in a thread. */
export const openCoverage = (scripts: RegExp): Coverage => {
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  const functions = new Map<string, Uint8Array>()
  let covered = 0
  const count = (marks: boolean): number => {
    let found = 0
    // the callback runs before `post` returns
    session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error !== null) throw error
      for (const { functions: counted, scriptId, url } of taken.result) {
        if (!scripts.test(url)) continue
        for (const one of counted) {
          const [whole] = one.ranges
          if (whole === undefined || whole.count === 0) continue
          const key = `${scriptId}:${whole.startOffset}`
          const ran = functions.get(key) ?? new Uint8Array(whole.endOffset - whole.startOffset)
          functions.set(key, ran)
          found += freshOf(ran, one, marks)
        }
      }
    })
    if (marks) covered += found
    return found
  }
  count(false)
  return {
    isFresh: () => count(false) > 0,
    take: () => count(true),
    covered: () => covered,
    close: () => {
      session.post("Profiler.stopPreciseCoverage")
      session.disconnect()
    }
  }
}
