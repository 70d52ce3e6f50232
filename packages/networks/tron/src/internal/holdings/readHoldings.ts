import type { ChainError, Holding, Holdings } from "@bursar/core/port/Chain"
import { steadily } from "@bursar/network-kit/steadily"
import { Effect } from "effect"
import { toHex } from "../../Address.ts"
import { readTokenBalance } from "../build/contractCall.ts"
import { readAccount } from "../build/readAccount.ts"
import type { Node } from "../rpc/Node.ts"
import { inconsistent } from "../rpc/NodeAnswer.ts"
import { latestOf } from "../read/readHeader.ts"

/** How many addresses one call asks: all answers have to come before the next block is solid. */
export const holdingsMax = 10

const doing = "read balances at the newest solidified block"

const hexOf = (address: string) => {
  const hex = toHex(address)
  return hex === undefined ? Effect.fail(inconsistent(doing, `${address} is not an address`)) : Effect.succeed(hex)
}

/** What an address holds of TRX, or of a token; a node tells of the newest solidified block alone. */
const heldBy = Effect.fnUntraced(function* (
  node: Node,
  address: string,
  contract: string | null
): Effect.fn.Return<Holding, ChainError> {
  const holder = yield* hexOf(address)
  const units =
    contract === null
      ? ((yield* readAccount(node, holder))?.balance ?? 0n)
      : yield* readTokenBalance(node, yield* hexOf(contract), holder)
  return { address, contract, units }
})

/** What addresses hold as of the newest block that cannot be replaced. What is staked is not counted. */
export const readHoldings = (
  node: Node,
  contracts: ReadonlyArray<string>,
  addresses: ReadonlyArray<string>
): Effect.Effect<Holdings, ChainError> =>
  Effect.map(
    steadily(
      latestOf(node, "walletsolidity"),
      Effect.forEach(
        [...new Set(addresses)].flatMap((address) => [null, ...contracts].map((contract) => ({ address, contract }))),
        ({ address, contract }) => heldBy(node, address, contract),
        { concurrency: holdingsMax }
      ),
      inconsistent(doing, "blocks come faster than balances can be read")
    ),
    ({ block, read }) => ({ block, held: read })
  )
