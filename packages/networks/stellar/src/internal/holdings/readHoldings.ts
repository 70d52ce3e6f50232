import type { ChainError, Holding, Holdings } from "@bursar/core/port/Chain"
import { steadily } from "@bursar/network-kit/steadily"
import { Effect } from "effect"
import { demux } from "../../Address.ts"
import { readAccount } from "../build/readAccount.ts"
import { inconsistent } from "../rpc/NodeAnswer.ts"
import type { HorizonHttp } from "../rpc/Rpc.ts"
import { readEndLedger } from "../read/readLedger.ts"

/** How many accounts one call asks: all answers have to come before the next ledger closes. */
export const holdingsMax = 20

const asked = 4

/**
 * What accounts hold as of the newest ledger. A muxed address is a part of an account and holds nothing by itself: of it, what its
 * account holds is told.
 */
export const readHoldings = (
  http: HorizonHttp,
  assets: ReadonlyArray<string>,
  addresses: ReadonlyArray<string>
): Effect.Effect<Holdings, ChainError> => {
  const doing = "read balances at the newest ledger"
  const newest = readEndLedger(http, "latest")
  return Effect.map(
    steadily(
      Effect.map(newest, ({ ref }) => ref),
      Effect.flatMap(newest, (ledger) =>
        Effect.forEach(
          new Set(addresses),
          (address) =>
            Effect.map(readAccount(http, demux(address)?.account ?? address, ledger), (account) =>
              [null, ...assets].map((contract): Holding => ({
                address,
                contract,
                units: (contract === null ? account?.balance : account?.lines.get(contract)?.balance) ?? 0n
              }))
            ),
          { concurrency: asked }
        )
      ),
      inconsistent(doing, "ledgers close faster than balances can be read")
    ),
    ({ block, read }) => ({ block, held: read.flat() })
  )
}
