import type { BlockRef, ChainError, Transfer } from "@bursar/core/port/Chain"
import { makeBitcoinReader, makeMempoolReader } from "@bursar/bitcoin"
import { checkEdits, checkMutations, type JsonPath, type JsonValue } from "@bursar/testkit/generators/mutations"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted } from "effect"
import { type Answer, type Call, fakeNode, refusal, result } from "./support/FakeNode.ts"
import { answerOf, askedIn, phaseOf, recording } from "./support/recorded.ts"

const transactions = recording("transactions")
const mined = phaseOf(transactions, "mined")
const waiting = phaseOf(transactions, "waiting")
const runs = 300

/** No mutation may make a reader ask for ever: a block takes six questions. */
const questionsMax = 12

const resultsOf = (phase: typeof mined, method: string, fits: (params: ReadonlyArray<unknown>) => boolean) =>
  Object.fromEntries(
    askedIn(phase)
      .filter((asked) => asked.method === method && fits(asked.params) && asked.error === undefined)
      .map(({ params, result: value }) => [String(params[0]), value])
  )

/** All that the readers ask of a node, as the recorded one answered: a block with outputs of every kind, and two transactions that wait. */
const truth = {
  info: answerOf(mined, "getblockchaininfo").result,
  hashes: resultsOf(mined, "getblockhash", () => true),
  headers: resultsOf(mined, "getblockheader", ([, verbose]) => verbose === true),
  blocks: resultsOf(mined, "getblock", ([, verbosity]) => verbosity === 0),
  mempool: answerOf(waiting, "getmempoolinfo").result,
  ids: answerOf(waiting, "getrawmempool", false).result,
  raws: resultsOf(waiting, "getrawtransaction", ([, verbose]) => verbose === false)
}

type Truth = typeof truth

// `getblockchaininfo` answers so.
const { bestblockhash: tip, blocks: height } = truth.info as { readonly bestblockhash: string; readonly blocks: number }

const at = (of: unknown, key: unknown): unknown =>
  typeof of === "object" && of !== null && Object.hasOwn(of, String(key)) ? Reflect.get(of, String(key)) : undefined

/** A node that says this. What it does not know it refuses as Bitcoin Core does. */
const saying =
  ({ blocks, hashes, headers, ids, info, mempool, raws }: Truth) =>
  (call: Call): Answer => {
    const [first] = call.params
    const told = (value: unknown) => (value === undefined ? refusal(call, -5, "Block not found") : result(call, value))
    switch (call.method) {
      case "getblockchaininfo":
        return told(info)
      case "getblockhash":
        return told(at(hashes, first))
      case "getblockheader":
        return told(at(headers, first))
      case "getblock":
        return told(at(blocks, first))
      case "getmempoolinfo":
        return told(mempool)
      case "getrawmempool":
        return told(ids)
      default:
        return told(at(raws, first))
    }
  }

/** A node that can be told what to say from now on, and counts what it is asked. */
const scripted = Effect.gen(function* () {
  let answer = saying(truth)
  let asked = 0
  const { url } = yield* fakeNode((call) => {
    asked += 1
    return answer(call)
  })
  const options = { rpcUrl: Redacted.make(url), chain: "regtest" } as const
  return {
    say: (said: Truth) => void (answer = saying(said)),
    asked: () => asked,
    /** New readers each time: they remember what they have seen. */
    readers: () => ({ chain: makeBitcoinReader(options), mempool: makeMempoolReader(options) })
  }
})

/** What no hash covers: how deep a block is, at which height it stands, and the median of the times before it. */
const isUnproven = (path: JsonPath): boolean => ["confirmations", "height", "mediantime"].includes(String(path[2]))

const textOf = (transfer: Transfer) =>
  JSON.stringify(transfer, (_, value) => (typeof value === "bigint" ? `${value}` : value))

