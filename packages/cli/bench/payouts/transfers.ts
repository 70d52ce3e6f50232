import type { EvmDevnet } from "@bursar/simulator-evm"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import type { TestToken } from "@bursar/simulator-evm/tokens"
import { Clock, Effect, Schedule } from "effect"

/** Transfers of one account that a network has, or is about to have. */
export interface Transfers {
  readonly devnet: EvmDevnet.EvmDevnet
  readonly token: TestToken
  readonly from: Hex
  readonly to: ReadonlyArray<Hex>
  /** How many transactions the account had made before. */
  readonly after: number
  /** What each receiver gets. */
  readonly units: bigint
}

/** The account that receives the `n`th transfer of a round. */
export const receiver = (round: number, n: number): Hex =>
  `0x${((round + 1) * 0x1_0000_0000 + n).toString(16).padStart(40, "0")}`

/**
 * Gives an account coin for so many transfers and twice the tokens: a sender counts what is in a block, and not yet seen there, against
 * the account twice, and lets the rest wait.
 */
export const fund = Effect.fnUntraced(function* (
  { devnet: { faucet }, token, units }: Pick<Transfers, "devnet" | "token" | "units">,
  from: Hex,
  count: number
) {
  yield* faucet.rpc("anvil_setBalance", [from, `0x${(10n ** 21n).toString(16)}`])
  yield* faucet.mint(token, from, 2n * units * BigInt(count))
})

/**
 * When the newest block has all transfers of an account, in Unix milliseconds. Asked of a block by its number: `latest` already counts
 * what is in a block that nobody can read yet.
 */
export const included = ({ after, devnet: { faucet }, from, to }: Transfers) =>
  faucet.rpc<Hex>("eth_blockNumber").pipe(
    Effect.flatMap((number) => faucet.rpc<Hex>("eth_getTransactionCount", [from, number])),
    Effect.repeat({ until: (count) => Number(count) >= after + to.length, schedule: Schedule.spaced("50 millis") }),
    Effect.andThen(Clock.currentTimeMillis)
  )

interface Block {
  readonly number: Hex
  readonly transactions: ReadonlyArray<{ readonly hash: Hex; readonly from: Hex; readonly nonce: Hex }>
}

const wrong = (what: string) => Effect.die(new Error(what))

/**
 * Reads the blocks from `since` on: the account's nonces must follow one another without a gap, as many as there are transfers, and
 * each receiver must have its units, once. Gives in how many blocks they are. Dies where anything is wrong.
 */
export const verify = Effect.fnUntraced(function* (
  { after, devnet, from, to, token, units }: Transfers,
  since: bigint
) {
  const { block, rpc, tokenBalance } = devnet.faucet
  const latest = (yield* block("latest")).number
  let next = after
  let blocks = 0
  for (let height = since; height <= latest; height++) {
    const { transactions } = yield* rpc<Block>("eth_getBlockByNumber", [`0x${height.toString(16)}`, true])
    const isOwn = ({ from: by, nonce }: Block["transactions"][number]) =>
      by.toLowerCase() === from.toLowerCase() && Number(nonce) >= after
    const own = transactions.filter(isOwn)
    for (const { hash, nonce } of own) {
      if (Number(nonce) !== next) return yield* wrong(`nonce ${next} was expected in block ${height}, not ${nonce}`)
      const { status } = yield* devnet.faucet.receipt(hash)
      if (status !== "0x1") return yield* wrong(`${hash} reverted`)
      next += 1
    }
    if (own.length > 0) blocks += 1
  }
  const made = next - after
  if (made !== to.length) return yield* wrong(`${made} transactions were made, and ${to.length} payments were wanted`)
  const held = yield* Effect.forEach(to, (one) => tokenBalance(token, one), { concurrency: 16 })
  const odd = held.findIndex((balance) => balance !== units)
  return odd < 0 ? blocks : yield* wrong(`${to[odd]} has ${held[odd]} units, not ${units}`)
})
