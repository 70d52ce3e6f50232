import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { depositAddresses, payoutWallets, positionKey } from "@bursar/core/reconciliation/Place"
import { type HeldAddress, Positions } from "@bursar/core/reconciliation/Positions"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { Effect } from "effect"

/** What all addresses of the service on a network hold, each as of the block at which it was read. */
export interface Held {
  /** By place and currency (`positionKey`). */
  readonly units: ReadonlyMap<string, bigint>
  /** The height at which each account was read. */
  readonly heights: ReadonlyMap<string, number>
  /** The blocks at which something was read, by their hashes. */
  readonly blocks: ReadonlyMap<string, BlockRef>
}

/** The account that stands behind an address: several addresses can be parts of one. */
export const accountOf = ({ accountOf: of }: Pick<NetworkAdapter, "accountOf">, address: string): string =>
  of?.(address) ?? address

/**
 * Reads what the service's addresses on a network hold, some at a time however many there are. All are read as of the first block where
 * the network's nodes tell of the past; as of a later one once a node does not any more.
 */
export const readHeld = Effect.fn("reconcile.readHeld")(function* (
  adapter: NetworkAdapter,
  currencies: CurrencyTable
): Effect.fn.Return<Held, ChainError | StorageError, Positions> {
  const { reader } = adapter
  const { network } = reader
  const positions = yield* Positions
  const siblings = currencies.networks.siblings(network)
  const units = new Map<string, bigint>()
  const heights = new Map<string, number>()
  const blocks = new Map<string, BlockRef>()
  const placeOf = ({ place }: HeldAddress) => (place === "payouts" ? payoutWallets : depositAddresses)(network).name
  let at: BlockRef | undefined
  for (let after: string | null = null; ;) {
    const page: ReadonlyArray<HeldAddress> = yield* positions.addresses(siblings, after, reader.holdingsMax)
    const accounts = new Map<string, HeldAddress>()
    for (const one of page) {
      const account = accountOf(adapter, one.address)
      if (!heights.has(account)) accounts.set(account, one)
    }
    const asked = [...accounts.keys()]
    const { block, held } = yield* reader.holdings(asked, at).pipe(
      Effect.catchIf(
        () => at !== undefined,
        () => reader.holdings(asked)
      )
    )
    at = block
    blocks.set(block.hash, block)
    for (const account of asked) heights.set(account, block.number)
    for (const { address, contract, units: more } of held) {
      const one = accounts.get(address)
      const currency = currencies.byAsset(network, contract)?.code
      if (one === undefined || currency === undefined) continue
      const key = positionKey(placeOf(one), currency)
      units.set(key, (units.get(key) ?? 0n) + more)
    }
    after = page.at(-1)?.address ?? null
    if (page.length < reader.holdingsMax) return { units, heights, blocks }
  }
})
