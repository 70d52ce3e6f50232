import { PartnerApi } from "@bursar/api/PartnerApi"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { makeAnswer } from "@bursar/server/pipeline/answers"

const groups = PartnerApi.groups as unknown as Readonly<Record<string, HttpApiGroup.Top>>

const endpointOf = (group: string, name: string): HttpApiEndpoint.Top =>
  groups[group]?.endpoints[name] ?? assert.fail(`there is no ${group}.${name}`)

const textOf = (response: HttpServerResponse.HttpServerResponse): string =>
  response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : assert.fail("there is no body")

const balance = {
  available: { amount: "1", currency: "EUR" },
  held: { amount: "0", currency: "EUR" },
  total: { amount: "1", currency: "EUR" }
}

describe("what is answered", () => {
  const float = makeAnswer(endpointOf("register", "float"))

  it.effect("is what the handler gave, as JSON under the status of the contract", () =>
    Effect.gen(function* () {
      const answer = yield* float({ currencies: [balance] })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(textOf(answer), JSON.stringify({ currencies: [balance] }))
      const created = makeAnswer(endpointOf("chainPayouts", "create"))
      assert.strictEqual((yield* created(HttpServerResponse.empty({ status: 201 }))).status, 201)
    })
  )

  it.effect("holds no field that the contract does not have, however deep a handler left one", () =>
    Effect.gen(function* () {
      const secret = { ...balance, held: { ...balance.held, tenant: "another's" } }
      const answer = yield* float({ currencies: [balance, secret], pepper: "p" })
      assert.deepStrictEqual(JSON.parse(textOf(answer)), { currencies: [balance, balance] })
    })
  )

  it.effect("is nothing of a value that is not of the contract's form", () =>
    Effect.gen(function* () {
      const { held: _, ...partly } = balance
      class Told {
        readonly currencies = [balance]
        toJSON() {
          return { pepper: "p" }
        }
      }
      const told = yield* Effect.exit(float(new Told()))
      if (Exit.isSuccess(told)) assert.notInclude(textOf(told.value), "pepper")
      const wrong: ReadonlyArray<unknown> = [
        null,
        [],
        {},
        { currencies: {} },
        { currencies: [partly] },
        { currencies: [{ ...balance, held: undefined }] },
        { currencies: [{ ...balance, held: { amount: 1n, currency: "EUR" } }] },
        // texts, and yet no amounts
        ...["1e21", "", "NaN", "1.", "+1", "01"].map((amount) => ({
          currencies: [{ ...balance, held: { amount, currency: "EUR" } }]
        }))
      ]
      for (const one of wrong) {
        const exit = yield* Effect.exit(float(one))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
    })
  )

  it("can be written for every endpoint of the contract", () => {
    for (const group of Object.values(groups))
      for (const endpoint of Object.values<HttpApiEndpoint.Top>(group.endpoints))
        assert.isFunction(makeAnswer(endpoint))
  })
})
