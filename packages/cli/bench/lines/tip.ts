import { Effect } from "effect"
import { behindTip } from "../behindTip.ts"
import { digits, line } from "../line.ts"
import { settings } from "../settings.ts"
import type { Lines } from "./Lines.ts"

/** How long after its block a deposit is recorded. */
export const tip: Lines = Effect.fnUntraced(function* (server) {
  const { blocks, median, slowest } = yield* behindTip(
    yield* server.ensureDatabase("tip"),
    settings.scanAddresses,
    settings.tipBlocks
  )
  return [
    line`${blocks} blocks, one every 3 s, against ${settings.scanAddresses} addresses: recorded ${digits(median / 1_000, 2)} s after the block is there, the slowest after ${digits(slowest / 1_000, 2)} s; the node is asked every second`
  ]
})
