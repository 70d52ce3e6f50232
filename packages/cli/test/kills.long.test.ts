import { seedOf } from "./support/seedOf.ts"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import type { Account } from "@bursar/core/ledger/Account"
import * as Writer from "@bursar/core/engine/Writer"
import type { Operation } from "@bursar/core/operation/Operation"
import { isOver } from "@bursar/core/operation/OperationMachine"
import { type ExpediteAction, OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { expeditePayout } from "@bursar/core/payout/expeditePayout"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import { sendingPlaces, type Place, provisioningPlaces, sweepPlaces } from "@bursar/testkit/fixtures/Places"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Schedule, type Scope } from "effect"
import { patience, type Running, startProgram } from "./support/bursar.ts"
import { programAt } from "./support/programAt.ts"
import { openNetworks, openPayers, untilPhase } from "./support/payingWorld.ts"
import { addChannel } from "./support/ports.ts"
import { killAtVariable } from "./support/killAt.ts"
import { environmentFor } from "./support/environmentFor.ts"
import { signerOf } from "./support/world.ts"
import { untilNoDifference } from "./support/untilNoDifference.ts"
import { until } from "./support/until.ts"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"

const hurriedWorker = programAt(new URL("./support/hurriedWorker.ts", import.meta.url))

/** A worker that kills itself at a place; at none where it is undefined. */
const startWorker = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>, place: Place | undefined) {
  const own = environmentFor("work", env)
  return yield* startProgram(hurriedWorker, [], {
    env: place === undefined ? own : { ...own, [killAtVariable]: place }
  })
})

/** Waits until a worker has said something for each network. Fails where it ends before. */
const says = (worker: Running, what: string) =>
  Effect.forEach(["ethereum", "bitcoin", "stellar"], (network) =>
    worker.prints(new RegExp(`"${what}".*"${network}"`, "u"))
  )

/** All of them, those first that any work comes by: what is left behind by a death is gone on with in the lives after it. */
const all: ReadonlyArray<Place> = [...sendingPlaces, ...provisioningPlaces, ...sweepPlaces]

