import type { LiveTopic } from "@bursar/api/operator/LiveGroup"

/** What has changed; all of it where it is not known. */
export type Topics = ReadonlySet<LiveTopic> | "all"

/** How often what is shown is read again at most because of the stream, in milliseconds. */
export const gatherMs = 2_000

/** After this long without an answer a round is given up, in milliseconds: a request that is never answered stops no other. */
export const unansweredMs = 40_000

/** Reads what has changed to the end, and says each time that something of it has come. */
export type Read = (topics: Topics, heard: () => void) => Promise<unknown>

/** What tells the time. */
interface Clock {
  readonly now: () => number
  /** Does something later. Returns how to leave it. */
  readonly after: (ms: number, run: () => void) => () => void
}

const clockOfPage: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  }
}

const nothing: Topics = new Set<LiveTopic>()

/**
 * Gathers what has changed, so that a busy service is not asked at every event. A round of reading ends before the next begins: one that
 * was broken off each time would never come to what it reads last. A long one leaves the service at rest for as long as it took.
 */
export const gather = (read: Read, { after, now }: Clock = clockOfPage) => {
  let waiting: Topics = nothing
  let isReading = false
  let isStopped = false
  let readyAt = now()
  let leave: (() => void) | undefined
  const begin = () => {
    leave = undefined
    isReading = true
    const [began, topics] = [now(), waiting]
    waiting = nothing
    let giveUp: (() => void) | undefined
    let isOver = false
    const end = () => {
      giveUp?.()
      if (isOver) return
      isOver = true
      isReading = false
      readyAt = Math.max(began + gatherMs, now() + (now() - began))
      plan()
    }
    const heard = () => {
      giveUp?.()
      if (!isOver) giveUp = after(unansweredMs, end)
    }
    heard()
    void read(topics, heard).finally(end)
  }
  const plan = () => {
    if (isStopped || isReading || leave !== undefined || waiting === nothing) return
    leave = after(Math.max(0, readyAt - now()), begin)
  }
  return {
    add: (topics: ReadonlyArray<LiveTopic> | "all") => {
      if (topics !== "all" && topics.length === 0) return
      waiting = topics === "all" || waiting === "all" ? "all" : new Set([...waiting, ...topics])
      plan()
    },
    stop: () => {
      isStopped = true
      leave?.()
    }
  }
}
