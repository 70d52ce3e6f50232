import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { makeRpc } from "../../../src/internal/rpc/Rpc.ts"
import { simulate, type SimulationMemory } from "../../../src/internal/build/simulate.ts"
import { refuse, scriptedNode } from "../../support/ScriptedNode.ts"

const contract = "0xdac17f958d2ee523a2206206994597c13d831ec7"
const from = "0x1111111111111111111111111111111111111111"
const to = "0x2222222222222222222222222222222222222222"
const yes = `0x${"1".padStart(64, "0")}`

/** A token whose transfers take so much gas, and which somebody blocks. */
const world = Effect.gen(function* () {
  const node = yield* scriptedNode("ethereum")
  const token = { takes: 40_000, blocked: false, estimates: 0, laterMs: 0 }
  node.answer("eth_getCode", () => "0x6000")
  node.answer("eth_estimateGas", () => {
    token.estimates += 1
    if (token.blocked) return refuse(3, "execution reverted")
    return `0x${token.takes.toString(16)}`
  })
  node.answer("eth_call", ([call]) => {
    const { gas } = call as { readonly gas?: string } // what a call is, by JSON-RPC
    // as one node says it, and not as a revert
    if (gas !== undefined && Number(gas) < token.takes) return refuse(-32603, "EVM error OutOfGas")
    if (token.blocked) return refuse(3, "execution reverted")
    return yes
  })
  const rpc = makeRpc({ network: "ethereum", rpcUrl: Redacted.make(node.url), timeoutMs: 5_000, callsMax: 4 })
  const memory: SimulationMemory = { deployed: new Set(), seenGas: new Map(), gasMax: 200_000n }
  const real = yield* Clock.Clock
  const clock: Clock.Clock = Object.assign(Object.create(real), {
    currentTimeMillis: Effect.map(real.currentTimeMillis, (now) => now + token.laterMs)
  })
  const pay = simulate(rpc, memory, from, { contract, to, units: 5n }).pipe(Effect.provideService(Clock.Clock, clock))
  return { token, pay }
})

describe("a simulation of a transfer of a token", () => {
  it.live("asks what it takes once, and gives the next as much where they pass with it", () =>
    Effect.gen(function* () {
      const { pay, token } = yield* world
      for (const _ of [1, 2, 3]) assert.deepStrictEqual(yield* pay, { _tag: "Passes", gas: 40_000n })
      assert.strictEqual(token.estimates, 1)
    })
  )

  it.live("finds it anew where that is too little, and after a minute, so that nothing is paid dearly for long", () =>
    Effect.gen(function* () {
      const { pay, token } = yield* world
      yield* pay
      token.takes = 60_000
      for (const _ of [1, 2]) assert.deepStrictEqual(yield* pay, { _tag: "Passes", gas: 60_000n })
      assert.strictEqual(token.estimates, 2)
      token.takes = 30_000
      token.laterMs = 59_000
      assert.deepStrictEqual(yield* pay, { _tag: "Passes", gas: 60_000n })
      token.laterMs = 61_000
      assert.deepStrictEqual(yield* pay, { _tag: "Passes", gas: 30_000n })
      assert.strictEqual(token.estimates, 3)
    })
  )

  it.live("remembers nothing that is more than a payment may take, as of one odd answer", () =>
    Effect.gen(function* () {
      const { pay, token } = yield* world
      token.takes = 160_000
      assert.deepStrictEqual(yield* pay, { _tag: "Passes", gas: 160_000n })
      token.takes = 40_000
      assert.deepStrictEqual(yield* pay, { _tag: "Passes", gas: 40_000n })
    })
  )

  it.live("that does not pass is refused, whatever is known of its gas", () =>
    Effect.gen(function* () {
      const { pay, token } = yield* world
      yield* pay
      token.blocked = true
      assert.strictEqual((yield* pay)._tag, "ContractRefuses")
    })
  )
})
