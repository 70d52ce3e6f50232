import type { Block } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import { type Reading, recordTransfers } from "./recordTransfers.ts"
import type { Watch } from "./Watch.ts"

/** Records the deposits in a block. Returns those that moved. */
export const recordBlock = (watch: Watch, { hash, number, time, transfers }: Block, how: Reading) =>
  Effect.map(recordTransfers(watch, { transfers, block: { number, hash, time } }, how), ({ deposits }) => deposits)
