import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { PassThrough } from "node:stream"
import {
  createWebhookReceiver,
  isDepositEvent,
  isOperationEvent,
  memorySeenEvents,
  type NodeResponse,
  type WebhookEvent,
  type WebhookReceiverOptions
} from "@bursar/client/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { onTestFinished, vi } from "vitest"

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

const bodyOf = (
  id: number,
  data: object = { deposit_id: "d", amount: "1.50" },
  occurredAt = "2027-01-15T08:00:00.000Z"
) =>
  JSON.stringify({
    id,
    type: "deposit.confirmed",
    resource: { type: "deposit", id: "019845e1-682f-7b02-a706-3b2422d13aec" },
    occurred_at: occurredAt,
    data
  })

/** The headers that the service sends with a body. */
const headersOf = (body: string, { key = secret, name = "service", agoSeconds = 0, id = "7" } = {}) => {
  const timestamp = String(Math.floor(Date.now() / 1000) - agoSeconds)
  return {
    "content-type": "application/json",
    [`X-${name}-Event-Id`]: id,
    [`X-${name}-Timestamp`]: timestamp,
    [`X-${name}-Signature`]: `v1=${createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex")}`
  }
}

const receiver = (options: Partial<WebhookReceiverOptions> = {}) => {
  const handled: Array<number> = []
  const errors: Array<unknown> = []
  const hooks = createWebhookReceiver({
    secrets: ["whsec_old", secret],
    onEvent: ({ id }) => void handled.push(id),
    onError: (error) => errors.push(error),
    ...options
  })
  return { handled, errors, hooks }
}

const post = (body: string, headers: Record<string, string>) =>
  new Request("https://partner.example/hooks", { method: "POST", body, headers })

