import { type Direction, directionOf, raisedPolicy, saferPolicy } from "@bursar/core/grant/direction"
import type { GrantValues } from "@bursar/core/grant/GrantDocument"
import { type PolicyValues, policyValues } from "@bursar/core/grant/PolicyValues"
import { addressOrigins, defaultPolicy, signedProducts } from "@bursar/core/tenant/Tenant"
import { testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"

const policy = policyValues({ kind: "SANDBOX", policy: defaultPolicy })

type Sided = Omit<PolicyValues, "environment">

/** Of each value of a policy, a safer one and one that is less safe. */
const sides: { readonly [F in keyof Sided]: readonly [safer: Sided[F], riskier: Sided[F]] } = {
  ip_allowlist: [["10.0.0.1"], null],
  ceiling_per_minute: ["60", null],
  credit_origins: [["ISSUED"], ["ISSUED", "DERIVED"]],
  credit_historical: [false, true],
  address_proof_required: [true, false],
  signatures_required: [["transfers", "xpubs"], ["transfers"]],
  hold_on_issuance: [true, false],
  hold_on_import: [true, false],
  hold_on_arrival: [true, false],
  withdrawals_enabled: [false, true],
  withdrawal_limit_usd: ["99.5", "100"],
  withdrawal_window_hours: ["48", "24"],
  withdrawal_review_usd: ["0", null],
  destination_cooling_hours: ["48", "9"],
  slippage_bps: ["9", "10"],
  payouts_enabled: [false, true],
  payouts_off_on: [["base", "bsc"], ["bsc"]],
  payout_limit_usd: ["9999", "10000"],
  payout_daily_limit_usd: ["0.5", "0.51"],
  payout_new_address_limit_usd: ["1", null],
  payout_review_usd: ["1", "2"],
  payout_minimums: [{ BTC: "0.01" }, { BTC: "0.001" }],
  adjustment_review_usd: ["1", null]
}

const fields = Object.keys(sides) as ReadonlyArray<keyof Sided>

const mixed = (choice: ReadonlyArray<boolean>): PolicyValues => ({
  ...policy,
  ...Object.fromEntries(fields.map((field, at) => [field, sides[field][choice[at] === true ? 1 : 0]]))
})

describe("a policy", () => {
  for (const field of fields)
    it(`${field} has a safer side`, () => {
      const [safer, riskier] = sides[field].map((value) => ({ ...policy, [field]: value }))
      assert.strictEqual(directionOf("policy", riskier, safer!), "lowers")
      assert.strictEqual(directionOf("policy", safer, riskier!), "raises")
      assert.strictEqual(directionOf("policy", safer, safer!), "changes_nothing")
    })

  it("that raises anything raises, whatever else it lowers", () => {
    const choice = fc.array(fc.boolean(), { minLength: fields.length, maxLength: fields.length })
    fc.assert(
      fc.property(choice, choice, (from, to) => {
        const expected: Direction = fields.some((_, at) => from[at] === false && to[at] === true)
          ? "raises"
          : fields.some((_, at) => from[at] !== to[at])
            ? "lowers"
            : "changes_nothing"
        assert.strictEqual(directionOf("policy", mixed(from), mixed(to)), expected)
      })
    )
  })

  it("that is the first one raises, however small", () => {
    assert.strictEqual(directionOf("policy", undefined, mixed(fields.map(() => false))), "raises")
  })

  it("of another environment raises, and so does one that names none", () => {
    const { environment: _, ...nowhere } = policy
    for (const [from, to] of [
      [policy, { ...policy, environment: "LIVE" as const }],
      [policy, nowhere],
      [nowhere, policy]
    ] as const)
      assert.strictEqual(directionOf("policy", from, to), "raises")
  })

  it("with other addresses in place of some raises", () => {
    const from = { ...policy, ip_allowlist: ["10.0.0.1", "10.0.0.2"] }
    assert.strictEqual(directionOf("policy", from, { ...policy, ip_allowlist: ["10.0.0.3"] }), "raises")
  })

  it("with a minimum more or less raises: without one the currency has its own, which may be greater or smaller", () => {
    const own = { ...policy, payout_minimums: { BTC: "0" } }
    assert.strictEqual(directionOf("policy", { ...policy, payout_minimums: {} }, own), "raises")
    assert.strictEqual(directionOf("policy", own, { ...policy, payout_minimums: {} }), "raises")
  })

  it("compares decimals by their worth", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (one, other) => {
        const text = (n: number) => String(n / 1_000)
        const [from, to] = [one, other].map((n) => ({ ...policy, withdrawal_limit_usd: text(n) }))
        const expected = one === other ? "changes_nothing" : other < one ? "lowers" : "raises"
        assert.strictEqual(directionOf("policy", from, to!), expected)
      })
    )
  })
})

