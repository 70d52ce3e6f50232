import { makeEvmSender } from "@bursar/evm"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { decodeDraft } from "../../../src/internal/build/Draft.ts"
import { hashOf, quantity, token } from "../../support/blocks.ts"
import { makeKeys } from "../../support/keys.ts"
import { scriptedNode } from "../../support/ScriptedNode.ts"
import { gwei, payment, setup, to } from "../../support/senderNode.ts"

/** What USDT takes on ethereum: to a holder, and to somebody who holds none any more, whose storage slot is fresh. */
const [holder, emptied] = [46_109n, 63_209n]

describe("the gas of a payout of a token", () => {
  it.live("is enough where the receiver gives away all of it before the payout is executed", () =>
    Effect.gen(function* () {
      const { node, sender } = yield* setup()
      node.answer("eth_estimateGas", () => quantity(holder))
      const { bytes } = yield* sender.build(payment({ payments: [{ to, contract: token, units: 1n, memo: null }] }))
      const draft = decodeDraft(bytes)
      if (draft._tag === "Failure") return assert.fail(draft.failure)
      return assert.isAtLeast(Number(draft.success.gas), Number(emptied))
    })
  )
})

/** A sweep of an address that is given coin for it as it is planned, with the share of `SweepLimits`, and then built. */
const sweepOf = Effect.fnUntraced(function* (
  takes: bigint,
  prices: { readonly planned: bigint; readonly built: bigint }
) {
  const keys = makeKeys()
  const [account, wallet] = [keys.create(), keys.create()]
  const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`
  const node = yield* scriptedNode("ethereum")
  const now = { coin: 0n, baseFee: prices.planned }
  node.answer("eth_getCode", () => "0x6000")
  node.answer("eth_estimateGas", () => quantity(takes))
  node.answer("eth_getBalance", () => quantity(now.coin))
  node.answer("eth_getTransactionCount", () => "0x0")
  node.answer("eth_maxPriorityFeePerGas", () => quantity(gwei / 10n))
  node.answer("eth_getBlockByNumber", () => ({
    baseFeePerGas: quantity(now.baseFee),
    number: "0x1",
    hash: hashOf(1),
    parentHash: hashOf(0),
    timestamp: "0x1"
  }))
  // balanceOf, or a transfer that passes
  node.answer("eth_call", ([call]) => word(JSON.stringify(call).includes("70a08231") ? 5_000n : 1n))
  const made = () =>
    makeEvmSender({ network: "ethereum", rpcUrl: Redacted.make(node.url), contracts: [token], batchMax: 1 })
  const question = {
    to: wallet,
    account,
    contract: token,
    deposits: [{ txHash: "0x1", transferIndex: 0, address: account, units: 5_000n }],
    costTimes: 3,
    nextSequence: null,
    budgetPercent: 300,
    keeps: 0n,
    publicKeyOf: () => Effect.undefined
  }
  const plan = yield* made().planner.sweep({ ...question, topUp: "possible" })
  if (plan._tag !== "LacksNative") return assert.fail(plan._tag)
  now.coin = plan.lacks
  now.baseFee = prices.built
  // another sender: what one has read of prices it keeps for a while
  return yield* made().build({
    from: account,
    guard: { _tag: "Sequence", account, sequence: 0n },
    payments: [{ to: wallet, contract: token, units: 5_000n, memo: null }],
    validUntil: 0,
    salt: 0,
    drain: false,
    replacing: null
  })
})

describe("a sweep of a token", () => {
  it.live("is built with what the address was given for it, also where the base fee rose by a tenth since", () =>
    Effect.gen(function* () {
      for (const takes of [holder, 34_700n])
        for (const built of [20n * gwei, 22n * gwei]) yield* sweepOf(takes, { planned: 20n * gwei, built })
    })
  )
})
