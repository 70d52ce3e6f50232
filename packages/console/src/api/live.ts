import type { LiveEvent } from "@bursar/api/operator/LiveGroup"
import { Effect, Stream } from "effect"
import { call } from "./client.ts"
import { gather, type Read } from "./gather.ts"
import { isSignedOut } from "./problem.ts"

/** How the page learns of what is new: by the stream, or by reading again and again while there is none. */
export type Liveness = "live" | "connecting" | "down"

/** How long it takes until the stream is opened again, at first and at most, in milliseconds. */
const [againMs, againMaxMs] = [1_000, 15_000]

/** After this long without a word the stream is taken for dead, in milliseconds. */
const silentMs = 40_000

interface Listeners {
  readonly changed: Read
  readonly liveness: (now: Liveness) => void
  readonly signedOut: () => void
}

/**
 * Follows what happens while the page is looked at: a page in the background holds no connection, since browsers have only a few for
 * each site. Returns how to stop.
 */
export const followLive = ({ changed, liveness, signedOut }: Listeners): (() => void) => {
  const gathered = gather(changed)
  let last: string | undefined
  let failures = 0
  let abort: AbortController | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined

  const heard = () => {
    clearTimeout(silence)
    silence = setTimeout(() => abort?.abort(), silentMs)
  }
  const take = (event: LiveEvent) => {
    heard()
    // without a place in the stream it says nothing of what happened while it was not there
    if (last === undefined && failures > 0) gathered.add("all")
    failures = 0
    liveness("live")
    if (event.id !== undefined) last = event.id
    if (event.event === "changed") gathered.add(event.data.missed ? "all" : event.data.topics)
    if (event.event === "ended" && event.data.reason === "session") signedOut()
  }
  const open = () => {
    const mine = new AbortController()
    abort = mine
    heard()
    void call(
      (api) =>
        Effect.flatMap(
          api.live.stream({ headers: last === undefined ? {} : { "last-event-id": last } }),
          Stream.runForEach((event) => Effect.sync(() => take(event)))
        ),
      mine.signal
    )
      .catch((error: unknown) => {
        if (isSignedOut(error)) signedOut()
      })
      .finally(() => {
        if (abort !== mine) return
        clearTimeout(silence)
        failures += 1
        if (failures > 1) liveness("down")
        retry = setTimeout(open, Math.min(againMaxMs, againMs * 2 ** (failures - 1)))
      })
  }
  const close = () => {
    const mine = abort
    abort = undefined
    clearTimeout(retry)
    clearTimeout(silence)
    mine?.abort()
  }
  const look = () => {
    if (document.visibilityState === "hidden") close()
    else if (abort === undefined) {
      liveness("connecting")
      open()
    }
  }
  document.addEventListener("visibilitychange", look)
  look()
  return () => {
    document.removeEventListener("visibilitychange", look)
    gathered.stop()
    close()
  }
}
