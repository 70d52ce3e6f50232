import { describe, expect, it } from "@effect/vitest"
import { digits, line, medians, percent, text, whole } from "../bench/line.ts"

describe("a line of the benchmark", () => {
  it("says its words and figures in their order", () => {
    const one = line`GET ${"/v1/float"}: ${whole(12_345.6)}/s over ${2_000} rows, ${percent(1, 3)}, ${digits(0.456, 1)} µs`
    expect(text(one)).toBe("GET /v1/float: 12,346/s over 2,000 rows, 33 %, 0.5 µs")
    expect(text(line`nothing but words`)).toBe("nothing but words")
    expect(text(line`${whole(1)}${whole(2)}`)).toBe("12")
  })

  it("takes the median of each figure by itself, whichever round it is of", () => {
    const round = (rate: number, cost: number) => [line`first ${whole(rate)}/s, ${digits(cost, 1)} µs`, line`second`]
    expect(medians([round(300, 1), round(100, 9), round(200, 5)]).map(text)).toEqual(["first 200/s, 5.0 µs", "second"])
  })

  it("does not mix rounds that say different things", () => {
    const [one, other] = [[line`tenants: ${whole(1)}`], [line`operations: ${whole(2)}`]]
    expect(() => medians([one, other])).toThrow("A round does not say: tenants: 1")
    expect(() => medians([one, []])).toThrow("A round does not say: tenants: 1")
    expect(() => medians([[], one])).toThrow("A round does not say: tenants: 1")
  })
})
