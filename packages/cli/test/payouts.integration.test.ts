import { payoutPhase } from "./support/payoutPhase.ts"
import { evmDefaults } from "@bursar/cli/config/NetworkSettings"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import * as Writer from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { EvmDevnet } from "@bursar/simulator-evm"
import type { Fault } from "@bursar/simulator-evm/Fault"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { canonicalTokens } from "@bursar/simulator-evm/tokens"
import { type Place, watchedNetworks } from "@bursar/testkit/fixtures/Places"
import { defaultSendLimits } from "@bursar/worker/transactions/SendLimits"
import * as Sender from "@bursar/worker/sender/Sender"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schedule } from "effect"
import type { NetworkSettings } from "../src/config/NetworkSettings.ts"
import { addAnotherWallet, portsOver } from "./support/ports.ts"
import { seedOf } from "./support/seedOf.ts"
import { signingTenant } from "./support/signedPayouts.ts"
import { until } from "./support/until.ts"
import { migratedDatabase } from "./support/world.ts"
import { Payout } from "@bursar/core/payout/Payout"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { localCurrencies } from "./support/localCurrencies.ts"

const limits = {
  ...defaultSendLimits,
  idleMs: 100,
  checkFirstMs: 300,
  checkLongestMs: 1_000,
  retryFirstMs: 200,
  retryLongestMs: 400
}

/** Everything that pays: a database, a network, the vault and the ports of both. */
const world = Effect.gen(function* () {
  const [database, devnet] = yield* Effect.all(
    [migratedDatabase, EvmDevnet.make({ network: "ethereum", slotsInEpoch: 1 })],
    { concurrency: 2 }
  )
  const settings: ReadonlyArray<NetworkSettings> = [
    {
      ...evmDefaults,
      environment: "SANDBOX",
      network: "ethereum",
      rpcUrl: Redacted.make(devnet.rpcUrl),
      confirmations: 3,
      pollIntervalMs: 200
    }
  ]
  return { devnet, ports: portsOver(database.url, settings) }
})

const token =
  canonicalTokens.ethereum.find(({ behaviour }) => behaviour === "SilentToken") ?? canonicalTokens.ethereum[0]

