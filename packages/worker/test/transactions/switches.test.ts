import { payoutPhase } from "@bursar/testkit/fixtures/payoutPhase"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { Network } from "@bursar/core/money/Network"
import { switchNetwork } from "@bursar/core/payout/switchNetwork"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { emptyState } from "@bursar/memory"
import { fakeNetwork } from "../fakeNetwork.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { sendNetwork } from "../../src/sender/sendNetwork.ts"
import { allOver, ledgerHolds, mineUntil, pay, payer, processOver, quick, sending, submit, tick } from "./world.ts"
import { Payout } from "@bursar/core/payout/Payout"

const network = "ethereum"

const accountState = Effect.fnUntraced(function* (tenantId: TenantId, { id }: Operation) {
  const payout = yield* (yield* Queries).record(tenantId, Payout, id)
  return [yield* payoutPhase(tenantId, id), payout?.waits?.reason, payout?.waits?.detail]
})

/** What stops a tenant's payouts, what lets them go on, and what is said meanwhile. */
const switches = [
  [
    "the tenant's payouts are off",
    setTenantPolicy({ payoutsEnabled: false }),
    setTenantPolicy({ payoutsEnabled: true }),
    "switched_off",
    "Chain payouts are off for the tenant."
  ],
  [
    "they are off on the network",
    setTenantPolicy({ payoutsOffOn: ["tron", network] }),
    setTenantPolicy({ payoutsOffOn: ["tron"] }),
    "switched_off",
    "Chain payouts on ethereum are off for the tenant."
  ],
  [
    "the tenant is suspended",
    setTenantStatus("SUSPENDED"),
    setTenantStatus("ACTIVE"),
    "tenant_not_active",
    "The tenant is SUSPENDED."
  ]
] as const

describe("payouts that wait", () => {
  for (const [what, off, on, reason, detail] of switches) {
    it.effect(`are not sent while ${what}; what was sent goes on to its end, and they go on afterwards`, () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id, wallet } = yield* payer(network, fake)
        yield* Effect.forkScoped(sending(fake))
        const sent = yield* pay(id, network, 1)
        for (let n = 0; n < 3; n++) yield* tick
        const waiting = yield* pay(id, network, 2)
        yield* submit(id, off)
        for (let n = 0; n < 5; n++) yield* tick
        assert.deepStrictEqual(yield* accountState(id, waiting), ["HELD", reason, detail])
        // who decided before it was switched off comes too late
        const guard = { _tag: "Next", account: wallet, first: null } as const
        const payout = yield* (yield* Queries).record(id, Payout, waiting.id)
        if (payout === undefined) return assert.fail("there is no payout")
        assert.isNull(
          yield* submit(id, reservePayouts({ wallet, payouts: [payout], guard }, defaultCurrencies.networks))
        )
        yield* mineUntil(fake, "what was sent is over", allOver(id, [sent]))
        assert.deepStrictEqual(yield* accountState(id, waiting), ["HELD", reason, detail])
        assert.strictEqual(fake.signed(), 1)
        yield* submit(id, on)
        yield* mineUntil(fake, "the other is over", allOver(id, [waiting]))
        assert.strictEqual((yield* (yield* Queries).operation(id, waiting.id))?.status, "SETTLED")
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  for (const configured of [false, true]) {
    const who = configured ? "the configuration" : "an operator"
    it.effect(`are not sent while ${who} has switched the network off for everybody`, () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer(network, fake)
        const switched = (name: Network, reason: string | null) =>
          submit(fleetTenantId, switchNetwork(name, reason, "alice"))
        if (!configured) yield* switched(network, "the node is doubted")
        yield* switched("tron", "another")
        const options = { sender: fake.sender, currencies: defaultCurrencies, limits: quick }
        const stopped = yield* Effect.forkScoped(
          sendNetwork({ ...options, payoutsOff: configured ? [network] : ["bitcoin"] })
        )
        const waiting = yield* pay(id, network, 1)
        for (let n = 0; n < 5; n++) yield* tick
        const detail = "Chain payouts on ethereum are switched off."
        assert.deepStrictEqual(yield* accountState(id, waiting), ["HELD", "switched_off", detail])
        if (configured) {
          yield* Fiber.interrupt(stopped)
          yield* Effect.forkScoped(sendNetwork(options))
        } else yield* switched(network, null)
        yield* mineUntil(fake, "it is over", allOver(id, [waiting]))
        assert.strictEqual((yield* (yield* Queries).operation(id, waiting.id))?.status, "SETTLED")
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})
