import type { BalanceChange, Block, Gain, UnreadTransaction } from "@bursar/core/port/Chain"
import { WatchState } from "@bursar/core/store/WatchState"
import { Array as Arr, Effect, Result } from "effect"
import type { Watch } from "./Watch.ts"

/** What nobody knows whom it paid. */
const isUntold = ({ gains }: UnreadTransaction): boolean => gains === null

const assetOf = (address: string, contract: string | null): string => `${address}|${contract ?? ""}`

/**
 * What is left of changes of balances once everything is taken off that was read of the block or is told of its unread transactions
 * already. Above zero, something came that was not read; below, something went, which may be the fee of the address's own transaction.
 */
export const unexplained = (
  changes: ReadonlyArray<BalanceChange>,
  { transfers, unread = [] }: Pick<Block, "transfers" | "unread">,
  addresses: ReadonlyArray<string>
): ReadonlyArray<BalanceChange> => {
  const left = new Map<string, BalanceChange>()
  const compared = new Set(addresses)
  const add = (address: string, contract: string | null, units: bigint) => {
    if (!compared.has(address)) return
    const key = assetOf(address, contract)
    left.set(key, { address, contract, units: (left.get(key)?.units ?? 0n) + units })
  }
  for (const { address, contract, units } of changes) add(address, contract, units)
  for (const { contract, from, to, units } of transfers) {
    add(to, contract, -units)
    if (from !== null) add(from, contract, units)
  }
  for (const { contract, to, units } of unread.flatMap(({ gains }) => gains ?? [])) add(to, contract, -units)
  return [...left.values()].filter(({ units }) => units !== 0n)
}

/** Which addresses are to be compared, and whether those are all that are watched. */
const chosen = Effect.fnUntraced(function* ({ chain, currencies, limits }: Watch, names: ReadonlyArray<string>) {
  const siblings = currencies.networks.siblings(chain.network)
  const state = yield* WatchState
  const max = limits.comparedAddressesMax
  const watched = yield* state.watched(siblings, max + 1)
  if (watched.length <= max) return { addresses: watched.map(({ address }) => address), which: "all" as const }
  const owned = (yield* state.owners(siblings, names)).map(({ address }) => address)
  return { addresses: owned.slice(0, max), which: owned.length > max ? ("some" as const) : ("named" as const) }
})

const scope = (count: number, which: "all" | "named" | "some"): string => {
  if (which === "all")
    return `the balances of all ${count} watched addresses and wallets were compared across the block`
  const named = `of the watched addresses and wallets, the balances of ${count} that it names were compared across the block`
  return which === "named" ? `${named}, of the others none` : `${named}, of others that it names and of all others none`
}

/** What a comparison came to, for the transactions of which nothing else tells whom they paid. */
const verdict = (
  changes: ReadonlyArray<BalanceChange>,
  which: "all" | "named" | "some",
  count: number
): { readonly gains: ReadonlyArray<Gain> | null; readonly words: string } => {
  const gains = changes
    .filter(({ units }) => units > 0n)
    .map(({ address, contract, units }): Gain => ({ to: address, contract, units, across: "block" }))
  const fell = changes
    .filter(({ units }) => units < 0n)
    .map(({ address, contract, units }) => `${address} has ${-units} less of ${contract ?? "the native asset"}`)
  const nothingHid = which === "all" && fell.length === 0
  return {
    gains: gains.length > 0 || nothingHid ? gains : null,
    words: [
      scope(count, which),
      ...(gains.length === 0 ? ["none gained anything that was not read"] : []),
      ...(fell.length === 0 ? [] : [`${fell.join(", ")} than was read, which may be its fees or hide a gain`])
    ].join("; ")
  }
}

/**
 * Compares what watched addresses and wallets hold before and after a block that has transactions of which nothing tells whom they
 * paid: all of them where they are few, else those that the transactions name. Each of these transactions is answered with the gains
 * and with what was compared and what was not; `gains` stays null where what was compared does not tell. A node that cannot say
 * changes nothing.
 */
export const compareBalances = Effect.fn("watch.compareBalances")(function* (watch: Watch, block: Block) {
  const { balanceChanges } = watch.chain
  const unread = block.unread ?? []
  const names = Arr.dedupe(unread.filter(isUntold).flatMap((transaction) => transaction.names ?? []))
  if (balanceChanges === undefined || !unread.some(isUntold)) return unread
  const { addresses, which } = yield* chosen(watch, names)
  const asked = yield* Effect.result(balanceChanges(block, addresses))
  const { gains, words } = Result.isFailure(asked)
    ? { gains: null, words: `balances could not be compared: ${asked.failure.detail}` }
    : verdict(unexplained(asked.success, block, addresses), which, addresses.length)
  return unread.map((transaction): UnreadTransaction =>
    isUntold(transaction) ? { ...transaction, gains, reason: `${transaction.reason}; ${words}` } : transaction
  )
})
