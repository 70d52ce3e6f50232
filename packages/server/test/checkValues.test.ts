import type { ApproverSet } from "@bursar/core/grant/ApproverSet"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { directionOf } from "@bursar/core/grant/direction"
import { readValues } from "@bursar/core/grant/GrantDocument"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Networks } from "@bursar/core/port/Networks"
import { layerFakeNetworks } from "@bursar/testkit/fixtures/FakeNetwork"
import { testApprover } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { checkValues, type Standing } from "../src/handlers/operator/grants/checkValues.ts"

/** Whether values may be proposed here, after what stands. */
const isTaken = (kind: string, values: Readonly<Record<string, unknown>>, before?: Standing) =>
  Effect.gen(function* () {
    const isPlace = (name: string) => Effect.succeed(name === "custodian:kraken")
    const here = { currencies: defaultCurrencies, networks: yield* Networks, isPlace }
    const checked = checkValues(here, Result.getOrThrow(readValues({ kind, values })), before)
    return Result.isSuccess(yield* Effect.result(checked))
  }).pipe(Effect.provide(layerFakeNetworks([])))

describe("values of a proposal", () => {
  it.effect("hold nothing that approvers cannot see or tell from a space, but what a review repeats", () =>
    Effect.gen(function* () {
      const suspended = (reason: string) => isTaken("suspension", { suspended: true, reason })
      const review = {
        operation_id: "019845e1-682f-4b02-a706-3b2422d13aec",
        product: "BANK_TRANSFER",
        units: "1",
        currency: "EUR"
      }
      assert.isTrue(yield* suspended("Zwölf Boxkämpfer, علی, 山田 太郎, 𐌰"))
      for (const sign of "\u3164\u115f\u1160\uffa0\u034f\ufe0f\u2800\u180b\u17b4\u{e0100}\u00a0\u2003\u3000\u{1d159}\u{13441}\u{13442}") {
        assert.isFalse(yield* suspended(`123${sign}`), sign.codePointAt(0)?.toString(16))
        const receiver = { holderName: `a${sign}b` }
        assert.isTrue(yield* isTaken("review", { ...review, network: null, provider: "bank", receiver, terms: {} }))
      }
    })
  )

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

  it.effect(
    "stop what there is: a stop of a name of no place would stop nothing, and what was stopped can be resumed",
    () =>
      Effect.gen(function* () {
        const taken = (network: string, stopped: boolean) =>
          isTaken("network", { network, stopped, reason: "A theft." })
        for (const place of ["tron", "custodian:kraken"])
          for (const stopped of [true, false]) assert.isTrue(yield* taken(place, stopped), place)
        for (const place of ["custodian:krakn", "bank:kraken"]) assert.isFalse(yield* taken(place, true), place)
        assert.isTrue(yield* taken("custodian:krakn", false))
        for (const stopped of [true, false]) assert.isFalse(yield* taken("trn", stopped))
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

  it.effect("say of approvers what stands, so that one person takes a stolen key away as it is written there", () =>
    Effect.gen(function* () {
      const people = yield* Effect.forEach([1, 2, 3], (seed) => testApprover(`person-${seed}`, seed))
      const [one, ...others] = people.map(({ approver }) => approver)
      assert.isDefined(one)
      const [second, stolen] = others
      assert.isDefined(second)
      assert.isDefined(stolen)
      const named = (name: string) => ({ ...one, name })
      const set = (approvers: ApproverSet["approvers"], quorums: ApproverSet["quorums"]): ApproverSet => ({
        approvers,
        quorum: "2",
        quorums
      })
      const ours = named("山田\u3000太郎")
      const before = set([ours, second, stolen], { destinations: "2" })
      const removed = set([ours, second], { destinations: "2" })
      // written any other way, it takes the full quorum
      assert.strictEqual(directionOf("approvers", before, removed), "lowers")
      assert.isTrue(yield* isTaken("approvers", removed, { approvers: before }))
      for (const wrong of [
        set([named("山田\u00a0太郎"), second], removed.quorums),
        set([ours, { ...second, name: ours.name }], removed.quorums),
        set(removed.approvers, { destinations: "1" }),
        set(removed.approvers, { ...removed.quorums, Destination: "2" })
      ])
        assert.isFalse(yield* isTaken("approvers", wrong, { approvers: before }), JSON.stringify(wrong))
    })
  )

  it.effect("say of a policy no number that nobody could set, but one that stands", () =>
    Effect.gen(function* () {
      const policy = policyValues({ kind: "LIVE", policy: defaultPolicy })
      const taken = (more: object, before?: Standing) => isTaken("policy", { ...policy, ...more }, before)
      for (const [name, right, wrong] of [
        ["ceiling_per_minute", ["1", "1000000", null], ["0", "1000001"]],
        ["destination_cooling_hours", ["0", "720"], ["721", "999999999999999"]],
        ["slippage_bps", ["0", "10000"], ["10001"]]
      ] as const) {
        for (const one of right) assert.isTrue(yield* taken({ [name]: one }), `${name} ${one}`)
        for (const one of wrong) assert.isFalse(yield* taken({ [name]: one }), `${name} ${one}`)
      }
      const standing = { policy: { ...policy, destination_cooling_hours: "1000" } }
      const lowered = { destination_cooling_hours: "1000", payouts_enabled: false }
      assert.isTrue(yield* taken(lowered, standing))
      assert.isFalse(yield* taken({ ...lowered, destination_cooling_hours: "1001" }, standing))
    })
  )
})
