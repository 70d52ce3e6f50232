import type { OperatorClient } from "@bursar/client/effect"
import { EvmDevnet } from "@bursar/simulator-evm"
import { chainIds } from "@bursar/simulator-evm/EvmNetwork"
import type { Fault } from "@bursar/simulator-evm/Fault"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { formatUnits } from "viem"
import { freshAddress, lines, type Made, madeOf, sumOf } from "./support/payer.ts"
import { openService } from "./support/service.ts"
import { allDeposits, allEvents, availableOf, operatorOn, register } from "./support/tenant.ts"
import { until } from "./support/until.ts"
import { sendRegardless, walletOn } from "./support/wallet.ts"
import { confirmations, environmentOf, migratedDatabase, serve, work } from "./support/world.ts"

class Service extends Context.Service<Service, Effect.Success<ReturnType<typeof openService>>>()("test/Service") {
  static readonly layer = Layer.effect(Service, openService("bsc"))
}

/** More calls than a test makes: the fault stays until it is cleared. */
const times = 1_000_000

const unreachable = /does not answer/u
const inconsistent = /contradicts itself/u
const absent = /does not have a block/u

/** What a node may do, and what the network's status must say of it; null where work goes on as if nothing were. */
const faults: ReadonlyArray<readonly [name: string, fault: Fault, says: RegExp | null]> = [
  ["drops the connection", { kind: "drop", times }, unreachable],
  ["loses its answers", { kind: "lost_reply", times }, unreachable],
  ["takes its time", { kind: "delay", times, delay_ms: 300 }, null],
  ["answers with nothing", { kind: "empty", times }, inconsistent],
  ["answers with no receipts", { kind: "empty", times, method: "eth_getBlockReceipts" }, inconsistent],
  ["answers with no traces", { kind: "empty", times, method: "debug_traceBlockByHash" }, inconsistent],
  ["is behind", { kind: "lag", times, lag_blocks: 9 }, /behind block/u],
  ["is behind in part", { kind: "lag", times, lag_blocks: 9, method: "eth_getBlockReceipts" }, absent],
  ["refuses", { kind: "refuse", times }, unreachable],
  ["refuses traces", { kind: "refuse", times, method: "debug_traceBlockByHash" }, unreachable],
  ["cuts its answers short", { kind: "garbage", times, garbage: "truncated" }, unreachable],
  ["answers what is not JSON", { kind: "garbage", times, garbage: "invalid_json" }, unreachable],
  ["answers with other types", { kind: "garbage", times, garbage: "wrong_types" }, inconsistent]
]

const statusOf = (operator: OperatorClient) =>
  Effect.map(operator.health.networks(), ({ networks }) => networks.find(({ network }) => network === "bsc"))

layer(Service.layer, { excludeTestServices: true })("a node", (it) => {
  const made: Array<Made> = []

  const pay = Effect.gen(function* () {
    const { partner, payer } = yield* Service
    const [one, other] = [freshAddress(), freshAddress()]
    yield* register(partner, "bsc", [one, other])
    made.push(...(yield* payer.native(one, 3n * 10n ** 17n)))
    made.push(...(yield* payer.token(other, 5n * 10n ** 18n)))
    made.push(...(yield* payer.split([one, other], 10n ** 17n)))
  })

  const recorded = Effect.flatMap(Service, ({ partner }) =>
    Effect.map(allDeposits(partner), (deposits) => lines(deposits.map(madeOf)))
  )

  const heal = Effect.flatMap(Service, ({ devnet }) => devnet.faults.clear)

  for (const [name, fault, says] of faults) {
    it.effect(
      `that ${name} loses no deposit and invents none${says === null ? "" : ", and its network's status says so"}`,
      () =>
        Effect.gen(function* () {
          const { devnet, operator } = yield* Service
          yield* until("a status without a problem", statusOf(operator), (status) => status?.problem === null)
          yield* devnet.faults.inject(fault)
          yield* pay
          if (says !== null) {
            const status = yield* until("a problem", statusOf(operator), (status) => status?.problem !== null)
            assert.strictEqual(status?.watcher_status, "STALLED")
            assert.match(status?.problem ?? "", says)
            yield* devnet.faults.clear
          }
          yield* until("every deposit", recorded, (found) => found.length >= made.length)
          assert.deepStrictEqual(yield* recorded, lines(made))
          const well = yield* until("following", statusOf(operator), (status) => status?.watcher_status === "FOLLOWING")
          assert.isNull(well?.problem)
        }).pipe(Effect.ensuring(heal))
    )
  }

  it.effect("that takes a transaction twice holds one deposit", () =>
    Effect.gen(function* () {
      const { devnet, partner } = yield* Service
      const address = freshAddress()
      yield* register(partner, "bsc", [address])
      yield* devnet.faults.inject({ kind: "duplicate", times })
      const units = 2n * 10n ** 17n
      const wallet = walletOn(devnet.rpcUrl, chainIds.bsc, devnet.anvil.fundedKey)
      const txHash = yield* sendRegardless(wallet, address, units)
      made.push({ txHash, transferIndex: 1_000_000, address, currency: "BNB", units })
      yield* until("the deposit", recorded, (found) => found.length >= made.length)
      assert.deepStrictEqual(yield* recorded, lines(made))
    }).pipe(Effect.ensuring(heal))
  )

  it.effect("may do all of that, and in the end everything is credited once", () =>
    Effect.gen(function* () {
      const { check, devnet, partner } = yield* Service
      yield* devnet.faucet.mine(confirmations)
      const deposits = yield* until("every confirmation", allDeposits(partner), (all) =>
        all.every(({ status }) => status === "CONFIRMED")
      )
      assert.deepStrictEqual(lines(deposits.map(madeOf)), lines(made))
      for (const code of ["BNB", "USDT_BSC"]) {
        assert.strictEqual(yield* availableOf(partner, code), formatUnits(sumOf(made, code), 18), code)
      }
      const kinds = Map.groupBy(yield* allEvents(partner), ({ kind }) => kind)
      assert.deepStrictEqual(
        [...kinds].map(([kind, events]) => [kind, events.length]).toSorted(),
        ["deposit.confirmed", "deposit.detected", "deposit.settled"].map((kind) => [kind, made.length])
      )
      assert.deepInclude(yield* check, { code: 0, stderr: "" })
    })
  )

  it.effect("that turns out to be of another chain after the start is not read, and its network's status says so", () =>
    Effect.gen(function* () {
      const [{ url }, other] = yield* Effect.all([migratedDatabase, EvmDevnet.make({ network: "base" })], {
        concurrency: 2
      })
      const env = environmentOf(url, { bsc: other.rpcUrl })
      // it does not answer yet: that is no reason not to start
      yield* other.faults.inject({ kind: "drop", times })
      const [server, worker] = yield* Effect.all([serve(env), work(env)], { concurrency: 2 })
      yield* worker.says("network.not_confirmed")
      yield* other.faults.clear
      const operator = yield* operatorOn(server.operatorUrl)
      const status = yield* until("its chain is seen", statusOf(operator), (status) =>
        /8453/u.test(status?.problem ?? "")
      )
      assert.match(status?.problem ?? "", /The node is of another chain/u)
      assert.deepInclude(status, { watcher_status: "STALLED", scanned_height: null })
      assert.deepStrictEqual(Object.keys(yield* other.faults.seen), ["eth_chainId"])
    })
  )
})