describe("a receiver", () => {
  it("takes a delivery as a Web Request", async () => {
    const { handled, hooks } = receiver()
    const response = await hooks.fetch(post(bodyOf(7), headersOf(bodyOf(7))))
    assert.strictEqual(response.status, 200)
    assert.deepStrictEqual(await response.json(), { received: true })
    assert.deepStrictEqual(handled, [7])
  })

  it("refuses what is not signed with one of its secrets now, and handles none of it", async () => {
    const { handled, hooks } = receiver()
    const body = bodyOf(7)
    for (const [headers, problem] of [
      [headersOf(body, { key: "whsec_other" }), "signature_wrong"],
      [headersOf(bodyOf(8)), "signature_wrong"],
      [headersOf(body, { agoSeconds: 310 }), "timestamp_too_far"],
      [headersOf(body, { agoSeconds: -310 }), "timestamp_too_far"],
      [{}, "headers_missing"]
    ] as const) {
      const response = await hooks.fetch(post(body, headers))
      assert.strictEqual(response.status, 401)
      assert.deepStrictEqual(await response.json(), { problem })
    }
    assert.strictEqual((await hooks.receive({ rawBody: "{}", headers: headersOf("{}") })).status, 400)
    assert.strictEqual((await hooks.fetch(new Request("https://partner.example/hooks"))).status, 401)
    assert.deepStrictEqual(handled, [])
  })

  it("knows the headers of a service with a name of its own", async () => {
    const { hooks } = receiver({ serviceName: "acme" })
    const body = bodyOf(7)
    assert.strictEqual((await hooks.receive({ rawBody: body, headers: headersOf(body, { name: "Acme" }) })).status, 200)
    assert.strictEqual((await hooks.receive({ rawBody: body, headers: headersOf(body) })).status, 401)
  })

  it("handles an event once, by the id that is signed and not by that of the header", async () => {
    const { handled, hooks } = receiver()
    const deliver = (body: string, id: string) => hooks.receive({ rawBody: body, headers: headersOf(body, { id }) })
    assert.strictEqual((await deliver(bodyOf(7), "7")).status, 200)
    assert.strictEqual((await deliver(bodyOf(7), "8")).status, 200)
    assert.strictEqual((await deliver(bodyOf(8), "7")).status, 200)
    assert.deepStrictEqual(handled, [7, 8])
  })

  it("handles two deliveries of an event at the same time once, and answers both when it is done", async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const handled: Array<number> = []
    const { hooks } = receiver({
      onEvent: ({ id }) => {
        handled.push(id)
        return id === 7 ? gate : undefined
      }
    })
    const deliver = (id: number) => hooks.receive({ rawBody: bodyOf(id), headers: headersOf(bodyOf(id)) })
    const both = [deliver(7), deliver(7)]
    // They have come before these, so they are under way once these are done.
    for (const id of [8, 9]) assert.strictEqual((await deliver(id)).status, 200)
    release()
    assert.deepStrictEqual(
      (await Promise.all(both)).map(({ status }) => status),
      [200, 200]
    )
    assert.sameMembers(handled, [7, 8, 9])
  })

  it("answers 500 where the handler fails, so that the event comes again, and then handles it", async () => {
    let failures = 1
    const handled: Array<number> = []
    const { errors, hooks } = receiver({
      onEvent: async ({ id }: WebhookEvent) => {
        failures -= 1
        if (failures >= 0) throw new Error("database away")
        handled.push(id)
      }
    })
    const body = bodyOf(7)
    const deliver = () => hooks.receive({ rawBody: body, headers: headersOf(body) })
    assert.deepStrictEqual(await deliver(), { status: 500, body: { problem: "not_handled" } })
    assert.include(String(errors[0]), "database away")
    assert.strictEqual((await deliver()).status, 200)
    assert.deepStrictEqual(handled, [7])
  })

  it("takes a delivery of node:http", async () => {
    const { handled, hooks } = receiver()
    const server = createServer((request, response) => void hooks.node(request, response))
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const body = bodyOf(9, { deposit_id: "d", note: "ü".repeat(10_000) })
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, headers: headersOf(body) })
    assert.strictEqual(response.status, 200)
    assert.deepStrictEqual(handled, [9])
  })

  it("takes the raw body that Express or Fastify has read, and says so where it was parsed", async () => {
    const { errors, handled, hooks } = receiver()
    const body = bodyOf(7)
    const answer = async (parsed: unknown) => {
      const response = { statusCode: 0, setHeader: () => undefined, end: () => undefined } satisfies NodeResponse
      const lowered = Object.fromEntries(
        Object.entries(headersOf(body)).map(([name, value]) => [name.toLowerCase(), value])
      )
      await hooks.node(Object.assign(new PassThrough().end(), { headers: lowered, body: parsed }), response)
      return response.statusCode
    }
    assert.strictEqual(await answer(Buffer.from(body)), 200)
    assert.strictEqual(await answer(body), 200)
    assert.deepStrictEqual(handled, [7])
    assert.strictEqual(await answer(JSON.parse(body)), 500)
    assert.include(String(errors[0]), "express.raw")
    assert.deepStrictEqual(handled, [7])
    const headers = new Headers(headersOf(body))
    assert.strictEqual((await hooks.receive({ rawBody: Buffer.from(body), headers })).status, 200)
  })

  it("says what is wrong where a body was parsed before it was received, be it a number, and looks for no wrong secret", async () => {
    const { errors, handled, hooks } = receiver()
    const headers = headersOf(bodyOf(7))
    // a number is no length of an array: the signature of one with no bytes at all would be wrong
    for (const parsed of [JSON.parse(bodyOf(7)), 0, 7, null, undefined, [1, 2], true]) {
      const answer = await hooks.receive({ rawBody: parsed, headers })
      assert.deepStrictEqual(answer, { status: 500, body: { problem: "not_handled" } }, String(parsed))
      assert.include(String(errors.pop()), 'parseAs: "buffer"')
    }
    assert.deepStrictEqual(handled, [])
    // whoever shows no signature is refused before the body is looked at
    assert.strictEqual((await hooks.receive({ rawBody: JSON.parse("{}"), headers: {} })).status, 401)
    assert.deepStrictEqual(errors, [])
  })

  it("answers also where onError fails, at once or later", async () => {
    const lines: Array<string> = []
    const { promise: bothTold, resolve } = Promise.withResolvers<void>()
    const spy = vi.spyOn(console, "error").mockImplementation((line) => {
      if (lines.push(String(line)) === 2) resolve()
    })
    onTestFinished(() => spy.mockRestore())
    const failing: ReadonlyArray<() => void> = [
      () => {
        throw new Error("logger away")
      },
      () => Promise.reject(new Error("logger away"))
    ]
    for (const onError of failing) {
      const { hooks } = receiver({ onError, onEvent: () => Promise.reject(new Error("database away")) })
      const body = bodyOf(7)
      assert.strictEqual((await hooks.receive({ rawBody: body, headers: headersOf(body) })).status, 500)
    }
    await bothTold
    assert.deepStrictEqual(lines, ["Error: logger away", "Error: logger away"])
  })

  it("is not made without a secret, or with an empty one", () => {
    // what JavaScript makes of a variable that is not set
    const unset = undefined as unknown as string
    for (const secrets of [[], [""], [secret, ""], [unset], [secret, unset]])
      assert.throws(() => receiver({ secrets }), TypeError)
  })

  it("reads no body without an end", async () => {
    const { hooks } = receiver()
    const body = "x".repeat(1_048_577)
    assert.strictEqual((await hooks.fetch(post(body, headersOf(body)))).status, 413)
  })
})

describe("an event", () => {
  it("tells by its data what it is about", () => {
    const deposit = JSON.parse(bodyOf(1)) as WebhookEvent
    const payout = JSON.parse(bodyOf(2, { operation_id: "o" })) as WebhookEvent
    const settled = JSON.parse(bodyOf(3, { operation_id: "o", deposit_id: "d" })) as WebhookEvent
    assert.deepStrictEqual([deposit, payout, settled].map(isDepositEvent), [true, false, true])
    assert.deepStrictEqual([deposit, payout, settled].map(isOperationEvent), [false, true, false])
  })

  it("is handled under an id that was given before to another one, which a restored service no longer knows", async () => {
    const [lost, later] = [bodyOf(7), bodyOf(7, { deposit_id: "e" }, "2027-01-16T09:00:00.000Z")]
    const one = receiver()
    for (const body of [lost, later, later]) await one.hooks.fetch(post(body, headersOf(body)))
    assert.deepStrictEqual(one.handled, [7, 7])
    const together = receiver()
    await Promise.all([lost, later].map((body) => together.hooks.fetch(post(body, headersOf(body)))))
    assert.deepStrictEqual(together.handled, [7, 7])
  })

  it("is forgotten by the memory when many others have come", () => {
    const seen = memorySeenEvents(2)
    for (const id of [1, 2, 3]) void seen.add(id, "then")
    assert.deepStrictEqual(
      [1, 2, 3].map((id) => seen.has(id, "then")),
      [false, true, true]
    )
  })
})
