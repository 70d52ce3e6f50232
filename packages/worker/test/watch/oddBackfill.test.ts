import { Backfill } from "@bursar/core/address/DepositAddress"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { addressItem, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { writing } from "@bursar/testkit/fixtures/commands"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { begin, caughtUp, depositsOf, ethereum, oneProcess, ticks, watching } from "./world.ts"

for (const addresses of [[], 7])
  it.effect(`the past is read for a tenant, whatever the job of another says: ${JSON.stringify(addresses)}`, () =>
    Effect.gen(function* () {
      yield* begin
      const chain = ethereum()
      const address = newEvmAddress()
      for (let number = 1; number <= 60; number++) chain.mine([transferTo(address, 1n)])
      const [{ id }, { id: other }] = [yield* newTenant(), yield* newTenant()]
      yield* Effect.forkScoped(watching(chain))
      yield* caughtUp(chain)
      yield* TestClock.setTime(chain.latest().time)
      const { submit } = yield* Writer
      yield* submit(
        other,
        writing((view) => [
          putRecord(Backfill, {
            ...{ id: view.newId(), tenantId: other, network: "ethereum", addresses: addresses as never },
            ...{ fromBlock: 50, fromTime: past, createdAt: view.now }
          })
        ])
      )
      yield* submit(id, registerAddresses([addressItem(address, { watchFrom: past })]))
      yield* ticks(200)
      assert.isAbove((yield* depositsOf(id)).length, 50)
      // and what comes now is read as ever
      chain.mine([transferTo(address, 5n)])
      yield* ticks(60)
      assert.isTrue((yield* depositsOf(id)).some(({ units }) => units === 5n))
    }).pipe(Effect.provide(oneProcess()))
  )
