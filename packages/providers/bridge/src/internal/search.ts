import type { TransferOrder } from "@bursar/core/port/FiatProvider"
import { Effect, Result } from "effect"
import { type BridgeHttp, expect, NoAnswer, shown } from "./BridgeHttp.ts"
import { momentOf } from "./momentOf.ts"
import { makeTurns } from "./turns.ts"
import { type Transfer, Transfers } from "./wire.ts"

const pageSize = 100

/** How many pages a search for a reference looks through before it gives up without an answer. */
const pagesMax = 1_000

/** Nothing that was made this long before the operation was can be of its order, however far Bridge's clock is from ours. */
const skewMs = 10 * 60 * 1_000

/** How long after it did not come something is asked for again: after 250 ms, one second, four, and then every sixteen. */
const pauseMs = (failures: number): number => Math.min(250 * 4 ** (failures - 1), 16_000)

/**
 * Whether it is of use to an order still to ask Bridge for what it is looked for in, which did not come so many times in a row; `isBegun` says whether
 * something was read already, which would be lost otherwise.
 */
type IsOfUse = (
  order: TransferOrder,
  so: { readonly failures: number; readonly isBegun: boolean }
) => Effect.Effect<boolean>

/** A look through Bridge's transfers, newest first, as far as it has come. */
interface Sweep {
  /** Its place among all: a later one has a greater number. */
  readonly number: number
  pages: number
  /** After which transfer it goes on. */
  cursor: string | undefined
  /** It has seen all transfers of an order that was made after this. */
  since: number
  /** The transfers that it has seen of orders that are looked for, by their references, as they were listed. */
  readonly found: Map<string, Transfer>
}

const newSweep = (number: number): Sweep => ({
  number,
  pages: 0,
  cursor: undefined,
  since: Infinity,
  found: new Map()
})

/** From when on nothing is missing after a page: its last transfer is the oldest one that was seen. */
const sinceAfter = (last: Transfer | undefined): number =>
  last === undefined ? -Infinity : momentOf(last.created_at ?? "") + skewMs

const notAmong = () => new NoAnswer({ detail: `looking for a transfer: not among the last ${pageSize * pagesMax}` })

const transfersOf = expect(Transfers)

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

  /**
   * Looks through Bridge's transfers, newest first, until before `since`; undefined where it is certainly not there. Bridge takes no bounds of time
   * beside a cursor.
   */
  const search = Effect.fnUntraced(function* (order: TransferOrder, since: number) {
    let cursor: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const { data } = yield* pageAfter(cursor)
      const found = data.find(({ client_reference_id: reference }) => reference === order.reference)
      if (found !== undefined) return found
      const last = data.at(-1)
      if (sinceAfter(last) < since) return undefined
      cursor = last?.id
    }
    return yield* notAmong()
  })

  /**
   * A search all the way back to when an order was made. One page is asked for at a time: many at once would keep each other from getting an answer, for
   * Bridge takes only so many questions a minute. The order that was made last has the next page, so that one that waited for weeks keeps no other from
   * being sent. All share what is seen: a sweep that began after they came is as good as one of their own, and one of them goes on where another left it.
   */
  const oneAtATime = (isOfUse: IsOfUse) => {
    const inTurn = makeTurns()
    const searching = new Set<Pick<TransferOrder, "reference">>()
    let latest = newSweep(0)

    const goOn = Effect.fnUntraced(function* (sweep: Sweep) {
      const { data } = yield* pageAfter(sweep.cursor)
      for (const { reference } of searching) {
        const found = data.find(({ client_reference_id: its }) => its === reference)
        if (found !== undefined && !sweep.found.has(reference)) sweep.found.set(reference, found)
      }
      const last = data.at(-1)
      sweep.pages += 1
      sweep.cursor = last?.id
      sweep.since = sinceAfter(last)
    })

    const look = Effect.fnUntraced(function* (order: TransferOrder) {
      const earlier = latest.number
      let sweep: Sweep | undefined
      let failures = 0
      let failed = new NoAnswer({ detail: "looking for a transfer took until it was too old to be sent" })

      /** Asks for the next page. The pause is part of the turn: whoever comes next would not get an answer either. */
      const ask = Effect.fnUntraced(function* (of: Sweep) {
        if (!(yield* isOfUse(order, { failures, isBegun: of.pages > 0 }))) return yield* failed
        const asked = yield* Effect.result(goOn(of))
        if (Result.isSuccess(asked)) {
          failures = 0
          return
        }
        failures += 1
        failed = asked.failure
        yield* Effect.sleep(pauseMs(failures))
      })

      /** What is known of it, or undefined where the search has to go on. */
      const step = Effect.gen(function* () {
        if (latest.number <= earlier) latest = newSweep(latest.number + 1)
        if (sweep === undefined || latest.since < sweep.since) sweep = latest
        const found = sweep.found.get(order.reference)
        if (found !== undefined) return { found }
        if (sweep.since < order.madeAt) return { found: undefined }
        if (sweep.pages >= pagesMax) return yield* notAmong()
        yield* ask(sweep)
        return undefined
      })

      for (;;) {
        const known = yield* inTurn(order.madeAt, step)
        if (known !== undefined) return known.found
      }
    })

    return (order: TransferOrder) =>
      Effect.suspend(() => {
        // its own, for the same order may be looked for twice at once
        const one = { reference: order.reference }
        searching.add(one)
        return Effect.ensuring(
          look(order),
          Effect.sync(() => searching.delete(one))
        )
      })
  }

  return { search, oneAtATime }
}
