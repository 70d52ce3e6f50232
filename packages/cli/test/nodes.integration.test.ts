import { adapterOf, Networks } from "@bursar/core/port/Networks"
import * as EvmDevnet from "@bursar/simulator-evm/EvmDevnet"
import * as FaultProxy from "@bursar/simulator-evm/FaultProxy"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { layerNetworksAlone } from "./support/idleNodes.ts"
import { type EvmSettings, evmDefaults } from "../src/config/NetworkSettings.ts"
import { localCurrencies } from "./support/localCurrencies.ts"

it.live(
  "reads and asks an EVM network through the node that answers, and none that is of another chain or behind",
  () =>
    Effect.gen(function* () {
      const [devnet, other] = yield* Effect.all(
        [EvmDevnet.make({ network: "ethereum" }), EvmDevnet.make({ network: "bsc" })],
        { concurrency: 2 }
      )
      const [first, second] = yield* Effect.all([
        FaultProxy.make(devnet.anvil.rpcUrl),
        FaultProxy.make(devnet.anvil.rpcUrl)
      ])
      const node = (url: string): EvmSettings => ({
        ...evmDefaults,
        environment: "SANDBOX",
        network: "ethereum",
        rpcUrl: Redacted.make(url),
        confirmations: 2,
        pollIntervalMs: null
      })
      // The node of another chain is higher than the others, and comes before the one that has to be found.
      yield* other.faucet.mine(50)
      const settings = [{ ...node(first.url), others: [node(other.rpcUrl), node(second.url)] }]
      yield* Effect.gen(function* () {
        const { reader, sender } = adapterOf(yield* Networks, "ethereum")
        const to = "0x5a00000000000000000000000000000000000001"
        yield* devnet.faucet.sendNative(to, 77n)
        const before = yield* reader.tip
        assert.match(before.nodes ?? "", /node 1 of 3 is asked; node 2 of 3 is of another chain/u)
        const whole = yield* reader.block(before.latest.hash)
        assert.deepInclude(whole.transfers.at(-1), { to, units: 77n })

        yield* first.inject({ kind: "drop", times: 1_000_000 })
        const after = yield* reader.tip
        assert.deepStrictEqual(after.latest, before.latest)
        assert.match(after.nodes ?? "", /^node 3 of 3 is asked; node 1 of 3 does not answer/u)
        assert.deepStrictEqual(yield* reader.block(before.latest.hash), whole)
        assert.strictEqual(yield* sender.balance(to, null), 77n)

        yield* second.inject({ kind: "lag", times: 1_000_000, lag_blocks: 1 })
        assert.strictEqual((yield* Effect.flip(reader.tip)).reason, "unreachable")
        yield* second.clear
        assert.deepStrictEqual((yield* reader.tip).latest, before.latest)
      }).pipe(Effect.provide(layerNetworksAlone(settings, localCurrencies)))
    }).pipe(Effect.scoped),
  120_000
)
