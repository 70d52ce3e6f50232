import type { TransferOrder } from "@bursar/core/port/FiatProvider"
import { Effect, Schedule, Semaphore } from "effect"
import { type BridgeHttp, expect, NoAnswer, type NotTaken } from "./BridgeHttp.ts"
import { Transfer, Transfers } from "./wire.ts"

const pageSize = 100

/** How many pages a search for a reference looks through before it gives up without an answer. */
const pagesMax = 1_000

/** Nothing that was made this long before the operation was can be of its order, however far Bridge's clock is from ours. */
const skewMs = 10 * 60 * 1_000

/** When a page that did not come is asked for again: after 250 ms, one second, four, and then every sixteen. */
export const pauses = Schedule.min([Schedule.exponential("250 millis", 4), Schedule.spaced("16 seconds")])

/**
 * Asks Bridge for something to read again where it does not come, for as long as that is of use to the order; `isBegun` says whether a search has read
 * something already, which would be lost otherwise.
 */
type Again = (
  order: TransferOrder,
  isBegun: boolean
) => <A>(asking: Effect.Effect<A, NoAnswer>) => Effect.Effect<A, NoAnswer>

/** What a search has seen: all transfers that an order can have that was made after `since`, by their references. */
interface Seen {
  /** Its place among all searches: a later one has a greater number. */
  readonly number: number
  readonly since: number
  readonly ids: ReadonlyMap<string, string>
}

const transferOf = expect(Transfer)
const transfersOf = expect(Transfers)

/** That Bridge refuses to show something says nothing of the order that is looked for. */
const shown = <A>(asking: Effect.Effect<A, NoAnswer | NotTaken>): Effect.Effect<A, NoAnswer> =>
  Effect.catchTag(asking, "NotTaken", ({ reason }) => Effect.fail(new NoAnswer({ detail: reason })))

/** Finds transfers by their references, which Bridge does not. */
export const makeSearch = (http: BridgeHttp) => {
  const pageAfter = (cursor: string | undefined) =>
    http
      .get("/transfers", {
        limit: String(pageSize),
        ...(cursor === undefined ? {} : { starting_after: cursor })
      })
      .pipe(
        Effect.flatMap((answer) => transfersOf("looking for a transfer", answer)),
        shown
      )

  const read = (id: string) =>
    http.get(`/transfers/${encodeURIComponent(id)}`).pipe(
      Effect.flatMap((answer) => transferOf("reading a transfer", answer)),
      shown
    )

  /**
   * Looks through Bridge's transfers, newest first, until before `since`; undefined where it is certainly not there. Bridge takes no bounds of time
   * beside a cursor.
   */
  const search = Effect.fnUntraced(function* (
    order: TransferOrder,
    since: number,
    pageOf: typeof pageAfter = pageAfter,
    saw: (data: ReadonlyArray<Transfer>) => void = () => undefined
  ) {
    let cursor: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const { data } = yield* pageOf(cursor)
      saw(data)
      const found = data.find(({ client_reference_id: reference }) => reference === order.reference)
      if (found !== undefined) return found
      const last = data.at(-1)
      if (last === undefined || Date.parse(last.created_at ?? "") < since - skewMs) return undefined
      cursor = last.id
    }
    return yield* new NoAnswer({ detail: `looking for a transfer: not among the last ${pageSize * pagesMax}` })
  })

  /**
   * A search all the way back to when an order was made, for one order at a time: many at once would keep each other from getting an answer, for Bridge
   * takes only so many questions a minute. Those that wait share what is seen: a search that began after they came is as good as one of their own.
   */
  const oneAtATime = (again: Again) => {
    const turn = Semaphore.makeUnsafe(1)
    let begun = 0
    let seen: Seen = { number: 0, since: Infinity, ids: new Map() }
    return Effect.fnUntraced(function* (order: TransferOrder) {
      const earlier = begun
      return yield* turn.withPermit(
        Effect.gen(function* () {
          if (seen.number > earlier) {
            const id = seen.ids.get(order.reference)
            if (id !== undefined) return yield* again(order, false)(read(id))
            if (seen.since < order.madeAt) return undefined
          }
          begun += 1
          const number = begun
          const ids = new Map<string, string>()
          let since = Infinity
          const found = yield* search(
            order,
            order.madeAt,
            (cursor) => again(order, cursor !== undefined)(pageAfter(cursor)),
            (data) => {
              for (const { client_reference_id: reference, id } of data) {
                if (reference != null && !ids.has(reference)) ids.set(reference, id)
              }
              const last = data.at(-1)
              since = last === undefined ? -Infinity : Date.parse(last.created_at ?? "") + skewMs
            }
          )
          seen = { number, since, ids }
          return found
        })
      )
    })
  }

  return { search, oneAtATime }
}
