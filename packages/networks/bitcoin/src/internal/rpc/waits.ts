import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { BitcoinRpc } from "./Rpc.ts"
import { decoded, isUnknown, toChainError } from "./NodeAnswer.ts"
import { MempoolEntry } from "./wire.ts"

/** What the node says of a transaction in its mempool; undefined where it is not there. */
export const waits = (
  rpc: BitcoinRpc,
  doing: string,
  txHash: string
): Effect.Effect<typeof MempoolEntry.Type | undefined, ChainError> =>
  rpc.call(doing, "getmempoolentry", [txHash]).pipe(
    Effect.flatMap((answer) => decoded(doing, MempoolEntry, answer)),
    Effect.catchTag("NodeRefusal", (refusal) =>
      isUnknown(refusal) ? Effect.succeed(undefined) : Effect.fail(toChainError(refusal))
    )
  )
