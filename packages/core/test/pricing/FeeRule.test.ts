import { type Charged, type FeeRule, feeOf, ranked, ruleFor } from "@bursar/core/pricing/FeeRule"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const now = 1_000

const rule = (id: string, more: Partial<FeeRule> = {}): FeeRule => flatFee(0n, 0, { id, ...more })

const order = (own: ReadonlyArray<FeeRule>, defaults: ReadonlyArray<FeeRule> = []) =>
  ranked(own, defaults, now)
    .map(({ id }) => id)
    .join("")

describe("the rules of fees are tried", () => {
  it.each<readonly [string, Partial<FeeRule>, Partial<FeeRule>]>([
    ["the lower priority", { priority: 1 }, { priority: 2, product: "SWAP", currency: "EUR", rail: "sepa" }],
    ["what names more", { product: "SWAP", currency: "EUR" }, { rail: "sepa", effectiveFrom: 900 }],
    ["what names all three", { product: "SWAP", currency: "EUR", rail: "sepa" }, { product: "SWAP", rail: "sepa" }],
    ["what names anything", { rail: "sepa" }, {}],
    ["what came into force later", { effectiveFrom: 500 }, { effectiveFrom: 400, createdAt: 9 }],
    ["what was made later", { createdAt: 9 }, { createdAt: 8 }]
  ])("first by %s", (_, first, second) => {
    // the ids would have it the other way round
    const [one, other] = [rule("b", first), rule("a", second)]
    assert.strictEqual(order([one, other]), "ba")
    assert.strictEqual(order([other, one]), "ba")
  })

  it("from when on they say, and at once where they say nothing, by whatever clock", () => {
    const later = rule("a", { effectiveFrom: now + 1, createdAt: now })
    const atOnce = rule("b", { effectiveFrom: now + 1, createdAt: now + 1 })
    assert.strictEqual(order([later, atOnce, rule("c", { effectiveFrom: now })]), "bc")
  })

  it("in one order, however they are stored", () => {
    const some = fc.array(
      fc.record({
        priority: fc.nat({ max: 1 }),
        product: fc.constantFrom(null, "SWAP" as const),
        rail: fc.constantFrom(null, "sepa"),
        effectiveFrom: fc.nat({ max: 1 }),
        createdAt: fc.nat({ max: 1 })
      }),
      { maxLength: 8 }
    )
    const rules = some.map((all) => all.map((given, index) => rule(String(index), given)))
    const shuffled = rules.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))
    )
    fc.assert(
      fc.property(shuffled, ([all, others]) => {
        assert.strictEqual(order(others), order(all))
      })
    )
  })

  it("the tenant's own before those of the service, whatever their priority", () => {
    assert.strictEqual(order([rule("o", { priority: 9 })], [rule("d", { priority: 0, product: "SWAP" })]), "od")
  })

  it("from when they are in force, and not once they were taken back", () => {
    const at = (effectiveFrom: number) => [rule("a", { effectiveFrom })]
    assert.deepStrictEqual(
      [now - 1, now, now + 1].map((from) => order(at(from))),
      ["a", "a", ""]
    )
    assert.deepStrictEqual(
      [now - 1, now, now + 1].map((from) => order([], at(from))),
      ["a", "a", ""]
    )
    assert.strictEqual(order([rule("a", { retiredAt: 0 })]), "")
    assert.strictEqual(order([], [rule("a", { retiredAt: now + 1 })]), "")
  })

  it.each<readonly [Partial<FeeRule>, boolean]>([
    [{}, true],
    [{ product: "SWAP" }, true],
    [{ product: "OFF_RAMP" }, false],
    [{ currency: "EUR" }, true],
    [{ currency: "USD" }, false],
    [{ rail: "sepa" }, true],
    [{ rail: "swift" }, false],
    [{ product: "SWAP", currency: "EUR", rail: "sepa" }, true],
    [{ product: "OFF_RAMP", currency: "EUR", rail: "sepa" }, false],
    [{ product: "SWAP", currency: "USD", rail: "sepa" }, false],
    [{ product: "SWAP", currency: "EUR", rail: "swift" }, false]
  ])("for what they name, and a field that names nothing is for all: %j", (named, isCharged) => {
    const charged: Charged = { product: "SWAP", currency: "EUR", rail: "sepa" }
    const [one, otherwise] = [rule("a", named), rule("z")]
    assert.strictEqual(ruleFor([one, otherwise], charged), isCharged ? one : otherwise)
    assert.strictEqual(ruleFor([one], charged), isCharged ? one : undefined)
  })

  it("without a rail, by no rule that names one", () => {
    const charged: Charged = { product: "SWAP", currency: "EUR", rail: null }
    assert.isUndefined(ruleFor([rule("a", { rail: "sepa" })], charged))
    assert.isDefined(ruleFor([rule("a")], charged))
  })
})

describe("a fee", () => {
  const charge = (
    percent: readonly [bigint, number],
    minimum: readonly [bigint, number],
    units: bigint,
    decimals = 2
  ) =>
    feeOf(
      { percent: { units: percent[0], decimals: percent[1] }, minimumFee: { units: minimum[0], decimals: minimum[1] } },
      units,
      { decimals }
    )

  it.each<readonly [string, Parameters<typeof charge>, bigint]>([
    ["a percentage", [[1n, 0], [0n, 0], 10_000n], 100n],
    ["a part of a percent", [[25n, 2], [0n, 0], 10_000n], 25n],
    ["what is a unit and a little, as two", [[1n, 0], [0n, 0], 101n], 2n],
    ["what is less than a unit, as one", [[1n, 3], [0n, 0], 1n], 1n],
    ["the minimum where the percentage is less", [[1n, 0], [2n, 0], 10_000n], 200n],
    ["the percentage where it is more", [[3n, 0], [2n, 0], 10_000n], 300n],
    ["the minimum in whole units of its currency", [[0n, 0], [15n, 1], 1n, 6], 1_500_000n],
    ["a minimum of less than a unit, as one", [[0n, 0], [1n, 3], 10_000n], 1n],
    ["nothing of nothing", [[5n, 0], [0n, 0], 0n], 0n]
  ])("is %s", (_, given, fee) => {
    assert.strictEqual(charge(...given), fee)
  })

  it("is none without a rule", () => {
    assert.strictEqual(feeOf(undefined, 10_000n, { decimals: 2 }), 0n)
  })

  it("is the least whole number of units that is no less than the percentage and the minimum", () => {
    const decimal = fc.record({ units: fc.bigInt(0n, 9_999n), decimals: fc.integer({ min: 0, max: 4 }) })
    fc.assert(
      fc.property(
        decimal,
        decimal,
        fc.bigInt(0n, 10n ** 12n),
        fc.integer({ min: 0, max: 8 }),
        (percent, minimumFee, units, decimals) => {
          const fee = feeOf({ percent, minimumFee }, units, { decimals })
          const covers = (some: bigint) =>
            some * 100n * 10n ** BigInt(percent.decimals) >= units * percent.units &&
            some * 10n ** BigInt(minimumFee.decimals) >= minimumFee.units * 10n ** BigInt(decimals)
          assert.isTrue(covers(fee))
          assert.isTrue(fee === 0n || !covers(fee - 1n))
        }
      )
    )
  })
})
