import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type BlockRef, ChainError, type Holdings } from "@bursar/core/port/Chain"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import type { Positions } from "@bursar/core/reconciliation/Positions"
import { Duration, Effect, Schedule } from "effect"
import { newestBooked } from "./newestBooked.ts"

/** What an address held of one of the service's assets. */
export interface HeldAsset {
  readonly currency: string
  /** Null for the native asset. */
  readonly contract: string | null
  readonly units: bigint
}

/** What an address held as of a block, without the assets of which it held nothing. */
export interface HeldAt {
  readonly block: BlockRef
  readonly assets: ReadonlyArray<HeldAsset>
}

/** How often a node that lags is asked again: another of several nodes behind one URL may answer, or it has caught up. */
const askedAgainMax = 3

const inconsistent = (network: string, detail: string) =>
  new ChainError({ network, reason: "inconsistent", doing: "read balances", detail })

const isInconsistent = ({ reason }: ChainError): boolean => reason === "inconsistent"

const isAbsent = ({ reason }: ChainError): boolean => reason === "absent"

/** Asks a node again, after the time in which its network has something new: one that lags, or whatever else is `worthIt`. */
const askingAgain = <A, R>(
  { pollIntervalMs }: NetworkAdapter["reader"],
  asked: Effect.Effect<A, ChainError, R>,
  worthIt: (error: ChainError) => boolean = isInconsistent
): Effect.Effect<A, ChainError, R> =>
  Effect.retry(asked, {
    schedule: Schedule.spaced(Duration.millis(pollIntervalMs)),
    times: askedAgainMax,
    while: worthIt
  })

/**
 * The newest block that the books are of: the worker's node may be ahead of this one, and what was paid, swept or credited in a block must not be
 * compared with what was held before it. It is asked for once: what is booked later need not be covered, and there is always more on a busy network.
 */
const bookedBy = Effect.fnUntraced(function* ({ reader }: NetworkAdapter, positions: Positions["Service"]) {
  const { confirmed, latest } = yield* askingAgain(reader, reader.tip)
  // balances may be of blocks a little before that: what is booked must not be later than they are
  const above = (confirmed < 0 ? latest.number : confirmed) - reader.reorgDepthMax
  // what is booked below was not looked for: another node, which lags by more than that, must not be compared with it
  return Math.max(above, yield* newestBooked(positions, reader.network, above))
})

/**
 * The block as of which the books are compared: the highest that cannot be replaced any more, since deposits are credited and payouts
 * settled there; undefined where there is none yet.
 */
const asOf = Effect.fnUntraced(function* ({ reader }: NetworkAdapter, booked: number) {
  const { confirmed } = yield* reader.tip
  if (confirmed < 0) return undefined
  if (confirmed < booked)
    return yield* inconsistent(reader.network, `block ${confirmed} is final, and the books are of block ${booked}`)
  return yield* reader.header(confirmed)
})

const pagesOf = (addresses: ReadonlyArray<string>, size: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(addresses.length / size) }, (_, page) =>
    addresses.slice(page * size, (page + 1) * size)
  )

/** Whether a block may be read after another: not one before it, and not another in its place. */
const isNoOlder = ({ hash, number }: BlockRef, last: BlockRef | undefined): boolean =>
  last === undefined || number > last.number || hash === last.hash

const byAddress = ({ block, held }: Holdings, currencies: CurrencyTable, network: string) => {
  const found = new Map<string, HeldAt>()
  for (const { address, contract, units } of held) {
    const currency = currencies.byAsset(network, contract)?.code
    const assets = found.get(address)?.assets ?? []
    const more = currency === undefined || units <= 0n ? [] : [{ currency, contract, units }]
    found.set(address, { block, assets: [...assets, ...more] })
  }
  return found
}

/**
 * Reads what addresses of a network hold, in their order: all as of the newest final block where its nodes tell of the past, else each as of
 * the newest block that they tell of, and none as of an older one than those before it, or than what is in the books already. An address that could
 * not be read is not in the answer; why is in the log.
 */
export const readHoldings = Effect.fn("solvency.readHoldings")(function* (
  adapter: NetworkAdapter,
  addresses: ReadonlyArray<string>,
  currencies: CurrencyTable,
  positions: Positions["Service"]
) {
  const { reader } = adapter
  const { name: network } = adapter.traits
  const found = new Map<string, HeldAt>()
  const readAll = Effect.fnUntraced(function* (booked: number, at: BlockRef | undefined) {
    found.clear()
    let last: BlockRef | undefined
    for (const page of pagesOf(addresses, reader.holdingsMax)) {
      // a node that lags has not seen what has left these addresses for those before them: it would be counted twice
      const holdings: Holdings = yield* Effect.suspend(() => reader.holdings(page, at)).pipe(
        Effect.filterOrFail(
          ({ block }) => isNoOlder(block, last) && block.number >= booked,
          ({ block: { hash, number } }) =>
            inconsistent(
              network,
              last === undefined
                ? `block ${number} was told, and the books are of block ${booked}`
                : `block ${number} (${hash}) was told after block ${last.number} (${last.hash})`
            )
        ),
        // an answer that got lost is no reason to read as of another block
        (reading) => askingAgain(reader, reading, at === undefined ? isInconsistent : (error) => !isAbsent(error))
      )
      last = holdings.block
      for (const [address, held] of byAddress(holdings, currencies, network)) found.set(address, held)
    }
  })
  yield* Effect.gen(function* () {
    const booked = yield* bookedBy(adapter, positions)
    const at = yield* askingAgain(reader, asOf(adapter, booked))
    // its nodes may have forgotten the block: all is read anew then, since what has left an address since would count twice beside what it held there
    yield* Effect.catchIf(
      readAll(booked, at),
      () => at !== undefined,
      () => readAll(booked, undefined)
    )
  }).pipe(
    Effect.catchTag("ChainError", ({ message: detail }) =>
      Effect.annotateLogs(Effect.logError("solvency.unread"), { network, detail })
    )
  )
  return found
})
