import { type Candidates } from "@bursar/core/address/candidates"
import type { KeyedAddress } from "@bursar/core/address/KeyClaim"
import { indexMax } from "@bursar/core/address/Xpub"
import { Effect, type Scope, Semaphore } from "effect"

/** Requests of this process that take indexes of one counter: those that come later are prepared behind those before them. */
interface Line {
  requests: number
  /** The key whose indexes these are. */
  account: string | undefined
  /** The index after those that requests in flight were prepared with. */
  next: number
  readonly turn: Semaphore.Semaphore
}

/** What addresses are wanted from where. */
export interface Wanted {
  readonly account: string
  /** The next index as it is committed. */
  readonly committed: number
  readonly count: number
  /** The last index that may be used. */
  readonly indexTo: number
  /** How often these were prepared before and found stale. */
  readonly attempt: number
  readonly derive: (from: number, count: number) => Effect.Effect<ReadonlyArray<KeyedAddress>>
}

/** A place in a line, for as long as the request lasts. */
export interface Place {
  readonly candidates: (wanted: Wanted) => Effect.Effect<Candidates>
}

/** The lines of this process. */
export interface Lines {
  readonly join: (counter: string) => Effect.Effect<Place, never, Scope.Scope>
}

/** How many more addresses are computed than are wanted, after so many attempts: others are faster, so aim ahead of them. */
const slackAfter = (attempt: number): number => (attempt === 0 ? 0 : Math.min(2 ** attempt * 8, 256))

/**
 * Computes addresses outside of the tenant's lock, from the index that will be next when the request's turn comes. That is a
 * guess: it is right while the requests before it succeed and other processes leave the counter alone. The command checks it.
 */
export const makeLines: Effect.Effect<Lines> = Effect.sync(() => {
  const lines = new Map<string, Line>()

  const enter = (counter: string): Line => {
    const line = lines.get(counter) ?? { requests: 0, account: undefined, next: 0, turn: Semaphore.makeUnsafe(1) }
    line.requests += 1
    lines.set(counter, line)
    return line
  }

  const leave = (counter: string, line: Line) =>
    Effect.sync(() => {
      line.requests -= 1
      if (line.requests === 0) lines.delete(counter)
    })

  const candidates =
    (line: Line) =>
    ({ account, attempt, committed, count, derive, indexTo }: Wanted): Effect.Effect<Candidates> =>
      Effect.suspend(() => {
        const from = attempt === 0 && line.account === account ? Math.max(committed, line.next) : committed
        line.account = account
        line.next = from + count
        const left = Math.min(indexTo, indexMax) - from + 1
        const length = left < count ? 0 : Math.min(count + slackAfter(attempt), left)
        return Effect.map(derive(from, length), (addresses) => ({ from, addresses }))
      }).pipe(line.turn.withPermits(1))

  return {
    join: (counter) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => enter(counter)),
          (line) => leave(counter, line)
        ),
        (line) => ({ candidates: candidates(line) })
      )
  }
})
