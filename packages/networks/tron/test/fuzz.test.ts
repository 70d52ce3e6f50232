import type { Transfer } from "@bursar/core/port/Chain"
import {
  checkMutations,
  leastMutations,
  type JsonPath,
  type Mutated,
  type JsonValue
} from "@bursar/testkit/generators/mutations"
import { fromHex, makeTronReader, TransferIndex } from "@bursar/tron"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted } from "effect"
import recorded from "./recorded/java-tron-4.8.0.json" with { type: "json" }
import { type ScriptedNode, scriptedNode } from "./support/ScriptedNode.ts"

/** What a node says of a block. */
const truth = { block: recorded.block, infos: recorded.infos, header: { ...recorded.block, transactions: undefined } }

/** What is left of the answers' form is up to a mutation: the reader takes them as they come. */
const serve = (node: ScriptedNode, { block, header, infos }: Readonly<Record<string, unknown>>) => {
  node.answer("getblockbyid", () => block ?? {})
  node.answer("gettransactioninfobyblocknum", () => infos ?? {})
  node.answer("getblock", () => header ?? {})
}

const runs = 400

/** No mutation may make a reader ask for ever: a block takes three questions, and one more for each of its six transactions. */
const questionsMax = 9

const textOf = (transfer: Transfer) =>
  JSON.stringify(transfer, (_, value) => (typeof value === "bigint" ? `${value}` : value))

/**
 * What contracts did is told by the infos of their transactions alone, which no hash covers: there, and of that kind alone, another
 * story makes another block that is consistent.
 */
const isUnproven = ([root, , field]: JsonPath, { contract, transferIndex }: Transfer): boolean =>
  root === "infos" &&
  ((field === "log" && contract !== null) ||
    (field === "internal_transactions" && transferIndex >= TransferIndex.internalFirst))

/**
 * The places where a node can hide a transfer: what contracts did, and how a transaction ended, which the root of the block's transactions
 * alone covers.
 */
const isHidable = ([root, , third, fourth]: JsonPath): boolean =>
  root === "infos" ? third === "log" || third === "internal_transactions" : fourth === "ret"

describe("a reader of a node that says something else than java-tron did", () => {
  it.live(
    "reports no transfer that the truth does not hold, hides none without a word, fails with nothing but a ChainError, and asks a bounded number of questions",
    () =>
      Effect.gen(function* () {
        const node = yield* scriptedNode
        const read = Effect.suspend(() =>
          makeTronReader({ nodeUrl: Redacted.make(node.url), contracts: recorded.tokens.map(fromHex) }).block(
            recorded.block.blockID
          )
        )
        serve(node, truth)
        const all = (yield* read).transfers.map(textOf)
        assert.lengthOf(all, 6)
        // A block is JSON.
        const value = JSON.parse(JSON.stringify(truth)) as JsonValue
        const check = async ({ path, value: mutated }: Mutated) => {
          serve(node, mutated as Readonly<Record<string, unknown>>)
          const before = node.asked()
          const exit = await Effect.runPromiseExit(read)
          assert.isAtMost(node.asked() - before, questionsMax)
          if (Exit.isFailure(exit)) {
            assert.isFalse(Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
            return
          }
          const left = [...all]
          for (const transfer of exit.value.transfers) {
            if (isUnproven(path, transfer)) continue
            const index = left.indexOf(textOf(transfer))
            assert.isAtLeast(index, 0, `${path.join(".")}: ${textOf(transfer)} is not of the block`)
            left.splice(index, 1)
          }
          if (isHidable(path)) return
          const unread = new Set((exit.value.unread ?? []).map(({ txHash }) => txHash))
          const hidden = left.filter((text) => !unread.has((JSON.parse(text) as Transfer).txHash))
          assert.deepStrictEqual(hidden, [], path.join("."))
        }
        for (const mutated of leastMutations(value)) yield* Effect.promise(() => check(mutated))
        yield* Effect.promise(() => checkMutations(value, runs, check))
      }),
    60_000
  )
})
