import { createClient } from "@bursar/client"
import { assert, describe, it } from "@effect/vitest"
import { accepted, id, payout } from "../support/samples.ts"
import { json, stub } from "../support/stub.ts"

const apiKey = "service_test_a1B2c3D4_secret"
const create = "chainPayouts.create"

/** Calls a function of a client without its types, as JavaScript does. */
const call = (client: object, path: string, ...given: ReadonlyArray<unknown>): Promise<unknown> => {
  const [group = "", name = ""] = path.split(".")
  // Every group of a client is an object of functions.
  const calls = Reflect.get(client, group) as Readonly<
    Record<string, (...given: ReadonlyArray<unknown>) => Promise<unknown>>
  >
  return calls[name]?.(...given) ?? Promise.reject(new Error(`there is no ${path}`))
}

describe("a call of the plain client", () => {
  it.each<readonly [what: string, path: string, given: ReadonlyArray<unknown>]>([
    ["misspells its key", create, [payout, { idempotencykey: "p1" }]],
    ["gives its key as a header", create, [payout, { headers: { "idempotency-key": "p1" } }]],
    ["gives its key as its options", create, [payout, "p1"]],
    ["gives its options a place too late", create, [payout, undefined, { idempotencyKey: "p1" }]],
    [
      "gives options to a call without a body as if it had one",
      "depositAddresses.retire",
      [id, {}, { idempotencyKey: "p1" }]
    ],
    ["orders an amount that JSON cannot carry", create, [{ ...payout, amount: { amount: 5n, currency: "ETH" } }]]
  ])("that %s rejects, and nothing is sent", async (_, path, given) => {
    const { baseUrl, heard } = await stub(json(201, accepted))
    const error: unknown = await call(createClient({ baseUrl, apiKey }), path, ...given).catch(
      (error: unknown) => error
    )
    assert.include(error, { name: "BursarError", code: "invalid_request", status: null, retryable: false })
    assert.lengthOf(heard, 0)
  })

  it("may have every option that there is, none, or null", async () => {
    const { baseUrl, heard } = await stub(json(201, accepted))
    const client = createClient({ baseUrl, apiKey })
    const { signal } = new AbortController()
    const options = { idempotencyKey: "p1", onAnswer: () => undefined, requestId: "r1", signal, timeoutMs: 60_000 }
    for (const given of [[options], [{}], [undefined], [null], []]) await call(client, create, payout, ...given)
    assert.deepStrictEqual([heard.length, heard[0]?.headers["idempotency-key"]], [5, "p1"])
  })
})
