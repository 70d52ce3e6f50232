import type { Transfer } from "@bursar/core/port/Chain"
import { makeEvmReader, TransferIndex } from "@bursar/evm"
import { checkMutations, type JsonPath, type JsonValue } from "@bursar/testkit/generators/mutations"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted } from "effect"
import { addressOf, blockOf, type BlockSays, quantity, serve, token, transferLog } from "./support/blocks.ts"
import { scriptedNode } from "./support/ScriptedNode.ts"

const [sender, contract, receiver] = [addressOf(0xf00d), addressOf(0xcafe), addressOf(0xaaa1)]

/** A block with something of each kind. */
const truth = blockOf([
  { tx: { to: receiver, value: quantity(5n), input: "0x" } },
  { logs: [transferLog(sender, receiver, 7n), transferLog(sender, receiver, 8n, addressOf(0xbad))] },
  {
    tx: { value: quantity(9n) },
    trace: { calls: [{ type: "CALL", from: contract, to: receiver, value: quantity(9n), input: "0x" }] }
  },
  { tx: { to: receiver, value: quantity(11n) }, receipt: { status: "0x0" } },
  {
    tx: { to: null, value: quantity(13n) },
    receipt: { contractAddress: addressOf(0xc0de) },
    trace: { type: "CREATE" }
  },
  { logs: [transferLog(receiver, sender, 3n)], receipt: { type: "0x0" }, tx: { type: "0x0" } }
])

/** No mutation may make a reader ask for ever: a block of six transactions takes few questions, even where each is looked into. */
const questionsMax = 80
const runs = 400
const methods = [
  ...["eth_getBlockByHash", "eth_getBlockReceipts", "eth_getTransactionReceipt", "debug_traceBlockByHash"],
  ...["debug_traceTransaction", "debug_traceCall", "trace_block", "eth_getBlockByNumber"]
]

/** What inner calls moved is told by the trace alone, so one that tells of another amount is believed. */
const isToldByTrace = ({ transferIndex }: Transfer) => transferIndex >= TransferIndex.internalFirst

/** The places of which nothing else in the answers speaks, so that a change there makes another block that is consistent. */
const isUnproven = (path: JsonPath): boolean => path[0] === "traces"

const textOf = (transfer: Transfer) =>
  JSON.stringify(transfer, (_, value) => (typeof value === "bigint" ? `${value}` : value))

describe("a reader of a node that says something else than the truth", () => {
  it.live(
    "reports no transfer that the truth does not hold, fails with nothing but a ChainError, and asks a bounded number of questions",
    () =>
      Effect.gen(function* () {
        const node = yield* scriptedNode("ethereum")
        const read = Effect.suspend(() =>
          makeEvmReader({ network: "ethereum", rpcUrl: Redacted.make(node.url), contracts: [token] }).block(
            truth.block.hash
          )
        )
        serve(node, truth)
        const all = (yield* read).transfers.map(textOf)
        assert.isAtLeast(all.length, 5)
        const asked = () => methods.reduce((sum, method) => sum + node.asked(method), 0)
        // A block is JSON.
        const value = truth as unknown as JsonValue
        yield* Effect.promise(() =>
          checkMutations(value, runs, async ({ path, value: mutated }) => {
            // What is left of the answers' form is up to the mutation: the reader takes them as they come.
            serve(node, mutated as unknown as BlockSays)
            const before = asked()
            const exit = await Effect.runPromiseExit(read)
            assert.isAtMost(asked() - before, questionsMax)
            if (Exit.isFailure(exit)) {
              assert.isFalse(Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
              return
            }
            const left = [...all]
            for (const transfer of exit.value.transfers) {
              if (isUnproven(path) && isToldByTrace(transfer)) continue
              const index = left.indexOf(textOf(transfer))
              assert.isAtLeast(index, 0, `${path.join(".")}: ${textOf(transfer)} is not of the block`)
              left.splice(index, 1)
            }
          })
        )
      }),
    60_000
  )
})
