import { type PrederivedAddresses } from "@bursar/core/address/prederivedAddresses"
import type { KeyedAddress } from "@bursar/core/engine/Directory"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { indexMax } from "@bursar/core/address/Xpub"
import { Effect, type Scope, Semaphore } from "effect"

/** Requests of this process that take indexes of one counter: those that come later are prepared behind those before them. */
interface ReservationLine {
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
export interface IndexReservation {
  readonly prederived: (wanted: Wanted) => Effect.Effect<PrederivedAddresses>
}

/** Where a request takes indexes, for whom, and what makes addresses of them. */
export interface Deriving {
  readonly place: IndexReservation
  readonly tenantId: TenantId
  readonly adapter: NetworkAdapter
}

/** The lines of this process. */
export interface IndexReservations {
  readonly join: (counter: string) => Effect.Effect<IndexReservation, never, Scope.Scope>
}

/** How many more addresses are computed than are wanted, after so many attempts: others are faster, so aim ahead of them. */
const slackAfter = (attempt: number): number => (attempt === 0 ? 0 : Math.min(2 ** attempt * 8, 256))

/**
 * Computes addresses outside of the tenant's lock, from the index that will be next when the request's turn comes. That is a
 * guess: it is right while the requests before it succeed and other processes leave the counter alone. The command checks it.
 */
export const makeIndexReservations: Effect.Effect<IndexReservations> = Effect.sync(() => {
  const reservations = new Map<string, ReservationLine>()

  const enter = (counter: string): ReservationLine => {
    const line = reservations.get(counter) ?? {
      requests: 0,
      account: undefined,
      next: 0,
      turn: Semaphore.makeUnsafe(1)
    }
    line.requests += 1
    reservations.set(counter, line)
    return line
  }

  const leave = (counter: string, line: ReservationLine) =>
    Effect.sync(() => {
      line.requests -= 1
      if (line.requests === 0) reservations.delete(counter)
    })

  const prederived =
    (line: ReservationLine) =>
    ({ account, attempt, committed, count, derive, indexTo }: Wanted): Effect.Effect<PrederivedAddresses> =>
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
        (line) => ({ prederived: prederived(line) })
      )
  }
})