it.live(
  "a worker that is killed at any place leaves nothing that the next cannot bring to its right end, once",
  () =>
    Effect.gen(function* () {
      const networks = yield* openNetworks
      const { env, ethereum, ports } = networks
      yield* Effect.gen(function* () {
        const queries = yield* Queries
        const writer = yield* Writer.Writer
        const { asked, deposit, deposited, fund, heldBy, mine, pay, payers } = yield* openPayers(networks)
        const { faucet, faults } = ethereum

        /** What spends from the lives before ask is refused too, so no number of refusals is sure to be left for what is asked now. */
        const refuseToTheEnd = (method: string) =>
          Effect.acquireRelease(faults.inject({ kind: "refuse", times: 10_000, method }), () => faults.clear)

        /** Asks for something to be done with a payout that waits for a block that does not come. */
        const asking = Effect.fnUntraced(function* (request: ExpediteAction) {
          yield* mine(false)
          const operation: Operation = yield* pay.ether
          const payout = yield* untilPhase(operation, "BROADCAST")
          const transaction = yield* queries.record(operation.tenantId, OutboundTransaction, payout.transactionId ?? "")
          yield* writer.submit(operation.tenantId, expeditePayout({ payout, transaction, request }))
        })

        /** Takes from an address what it was given for its sweep, as soon as it has it, and gives it back when the worker is dead. */
        const robbed = Effect.gen(function* () {
          const address = yield* deposit
          let taken = 0n
          const rob = Effect.gen(function* () {
            const balance = yield* faucet.balance(address)
            if (balance === 0n) return
            yield* faucet.rpc("anvil_setBalance", [address, "0x0"])
            taken += balance
          })
          yield* Effect.addFinalizer(() =>
            Effect.orDie(faucet.rpc("anvil_setBalance", [address, `0x${taken.toString(16)}`]))
          )
          yield* Effect.forkScoped(Effect.repeat(rob, Schedule.spaced("10 millis")))
        })

        let channels = 0
        const provoke = (name: Place): Effect.Effect<unknown, unknown, Layer.Success<typeof ports> | Scope.Scope> => {
          switch (name) {
            case "payout.deferred":
              return Effect.andThen(refuseToTheEnd("eth_getBalance"), pay.ether)
            case "payout.failed":
              return pay.blocked
            case "transaction.released":
              return pay.refusing
            case "transaction.delayed":
              return Effect.andThen(refuseToTheEnd("eth_getTransactionReceipt"), pay.ether)
            case "broadcast.after":
            case "broadcast.stored":
              return Effect.andThen(
                faults.inject({ kind: "lost_reply", times: 1, method: "eth_sendRawTransaction" }),
                pay.dollars
              )
            case "payouts.planned":
              return pay.bitcoin
            case "rebroadcast.before":
            case "rebroadcast.after":
            case "rebroadcast.stored":
              return asking("REBROADCAST")
            case "replacement.built":
            case "replacement.signed":
            case "replacement.stored":
              return asking("BUMP")
            case "provisioning.read":
            case "provisioning.planned":
            case "provisioning.reserved":
            case "provisioning.recorded":
              return addChannel(payers.stellar.id, seedOf(payers.stellar.wallet), "stellar", ++channels)
            case "sweep.abandoned":
              return robbed
            default:
              return name.startsWith("sweep.") ? deposit : pay.dollars
          }
        }

        yield* signerOf(env)
        const first = yield* startWorker(env, undefined)
        // what is paid before its network is read from a block on would not be seen
        yield* says(first, "watch.cursor_started")
        yield* fund
        assert.strictEqual(yield* first.kill("SIGKILL"), 137)

        let worker = yield* startWorker(env, all[0])
        for (const [index, name] of all.entries()) {
          // of two that wait either may be elected: the next is started when this one was, or is dead already
          yield* Effect.ignore(says(worker, "sender.started"))
          const next = yield* startWorker(env, all[index + 1])
          // what is left from before may kill it before anything more is asked for
          const met = Effect.raceFirst(Effect.andThen(provoke(name), Effect.never), worker.ended)
          const code = yield* Effect.timeoutOrElse(Effect.scoped(met), {
            duration: patience,
            orElse: () =>
              Effect.flatMap(worker.output, (said) => Effect.die(new Error(`${name} was not met:\n${said}`)))
          })
          assert.strictEqual(code, 137, name)
          yield* mine(true)
          worker = next
        }

        yield* until(
          "everything is over",
          Effect.forEach(asked, ({ operation }) => queries.operation(operation.tenantId, operation.id), {
            concurrency: 8
          }),
          (operations) => operations.every((one) => one !== undefined && isOver(one.status))
        )
        yield* until("everything is swept", queries.records(payers.ethereum.id, Sweep), (sweeps) => {
          const swept = new Set(sweeps.flatMap(({ address, state }) => (state === "SWEPT" ? [address] : [])))
          return swept.size === deposited.size && sweeps.every(({ closedAt }) => closedAt !== null)
        })
        for (const [n, { ends, operation, received, units }] of asked.entries()) {
          const now = yield* queries.operation(operation.tenantId, operation.id)
          assert.deepInclude(now, { status: ends, unresolved: false }, `payout ${n}`)
          assert.strictEqual(yield* received, units, `payout ${n}`)
        }
        const swept = yield* queries.records(payers.ethereum.id, Sweep)
        const held = [
          ["ethereum", "ETH"],
          ["ethereum", "USDT_ETH"],
          ["bitcoin", "BTC"],
          ["stellar", "XLM"]
        ] as const
        for (const [network, currency] of held) {
          const { id } = payers[network]
          const wallets = yield* queries.records(id, PayoutWallet, network)
          const booked = yield* (yield* LedgerSnapshot).snapshot(id, ({ balances }) =>
            Effect.succeed((account: Account) =>
              balances.find((one) => one.account === account && one.currency === currency)
            )
          )
          const inWallets = yield* heldBy(
            network,
            currency,
            wallets.map(({ address }) => address)
          )
          assert.strictEqual(booked(`chain:${network}:payouts`)?.units, inWallets, `${currency} in wallets`)
          if (network !== "ethereum") continue
          const onAddresses = yield* heldBy(network, currency, [...new Set(swept.map(({ address }) => address))])
          assert.strictEqual(booked("chain:ethereum:deposits")?.units ?? 0n, onAddresses, `${currency} on addresses`)
        }
        // every number was used, and none twice
        const { address } = payers.ethereum.wallet
        const [paying] = yield* queries.records(payers.ethereum.id, PayoutWallet, "ethereum")
        const used = BigInt(yield* faucet.rpc<string>("eth_getTransactionCount", [address, "latest"]))
        assert.deepInclude(paying, { nextSequence: used, openTransactions: 0 })
        for (const { id } of Object.values(payers)) {
          const results = yield* (yield* LedgerSnapshot).snapshot(id, checkTenant)
          for (const { firstWrong, invariant } of results) assert.isNull(firstWrong, invariant)
        }
        yield* untilNoDifference
      }).pipe(Effect.provide(ports))
    }).pipe(Effect.scoped),
  600_000
)