/** Those of the found transfers that the truth does not hold, or holds less often; and those of the truth that were not found. */
const compared = (all: ReadonlyArray<Transfer>, found: ReadonlyArray<Transfer>) => {
  const left = all.map(textOf)
  const invented = found.map(textOf).filter((text) => {
    const index = left.indexOf(text)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
  return { invented, missing: left }
}

const mutated = (value: unknown) => value as unknown as Truth

describe("a reader of a bitcoin node that says something else than the truth", () => {
  it.live("takes no older block of the chain for its newest", () =>
    Effect.gen(function* () {
      const { readers, say } = yield* scripted
      const older = Object.values(truth.hashes).find((hash) => hash !== tip)
      say({ ...truth, info: { ...(truth.info as object), bestblockhash: older } }) // as the node writes it
      assert.strictEqual((yield* Effect.flip(readers().chain.tip)).reason, "inconsistent")
    })
  )

  it.live(
    "reports no transfer that the truth does not hold and leaves none out, fails with nothing but a ChainError, and asks little",
    () =>
      Effect.gen(function* () {
        const { asked, readers, say } = yield* scripted
        const { chain, mempool } = readers()
        const inBlock = (yield* chain.block(tip)).transfers
        const inMempool = (yield* mempool.changes).transfers
        const known = yield* chain.header(height)
        assert.strictEqual(inBlock.length, 10)
        assert.strictEqual(inMempool.length, 2)

        const tried = async <A>(read: Effect.Effect<A, ChainError>): Promise<A | undefined> => {
          const before = asked()
          const exit = await Effect.runPromiseExit(read)
          assert.isAtMost(asked() - before, questionsMax)
          if (Exit.isSuccess(exit)) return exit.value
          assert.isFalse(Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
          return undefined
        }
        const isKnown = ({ hash, parentHash, time }: BlockRef) =>
          hash === known.hash && parentHash === known.parentHash && time === known.time

        // What was recorded is JSON.
        const value = truth as unknown as JsonValue
        yield* Effect.promise(() =>
          checkMutations(value, runs, async ({ path, value: said }) => {
            const where = path.join(".")
            say(mutated(said))
            const { chain: reader, mempool: pool } = readers()
            const block = await tried(reader.block(tip))
            if (block !== undefined) {
              const { invented, missing } = compared(inBlock, block.transfers)
              assert.deepStrictEqual(invented, [], where)
              if (!isUnproven(path)) assert.deepStrictEqual([missing, isKnown(block)], [[], true], where)
            }
            const latest = await tried(reader.tip)
            if (latest !== undefined) assert.isTrue(isKnown(latest.latest), where)
            const header = await tried(reader.header(height))
            if (header !== undefined) assert.isTrue(isKnown(header) && header.number === height, where)
            const changes = await tried(pool.changes)
            if (changes !== undefined) {
              assert.deepStrictEqual(compared(inMempool, changes.transfers).invented, [], where)
            }
          })
        )
      }),
    120_000
  )

  it.live(
    "takes no byte of a block and of a transaction for another one",
    () =>
      Effect.gen(function* () {
        const { readers, say } = yield* scripted
        const inBlock = (yield* readers().chain.block(tip)).transfers
        const inMempool = (yield* readers().mempool.changes).transfers
        const [waits = ""] = Object.keys(truth.raws)
        const bytesOf = (hex: unknown) => Buffer.from(String(hex), "hex")
        const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

        const ofBlock = async (bytes: Uint8Array) => {
          say({ ...truth, blocks: { ...truth.blocks, [tip]: toHex(bytes) } })
          const exit = await Effect.runPromiseExit(readers().chain.block(tip))
          if (Exit.isFailure(exit)) return assert.isFalse(Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
          assert.deepStrictEqual(compared(inBlock, exit.value.transfers), { invented: [], missing: [] })
        }
        const ofTransaction = async (bytes: Uint8Array) => {
          say({ ...truth, raws: { ...truth.raws, [waits]: toHex(bytes) } })
          const exit = await Effect.runPromiseExit(readers().mempool.changes)
          if (Exit.isFailure(exit)) return assert.isFalse(Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
          assert.deepStrictEqual(compared(inMempool, exit.value.transfers), { invented: [], missing: [] })
        }
        yield* Effect.promise(() => checkEdits(bytesOf(at(truth.blocks, tip)), runs, ofBlock))
        yield* Effect.promise(() => checkEdits(bytesOf(at(truth.raws, waits)), runs, ofTransaction))
      }),
    120_000
  )
})
