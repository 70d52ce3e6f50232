import { uuidV7 } from "@bursar/core/engine/Ids"
import type { WithdrawOrder } from "@bursar/core/port/Custodian"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Book } from "./support/Book.ts"
import { coinbaseWire } from "./support/coinbaseWire.ts"
import { changed, ok, serve } from "./support/Wire.ts"
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

/** What coinbase writes down when it takes a send whose answer is lost. */
const taken = (book: Book, { address, reference }: WithdrawOrder) =>
  book.withdraw(
    {
      clientId: `${reference.slice(0, 14)}4${reference.slice(15)}`,
      coin: "USDC",
      network: "ethereum",
      address,
      memo: null,
      gross: book.fee + 10_000_001n * 10n ** 12n,
      fee: book.fee
    },
    "settle"
  )

/** A token of version 4 that begins with no moment near ours. */
const foreign = "f3b1c2d4-0a5e-4c6f-9b7a-8d2e1f0c3b4a"

/** A reference as the service makes them, some time ago. */
const referenceFrom = (agoMs: number): string => uuidV7(Date.now() - agoMs, crypto.getRandomValues(new Uint8Array(10)))

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
    ["with a token of its own", (row: Row) => ({ ...row, idem: foreign }), "Unknown"],
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
        taken(book, sent)
        book.finish()
        assert.strictEqual((yield* custodian.withdrawal(sent, null))._tag, becomes)
      })
    )

  for (const [whose, reference, becomes] of [
    ["an order of ours, made just now", referenceFrom(0), "Refused"],
    ["an order of ours that was reviewed for a week", referenceFrom(7 * 86_400_000), "Refused"],
    ["nobody that is known", foreign, "Unknown"],
    ["an order that is not made yet", referenceFrom(-86_400_000), "Unknown"]
  ] as const)
    it.live(`is ${becomes} after a restart, where a send to the same address has the token of ${whose}`, () =>
      Effect.gen(function* () {
        const { book, custodian } = yield* opened((row) => row)
        taken(book, { ...order(), reference })
        book.finish()
        assert.strictEqual((yield* custodian.withdrawal(order(), null))._tag, becomes)
      })
    )

  it.live("another order's send to the same address does not leave it open", () =>
    Effect.gen(function* () {
      const { custodian } = yield* opened((row) => ({ ...row, idem: null }))
      const lost = order()
      // dated later, so that it is still young enough to be sent
      const answer = yield* custodian.withdraw({ ...order(), sentAt: lost.sentAt + 60_000 })
      assert.strictEqual(answer._tag, "Done")
      assert.strictEqual((yield* custodian.withdrawal(lost, null))._tag, "Refused")
    })
  )
})

const accountsPath = "/api/v3/brokerage/accounts"

/** A custodian at a coinbase whose USDC lies in several accounts; only the one named USDC is known to the book. */
const withAccounts = (names: ReadonlyArray<readonly [name: string, type: string, isDefault: boolean, held: string]>) =>
  Effect.gen(function* () {
    const wire = changed(coinbaseWire(), ({ path }, reply) =>
      path === accountsPath
        ? ok({
            has_next: false,
            cursor: "",
            accounts: names.map(([name, type, isDefault, value]) => ({
              uuid: `account-${name}`,
              currency: "USDC",
              type,
              default: isDefault,
              available_balance: { value, currency: "USDC" },
              hold: { value: "0.5", currency: "USDC" }
            }))
          })
        : reply
    )
    const served = yield* serve(wire)
    const custodian = yield* makeCustodian({ ...optionsFor(wire, served), absentAfterMs: 0 })
    return { book: wire.book, custodian, served }
  })

describe("a coin at coinbase with several accounts", () => {
  const several = [
    ["VAULT", "ACCOUNT_TYPE_VAULT", false, "5"],
    ["SECOND", "ACCOUNT_TYPE_CRYPTO", false, "1"],
    ["USDC", "ACCOUNT_TYPE_CRYPTO", true, "100"],
    ["FUTURES", "ACCOUNT_TYPE_PERP_FUTURES", false, "9"]
  ] as const

  it.live("holds what can be sent from them together: no vault, and nothing that backs futures", () =>
    Effect.gen(function* () {
      const { custodian } = yield* withAccounts(several)
      assert.strictEqual((yield* custodian.balances).get("USDC_ETH"), 102_000_000n)
    })
  )

  it.live("is sent from the default one", () =>
    Effect.gen(function* () {
      const { custodian, served } = yield* withAccounts(several)
      yield* custodian.withdraw({ ...order(), sentAt: Date.now() + 60_000 })
      const to = served.requests.filter(({ method }) => method === "POST").map(({ path }) => path)
      assert.deepStrictEqual(to, ["/v2/accounts/account-USDC/transactions"])
    })
  )

  it.live("shows a send by its id and by its token, in whichever account it is", () =>
    Effect.gen(function* () {
      const { book, custodian } = yield* withAccounts([
        ["SECOND", "ACCOUNT_TYPE_CRYPTO", true, "1"],
        ["USDC", "ACCOUNT_TYPE_CRYPTO", false, "100"]
      ])
      const sent = order()
      const { id } = taken(book, sent)
      for (const known of [null, id]) {
        assert.strictEqual((yield* custodian.withdrawal(sent, known))._tag, "Done", String(known))
      }
    })
  )
})
