import { EvmDevnet } from "@bursar/simulator-evm"
import type { DevnetError } from "@bursar/simulator-kit"
import { TestDatabase } from "@bursar/simulator-postgres"
import { postgresUrl } from "@bursar/simulator-postgres/testing/postgresUrl"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Ref, Schedule } from "effect"
import { formatUnits } from "viem"
import { bursar, patience } from "./support/bursar.ts"
import { type Answered, freshRequest, insist, type Request, sendRegistration } from "./support/load.ts"
import { lines, type Made, madeOf, makePayer, sumOf } from "./support/payer.ts"
import {
  allAddresses,
  allDeposits,
  allEvents,
  availableOf,
  openTenant,
  operatorOn,
  partnerOn,
  untilLetIn
} from "./support/tenant.ts"
import { until } from "./support/until.ts"
import { confirmations, environmentOf, serve, sqlOn, work } from "./support/world.ts"

const network = "bsc"
const rounds = 3
const clientsCount = 3
const blocksPerRound = 10
const transactionsPerBlock = 16
/** How many registrations there are in a round: few enough for what the keys may write in a minute. */
const registrationsPerRound = 120
/** How many of them are acknowledged before the server is killed. */
const registrationsBeforeKill = 40
/** How long a block's receipts take: the leader is still at the blocks of a round when it is killed. */
const receiptsMs = 1_000

/** A worker, and the moment at which it leads. */
const startWorker = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const process = yield* work(env)
  const led = yield* Deferred.make<void, DevnetError>()
  // the one that stands by leads once the other has been killed, however late that is
  yield* Effect.retry(process.says("watch.started"), { while: ({ code }) => code === "start_timeout" }).pipe(
    Effect.asVoid,
    Effect.exit,
    Effect.flatMap((exit) => Deferred.done(led, exit)),
    Effect.forkScoped
  )
  const leads = Deferred.await(led).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.flatMap(process.output, (output) => Effect.die(new Error(`it does not lead:\n${output}`)))
    })
  )
  return { process, leads }
})

type Worker = Effect.Success<ReturnType<typeof startWorker>>

/** Asks nearly without pause until the answer is as it should be: to strike in the middle of something. */
const closely = <A, E>(ask: Effect.Effect<A, E>, right: (answer: A) => boolean) =>
  Effect.repeat(ask, { until: right, schedule: Schedule.spaced("5 millis") }).pipe(Effect.timeout("2 minutes"))

const openFleet = Effect.gen(function* () {
  const [database, devnet] = yield* Effect.all([TestDatabase.makeEmpty(postgresUrl()), EvmDevnet.make({ network })], {
    concurrency: 2
  })
  const env = environmentOf(database.url, { [network]: devnet.rpcUrl })
  const migrated = yield* bursar(["migrate"], { env })
  assert.strictEqual(migrated.code, 0, migrated.stderr)
  const [server, one, other] = yield* Effect.all([serve(env), startWorker(env), startWorker(env)], { concurrency: 3 })
  // Half of the keys send, the other half repeat: each may write 120 times a minute.
  const tenant = yield* openTenant(yield* operatorOn(server.operatorUrl), "acme", 10)
  yield* untilLetIn(yield* partnerOn(server.partnerUrl, tenant.key))
  return { env, devnet, database, sql: yield* sqlOn(database.url), tenant, server, workers: [one, other] as const }
})

