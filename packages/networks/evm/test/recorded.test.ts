import { TransferIndex } from "@bursar/evm"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { readFrames } from "../src/internal/read/callTracer.ts"
import { readMoves } from "../src/internal/read/moveTracer.ts"
import { type Json, token } from "./support/blocks.ts"
import { refuse, scriptedNode } from "./support/ScriptedNode.ts"

/** What a node said: a result, or an error in its own words, with its code at the end. */
interface Said {
  readonly result?: unknown
  readonly error?: string
}

type Name =
  | "block"
  | "receipts"
  | "calls"
  | "moves"
  | "unknownBlock"
  | "unknownReceipts"
  | "unknownTraces"
  | "beyondTip"

type Recorded = Readonly<Record<Name, Said>> & {
  readonly origin: { readonly client: string; readonly recorded: string }
}

const again = ({ error, result }: Said): unknown => {
  if (error === undefined) return result
  const [, message = error, code = "-32000"] = /^\w+: (.*) \((-?\d+)\)$/u.exec(error) ?? []
  return refuse(Number(code), message)
}

/** The entries of a trace of a block. */
const entriesOf = ({ result }: Said) => result as ReadonlyArray<{ readonly result: unknown }>

const serve = (name: string) =>
  Effect.gen(function* () {
    // Our own script wrote it.
    const recorded = JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url), "utf8")) as Recorded
    const { hash } = recorded.block.result as { readonly hash: string }
    const node = yield* scriptedNode("ethereum", { contracts: [token] })
    const known = (one: Name, other: Name) => (params: ReadonlyArray<unknown>) =>
      again(recorded[params[0] === hash ? one : other])
    node.answer("eth_getBlockByHash", known("block", "unknownBlock"))
    node.answer("eth_getBlockReceipts", known("receipts", "unknownReceipts"))
    node.answer("eth_getBlockByNumber", () => again(recorded.beyondTip))
    node.answer("debug_traceBlockByHash", (params) =>
      (params[1] as Json)["tracer"] === "callTracer"
        ? known("calls", "unknownTraces")(params)
        : refuse(-32000, "tracer not found")
    )
    return { hash, node, recorded }
  })

for (const name of ["geth", "anvil"]) {
  describe(`what ${name} answered when it was recorded`, () => {
    it.live("is read whole: a plain transfer, a token, and coin that a contract sent on", () =>
      Effect.gen(function* () {
        const { hash, node } = yield* serve(name)
        const block = yield* node.chain.block(hash)
        assert.isUndefined(block.unread)
        assert.deepStrictEqual(
          block.transfers.map(({ contract, to, transferIndex, units }) => [
            contract === null ? "coin" : "token",
            Number(`0x${to.slice(-2)}`),
            transferIndex,
            units
          ]),
          [
            ["coin", 1, TransferIndex.native, 5n],
            ["token", 2, 0, 7n],
            ["coin", 0x10, TransferIndex.native, 9n],
            ["coin", 3, TransferIndex.internalFirst, 4n],
            ["coin", 4, TransferIndex.internalFirst + 1, 5n]
          ]
        )
      })
    )

    it.live("tells the same by our tracer as by the node's own", () =>
      Effect.gen(function* () {
        const { recorded } = yield* serve(name)
        const moves = entriesOf(recorded.moves).map(({ result }) => readMoves(result))
        assert.lengthOf(moves, 3)
        assert.isFalse(moves.includes(undefined))
        assert.deepStrictEqual(
          moves,
          entriesOf(recorded.calls).map(({ result }) => readFrames(result))
        )
      })
    )

    it.live("says absent of a block, and of a height, that there is not", () =>
      Effect.gen(function* () {
        const { node } = yield* serve(name)
        assert.strictEqual((yield* Effect.flip(node.chain.block(`0x${"ee".repeat(32)}`))).reason, "absent")
        assert.strictEqual((yield* Effect.flip(node.chain.header(1_007))).reason, "absent")
      })
    )
  })
}
