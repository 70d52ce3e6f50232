import type { ConvertOrder } from "@bursar/core/port/Custodian"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { binanceWire } from "./support/binanceWire.ts"
import { okxWire } from "./support/okxWire.ts"
import { changed, ok, serve, type Wire } from "./support/Wire.ts"
import { wires } from "./support/wires.ts"
import { makeCustodian, optionsFor } from "./support/world.ts"

const dayMs = 86_400_000

const order = (wire: Wire): ConvertOrder => ({
  reference: crypto.randomUUID(),
  sentAt: Date.now(),
  amount: { units: 12_345_678n, currency: "BTC" },
  to: wire.name === "coinbase" ? "USDC_ETH" : "USDT_TRON"
})

/** An order that was filled: what is said of it when it is so many milliseconds old. */
const filled = (wire: Wire, ageMs: number, meanwhile: () => void = () => undefined) =>
  Effect.gen(function* () {
    const served = yield* serve(wire)
    const custodian = yield* makeCustodian(optionsFor(wire, served))
    const sent = order(wire)
    const made = yield* custodian.convert(sent)
    wire.book.finish()
    meanwhile()
    const asked = yield* custodian.conversion(
      { ...sent, sentAt: sent.sentAt - ageMs },
      made._tag === "Done" ? made.value.providerReference : null
    )
    return { said: asked._tag === "Done" ? asked.value._tag : asked._tag, served }
  })

describe("a filled order that is looked at late", () => {
  it.live("okx: is settled by the history of fills once the latest ones do not have its own", () =>
    Effect.gen(function* () {
      const wire = changed(okxWire(), ({ path }, reply) =>
        path === "/api/v5/trade/fills" ? ok({ code: "0", msg: "", data: [] }) : reply
      )
      assert.strictEqual((yield* filled(wire, 4 * dayMs)).said, "Settled")
    })
  )

  it.live("kraken: is settled by the entries of its own time", () =>
    Effect.gen(function* () {
      const { said, served } = yield* filled(wires.kraken(), 4 * dayMs)
      assert.strictEqual(said, "Settled")
      const asked = served.requests.filter(({ path }) => path === "/0/private/Ledgers")
      assert.isAbove(asked.length, 0)
      for (const { body } of asked) {
        const [start, end] = ["start", "end"].map((name) => Number(new URLSearchParams(body).get(name)))
        assert.isAbove(end ?? 0, start ?? Infinity)
        assert.isBelow((end ?? Infinity) - (start ?? 0), 120)
      }
    })
  )

  it.live("is for somebody to look at where its trades stay unlisted, and not pending for ever", () =>
    Effect.gen(function* () {
      for (const open of [wires.binance, wires.okx, wires.bitget, wires.kraken]) {
        const wire = open()
        const { said } = yield* filled(wire, 2 * 3_600_000, () => {
          wire.book.hidden = wire.book.orders[0]?.fills[1]?.id ?? null
        })
        assert.strictEqual(said, "Unknown", wire.name)
      }
    })
  )
})

describe("a filled order of more trades than a page has", () => {
  it.live("binance: is settled by all of them", () =>
    Effect.gen(function* () {
      const none = { qty: "0", quoteQty: "0", commission: "0", commissionAsset: "USDT" }
      const wire = changed(binanceWire(), ({ path, query }, { body, ...reply }) => {
        if (path !== "/api/v3/myTrades") return { ...reply, body }
        const own = (body as ReadonlyArray<object>).map((trade, index) => ({ ...trade, id: 1_000 + index }))
        const all = [...Array.from({ length: 1_000 }, (_, id) => ({ ...none, id })), ...own]
        const from = Number(query.get("fromId") ?? "0")
        return { ...reply, body: all.filter(({ id }) => id >= from).slice(0, Number(query.get("limit"))) }
      })
      assert.strictEqual((yield* filled(wire, 0)).said, "Settled")
    })
  )
})
