import { Block } from "bitcoinjs-lib"
import { Effect, Schema } from "effect"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { file } from "@bursar/simulator-kit/files"
import { fromHex } from "./bytes.ts"
import type { Node } from "./Node.ts"
import { Rejection } from "./Rejection.ts"
import { decodeTx } from "./Tx.ts"

/** What is kept of a node: its blocks in the order of arrival, those that are barred, and what waits. */
const State = Schema.Struct({
  version: Schema.Literal(1),
  blocks: Schema.Array(Schema.String),
  invalid: Schema.Array(Schema.String),
  mempool: Schema.Array(Schema.Struct({ hex: Schema.String, time: Schema.Int }))
})

const encoded = ({ chain, mempool }: Node): string => {
  const state: typeof State.Type = {
    version: 1,
    blocks: [...chain.blocks.values()].slice(1).map(({ block }) => block.toHex()),
    invalid: [...chain.invalid],
    mempool: [...mempool.entries.values()].map(({ hex, time }) => ({ hex, time }))
  }
  return JSON.stringify(state)
}

/** Writes a node's state. The file is whole at any time: the new one is written beside it, then takes its place. */
export const saveState = (stateFile: string, node: Node): Effect.Effect<void, DevnetError> =>
  file(`write ${stateFile}`, async () => {
    await mkdir(dirname(stateFile), { recursive: true })
    await writeFile(`${stateFile}.new`, encoded(node))
    await rename(`${stateFile}.new`, stateFile)
  })

const damaged = (stateFile: string, cause: unknown) =>
  new DevnetError({
    code: "file_failed",
    message: `${stateFile} is damaged: ${cause instanceof Error ? cause.message : String(cause)}`,
    hint: "Start over with fresh data; a chain that lost its end no longer fits what was recorded about it.",
    cause
  })

const takeAgain = (node: Node, hex: string, time: number): void => {
  const tx = decodeTx(hex)
  try {
    if (tx !== undefined) node.mempool.accept(tx, time)
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
  }
}

/** Brings an empty node to the state of a file. False if there is no file. */
export const loadState = Effect.fn("stateFile.loadState")(function* (
  stateFile: string,
  node: Node,
  now: number
): Effect.fn.Return<boolean, DevnetError> {
  if (!existsSync(stateFile)) return false
  const text = yield* file(`read ${stateFile}`, () => readFile(stateFile, "utf8"))
  return yield* Effect.try({
    try: () => {
      const state = Schema.decodeUnknownSync(State)(JSON.parse(text))
      const invalid = new Set(state.invalid)
      for (const hex of state.blocks) {
        const block = Block.fromBuffer(fromHex(hex))
        node.restore(block, now)
        if (invalid.has(block.getId())) node.invalidate(block.getId(), now)
      }
      state.mempool.forEach(({ hex, time }) => takeAgain(node, hex, time))
      return true
    },
    catch: (cause) => damaged(stateFile, cause)
  })
})
