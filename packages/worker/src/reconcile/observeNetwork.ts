import type { StorageError } from "@bursar/core/engine/StorageError"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { chainMovements } from "@bursar/core/reconciliation/chainMovements"
import { exactly, sumOf } from "@bursar/core/reconciliation/Movement"
import { depositAddresses, payoutWallets, positionKey } from "@bursar/core/reconciliation/Place"
import { Positions } from "@bursar/core/reconciliation/Positions"
import type { Queries } from "@bursar/core/store/Queries"
import { WatchState } from "@bursar/core/store/WatchState"
import { Clock, Effect } from "effect"
import type { Finding } from "./Finding.ts"
import { readableOf, unlessUnreadable } from "./leftOut.ts"
import { mayBeThere } from "./mayBeThere.ts"
import { accountOf, readHeld } from "./readHeld.ts"

/** How a network is observed. */
export interface NetworkObservation {
  readonly adapter: NetworkAdapter
  readonly currencies: CurrencyTable
  /** For how long the watcher may lag behind what was read, until it is tried again later. */
  readonly waitMs: number
}

const pollMs = 500

/** Why nothing can be compared now, in the terms of the network. */
const later = (network: string, detail: string) =>
  new ChainError({ network, reason: "inconsistent", doing: "compare the books with the chain", detail })

/** Waits until the watcher has read a block: before, the service does not know what is in it. */
const watched = Effect.fnUntraced(function* (network: string, height: number, waitMs: number) {
  const state = yield* WatchState
  const until = (yield* Clock.currentTimeMillis) + waitMs
  for (;;) {
    const cursor = yield* state.cursor(network)
    if (cursor !== undefined && cursor.number >= height) return
    if ((yield* Clock.currentTimeMillis) >= until)
      return yield* later(network, `the watcher is at block ${cursor?.number ?? "none"}, balances are of ${height}`)
    yield* Effect.sleep(pollMs)
  }
})

/** Fails where the watcher has read another block at the height of one of these: then it is known of another chain what was deposited. */
const sameChain = Effect.fnUntraced(function* (network: string, blocks: ReadonlyArray<BlockRef>) {
  const lowest = Math.min(...blocks.map(({ number }) => number))
  const known = new Map((yield* (yield* WatchState).blocks(network, lowest)).map(({ hash, number }) => [number, hash]))
  const other = blocks.find(({ hash, number }) => known.has(number) && known.get(number) !== hash)
  if (other !== undefined) return yield* later(network, `block ${other.number} was replaced`)
})

/**
 * Looks at the wallets and deposit addresses of a network: first what they hold, then, once the watcher has read those blocks, the books
 * and what is under way. So everything that the blocks did is known by then, and what has come since is known to be later.
 */
export const observeNetwork = Effect.fn("reconcile.observeNetwork")(function* ({
  adapter,
  currencies,
  waitMs
}: NetworkObservation): Effect.fn.Return<
  ReadonlyArray<Finding>,
  ChainError | StorageError,
  Positions | Queries | WatchState
> {
  const { network } = adapter.reader
  const held = yield* readHeld(adapter, currencies)
  const blocks = [...held.blocks.values()].toSorted((one, other) => one.number - other.number)
  const [oldest, newest] = [blocks[0], blocks.at(-1)]
  if (oldest === undefined || newest === undefined) return []
  yield* watched(network, newest.number, waitMs)
  const positions = yield* (yield* Positions).chain(network, oldest.number)
  yield* sameChain(network, blocks)
  if (positions.cursor === undefined || positions.cursor.number < newest.number)
    return yield* later(network, "the watcher went back while the books were read")
  yield* readableOf({ records: [], unreadable: positions.unreadable })
  const transactions = yield* mayBeThere(adapter, newest, positions.transactions)
  const heightOf = (address: string) => held.heights.get(accountOf(adapter, address))
  const movements = [...chainMovements({ ...positions, transactions: [] }, currencies, heightOf)]
  for (const one of transactions) {
    const only = { deposits: [], transfers: [], transactions: [one] }
    const moving = Effect.sync(() => chainMovements(only, currencies, heightOf))
    movements.push(...((yield* unlessUnreadable(`outbound_transaction ${one.transaction.id}`, moving)) ?? []))
  }
  const inFlight = sumOf(movements, ({ currency, place }) => positionKey(place, currency))
  const at = yield* Clock.currentTimeMillis
  const codes = currencies.all.filter(({ asset }) => asset?.network === network).map(({ code }) => code)
  return [payoutWallets(network), depositAddresses(network)].flatMap((place) =>
    codes.map((currency): Finding => {
      const key = positionKey(place.name, currency)
      const ledger =
        positions.balances.find((one) => one.account === place.account && one.currency === currency)?.units ?? 0n
      return {
        place,
        currency,
        at,
        block: { number: newest.number, hash: newest.hash },
        ledger,
        found: { ledger, observed: held.units.get(key) ?? 0n, inFlight: inFlight.get(key) ?? exactly(0n) },
        movements: movements.filter((one) => positionKey(one.place, one.currency) === key)
      }
    })
  )
})
