import { createClient, isOutcomeUnknown } from "@bursar/client"
import { assert, describe, it } from "@effect/vitest"
import { runInNewContext } from "node:vm"
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
    ["gives headers as its options", create, [payout, new Headers({ "idempotency-key": "p1" })]],
    ["gives a signal as its options", create, [payout, new AbortController().signal]],
    ["gives a list as its options", create, [payout, []]],
    ["gives a map as its options", create, [payout, new Map([["idempotencyKey", "p1"]])]],
    ["is one of several that a list is mapped to", "chainPayouts.get", [id, 0, [id]]],
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

  it.each([null, 7, { key: "p1" }, ""])("whose key is %j rejects, and nothing is sent", async (idempotencyKey) => {
    const { baseUrl, heard } = await stub(json(201, accepted))
    const error: unknown = await call(createClient({ baseUrl, apiKey }), create, payout, { idempotencyKey }).catch(
      (error: unknown) => error
    )
    assert.include(error, { name: "BursarError", code: "idempotency_key_invalid", status: null, retryable: false })
    assert.lengthOf(heard, 0)
  })

  it.each(["two\nlines", "nul\0", "\u0151"])(
    "whose request id is %j, which no header can carry, rejects, and nothing is sent",
    async (requestId) => {
      const { baseUrl, heard } = await stub(json(201, accepted))
      const client = createClient({ baseUrl, apiKey, retry: { retriesMax: 0 } })
      const error: unknown = await client.chainPayouts.create(payout, { requestId }).catch((error: unknown) => error)
      assert.include(error, { name: "BursarError", code: "invalid_request", status: null, retryable: false })
      assert.isFalse(isOutcomeUnknown(error))
      assert.lengthOf(heard, 0)
    }
  )

  it.each(["two words", "\u00fc", "x".repeat(200)])(
    "whose request id is %j, in place of which the service makes one of its own, is sent",
    async (requestId) => {
      const { baseUrl, heard } = await stub(json(201, accepted))
      await createClient({ baseUrl, apiKey }).chainPayouts.create(payout, { requestId })
      assert.lengthOf(heard, 1)
    }
  )

  it("may have every option that there is, none, or null", async () => {
    const { baseUrl, heard } = await stub(json(201, accepted))
    const client = createClient({ baseUrl, apiKey })
    const { signal } = new AbortController()
    const options = { idempotencyKey: "p1", onAnswer: () => undefined, requestId: "r1", signal, timeoutMs: 60_000 }
    // of another realm, as a frame or a test has it
    const foreign: unknown = runInNewContext(`({ idempotencyKey: "p1" })`)
    const bare: unknown = Object.assign(Object.create(null), options)
    const all = [[options], [bare], [foreign], [{}], [{ idempotencyKey: undefined }], [undefined], [null], []]
    for (const given of all) await call(client, create, payout, ...given)
    const keys = heard.map(({ headers }) => headers["idempotency-key"])
    assert.deepStrictEqual(keys.slice(0, 3), ["p1", "p1", "p1"])
    assert.lengthOf(keys, all.length)
  })
})
