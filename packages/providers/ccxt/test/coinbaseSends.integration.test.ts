import type { WithdrawOrder } from "@bursar/core/port/Custodian"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { coinbaseWire } from "./support/coinbaseWire.ts"
import { changed, serve } from "./support/Wire.ts"
import { makeCustodian, optionsFor, receivers } from "./support/world.ts"

interface Row {
  readonly id: string
  readonly type: string
  readonly idem: string | null
  readonly to: unknown
  readonly network: object
}

const order = (): WithdrawOrder => ({
  reference: crypto.randomUUID(),
  sentAt: Date.now(),
  amount: { units: 10_000_001n, currency: "USDC_ETH" },
  network: "ethereum",
  address: receivers.USDC_ETH,
  memo: null
})

/** A custodian at a coinbase that writes its sends differently, and counts what is absent as never taken at once. */
const opened = (write: (row: Row) => unknown) =>
  Effect.gen(function* () {
    const wire = changed(coinbaseWire(), ({ method, path }, reply) =>
      method === "GET" && path.endsWith("/transactions")
        ? { ...reply, body: { ...Object(reply.body), data: Object(reply.body).data.map(write) } }
        : reply
    )
    const custodian = yield* makeCustodian({ ...optionsFor(wire, yield* serve(wire)), absentAfterMs: 0 })
    return { book: wire.book, custodian }
  })

describe("a send at coinbase whose answer was lost", () => {
  for (const [how, write, becomes] of [
    ["with more behind our token", (row: Row) => ({ ...row, idem: `${row.idem}send` }), "Done"],
    ["with a token of its own", (row: Row) => ({ ...row, idem: crypto.randomUUID() }), "Unknown"],
    [
      "with no token, and an amount that includes the fee",
      (row: Row) => ({ ...row, idem: null, network: {} }),
      "Unknown"
    ],
    [
      "with no token and no address",
      (row: Row) => ({ ...row, idem: null, to: null, network: { status: "off_blockchain" } }),
      "Unknown"
    ],
    [
      "with an address in other letters",
      (row: Row) => ({ ...row, idem: null, to: { address: receivers.USDC_ETH.toUpperCase() } }),
      "Unknown"
    ],
    ["which goes elsewhere", (row: Row) => ({ ...row, idem: null, to: { address: `0x${"b".repeat(40)}` } }), "Refused"],
    ["which is none", (row: Row) => ({ ...row, idem: null, type: "trade" }), "Refused"]
  ] as const)
    it.live(`${how}: it is ${becomes}`, () =>
      Effect.gen(function* () {
        const { book, custodian } = yield* opened(write)
        const sent = order()
        // as whoever sent it would have, had the answer not been lost
        book.withdraw(
          {
            clientId: `${sent.reference.slice(0, 14)}4${sent.reference.slice(15)}`,
            coin: "USDC",
            network: "ethereum",
            address: sent.address,
            memo: null,
            gross: book.fee + 10_000_001n * 10n ** 12n,
            fee: book.fee
          },
          "settle"
        )
        book.finish()
        assert.strictEqual((yield* custodian.withdrawal(sent, null))._tag, becomes)
      })
    )

  it.live("another order's send to the same address does not leave it open", () =>
    Effect.gen(function* () {
      const { custodian } = yield* opened((row) => ({ ...row, idem: null }))
      const lost = order()
      // dated later, so that it is still young enough to be sent
      const taken = yield* custodian.withdraw({ ...order(), sentAt: lost.sentAt + 60_000 })
      assert.strictEqual(taken._tag, "Done")
      assert.strictEqual((yield* custodian.withdrawal(lost, null))._tag, "Refused")
    })
  )
})
