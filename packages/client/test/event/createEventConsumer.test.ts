import {
  createClient,
  createEventConsumer,
  type CursorStore,
  type EventConsumerOptions,
  isBursarError,
  memoryCursorStore
} from "@bursar/client"
import { assert, describe, it } from "@effect/vitest"
import { event } from "../support/samples.ts"
import { json, type Reaction, refusal, stub } from "../support/stub.ts"
import { onTestFinished, vi } from "vitest"

/** Answers with the events after the one asked for. */
const feed =
  (events: ReadonlyArray<number>): Reaction =>
  (response, heard) => {
    const after = Number(new URL(heard.url, "http://stub").searchParams.get("after"))
    const page = events.filter((id) => id > after).map(event)
    json(200, { events: page, next_after: page.at(-1)?.id ?? null })(response, heard)
  }

const anHour = 3_600_000

/** Consumes until `onEvent` ends it. */
const consumer = async (
  reactions: ReadonlyArray<Reaction>,
  options: Pick<EventConsumerOptions, "onEvent" | "store"> & Partial<EventConsumerOptions>
) => {
  const { baseUrl, heard } = await stub(...reactions)
  const client = createClient({ baseUrl, apiKey: "key", retry: { retriesMax: 0 } })
  return { heard, consumer: createEventConsumer({ client, pollIntervalMs: anHour, ...options }) }
}

describe("a consumer of promises", () => {
  it("resolves when its signal ends it, the event at hand finished and its cursor saved", async () => {
    const controller = new AbortController()
    const store = memoryCursorStore()
    const finished: Array<number> = []
    const { consumer: one } = await consumer([feed([1, 2, 3])], {
      store,
      onEvent: async ({ id }, signal) => {
        if (id === 2) controller.abort()
        await Promise.resolve()
        assert.strictEqual(signal?.aborted, id === 2)
        finished.push(id)
      }
    })
    await one.run({ signal: controller.signal })
    assert.deepStrictEqual(finished, [1, 2])
    assert.strictEqual(await store.load(), 2)
  })

  it("brings an event again after a crash between handler and cursor, and none is lost", async () => {
    const kept: { cursor: number | undefined } = { cursor: undefined }
    const handled: Array<number> = []
    const crashing: CursorStore = {
      load: async () => kept.cursor,
      save: async (cursor) => {
        if (cursor === 2) throw new Error("the process dies here")
        kept.cursor = cursor
      }
    }
    const { consumer: first } = await consumer([feed([1, 2, 3])], {
      store: crashing,
      onEvent: ({ id }) => void handled.push(id)
    })
    const crash: unknown = await first.run().catch((error: unknown) => error)
    assert.include(String(crash), "the process dies here")
    const controller = new AbortController()
    const { consumer: second } = await consumer([feed([1, 2, 3])], {
      store: memoryCursorStore(kept.cursor),
      onEvent: ({ id }) => {
        handled.push(id)
        if (id === 3) controller.abort()
      }
    })
    await second.run({ signal: controller.signal })
    assert.deepStrictEqual(handled, [1, 2, 2, 3])
  })

  it("is woken by a nudge", async () => {
    const controller = new AbortController()
    const handled: Array<number> = []
    // the first look finds nothing, and the next would come in an hour
    const empty: Reaction = (response, heard) => {
      json(200, { events: [], next_after: null })(response, heard)
      setImmediate(() => one.nudge())
    }
    const { consumer: one } = await consumer([empty, feed([7])], {
      store: memoryCursorStore(),
      onEvent: ({ id }) => {
        handled.push(id)
        controller.abort()
      }
    })
    await one.run({ signal: controller.signal })
    assert.deepStrictEqual(handled, [7])
  })

  it("rejects where the service refuses for good, and can be run again", async () => {
    const controller = new AbortController()
    const { consumer: one } = await consumer([refusal(401, "key_invalid"), feed([1])], {
      store: memoryCursorStore(),
      onEvent: () => controller.abort()
    })
    const error: unknown = await one.run().catch((error: unknown) => error)
    assert.include(error, { code: "key_invalid" })
    const again = one.run({ signal: controller.signal })
    const twice: unknown = await one.run().catch((error: unknown) => error)
    assert.instanceOf(twice, TypeError)
    await again
  })

  const html =
    (status: number): Reaction =>
    (response) =>
      void response.writeHead(status, { "content-type": "text/html" }).end("<html></html>")
  const passing: Readonly<Record<string, Reaction>> = {
    "500 of a proxy": html(500),
    "522 of a proxy": html(522),
    "404 of a load balancer": html(404),
    "maintenance page": html(200),
    "maintenance page as JSON": json(200, { maintenance: true }),
    "maintenance page as a list": json(200, []),
    "success without a body": (response) => void response.writeHead(200).end()
  }
  for (const [name, reaction] of Object.entries(passing))
    it(`waits out a ${name}`, async () => {
      const controller = new AbortController()
      const told: Array<unknown> = []
      const { consumer: one } = await consumer([reaction, feed([1])], {
        store: memoryCursorStore(),
        onEvent: () => controller.abort(),
        onError: (error) => told.push(isBursarError(error, "answer_unreadable"))
      })
      await one.run({ signal: controller.signal })
      assert.deepStrictEqual(told, [true])
    })

  it("asks no sooner than the service says", async () => {
    const { consumer: one, heard } = await consumer(
      [refusal(429, "rate_limited", { retryable: true, retryAfter: "61" })],
      { store: memoryCursorStore(), onEvent: () => undefined }
    )
    // longer than the first wait without a word of the service
    await one.run({ signal: AbortSignal.timeout(1_500) })
    assert.lengthOf(heard, 1)
  })

  it("tells of a handler's failure with its event", async () => {
    const controller = new AbortController()
    const told: Array<unknown> = []
    const { consumer: one } = await consumer([feed([1])], {
      store: memoryCursorStore(),
      onEvent: () => Promise.reject(new Error("not now")),
      onError: (error, failed) => {
        told.push([String(error), failed?.id])
        controller.abort()
      }
    })
    await one.run({ signal: controller.signal })
    assert.deepStrictEqual(told, [["Error: not now", 1]])
  })

  it("goes on where what it tells of failures fails itself", async () => {
    const lines = vi.spyOn(console, "error").mockImplementation(() => undefined)
    onTestFinished(() => lines.mockRestore())
    const controller = new AbortController()
    const { consumer: one } = await consumer([refusal(503, "unavailable", { retryable: true }), feed([1])], {
      store: memoryCursorStore(),
      onEvent: () => controller.abort(),
      onError: () => {
        throw new Error("logger away")
      }
    })
    await one.run({ signal: controller.signal })
    assert.isTrue(controller.signal.aborted)
    assert.deepStrictEqual(
      lines.mock.calls.map((told) => String(told[0])),
      ["Error: logger away"]
    )
  })
})
