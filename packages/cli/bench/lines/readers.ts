import { Effect } from "effect"
import { digits, line, percent, whole } from "../line.ts"
import { compare } from "../readers/compare.ts"
import { largest } from "../readers/largest.ts"
import { shapes } from "../readers/shapes.ts"
import { settings } from "../settings.ts"
import type { Lines } from "./Lines.ts"

const mib = (bytes: number) => digits(bytes / 2 ** 20, 1)

/** Every reader beside the client library that it stands on, and the largest block. */
export const readers: Lines = Effect.fnUntraced(function* () {
  const blocks = yield* Effect.forEach(shapes, (shape) =>
    Effect.map(
      Effect.scoped(Effect.flatMap(shape, (one) => compare(one, settings.seconds))),
      ({ bare, bytes, holds, network, read, transfers }) =>
        line`a block of ${network} (${holds}; ${mib(bytes)} MiB, ${whole(transfers)} transfers): read ${digits(read, 1)}/s, decoded by the bare library ${digits(bare, 1)}/s, ${percent(read, bare)}`
    )
  )
  const { bytes, gas, peakMiB, tookMs, transactions } = yield* largest
  return [
    ...blocks,
    line`a block of ethereum of ${whole(gas / 1_000_000)} million gas (${whole(transactions)} transactions, ${mib(bytes)} MiB): read in ${digits(tookMs / 1_000, 1)} s, at most ${whole(peakMiB)} MiB more than before`
  ]
})
