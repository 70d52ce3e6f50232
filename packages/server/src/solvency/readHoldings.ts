import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type BlockRef, ChainError, type Holdings } from "@bursar/core/port/Chain"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { Effect } from "effect"

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

/**
 * The block as of which the books are compared: the highest that cannot be replaced any more, since deposits are credited and payouts
 * settled there. Undefined where there is none yet.
 */
const finalBlock = ({ reader }: NetworkAdapter) =>
  Effect.flatMap(reader.tip, ({ confirmed }) => (confirmed < 0 ? Effect.succeed(undefined) : reader.header(confirmed)))

const pagesOf = (addresses: ReadonlyArray<string>, size: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(addresses.length / size) }, (_, page) =>
    addresses.slice(page * size, (page + 1) * size)
  )

/** How often a page is asked for again: another of several nodes behind one URL may answer. */
const askedAgainMax = 3

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
 * the newest block that they tell of, and none as of an older one than those before it. An address that could not be read is not in the
 * answer; why is in the log.
 */
export const readHoldings = Effect.fn("solvency.readHoldings")(function* (
  adapter: NetworkAdapter,
  addresses: ReadonlyArray<string>,
  currencies: CurrencyTable
) {
  const { reader } = adapter
  const { name: network } = adapter.traits
  const found = new Map<string, HeldAt>()
  yield* Effect.gen(function* () {
    let at = yield* finalBlock(adapter)
    let last: BlockRef | undefined
    const told = (page: ReadonlyArray<string>) =>
      Effect.catchIf(
        reader.holdings(page, at),
        // a node may have forgotten it
        () => at !== undefined,
        () => {
          at = undefined
          return reader.holdings(page)
        }
      )
    for (const page of pagesOf(addresses, reader.holdingsMax)) {
      // a node that lags has not seen what has left these addresses for those before them: it would be counted twice
      const holdings: Holdings = yield* Effect.suspend(() => told(page)).pipe(
        Effect.filterOrFail(
          ({ block }) => isNoOlder(block, last),
          ({ block }) =>
            new ChainError({
              network,
              reason: "inconsistent",
              doing: "read balances",
              detail: `block ${block.number} (${block.hash}) was told after block ${last?.number} (${last?.hash})`
            })
        ),
        Effect.retry({ times: askedAgainMax, while: ({ reason }) => reason === "inconsistent" })
      )
      last = holdings.block
      for (const [address, held] of byAddress(holdings, currencies, network)) found.set(address, held)
    }
  }).pipe(
    Effect.catchTag("ChainError", ({ message: detail }) =>
      Effect.annotateLogs(Effect.logError("solvency.unread"), { network, detail })
    )
  )
  return found
})
