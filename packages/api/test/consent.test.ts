import { OperatorApi } from "@bursar/api/OperatorApi"
import { operationsOf } from "@bursar/api/openapi/Operation"
import { assert, describe, it } from "@effect/vitest"

const operations = operationsOf(OperatorApi)

const namesOf = (wanted: (one: (typeof operations)[number]) => boolean) =>
  operations.filter(wanted).map(({ endpoint, group }) => `${group}.${endpoint}`)

describe("what an operator asks for", () => {
  it("names the kind of grant that it takes wherever it can be refused for the lack of one", () => {
    const refused = namesOf(({ refuses }) => refuses.includes("grant_required"))
    // a key is shown once, so the service proposes it instead of refusing it
    assert.sameMembers(
      [...refused, "keys.create"],
      namesOf(({ consent }) => consent.grant !== null)
    )
  })

  it("says that it takes others wherever somebody approves or accepts", () => {
    const approving = namesOf(
      ({ endpoint, method }) => method !== "GET" && /^(?:approve|accept|verifyDestination)/u.test(endpoint)
    )
    assert.isNotEmpty(approving)
    assert.includeMembers(
      namesOf(({ consent }) => consent.who !== "alone"),
      approving
    )
  })

  it("needs nobody else to read, to stop or to take back", () => {
    const lowering = namesOf(
      ({ endpoint, method }) =>
        method === "GET" || /^(?:stop|suspend|revoke|disable|reject|refuse|hold|cancel)/u.test(endpoint)
    )
    assert.includeMembers(
      namesOf(({ consent }) => consent.who === "alone" && consent.grant === null),
      lowering
    )
  })
})
