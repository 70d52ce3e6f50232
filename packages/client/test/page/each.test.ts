import { createClient } from "@bursar/client"
import { eachDeposit, eachDepositAddress, eachEvent, eachRegisterEntry, makePartnerClient } from "@bursar/client/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { collect } from "../support/collect.ts"
import { event, id } from "../support/samples.ts"
import { json, refusal, stub } from "../support/stub.ts"

const retry = { retriesMax: 0 }

/** Two pages of each list, the way each ends. */
const lists = {
  deposits: [
    { deposits: [{ change_seq: 3 }, { change_seq: 5 }], next_after: 5 },
    { deposits: [{ change_seq: 8 }], next_after: 8 },
    { deposits: [], next_after: 8 }
  ],
  depositAddresses: [
    { addresses: [{ address: "a" }, { address: "b" }], next_after: id },
    { addresses: [{ address: "c" }], next_after: null }
  ],
  events: [
    { events: [event(1), event(2)], next_after: 2 },
    { events: [], next_after: null }
  ],
  register: [
    { entries: [{ kind: "SWAP" }], next_cursor: "opaque+1" },
    { entries: [{ kind: "DEPOSIT" }], next_cursor: null }
  ]
} as const

const serve = async (name: keyof typeof lists) => {
  const { baseUrl, heard } = await stub(...lists[name].map((page) => json(200, page)))
  return { client: createClient({ baseUrl, apiKey: "key", retry }), asked: () => heard.map(({ url }) => url) }
}

describe("each", () => {
  it("turns the pages of deposits by change_seq until one is empty", async () => {
    const { asked, client } = await serve("deposits")
    const found = await collect(client.deposits.each({ reference: "r" }), ({ change_seq }) => change_seq)
    assert.deepStrictEqual(found, [3, 5, 8])
    assert.deepStrictEqual(asked(), [
      "/v1/deposits?reference=r",
      "/v1/deposits?after=5&reference=r",
      "/v1/deposits?after=8&reference=r"
    ])
  })

  it("turns the pages of addresses until there is no next", async () => {
    const { asked, client } = await serve("depositAddresses")
    const found = await collect(client.depositAddresses.each(), ({ address }) => address)
    assert.deepStrictEqual(found, ["a", "b", "c"])
    assert.deepStrictEqual(asked(), ["/v1/deposit-addresses", `/v1/deposit-addresses?after=${id}`])
  })

  it("turns the pages of events up to the last", async () => {
    const { asked, client } = await serve("events")
    assert.deepStrictEqual(await collect(client.events.each({ limit: 2 }), (one) => one.id), [1, 2])
    assert.deepStrictEqual(asked(), ["/v1/events?limit=2", "/v1/events?after=2&limit=2"])
  })

  it("turns the pages of the register under the filters of its cursor", async () => {
    const { asked, client } = await serve("register")
    const found = await collect(client.register.each({ currency: "ETH" }), ({ kind }) => kind)
    assert.deepStrictEqual(found, ["SWAP", "DEPOSIT"])
    assert.deepStrictEqual(asked(), ["/v1/register?currency=ETH", "/v1/register?currency=ETH&cursor=opaque%2B1"])
  })

  it("asks for a page when it is needed, and for none after the caller has left", async () => {
    const { asked, client } = await serve("deposits")
    const deposits = client.deposits.each()
    assert.lengthOf(asked(), 0)
    for await (const { change_seq } of deposits) if (change_seq === 3) break
    assert.lengthOf(asked(), 1)
  })

  it("rejects where JSON is no page, as the list does", async () => {
    for (const name of ["deposits", "depositAddresses", "events", "register"] as const) {
      const { baseUrl } = await stub(json(200, { maintenance: true }))
      const client = createClient({ baseUrl, apiKey: "key", retry })
      for (const read of [
        () => client[name].list(),
        () => collect<unknown, unknown>(client[name].each(), (one) => one)
      ]) {
        const error: unknown = await read().catch((error: unknown) => error)
        assert.include(error, { code: "answer_unreadable", status: 200 })
      }
    }
  })

  it("rejects as a call does, by code", async () => {
    const { baseUrl } = await stub(json(200, lists.deposits[0]), refusal(403, "scope_missing"))
    const { deposits } = createClient({ baseUrl, apiKey: "key", retry })
    const found: Array<number> = []
    const read = async () => {
      for await (const { change_seq } of deposits.each()) found.push(change_seq)
    }
    const error: unknown = await read().catch((error: unknown) => error)
    assert.include(error, { name: "BursarError", code: "scope_missing" })
    assert.deepStrictEqual(found, [3, 5])
  })

  it("is ended by its signal", async () => {
    const { asked, client } = await serve("events")
    const events = client.events.each({}, { signal: AbortSignal.abort() })
    const error: unknown = await collect(events, () => undefined).catch((error: unknown) => error)
    assert.include(error, { code: "aborted" })
    assert.lengthOf(asked(), 0)
  })
})

describe("streams", () => {
  it("turn the same pages for those who use Effect", async () => {
    const pages = [
      json(200, { deposits: [], next_after: 0 }),
      json(200, { addresses: [], next_after: null }),
      json(200, { events: [event(1)], next_after: 1 }),
      json(200, { events: [], next_after: null }),
      json(200, { entries: [], next_cursor: null })
    ]
    const { baseUrl, heard } = await stub(...pages)
    const counts = await Effect.runPromise(
      Effect.gen(function* () {
        const client = yield* makePartnerClient({ baseUrl, apiKey: Redacted.make("key") })
        return yield* Effect.all([
          Stream.runCount(eachDeposit(client)),
          Stream.runCount(eachDepositAddress(client, { network: "tron" })),
          Stream.runCount(eachEvent(client)),
          Stream.runCount(eachRegisterEntry(client))
        ])
      }).pipe(Effect.provide(FetchHttpClient.layer))
    )
    assert.deepStrictEqual(counts, [0, 0, 1, 0])
    assert.deepStrictEqual(
      heard.map(({ url }) => url),
      ["/v1/deposits", "/v1/deposit-addresses?network=tron", "/v1/events", "/v1/events?after=1", "/v1/register"]
    )
  })
})
