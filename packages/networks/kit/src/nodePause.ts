import { Clock, Effect } from "effect"

/** What a node answered to a request. */
export interface NodeReply {
  readonly status: number
  /** The header `Retry-After`. */
  readonly retryAfter: string | null
  readonly text: string
}

/** A node that says it is asked too much is left alone for so long where it names no time. */
const pauseMs = 1_000

/** And never for longer, whatever it says: it may be wrong, and nothing is seen meanwhile. */
const pauseMaxMs = 60_000

const httpDate = /^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/iu

/** `Retry-After` has seconds or a date. All else says nothing: `Date.parse` takes `1.5` and `-1` for days long past. */
const retryAfterMs = (retryAfter: string | null, now: number): number | undefined => {
  if (retryAfter === null) return undefined
  if (/^\d+(?:\.\d+)?$/u.test(retryAfter)) return Number(retryAfter) * 1_000
  const at = httpDate.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN
  return Number.isNaN(at) ? undefined : at - now
}

/** How long a node wants not to be asked; undefined where it does not say that it is asked too much. */
const wantedMs = ({ retryAfter, status, text }: NodeReply, now: number): number | undefined => {
  const named = retryAfterMs(retryAfter, now)
  if (status === 429) return named ?? pauseMs
  if (status === 503) return named
  // the words of TronGrid
  const seconds = status === 403 ? /suspended for (\d{1,6}) ?s/iu.exec(text)?.[1] : undefined
  return seconds === undefined ? undefined : Number(seconds) * 1_000
}

/** Keeps calls back from a node that said it is asked too much: asked on, some providers shut one out for longer. */
export interface NodePause {
  /** Takes note of what the node says. */
  readonly note: (reply: NodeReply) => Effect.Effect<void>
  /** Asks, unless the node is to be left alone: then fails with what `paused` makes of the reason. */
  readonly unlessPaused: <A, E, R>(ask: Effect.Effect<A, E, R>, paused: (detail: string) => E) => Effect.Effect<A, E, R>
}

/** A pause of one node, of which nothing is known yet. */
export const makeNodePause = (): NodePause => {
  let [until, status] = [0, 0]
  // one that seems longer than the longest is of a clock that was ahead
  const leftMs = (now: number) => (until - now <= pauseMaxMs ? Math.max(until - now, 0) : 0)
  return {
    note: (reply) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const wanted = wantedMs(reply, now)
        if (wanted === undefined) return
        until = now + Math.max(leftMs(now), Math.min(wanted, pauseMaxMs))
        status = reply.status
      }),
    unlessPaused: (ask, paused) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const left = leftMs(now)
        if (left === 0) return ask
        const seconds = Math.ceil(left / 1_000)
        return Effect.fail(paused(`not asked: the node said HTTP ${status}, and is left alone for ${seconds} s`))
      })
  }
}

const pauses = new Map<string, NodePause>()

/**
 * The pause of the node at a URL. All who ask it in this process keep the same one, such as the reader and the sender of a network. Whatever stands
 * at another URL is another node, though a network is asked at both.
 */
export const nodePauseOf = (url: string): NodePause => {
  const { href } = new URL(url)
  const pause = pauses.get(href) ?? makeNodePause()
  pauses.set(href, pause)
  return pause
}
