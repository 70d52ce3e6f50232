import { assert, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import { routeOf } from "../src/annotations/routeOf.ts"
import { OperatorApi } from "../src/OperatorApi.ts"
import { PartnerApi } from "../src/PartnerApi.ts"
import { specification } from "./support/specification.ts"

describe("the route of an endpoint", () => {
  it("is what the specification says, for every operation of partners", () => {
    const found = new Map<string, number>()
    HttpApi.reflect(PartnerApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        const { method, name, path, status } = routeOf(endpoint)
        assert.strictEqual(name, `${method} ${path}`)
        found.set(name, status)
      }
    })
    assert.deepStrictEqual(
      found,
      new Map(specification.map(({ method, path, success }) => [`${method} ${path}`, success]))
    )
  })

  it("has the one status of success that the contract declares, for operators too", () => {
    HttpApi.reflect(OperatorApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, successes }) => {
        const { name, path, status } = routeOf(endpoint)
        // what is written while it is read is not among them
        const streamed = [...endpoint.success].some((schema) => "mode" in schema)
        assert.deepStrictEqual(streamed ? [200] : [...successes.keys()], [status], name)
        assert.match(path, /^\/operator\/v1\//u)
        assert.notInclude(path, ":")
      }
    })
  })
})
