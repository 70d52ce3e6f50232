import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { feeRates } from "../../../src/internal/build/feeRate.ts"
import { makeBitcoinRpc } from "../../../src/internal/rpc/Rpc.ts"
import { type Call, fakeNode, refusal, result } from "../../support/FakeNode.ts"

/** What a replacement must add on a node that says so of itself. */
const incrementalOn = (incrementalrelayfee?: number) =>
  Effect.gen(function* () {
    const mempool = {
      mempoolminfee: 0.000001,
      minrelaytxfee: 0.000001,
      ...(incrementalrelayfee && { incrementalrelayfee })
    }
    const { url } = yield* fakeNode((call: Call) => {
      if (call.method === "getmempoolinfo") return result(call, mempool)
      if (call.method === "estimatesmartfee") return result(call, { feerate: 0.000014, blocks: 6 })
      return refusal(call, -32601, "no such method")
    })
    const rpc = makeBitcoinRpc({ rpcUrl: Redacted.make(url) })
    return (yield* feeRates(rpc, { confirmTarget: 6, fallbackFeeRate: null })).incremental
  })

describe("what a replacement pays beyond what it replaces", () => {
  it.live.each<readonly [string, number | undefined, bigint]>([
    ["is what most nodes ask, where ours takes less: they hand it on to miners", 0.000001, 1_000n],
    ["is what ours asks, where that is more", 0.00002, 2_000n],
    ["is what most nodes ask, where ours does not say", undefined, 1_000n]
  ])("%s", ([, said, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* incrementalOn(said), expected)
    })
  )
})
