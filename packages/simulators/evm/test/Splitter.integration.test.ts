import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData } from "viem"
import { destroyerAbi, splitterAbi } from "../src/abis.ts"
import type { Hex } from "../src/Faucet.ts"
import { contracts } from "../src/tokens.ts"
import { Devnet } from "./support/Devnet.ts"

interface Frame {
  readonly type: string
  readonly to?: Hex
  readonly value?: Hex
  readonly error?: string
  readonly calls?: ReadonlyArray<Frame>
}

const address = (n: number): Hex => `0x${n.toString(16).padStart(40, "5")}`

const flatten = (frame: Frame): ReadonlyArray<Frame> => [frame, ...(frame.calls ?? []).flatMap(flatten)]

/** Runs a call on a contract and gives its status and the frames of its trace. */
const run = (to: Hex, data: Hex, value: bigint) =>
  Effect.gen(function* () {
    const { faucet } = yield* Devnet
    const { blockHash, status } = yield* faucet.receipt(yield* faucet.call(to, data, value))
    const [trace] = yield* faucet.rpc<ReadonlyArray<{ readonly result: Frame }>>("debug_traceBlockByHash", [
      blockHash,
      { tracer: "callTracer" }
    ])
    return { status, frames: trace === undefined ? [] : flatten(trace.result) }
  })

const call = (
  functionName: "split" | "splitByDelegate",
  recipients: ReadonlyArray<Hex>,
  values: ReadonlyArray<bigint>
) => encodeFunctionData({ abi: splitterAbi, functionName, args: [recipients, values] })

layer(Devnet.layer("ethereum"), { excludeTestServices: true })("Splitter", (it) => {
  it.effect("pays several addresses by inner calls that the trace shows", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const { frames, status } = yield* run(
        contracts.splitter,
        call("split", [address(1), address(2)], [10n, 20n]),
        30n
      )
      assert.strictEqual(status, "0x1")
      assert.deepEqual(
        frames.slice(1).map((frame) => [frame.type, frame.to, BigInt(frame.value ?? 0)]),
        [
          ["CALL", address(1), 10n],
          ["CALL", address(2), 20n]
        ]
      )
      assert.strictEqual(yield* faucet.balance(address(1)), 10n)
      assert.strictEqual(yield* faucet.balance(address(2)), 20n)
    })
  )

  it.effect("succeeds with one inner payment reverted", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const data = encodeFunctionData({
        abi: splitterAbi,
        functionName: "splitWithRevert",
        args: [address(3), address(4), 7n]
      })
      const { frames, status } = yield* run(contracts.splitter, data, 7n)
      assert.strictEqual(status, "0x1")
      assert.isTrue(frames.some((frame) => frame.to === address(3) && BigInt(frame.value ?? 0) === 7n))
      assert.isTrue(frames.some((frame) => frame.error !== undefined))
      assert.strictEqual(yield* faucet.balance(address(3)), 0n)
      assert.strictEqual(yield* faucet.balance(address(4)), 7n)
    })
  )

  it.effect("fails as a whole after an inner payment", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const data = encodeFunctionData({ abi: splitterAbi, functionName: "splitThenFail", args: [address(5)] })
      assert.strictEqual((yield* run(contracts.splitter, data, 7n)).status, "0x0")
      assert.strictEqual(yield* faucet.balance(address(5)), 0n)
    })
  )

  for (const [functionName, type] of [
    ["delegate", "DELEGATECALL"],
    ["callCode", "CALLCODE"]
  ] as const) {
    it.effect(`shows a ${type} frame with value that moves nothing`, () =>
      Effect.gen(function* () {
        const { faucet } = yield* Devnet
        const data = encodeFunctionData({ abi: splitterAbi, functionName, args: [address(6)] })
        const { frames, status } = yield* run(contracts.splitter, data, 7n)
        assert.strictEqual(status, "0x1")
        const frame = frames.find((each) => each.to === address(6))
        assert.deepEqual([frame?.type, BigInt(frame?.value ?? 0)], [type, 7n])
        assert.strictEqual(yield* faucet.balance(address(6)), 0n)
      })
    )
  }

  it.effect("pays by calls below a DELEGATECALL", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const { frames } = yield* run(contracts.splitter, call("splitByDelegate", [address(7)], [9n]), 9n)
      assert.deepEqual(
        frames.map((frame) => frame.type),
        ["CALL", "DELEGATECALL", "CALL"]
      )
      assert.strictEqual(yield* faucet.balance(address(7)), 9n)
    })
  )

  it.effect("sends by SELFDESTRUCT, also to a contract that refuses the coin", () =>
    Effect.gen(function* () {
      const { faucet } = yield* Devnet
      const before = yield* faucet.balance(contracts.refuser)
      const data = encodeFunctionData({ abi: destroyerAbi, functionName: "destroy", args: [contracts.refuser] })
      const { frames, status } = yield* run(contracts.destroyer, data, 11n)
      assert.strictEqual(status, "0x1")
      assert.isTrue(frames.some((frame) => frame.type === "SELFDESTRUCT"))
      assert.strictEqual((yield* faucet.balance(contracts.refuser)) - before, 11n)
      assert.strictEqual((yield* faucet.receipt(yield* faucet.sendNative(contracts.refuser, 1n))).status, "0x0")
    })
  )
})
