import { seeded } from "@bursar/testkit/fixtures/seeded"
import { EvmDevnet } from "@bursar/simulator-evm"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, Effect, Fiber, Option, Redacted } from "effect"
import { migrate } from "@bursar/postgres"
import { parseArgs } from "node:util"
import { parseUnits } from "viem"
import { bursar } from "../test/support/bursar.ts"
import { freshRequest, insist, sendRegistration } from "../test/support/load.ts"
import { type Made, makePayer } from "../test/support/payer.ts"
import { localCurrencies } from "../test/support/localCurrencies.ts"
import { tempDir } from "../test/support/tempDir.ts"
import { allDeposits, availableOf, operatorOn, partnerOn, untilLetIn } from "../test/support/tenant.ts"
import { until } from "../test/support/until.ts"
import { confirmations } from "../test/support/world.ts"
import { openDatabase } from "./Database.ts"
import { databaseDies, type Fault, faultsOf } from "./faults.ts"
import { openFleet } from "./Fleet.ts"
import { judge } from "./judge.ts"
import { judgeReconciliation } from "./judgeReconciliation.ts"
import { ann, bob } from "./operators.ts"
import { answerCalls } from "./outside/answerCalls.ts"
import { makeOutside } from "./outside/Outside.ts"
import { openTraders } from "./traders/openTraders.ts"
import { currency, decimals, openPartner } from "./Partner.ts"
import { type Asked, insistOn, newPayout } from "./payouts.ts"
import type { Reading } from "./readings.ts"

const usage = `Usage: npm run soak -- [--kills <how often PostgreSQL dies>] [--faults <how many others>] [--clients <count>] [--traders <count>] [--seed <seed>] [--only <part of a fault's name>]`

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    faults: { type: "string", default: "100" },
    clients: { type: "string", default: "4" },
    traders: { type: "string", default: "2" },
    seed: { type: "string", default: "424242" },
    only: { type: "string", default: "" }
  }
})

const whole = (name: Exclude<keyof typeof values, "only">): number => {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value >= 0) return value
  process.stderr.write(`--${name} is a whole number.\n${usage}\n`)
  process.exit(64)
}

const options = {
  kills: whole("kills"),
  faults: whole("faults"),
  clients: whole("clients"),
  traders: whole("traders"),
  seed: whole("seed")
}

const network = "ethereum"

/** After a fault, the next payout is acknowledged within this; the process that was killed listens by then. */
const recoveryMsMax = 5_000

/** What was asked for is over within this, once nothing goes wrong any more: a provider that never had an order says so after a while. */
const endPatienceMs = 600_000