const currencyOf = (address: string): string => localCurrencies.byAsset("ethereum", address)?.code ?? ""

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
          const crash = (name: Place) =>
            Effect.suspend(() => {
              reached += 1
              const dies = left > 0 && reached % 23 === 0
              if (dies) left -= 1
              return dies ? Effect.die(new Error(`crashed at ${name}`)) : Effect.void
            })
          yield* Effect.forkScoped(watchedNetworks(crash)(Sender.run({ currencies: localCurrencies, limits })))
          const [taken] = yield* Effect.timed(settled(id, made))
          yield* Effect.logInfo(`${count} payouts settled`).pipe(Effect.annotateLogs({ took: String(taken) }))
          for (let n = 0; n < count; n++) {
            assert.strictEqual(yield* faucet.tokenBalance(token, receiver(n) as Hex), 1_500_000n)
          }
          const results = yield* (yield* LedgerSnapshot).snapshot(id, checkTenant)
          for (const { firstWrong, invariant } of results) assert.isNull(firstWrong, invariant)
        }).pipe(Effect.provide(ports))
        return undefined
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "pays from two wallets of a tenant, each with its own numbers, and each receiver once",
    () =>
      Effect.gen(function* () {
        const { devnet, ports } = yield* world
        if (token === undefined) return assert.fail("there is no token")
        const count = 12
        yield* Effect.gen(function* () {
          const { id, pay, wallet } = yield* signingTenant("ethereum")
          const second = yield* addAnotherWallet(id, seedOf(wallet), "ethereum", 1)
          const { faucet } = devnet
          const currency = currencyOf(token.address)
          const against = "chain:ethereum:payouts" as const
          const writer = yield* Writer.Writer
          yield* writer.submit(id, adjustFloat({ amount: of(200_000_000n, currency), against, reason: "funded" }))
          for (const { address } of [wallet, second]) {
            yield* faucet.rpc("anvil_setBalance", [address, "0x8ac7230489e80000"])
            yield* faucet.mint(token, address as Hex, 100_000_000n)
          }
          yield* faucet.mine(3)
          const made = yield* Effect.forEach(
            Array.from({ length: count }, (_, n) => n),
            (n) => pay(currency, "1.5", receiver(n)),
            { concurrency: 16 }
          )
          yield* Effect.forkScoped(Effect.repeat(faucet.mine(1), Schedule.spaced("500 millis")))
          yield* Effect.forkScoped(Sender.run({ currencies: localCurrencies, limits }))
          yield* settled(id, made)
          for (let n = 0; n < count; n++)
            assert.strictEqual(yield* faucet.tokenBalance(token, receiver(n) as Hex), 1_500_000n)
          const left = yield* Effect.forEach([wallet, second], ({ address }) =>
            faucet.tokenBalance(token, address as Hex)
          )
          assert.isTrue(left.every((units) => units < 100_000_000n))
          assert.strictEqual((left[0] ?? 0n) + (left[1] ?? 0n), 200_000_000n - BigInt(count) * 1_500_000n)
          const results = yield* (yield* LedgerSnapshot).snapshot(id, checkTenant)
          for (const { firstWrong, invariant } of results) assert.isNull(firstWrong, invariant)
        }).pipe(Effect.provide(ports))
        return undefined
      }).pipe(Effect.scoped),
    120_000
  )

  /** What a node may do while it pays. */
  const hardships = [
    ["takes it and loses its answer", { kind: "lost_reply", times: 1, method: "eth_sendRawTransaction" }],
    ["breaks every connection for a while", { kind: "drop", times: 5 }],
    ["answers with nothing", { kind: "empty", times: 5 }],
    ["answers as if blocks had not come", { kind: "lag", times: 20, lag_blocks: 4 }],
    ["refuses to take it", { kind: "refuse", times: 2, method: "eth_sendRawTransaction" }],
    ["refuses whatever it is asked", { kind: "refuse", times: 5 }],
    ["takes it twice", { kind: "duplicate", times: 1 }],
    ["spoils its answers", { kind: "garbage", times: 5, garbage: "wrong_types" }]
  ] as const satisfies ReadonlyArray<readonly [string, Fault]>

  it.live(
    "pays once, or provably never, whatever the node does meanwhile",
    () =>
      Effect.gen(function* () {
        const { devnet, ports } = yield* world
        yield* Effect.gen(function* () {
          const { id, pay, wallet } = yield* signingTenant("ethereum")
          const { faucet, faults } = devnet
          const queries = yield* Queries
          const writer = yield* Writer.Writer
          const gas = adjustFloat({
            amount: of(10n ** 19n, "ETH"),
            against: "chain:ethereum:payouts",
            reason: "funded"
          })
          yield* writer.submit(id, gas)
          yield* faucet.rpc("anvil_setBalance", [wallet.address, "0x8ac7230489e80000"])
          yield* faucet.setAutomine(false)
          yield* faucet.mine(3)
          yield* Effect.forkScoped(Sender.run({ currencies: localCurrencies, limits }))
          const untilIs = (operation: Operation, status: Operation["status"]) =>
            until(status, queries.operation(id, operation.id), (one) => one?.status === status)
          const hashOf = Effect.fnUntraced(function* (operation: Operation) {
            const payouts = queries.record(id, Payout, operation.id)
            yield* until("it is sent", payoutPhase(id, operation.id), (phase) => phase === "BROADCAST")
            const transaction = yield* queries.record(id, OutboundTransaction, (yield* payouts)?.transactionId ?? "")
            return transaction === undefined ? assert.fail("there is no outbound transaction") : transaction
          })
          const send = (n: number) => pay("ETH", "0.5", receiver(n))
          /** The coin that a receiver has got once the payout is settled, and some blocks more. */
          const settled = Effect.fnUntraced(function* (operation: Operation, n: number) {
            const mining = yield* Effect.forkChild(Effect.repeat(faucet.mine(1), Schedule.spaced("200 millis")))
            const { txHash } = (yield* untilIs(operation, "SETTLED")) ?? assert.fail("it is gone")
            yield* Fiber.interrupt(mining)
            assert.isString(txHash)
            assert.strictEqual(yield* faucet.balance(receiver(n) as Hex), 5n * 10n ** 17n)
          })
          let n = 0
          for (const [name, fault] of hardships) {
            yield* Effect.logInfo(`the node ${name}`)
            yield* faults.inject(fault)
            yield* settled(yield* send(++n), n)
            yield* faults.clear
          }

          // a block with the payment is replaced by one without it: it comes again, by the same bytes
          const undone = yield* send(++n)
          const { hashes } = yield* hashOf(undone)
          yield* faucet.mine(1)
          yield* until("it is in a block", payoutPhase(id, undone.id), (phase) => phase === "INCLUDED")
          yield* faucet.reorg(1)
          yield* until("it is in none", payoutPhase(id, undone.id), (phase) => phase === "BROADCAST")
          yield* settled(undone, n)
          assert.include(hashes, (yield* queries.operation(id, undone.id))?.txHash)

          // somebody else has the key, and takes the number for a payment of his own
          const lost = yield* send(++n)
          const { guard } = yield* hashOf(lost)
          if (guard._tag !== "Sequence") return assert.fail("a payout on ethereum has a number")
          yield* faucet.rpc("anvil_impersonateAccount", [wallet.address])
          const foreign = yield* faucet.rpc<Hex>("eth_sendTransaction", [
            {
              from: wallet.address,
              to: receiver(0),
              value: "0x1",
              nonce: `0x${guard.sequence.toString(16)}`,
              maxFeePerGas: "0x2540be4000",
              maxPriorityFeePerGas: "0x2540be400"
            }
          ])
          yield* faucet.rpc("anvil_stopImpersonatingAccount", [wallet.address])
          yield* faucet.mine(1)
          assert.strictEqual((yield* faucet.receipt(foreign)).status, "0x1")
          assert.strictEqual((yield* queries.operation(id, lost.id))?.status, "SENT")
          yield* faucet.mine(3)
          const failed = yield* untilIs(lost, "FAILED")
          assert.deepInclude(failed?.details, { failure_reason: "replaced_on_chain" })
          assert.strictEqual(yield* faucet.balance(receiver(n) as Hex), 0n)

          // and after all that it pays on
          yield* settled(yield* send(++n), n)
          const results = yield* (yield* LedgerSnapshot).snapshot(id, checkTenant)
          for (const { firstWrong, invariant } of results) assert.isNull(firstWrong, invariant)
          return undefined
        }).pipe(Effect.provide(ports))
      }).pipe(Effect.scoped),
    240_000
  )
})