it.live(
  "whatever is killed, what was acknowledged stays, and every transfer is one deposit, credited once",
  () =>
    Effect.gen(function* () {
      const { database, devnet, env, server: firstServer, sql, tenant, workers } = yield* openFleet
      const { faucet, faults } = devnet
      const payer = yield* makePayer(devnet, "USDT_BSC")
      yield* faucet.setAutomine(false)
      const server = yield* Ref.make(firstServer)
      const acknowledged = new Map<Request, Answered>()
      const made: Array<Made> = []

      const send = (request: Request, keyIndex: number) =>
        Effect.flatMap(Ref.get(server), ({ partnerUrl }) =>
          sendRegistration(partnerUrl, tenant.keys[keyIndex] ?? "", network, request)
        )

      const acknowledgements = Effect.sync(() => acknowledged.size)
      let allowed = 20

      /** Registers without end, and repeats each request until it is acknowledged. */
      const registering = (client: number) =>
        Effect.gen(function* () {
          for (let index = client; ; index += clientsCount) {
            yield* closely(acknowledgements, (count) => count < allowed)
            const request = freshRequest(network, index)
            acknowledged.set(request, yield* insist(send(request, index % 5)))
          }
        })

      /** Pays what is registered in every way, in blocks that are full. */
      const payRound = Effect.gen(function* () {
        const addresses = [...acknowledged.keys()].flatMap((request) => request.addresses)
        const pick = (index: number) => addresses[(index * 7) % addresses.length] ?? "0x"
        for (let block = 0; block < blocksPerRound; block++) {
          for (let index = 0; index < transactionsPerBlock; index++) {
            const units = BigInt(1 + block * transactionsPerBlock + index) * 10n ** 15n
            const ways = [
              payer.native(pick(index), units),
              payer.token(pick(index + 1), units),
              payer.split([pick(index), pick(index + 2)], units)
            ]
            made.push(...(yield* ways[index % ways.length] ?? Effect.succeed([])))
          }
          yield* faucet.mine(1)
        }
      })

      const countOf = (status: string) =>
        Effect.map(sql<{ count: bigint }>`select count(*) from deposit where status like ${status}`, ([row]) =>
          Number(row?.count)
        )

      /** Lets the leader begin with the blocks of a round and kills it there; the standby takes over. */
      const killLeader = Effect.fnUntraced(function* (leader: Worker, standby: Worker) {
        const before = yield* countOf("%")
        // Blocks are read ahead and come in any order: a few that are held back for good could be the ones that all others wait for.
        yield* faults.inject({ kind: "delay", delay_ms: receiptsMs, times: 1_000_000, method: "eth_getBlockReceipts" })
        yield* closely(countOf("%"), (now) => now > before)
        assert.strictEqual(yield* leader.process.kill("SIGKILL"), 137)
        yield* faults.clear
        yield* standby.leads
        return [standby, yield* startWorker(env)] as const
      })

      /** Kills the server while requests are under way, and starts another. */
      const killServer = Effect.gen(function* () {
        const before = yield* acknowledgements
        yield* closely(acknowledgements, (now) => now >= before + registrationsBeforeKill)
        assert.strictEqual(yield* (yield* Ref.get(server)).kill("SIGKILL"), 137)
        yield* Ref.set(server, yield* serve(env))
      })

      const clients = yield* Effect.forEach(Array.from({ length: clientsCount }), (_, client) =>
        Effect.forkScoped(registering(client))
      )
      let [leader, standby] = yield* Effect.raceFirst(
        Effect.as(workers[0].leads, workers),
        Effect.as(workers[1].leads, [workers[1], workers[0]] as const)
      )
      yield* closely(acknowledgements, (count) => count > 10)
      for (let round = 0; round < rounds; round++) {
        allowed += registrationsPerRound
        const [next] = yield* Effect.all([killLeader(leader, standby), payRound, killServer], { concurrency: 3 })
        ;[leader, standby] = next
      }
      yield* Effect.forEach(clients, Fiber.interrupt)
      yield* faucet.mine(confirmations)
      yield* until("the confirmation of every deposit", countOf("CONFIRMED"), (count) => count >= made.length)

      const partner = yield* partnerOn((yield* Ref.get(server)).partnerUrl, tenant.key)
      assert.isAtLeast(acknowledged.size, rounds * registrationsBeforeKill)
      yield* Effect.forEach(
        [...acknowledged].map(([request, { text }], index) => ({ request, text, keyIndex: 5 + (index % 5) })),
        ({ keyIndex, request, text }) =>
          Effect.map(send(request, keyIndex), (again) =>
            assert.deepStrictEqual(again, { status: 200, replayed: true, text }, request.idempotencyKey)
          ),
        { concurrency: 8, discard: true }
      )
      const listed = new Set((yield* allAddresses(partner)).map(({ address }) => address.toLowerCase()))
      for (const { addresses } of acknowledged.keys())
        for (const address of addresses) assert.isTrue(listed.has(address))

      const deposits = yield* allDeposits(partner)
      assert.deepStrictEqual(lines(deposits.map(madeOf)), lines(made))
      assert.deepStrictEqual(new Set(deposits.map(({ status }) => status)), new Set(["CONFIRMED"]))
      for (const code of ["BNB", "USDT_BSC"]) {
        assert.strictEqual(yield* availableOf(partner, code), formatUnits(sumOf(made, code), 18), code)
      }
      const events = yield* allEvents(partner)
      assert.deepStrictEqual(
        events.map(({ id }) => id),
        events.map((_, index) => index + 1)
      )
      const told = Map.groupBy(events, ({ data }) => String(data["deposit_id"]))
      assert.strictEqual(told.size, deposits.length)
      for (const [id, ofDeposit] of told) {
        const kinds = ofDeposit.map(({ kind }) => kind)
        assert.deepStrictEqual(kinds, ["deposit.detected", "deposit.confirmed", "deposit.settled"], id)
      }
      const checked = yield* bursar(["check"], { env: { DATABASE_URL: database.url } })
      assert.strictEqual(checked.code, 0, checked.stdout)
      for (const process of [yield* Ref.get(server), leader.process, standby.process]) {
        assert.strictEqual(yield* process.kill("SIGTERM"), 0, yield* process.output)
      }
    }),
  300_000
)