const soak = Effect.gen(function* () {
  const below = seeded(options.seed)
  const database = yield* openDatabase(yield* tempDir)
  const direct = yield* database.openWay
  yield* migrate({ url: Redacted.make(direct.url) })
  const devnet = yield* EvmDevnet.make({ network, slotsInEpoch: 1 })
  const { faucet } = devnet
  yield* Effect.andThen(faucet.setAutomine(false), faucet.rpc("evm_setIntervalMining", [1]))
  const outside = yield* makeOutside(options.seed, options.traders, localCurrencies)
  const outsideUrl = yield* answerCalls(outside)
  const { members, operatorUrl, partnerUrls } = yield* openFleet(database, { rpcUrl: devnet.rpcUrl, outsideUrl })
  const [url] = partnerUrls
  const operator = yield* operatorOn(operatorUrl, ann.token)
  const partner = yield* openPartner(operator, devnet)
  const client = yield* partnerOn(url, partner.readKey)
  yield* untilLetIn(client)
  const opening = yield* availableOf(client, currency)
  const payer = yield* makePayer(devnet, currency)

  const office = { proposer: operator, verifier: yield* operatorOn(operatorUrl, bob.token) }
  const traders = yield* openTraders(outside, {
    office,
    count: options.traders,
    seed: options.seed,
    urls: partnerUrls
  })

  const asked: Array<Asked> = []
  const acknowledged = (one: Asked) => one.answer !== undefined
  const paying = Effect.gen(function* () {
    for (;;) {
      const one = newPayout(asked.length, partner.keys.length, yield* Clock.currentTimeMillis)
      asked.push(one)
      yield* insistOn(partner, partnerUrls, one)
      // an answer is the same whenever it is asked for again
      if (below(4) === 0) yield* insistOn(partner, partnerUrls, one)
    }
  })
  const made: Array<Made> = []
  const receiving = Effect.gen(function* () {
    for (let index = 0; ; index++) {
      const request = freshRequest(network, index)
      yield* insist(sendRegistration(partnerUrls[index % partnerUrls.length] ?? "", partner.readKey, network, request))
      const [address = "0x"] = request.addresses
      made.push(...(yield* payer.native(address, 1_000_000_000n + BigInt(index))))
      yield* Effect.sleep("1 second")
    }
  })
  const readings: Array<Reading> = []
  const reading = Effect.gen(function* () {
    const clients = yield* Effect.forEach(partnerUrls, (each) => partnerOn(each, partner.readKey))
    for (let index = 0; ; index++) {
      const from = yield* Clock.currentTimeMillis
      const read = yield* Effect.option(availableOf(clients[index % clients.length] ?? client, currency))
      const to = yield* Clock.currentTimeMillis
      if (Option.isSome(read)) readings.push({ from, to, available: parseUnits(read.value, decimals) })
      yield* Effect.sleep("600 millis")
    }
  })
  const clients = yield* Effect.forEach(
    [receiving, reading, ...Array.from({ length: options.clients }, () => paying)],
    (one) => Effect.forkScoped(one)
  )

  /** Milliseconds until a payout that was asked for afterwards is acknowledged. */
  const recovery = Effect.gen(function* () {
    const after = yield* Clock.currentTimeMillis
    yield* Effect.repeat(Effect.sleep("20 millis"), {
      until: () => asked.some((one) => one.since >= after && acknowledged(one))
    })
    return (yield* Clock.currentTimeMillis) - after
  })
  const others = faultsOf(database, members).filter(({ name }) => name.includes(values.only))
  const recoveries = new Map<string, Array<number>>()
  const left = { kills: options.kills, faults: options.faults }
  while (left.kills + left.faults > 0) {
    const dies = below(left.kills + left.faults) < left.kills
    const fault: Fault | undefined = dies ? databaseDies(database) : others[below(others.length)]
    if (fault === undefined) break
    left[dies ? "kills" : "faults"] -= 1
    yield* Effect.sleep(below(1_000))
    const begun = yield* Clock.currentTimeMillis
    yield* fault.happen
    const over = (yield* Clock.currentTimeMillis) - begun
    const took = yield* recovery
    recoveries.set(fault.name, [...(recoveries.get(fault.name) ?? []), took])
    const count = asked.filter(acknowledged).length
    yield* Console.log(`${fault.name}, for ${over} ms; the next payout was taken ${took} ms later (${count} taken)`)
  }

  yield* Effect.forEach(clients, Fiber.interrupt)
  yield* Effect.forEach(
    asked.filter((one) => !acknowledged(one)),
    (one) => insistOn(partner, partnerUrls, one)
  )
  yield* faucet.mine(confirmations)
  yield* until(
    "the end of every payout and deposit",
    Effect.all({ deposits: allDeposits(client), float: client.register.float() }),
    ({ deposits, float }) =>
      deposits.length >= made.length &&
      deposits.every(({ status }) => status === "CONFIRMED") &&
      float.currencies.every(({ held }) => Number(held.amount) === 0),
    endPatienceMs
  )
  const wrong = yield* judge({ partner, client, url, devnet, asked, made, opening, readings })
  wrong.push(...(yield* traders.finish(endPatienceMs)))
  wrong.push(...(yield* judgeReconciliation(operator)))
  const checked = yield* bursar(["check"], { env: { DATABASE_URL: direct.url } })
  if (checked.code !== 0) wrong.push(checked.stdout)

  for (const [name, times] of recoveries) {
    const late = times.filter((took) => took > recoveryMsMax).length
    if (late > 0) wrong.push(`${name}: ${late} of ${times.length} recoveries took more than ${recoveryMsMax} ms`)
    yield* Console.log(`${name}: ${times.length} times, the next payout after ${Math.max(...times)} ms at most`)
  }
  for (const line of [...traders.summary(), ...wrong]) yield* Console.log(line)
  const longest = Math.max(0, ...[...recoveries.values()].flat())
  yield* Console.log(
    `${asked.length} payouts, ${made.length} deposits and ${traders.acknowledged()} orders at custodian and bank acknowledged, ${readings.length} balances read, through ${options.kills} deaths of PostgreSQL and ${options.faults} other faults: ` +
      `${wrong.length} wrong, the longest recovery ${longest} ms`
  )
  return wrong.length
}).pipe(Effect.scoped)

NodeRuntime.runMain(Effect.tap(soak, (wrong) => Effect.sync(() => void (process.exitCode = wrong === 0 ? 0 : 1))))
