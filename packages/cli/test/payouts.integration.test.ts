import { checkTenant } from "@bursar/core/checker/checkTenant"
import * as Writer from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/operation/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { Books } from "@bursar/core/port/Books"
import { Queries } from "@bursar/core/port/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { EvmDevnet } from "@bursar/devnet"
import type { Hex } from "@bursar/devnet/evm/Faucet"
import { canonicalTokens } from "@bursar/devnet/evm/tokens"
import { Failpoint, type FailpointName } from "@bursar/worker/send/Failpoint"
import { defaultSendLimits } from "@bursar/worker/send/SendLimits"
import * as Sender from "@bursar/worker/send/Sender"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import type { NetworkSettings } from "../src/config/NetworkSettings.ts"
import { portsOver } from "./support/ports.ts"
import { signingTenant } from "./support/signedPayouts.ts"
import { migratedDatabase } from "./support/world.ts"

const limits = { ...defaultSendLimits, idleMs: 100, followFirstMs: 300, followLongestMs: 2_000, retryFirstMs: 300 }

/** Everything that pays: a database, a network, the vault and the ports of both. */
const world = Effect.gen(function* () {
  const [database, devnet] = yield* Effect.all(
    [migratedDatabase, EvmDevnet.make({ network: "ethereum", slotsInEpoch: 1 })],
    { concurrency: 2 }
  )
  const settings: ReadonlyArray<NetworkSettings> = [
    { network: "ethereum", rpcUrl: Redacted.make(devnet.rpcUrl), confirmations: 3, pollIntervalMs: 200 }
  ]
  return { devnet, ports: portsOver(database.url, settings) }
})

const token =
  canonicalTokens.ethereum.find(({ behaviour }) => behaviour === "SilentToken") ?? canonicalTokens.ethereum[0]

const currencyOf = (address: string): string => defaultCurrencies.byAsset("ethereum", address)?.code ?? ""

const receiver = (n: number): string => `0x${(0xabc0_0000 + n).toString(16).padStart(40, "0")}`

const statuses = Effect.fnUntraced(function* (id: TenantId, made: ReadonlyArray<Operation>) {
  const queries = yield* Queries
  const now = yield* Effect.forEach(made, (one) => queries.operation(id, one.id), { concurrency: 16 })
  return now.map((operation) => operation?.status)
})

const settled = (id: TenantId, made: ReadonlyArray<Operation>) =>
  Effect.repeat(
    Effect.map(statuses(id, made), (all) => all.every((status) => status === "SETTLED")),
    { until: (done) => done, schedule: Schedule.spaced("300 millis") }
  )

describe("paying on a real node", () => {
  it.live(
    "pays many at once from one wallet, each once, while the process dies again and again and answers are lost",
    () =>
      Effect.gen(function* () {
        const { devnet, ports } = yield* world
        if (token === undefined) return assert.fail("there is no token")
        const count = Number(process.env["PAYOUTS"] ?? "60")
        yield* Effect.gen(function* () {
          const { id, pay, wallet } = yield* signingTenant("ethereum")
          const { faucet, faults } = devnet
          const currency = currencyOf(token.address)
          const against = "chain:ethereum:payouts" as const
          const total = BigInt(count) * 10_000_000n
          const writer = yield* Writer.Writer
          yield* writer.submit(id, adjustFloat({ amount: of(total, currency), against, reason: "funded" }))
          yield* faucet.rpc("anvil_setBalance", [wallet.address, "0x8ac7230489e80000"])
          yield* faucet.mint(token, wallet.address as Hex, total)
          yield* faucet.mine(3)
          const made = yield* Effect.forEach(
            Array.from({ length: count }, (_, n) => n),
            (n) => pay(currency, "1.5", receiver(n)),
            { concurrency: 16 }
          )
          yield* Effect.forkScoped(Effect.repeat(faucet.mine(1), Schedule.spaced("500 millis")))
          yield* faults.inject({ kind: "lost_reply", times: 5, method: "eth_sendRawTransaction" })
          // what dies is elected anew, and goes on from what is stored
          let left = count > 100 ? 0 : 12
          let reached = 0
          const crash = (name: FailpointName) =>
            Effect.suspend(() => {
              reached += 1
              const dies = left > 0 && reached % 23 === 0
              if (dies) left -= 1
              return dies ? Effect.die(new Error(`crashed at ${name}`)) : Effect.void
            })
          yield* Effect.forkScoped(
            Effect.provideService(Sender.run({ currencies: defaultCurrencies, limits }), Failpoint, crash)
          )
          const [taken] = yield* Effect.timed(settled(id, made))
          yield* Effect.logInfo(`${count} payouts settled`).pipe(Effect.annotateLogs({ took: String(taken) }))
          for (let n = 0; n < count; n++) {
            assert.strictEqual(yield* faucet.tokenBalance(token, receiver(n) as Hex), 1_500_000n)
          }
          const results = yield* (yield* Books).snapshot(id, checkTenant)
          for (const { firstWrong, pass } of results) assert.isNull(firstWrong, pass)
        }).pipe(Effect.provide(ports))
        return undefined
      }).pipe(Effect.scoped),
    120_000
  )
})
