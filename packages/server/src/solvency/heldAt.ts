import type { Currency } from "@bursar/core/money/Currency"
import { type BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { Effect } from "effect"

/** How often balances are read again because a block came in between. */
const triesMax = 8

/** The block whose balances `sender.balance` tells: the newest, but where a network tells them only once they cannot be replaced. */
const blockOf = Effect.fnUntraced(function* ({ reader, traits }: NetworkAdapter) {
  const { confirmed, latest } = yield* reader.tip
  return traits.accountModel === "expiry" && confirmed >= 0 ? yield* reader.header(confirmed) : latest
})

/** What an address holds of the service's currencies at one block, without those of which it holds nothing. */
export const heldAt = Effect.fn("solvency.heldAt")(function* (
  adapter: NetworkAdapter,
  address: string,
  currencies: ReadonlyArray<Currency>
) {
  const network = adapter.traits.name
  let block: BlockRef = yield* blockOf(adapter)
  for (let tries = 0; tries < triesMax; tries++) {
    const holdings = yield* Effect.forEach(
      currencies.filter(({ asset }) => asset?.network === network),
      ({ asset, code }) =>
        Effect.map(adapter.sender.balance(address, asset?.contract ?? null), (units) => ({ currency: code, units })),
      { concurrency: 4 }
    )
    const after: BlockRef = yield* blockOf(adapter)
    if (after.hash === block.hash) return { block, holdings: holdings.filter(({ units }) => units > 0n) }
    block = after
  }
  return yield* new ChainError({
    network,
    reason: "inconsistent",
    doing: "read what an address holds at one block",
    detail: `a new block came each of ${triesMax} times`
  })
})
