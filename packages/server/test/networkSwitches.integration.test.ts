import { fleetTenantId } from "@bursar/core/grant/Grant"
import { NetworkSwitch } from "@bursar/core/port/NetworkSwitches"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"
import { stored } from "./support/stored.ts"
import { hashToken } from "../src/keys/operatorTokens.ts"

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const operators = [
  { name: "otto", role: "operator" as const, tokenHash: hashToken(tokenOf("otto")), expiresAt: null },
  { name: "anna", role: "approver" as const, tokenHash: hashToken(tokenOf("anna")), expiresAt: null }
]

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layerWith({ operators, payoutsOff: ["bsc"] })))

const setUp = Effect.gen(function* () {
  const { ask, seeder, operate, state } = yield* Operator
  const tenant = yield* seeder.tenant()
  const key = yield* seeder.key(tenant)
  const as = (name: string, path: string, body?: unknown) =>
    operate("POST", `/operator/v1/networks/${path}`, { key: tokenOf(name), ...(body === undefined ? {} : { body }) })
  const listed = (network: string) =>
    Effect.map(operate("GET", "/operator/v1/networks", { key: tokenOf("otto") }), ({ body }) =>
      body.networks.find((one: { readonly network: string }) => one.network === network)
    )
  /** What a partner is told: why a payout could not be made, and whether the currency is paid out at all. */
  const told = Effect.gen(function* () {
    const estimate = yield* ask("GET", "/v1/chain-payouts/estimate?network=ethereum&currency=ETH&amount=1", { key })
    const { currencies } = (yield* ask("GET", "/v1/currencies", { key })).body
    const listing = currencies.find(({ code }: { readonly code: string }) => code === "ETH")
    return [estimate.body.payouts_disabled_reason, listing.payable_out]
  })
  return { as, listed, state, told }
})

test(
  "an operator stops payouts on a network for everybody, at once; an approver lets them go on",
  Effect.gen(function* () {
    const { as, listed, told } = yield* setUp
    const [, payable] = yield* told
    assert.isTrue(payable)
    const on = { payouts_enabled: true, payouts_off_reason: null }
    assert.deepInclude(yield* listed("ethereum"), { ...on, payouts_switched_by: null, payouts_switched_at: null })
    const stopped = yield* as("otto", "ethereum/stop-payouts", { reason: "the node is doubted" })
    const off = { payouts_enabled: false, payouts_off_reason: "the node is doubted", payouts_switched_by: "otto" }
    assert.strictEqual(stopped.status, 200)
    assert.deepInclude(stopped.body, { network: "ethereum", ...off })
    assert.deepStrictEqual(yield* listed("ethereum"), stopped.body)
    assert.deepInclude(yield* listed("base"), on)
    // the partner is not told what operators think of the node
    assert.deepStrictEqual(yield* told, ["Chain payouts on ethereum are switched off.", false])
    assert.deepStrictEqual(codeOf(yield* as("otto", "ethereum/resume-payouts")), [403, "scope_missing"])
    assert.deepInclude(yield* listed("ethereum"), off)
    const resumed = yield* as("anna", "ethereum/resume-payouts")
    assert.deepInclude(resumed.body, { ...on, payouts_switched_by: "anna" })
    assert.deepStrictEqual((yield* told)[1], true)
  })
)

test(
  "who names the stop that they end ends no other one",
  Effect.gen(function* () {
    const { as, listed } = yield* setUp
    const first = yield* as("otto", "ethereum/stop-payouts", { reason: "maintenance until noon" })
    const second = yield* as("anna", "ethereum/stop-payouts", { reason: "the key is stolen" })
    const resume = ({ body }: Answer) => {
      const at: string = body.payouts_switched_at
      return as("anna", `ethereum/resume-payouts?stopped_at=${encodeURIComponent(at)}`)
    }
    const refused = yield* resume(first)
    assert.deepStrictEqual(codeOf(refused), [409, "state_conflict"])
    assert.include(refused.body.error.message, "the key is stolen")
    assert.deepStrictEqual(yield* listed("ethereum"), second.body)
    assert.isTrue((yield* resume(second)).body.payouts_enabled)
    // what has ended already ends once more
    assert.isTrue((yield* resume(second)).body.payouts_enabled)
  })
)

test(
  "what the configuration has switched off stays so, and a stop without a reason or a network changes nothing",
  Effect.gen(function* () {
    const { as, listed, state } = yield* setUp
    const configured = { payouts_enabled: false, payouts_off_reason: "PAYOUTS_OFF has it in the configuration." }
    assert.deepInclude(yield* listed("bsc"), { ...configured, payouts_switched_by: null })
    assert.deepStrictEqual(codeOf(yield* as("anna", "bsc/resume-payouts")), [409, "state_conflict"])
    for (const [path, body] of [
      ["ethereum/stop-payouts", {}],
      ["ethereum/stop-payouts", { reason: "" }],
      ["ethereum/stop-payouts", { reason: "r", until: "tomorrow" }],
      ["dogecoin/stop-payouts", { reason: "r" }]
    ] as const) {
      assert.include([404, 422], (yield* as("otto", path, body)).status, `${path} ${JSON.stringify(body)}`)
    }
    assert.strictEqual(stored(state, fleetTenantId, NetworkSwitch).size, 0)
  })
)