describe("a row after any policy", () => {
  const networks = ["base", "bsc", "tron"]
  const limits = fc.constantFrom(null, "5", "10", "15")
  const part = <A>(all: ReadonlyArray<A>) => fc.subarray([...all])
  const minimum = fc.constantFrom("1", "5", "9")
  const drawn: fc.Arbitrary<PolicyValues> = fc
    .record({
      ip_allowlist: fc.option(part(["10.0.0.1", "10.0.0.2", "10.0.0.3"])),
      credit_origins: part(addressOrigins),
      signatures_required: part(signedProducts),
      payouts_enabled: fc.boolean(),
      payouts_off_on: part(networks),
      payout_limit_usd: limits,
      payout_minimums: fc.dictionary(fc.constantFrom("BTC", "ETH", "TRX"), minimum)
    })
    .map((values) => ({ ...policy, ...values }))

  const isRaised = (from: PolicyValues, to: PolicyValues) => directionOf("policy", from, to) === "raises"

  it("is no riskier than the policy, whatever operators had lowered of its lists", () => {
    fc.assert(
      fc.property(drawn, drawn, drawn, (from, other, to) => {
        const row = saferPolicy(from, other)
        assert.isFalse(isRaised(from, row), "what operators may lower alone")
        const after = isRaised(from, to) ? raisedPolicy(row, { from, to }) : saferPolicy(to, row)
        assert.isFalse(isRaised(to, after), JSON.stringify({ from, row, to, after }))
      }),
      { numRuns: 1_000 }
    )
  })

  it("keeps of each list what either side lowered", () => {
    const agreed = {
      ...policy,
      ip_allowlist: ["10.0.0.1", "10.0.0.3"],
      credit_origins: ["ISSUED", "DERIVED"] as const,
      signatures_required: ["transfers"] as const,
      payouts_off_on: ["tron"],
      payout_minimums: { BTC: "1", ETH: "5" }
    }
    const row = {
      ...policy,
      ip_allowlist: ["10.0.0.1", "10.0.0.2"],
      credit_origins: ["DERIVED", "IMPORTED"] as const,
      signatures_required: ["xpubs"] as const,
      payouts_off_on: ["base"],
      payout_minimums: { BTC: "5", ETH: "1" }
    }
    assert.deepStrictEqual(saferPolicy(agreed, row), {
      ...policy,
      ip_allowlist: ["10.0.0.1"],
      credit_origins: ["DERIVED"],
      signatures_required: ["transfers", "xpubs"],
      payouts_off_on: ["tron", "base"],
      payout_minimums: { BTC: "5", ETH: "5" }
    })
  })
})

