import { Effect } from "effect"
import type { Shape } from "./shapes.ts"

/** How fast a block is read, beside the client library that only decodes what the node says. */
export interface Compared {
  readonly network: string
  readonly holds: string
  readonly bytes: number
  readonly transfers: number
  /** Blocks a second, by the reader and by the bare library. */
  readonly read: number
  readonly bare: number
}

/** Turns of each, so that what else the machine does is the same for both. */
const turns = 4

/** Reads one block over and over, in turns with the library, for so many seconds in all. */
export const compare = Effect.fnUntraced(function* (shape: Shape, seconds: number) {
  const { bare, bytes, hash, holds, network, reader } = shape
  const bareOnce = Effect.promise(bare)
  // from now on the node answers from memory
  const { transfers } = yield* reader.block(hash)
  const size = bytes()
  yield* bareOnce
  const spent = { read: 0, bare: 0 }
  const count = { read: 0, bare: 0 }
  const turn = Effect.fnUntraced(function* <E>(name: "read" | "bare", once: Effect.Effect<unknown, E>) {
    const started = performance.now()
    const until = started + (seconds * 1_000) / (2 * turns)
    while (performance.now() < until) {
      yield* once
      count[name] += 1
    }
    spent[name] += performance.now() - started
  })
  for (let n = 0; n < turns; n++) {
    yield* turn("read", reader.block(hash))
    yield* turn("bare", bareOnce)
  }
  return {
    network,
    holds,
    bytes: size,
    transfers: transfers.length,
    read: (1_000 * count.read) / spent.read,
    bare: (1_000 * count.bare) / spent.bare
  } satisfies Compared
})
