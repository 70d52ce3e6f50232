import { migrate } from "@bursar/postgres"
import { EvmDevnet } from "@bursar/simulator-evm"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { openDatabase } from "../soak/Database.ts"
import { openFleet } from "../soak/Fleet.ts"
import { ann, bob } from "../soak/operators.ts"
import { answerCalls } from "../soak/outside/answerCalls.ts"
import { makeOutside } from "../soak/outside/Outside.ts"
import { openTraders } from "../soak/traders/openTraders.ts"
import { localCurrencies } from "./support/localCurrencies.ts"
import { tempDir } from "./support/tempDir.ts"
import { operatorOn } from "./support/tenant.ts"
import { until } from "./support/until.ts"

const seed = 7

/** Long enough for an order that a death kept from being sent: the custodian denies it only once it could come no more. */
const patienceMs = 240_000

it.live(
  "what traders ask of real processes is right after deaths, and is refused once the custodian was ordered it again",
  () =>
    Effect.gen(function* () {
      const database = yield* openDatabase(yield* tempDir)
      const direct = yield* database.openWay
      yield* migrate({ url: Redacted.make(direct.url) })
      const devnet = yield* EvmDevnet.make({ network: "ethereum" })
      const outside = yield* makeOutside(seed, 1, localCurrencies)
      outside.faults.end()
      const outsideUrl = yield* answerCalls(outside)
      const {
        members,
        operatorUrl,
        partnerUrls: urls
      } = yield* openFleet(database, { rpcUrl: devnet.rpcUrl, outsideUrl })
      const office = {
        proposer: yield* operatorOn(operatorUrl, ann.token),
        verifier: yield* operatorOn(operatorUrl, bob.token)
      }
      const trading = yield* openTraders(outside, { count: 1, seed, office, urls, activities: ["WITHDRAWAL"] })
      const taken = (count: number) =>
        until("withdrawals", Effect.sync(trading.acknowledged), (acknowledged) => acknowledged >= count)
      yield* taken(2)
      yield* Effect.forEach(
        members.filter(({ role }) => role === "work"),
        ({ kill }) => kill,
        { concurrency: 2 }
      )
      yield* database.kill
      yield* taken(4)
      assert.deepStrictEqual(yield* trading.finish(patienceMs), [])

      const custodian = outside.exchange.reachedBy((_, answer) => answer)
      for (const { address, paid, reference } of outside.exchange.carriedOut.slice(0, 1)) {
        const again = { reference, sentAt: Date.now(), amount: paid, network: "ethereum", memo: null }
        yield* custodian.withdraw({ ...again, address: address ?? "" })
      }
      assert.match((yield* trading.finish(0)).join("\n"), /^WITHDRAWAL .* is SETTLED, and was carried out 2 times$/mu)
    }).pipe(Effect.scoped),
  480_000
)
