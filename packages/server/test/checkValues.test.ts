import { readValues } from "@bursar/core/grant/GrantDocument"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Networks } from "@bursar/core/port/Networks"
import { layerFakeNetworks } from "@bursar/testkit/fixtures/FakeNetwork"
import { testApprover } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { checkValues } from "../src/handlers/operator/grants/checkValues.ts"

/** Whether values may be proposed here. */
const isTaken = (kind: string, values: Readonly<Record<string, unknown>>) =>
  Effect.gen(function* () {
    const here = { currencies: defaultCurrencies, networks: yield* Networks }
    const checked = checkValues(here, Result.getOrThrow(readValues({ kind, values })))
    return Result.isSuccess(yield* Effect.result(checked))
  }).pipe(Effect.provide(layerFakeNetworks([])))

describe("values of a proposal", () => {
  it.effect("name a currency of a chain, where they limit what is paid of one", () =>
    Effect.gen(function* () {
      const limit = { per_payment: "1", per_hour: null, per_day: null }
      const taken = (currency: string, per_payment: string | null = "1") =>
        isTaken("currency_limit", { ...limit, currency, per_payment })
      assert.isTrue(yield* taken("USDC_ETH"))
      for (const currency of ["usdc_eth", "USDC-ETH", "EUR"]) assert.isFalse(yield* taken(currency), currency)
      // one that was granted before this was looked at can be lifted
      assert.isTrue(yield* taken("usdc_eth", null))
    })
  )

  it.effect("name kinds of grants that there are, where they say how many people one takes", () =>
    Effect.gen(function* () {
      const people = yield* Effect.forEach([1, 2, 3], (seed) => testApprover(`person-${seed}`, seed))
      const approvers = people.map(({ approver }) => approver)
      const taken = (kind: string) => isTaken("approvers", { approvers, quorum: "1", quorums: { [kind]: "3" } })
      assert.isTrue(yield* taken("destination"))
      for (const kind of ["destinations", "Destination", "toString"]) assert.isFalse(yield* taken(kind), kind)
    })
  )
})