describe("a policy that raises something", () => {
  const choice = fc.array(fc.boolean(), { minLength: fields.length, maxLength: fields.length })

  it("brings what it raises, and else leaves of each value the safer one", () => {
    fc.assert(
      fc.property(choice, choice, choice, (one, other, lowered) => {
        const [from, to] = [mixed(one), mixed(other)]
        const row = saferPolicy(from, mixed(lowered))
        const after = raisedPolicy(row, { from, to })
        for (const field of fields) {
          const isRaised = directionOf("policy", from, { ...from, [field]: to[field] }) === "raises"
          assert.deepStrictEqual(after[field], isRaised ? to[field] : saferPolicy(to, row)[field], field)
        }
      })
    )
  })

  it("puts back no part of a list that was lowered: an address, a demand, a network that is off, a minimum", () => {
    const from = {
      ...policy,
      ip_allowlist: ["10.0.0.1", "10.0.0.2"],
      credit_origins: ["ISSUED", "DERIVED"] as const,
      signatures_required: ["transfers"] as const,
      payouts_off_on: ["tron"],
      payout_minimums: { BTC: "1", ETH: "1" }
    }
    const row = {
      ...from,
      ip_allowlist: ["10.0.0.1"],
      credit_origins: ["ISSUED"] as const,
      signatures_required: ["transfers", "xpubs"] as const,
      payouts_off_on: ["tron", "base"],
      payout_minimums: { BTC: "5", ETH: "5" }
    }
    const to = {
      ...from,
      ip_allowlist: ["10.0.0.1", "10.0.0.2", "10.0.0.3"],
      credit_origins: ["ISSUED", "DERIVED", "IMPORTED"] as const,
      signatures_required: [],
      payouts_off_on: [],
      payout_minimums: { BTC: "0.5", ETH: "1" }
    }
    assert.deepStrictEqual(raisedPolicy(row, { from, to }), {
      ...row,
      ip_allowlist: ["10.0.0.1", "10.0.0.3"],
      credit_origins: ["ISSUED", "IMPORTED"],
      signatures_required: ["xpubs"],
      payouts_off_on: ["base"],
      payout_minimums: { BTC: "0.5", ETH: "5" }
    })
  })
})

describe("stopping lowers and starting raises", () => {
  const network = (stopped: boolean): GrantValues<"network"> => ({ network: "base", stopped, reason: "" })
  const tenant = (suspended: boolean): GrantValues<"suspension"> => ({ suspended, reason: "" })

  it("a network", () => {
    assert.strictEqual(directionOf("network", undefined, network(true)), "lowers")
    assert.strictEqual(directionOf("network", network(true), network(false)), "raises")
    assert.strictEqual(directionOf("network", undefined, network(false)), "changes_nothing")
  })

  it("a tenant", () => {
    assert.strictEqual(directionOf("suspension", undefined, tenant(true)), "lowers")
    assert.strictEqual(directionOf("suspension", tenant(true), tenant(false)), "raises")
    assert.strictEqual(directionOf("suspension", undefined, tenant(false)), "changes_nothing")
  })
})

describe("approvers", () => {
  it.effect("taken away lower; added, renamed, exchanged, or with another quorum raise", () =>
    Effect.gen(function* () {
      const ann = yield* testApprover("ann", 1)
      const bob = yield* testApprover("bob", 2)
      const cleo = yield* testApprover("cleo", 3)
      const three = testRoot([ann, bob, cleo], 2)
      const to = (set: typeof three) => directionOf("approvers", three, set)
      assert.strictEqual(to(testRoot([ann, bob], 2)), "lowers")
      assert.strictEqual(to(testRoot([cleo, ann, bob], 2)), "changes_nothing")
      assert.strictEqual(to(testRoot([ann, bob], 1)), "raises")
      assert.strictEqual(to(testRoot([ann, bob, cleo], 3)), "raises")
      assert.strictEqual(to({ ...three, quorums: { policy: "1" } }), "raises")
      const [first, ...rest] = three.approvers
      assert.strictEqual(to({ ...three, approvers: [{ ...first!, id: "eve" }, ...rest] }), "raises")
      assert.strictEqual(to({ ...three, approvers: [{ ...first!, name: "Bob" }, ...rest] }), "raises")
      const other = (yield* testApprover("ann", 9)).approver.keys
      assert.strictEqual(to({ ...three, approvers: [{ ...first!, keys: other }, ...rest] }), "raises")
      const both = { ...three, approvers: [{ ...first!, keys: [...first!.keys, ...other] }, ...rest] }
      assert.strictEqual(to(both), "raises")
      assert.strictEqual(directionOf("approvers", both, three), "lowers")
    })
  )
})
