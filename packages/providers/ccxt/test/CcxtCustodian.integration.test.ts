import { of } from "@bursar/core/money/Amount"
import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import { type ConvertOrder, Custodian, type WithdrawOrder } from "@bursar/core/port/Custodian"
import { Prices } from "@bursar/core/port/Prices"
import { CcxtCustodian, CcxtPrices, exchangeNames, isExchangeName } from "@bursar/ccxt"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { krakenWire } from "./support/krakenWire.ts"
import { serve, type Wire } from "./support/Wire.ts"
import { wires } from "./support/wires.ts"
import { makeCustodian, optionsFor, receivers, turns } from "./support/world.ts"

const opened = (wire: Wire, more: Partial<CcxtCustodian.CcxtCustodianOptions> = {}) =>
  Effect.gen(function* () {
    const served = yield* serve(wire)
    const custodian = yield* makeCustodian({ ...optionsFor(wire, served), ...more })
    const given = () => served.requests.filter((request) => wire.gives(request) !== undefined)
    return { custodian, served, given, book: wire.book }
  })

const withdrawal = (wire: Wire, units = 10_000_001n): WithdrawOrder => {
  const [currency, network] =
    wire.name === "coinbase" ? (["USDC_ETH", "ethereum"] as const) : (["USDT_TRON", "tron"] as const)
  const reference = crypto.randomUUID()
  return {
    reference,
    sentAt: Date.now(),
    amount: { units, currency },
    network,
    address: receivers[currency],
    memo: null
  }
}

const conversion = (wire: Wire, units = 12_345_678n): ConvertOrder => ({
  reference: crypto.randomUUID(),
  sentAt: Date.now(),
  amount: { units, currency: "BTC" },
  to: wire.name === "coinbase" ? "USDC_ETH" : "USDT_TRON"
})

for (const [name, open] of Object.entries(wires)) {
  describe(`CcxtCustodian at ${name}`, () => {
    it.live("an order that is taken and never answered is unknown, and was sent once", () =>
      Effect.gen(function* () {
        const wire = open()
        const { book, custodian, given, served } = yield* opened(wire, { timeoutMs: 300 })
        yield* Effect.orDie(custodian.pairs)
        const paths = [
          "/0/private/Withdraw",
          "/0/private/AddOrder",
          "/sapi/v1/capital/withdraw/apply",
          "/api/v3/order",
          "/api/v5/asset/withdrawal",
          "/api/v5/trade/order",
          "/v2/accounts/account-USDC/transactions",
          "/api/v3/brokerage/orders",
          "/api/v2/spot/wallet/withdrawal",
          "/api/v2/spot/trade/place-order"
        ]
        for (const path of paths) served.held.add(path)
        assert.strictEqual((yield* custodian.withdraw(withdrawal(wire)))._tag, "Unknown")
        assert.strictEqual((yield* custodian.convert(conversion(wire)))._tag, "Unknown")
        assert.lengthOf(given(), 2)
        assert.deepStrictEqual([book.withdrawals.length, book.orders.length], [1, 1])
      })
    )

    it.live("amounts go over the wire digit by digit, under a reference of ours", () =>
      Effect.gen(function* () {
        const wire = open()
        const { custodian, given } = yield* opened(wire)
        const [sent, traded] = [withdrawal(wire), conversion(wire)]
        yield* custodian.withdraw(sent)
        yield* custodian.convert(traded)
        const [first, second] = given().map(({ body }) => decodeURIComponent(body))
        // okx is told what arrives, all others what leaves
        assert.match(first ?? "", name === "okx" ? /"amt":"8\.500001".*"fee":"1\.5"/u : /[="]10\.000001(?:["&]|$)/u)
        assert.match(second ?? "", /[="]0\.12345678(?:["&]|$)/u)
        const written = (reference: string) =>
          name === "kraken" || name === "coinbase" || name === "binance" ? reference : reference.replace(/-/gu, "")
        assert.include(second, written(traded.reference))
        if (name === "binance") assert.include(first, sent.reference.replace(/-/gu, ""))
        else if (name !== "kraken" && name !== "coinbase") assert.include(first, written(sent.reference))
      })
    )

    it.live("a worker that is frozen while it prepares an order does not send it when it wakes up", () =>
      Effect.gen(function* () {
        const wire = open()
        let frozenMs = 0
        const slow: Wire = {
          ...wire,
          answer: (request, outcome) => {
            frozenMs = 180_000
            return wire.answer(request, outcome)
          }
        }
        const { book, custodian, given } = yield* opened(slow)
        const now = () => Date.now() + frozenMs
        const live = yield* Clock.Clock
        const clock: Clock.Clock = Object.create(live, {
          currentTimeMillisUnsafe: { value: now },
          currentTimeMillis: { value: Effect.sync(now) }
        })
        const sends: ReadonlyArray<Effect.Effect<ProviderResult<unknown>>> = [
          Effect.suspend(() => custodian.withdraw(withdrawal(wire))),
          Effect.suspend(() => custodian.convert(conversion(wire)))
        ]
        for (const send of sends) {
          frozenMs = 0
          const answer = yield* Effect.provideService(send, Clock.Clock, clock)
          assert.strictEqual(answer._tag, "Refused", JSON.stringify(answer))
          assert.include(JSON.stringify(answer), "too old")
        }
        assert.lengthOf(given(), 0)
        assert.deepStrictEqual([book.withdrawals.length, book.orders.length], [0, 0])
      })
    )

    it.live("calls of two workers with one key at once are all taken", () =>
      Effect.gen(function* () {
        const wire = open()
        const { custodian, served } = yield* opened(wire)
        const other = yield* makeCustodian(optionsFor(wire, served))
        yield* Effect.all(
          Array.from({ length: 12 }, (_, index) =>
            Effect.orDie([custodian, other][index % 2]?.balances ?? Effect.die(""))
          ),
          { concurrency: "unbounded" }
        )
        assert.isEmpty(served.denied)
      })
    )

    it.live("a wrong signature is a certain refusal, and no secret is in it", () =>
      Effect.gen(function* () {
        const wire = open()
        // coinbase makes a new pair of keys each time it is opened
        const other = { ...open().credentials, passphrase: Redacted.make("another") }
        const plain = name === "kraken" || name === "binance"
        const credentials = plain ? { ...other, apiKey: Redacted.make("another") } : other
        const { book, custodian, served } = yield* opened(wire, { credentials })
        for (const answer of [
          yield* custodian.withdraw(withdrawal(wire)),
          yield* custodian.convert(conversion(wire))
        ]) {
          assert.strictEqual(answer._tag, "Refused", JSON.stringify(answer))
          assert.notMatch(JSON.stringify(answer), /secret|key|BEGIN|Bearer|signature=/iu)
        }
        assert.isNotEmpty(served.denied)
        assert.deepStrictEqual([book.withdrawals.length, book.orders.length], [0, 0])
        assert.strictEqual((yield* Effect.flip(custodian.balances)).provider, name)
      })
    )

    it.live("an order that was filled in part and ended tells how much it sold, and brought", () =>
      Effect.gen(function* () {
        const wire = open()
        const { book, custodian } = yield* opened(wire)
        book.script.conversion.push("partial")
        const order = conversion(wire)
        assert.strictEqual((yield* custodian.convert(order))._tag, "Done")
        book.finish()
        const answer = yield* custodian.conversion(order, null)
        const state = answer._tag === "Done" ? answer.value : assert.fail(answer._tag)
        if (state._tag !== "Settled") return assert.fail(state._tag)
        assert.strictEqual(state.providerReference, book.orders[0]?.id)
        assert.deepStrictEqual(state.sold, of(order.amount.units / 2n, order.amount.currency))
        assert.isAbove(Number(state.received.units), 0)
      })
    )

    it.live("an answer about another order is none", () =>
      Effect.gen(function* () {
        const wire = open()
        const { custodian } = yield* opened(wire)
        const [sent, traded] = [withdrawal(wire), conversion(wire)]
        yield* custodian.withdraw(sent)
        yield* custodian.convert(traded)
        assert.strictEqual((yield* custodian.withdrawal(sent, "another"))._tag, "Unknown")
        assert.strictEqual((yield* custodian.conversion(traded, "another"))._tag, "Unknown")
      })
    )

    it.live("nothing is traded between the networks of one coin", () =>
      Effect.gen(function* () {
        const wire = open()
        const { custodian, given } = yield* opened(wire)
        const coin = wire.name === "coinbase" ? "USDC" : "USDT"
        const order: ConvertOrder = {
          reference: "one",
          sentAt: Date.now(),
          amount: { units: 5_000_000_000_000n, currency: `${coin}_BSC` },
          to: `${coin}_ETH`
        }
        const answer = yield* custodian.convert(order)
        assert.deepStrictEqual(answer, {
          _tag: "Done",
          value: {
            _tag: "Settled",
            providerReference: "same-coin-one",
            received: { units: 5n, currency: `${coin}_ETH` }
          }
        })
        assert.deepStrictEqual(yield* custodian.conversion(order, null), answer)
        const odd = { ...order, amount: { ...order.amount, units: 5_000_000_000_001n } }
        assert.strictEqual((yield* custodian.convert(odd))._tag, "Refused")
        assert.lengthOf(given(), 0)
      })
    )

    it.live("is opened without a call, and paid out only to what is written in ASCII", () =>
      Effect.gen(function* () {
        const wire = open()
        const { custodian, served } = yield* opened(wire)
        for (const wrong of [{ address: "T\nJ" }, { address: "" }, { memo: "ключ" }, { memo: " 7" }]) {
          assert.strictEqual((yield* custodian.withdraw({ ...withdrawal(wire), ...wrong }))._tag, "Refused")
        }
        assert.lengthOf(served.requests, 0)
      })
    )
  })
}

describe("CcxtCustodian at kraken alone", () => {
  it.live(
    "of two withdrawals that look alike neither is an answer, unless the other one is known to be another's",
    () =>
      Effect.gen(function* () {
        const wire = wires.kraken()
        const { book, custodian, served } = yield* opened(wire)
        book.script.withdrawal.push("silent_then_settle", "settle")
        const [unheard, heard] = [withdrawal(wire), withdrawal(wire)]
        assert.strictEqual((yield* custodian.withdraw(unheard))._tag, "Unknown")
        assert.strictEqual((yield* custodian.withdraw(heard))._tag, "Done")
        book.finish()
        const forgetful = yield* makeCustodian(optionsFor(wire, served))
        const unclear = yield* forgetful.withdrawal(unheard, null)
        assert.strictEqual(unclear._tag, "Unknown")
        assert.include(JSON.stringify(unclear), "2 withdrawals")
        const clear = yield* custodian.withdrawal(unheard, null)
        assert.strictEqual(clear._tag === "Done" ? clear.value._tag : clear._tag, "Settled")
      })
  )

  it.live("a withdrawal of another amount, to another address or of an earlier time is not taken for it", () =>
    Effect.gen(function* () {
      const other = "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE"
      const wire = krakenWire([receivers.USDT_TRON, other])
      const { book, custodian, served } = yield* opened(wire)
      yield* custodian.withdraw(withdrawal(wire, 20_000_000n))
      yield* custodian.withdraw({ ...withdrawal(wire), address: other })
      book.finish()
      const forgetful = yield* makeCustodian(optionsFor(wire, served))
      const ask = (order: WithdrawOrder) => forgetful.withdrawal(order, null)
      assert.strictEqual((yield* ask(withdrawal(wire)))._tag, "Unknown")
      assert.strictEqual((yield* ask(withdrawal(wire, 20_000_001n)))._tag, "Unknown")
      assert.strictEqual((yield* ask({ ...withdrawal(wire, 20_000_000n), address: other }))._tag, "Unknown")
      const late = { ...withdrawal(wire, 20_000_000n), sentAt: Date.now() + 120_000 }
      assert.strictEqual((yield* ask(late))._tag, "Unknown")
      assert.strictEqual((yield* ask(withdrawal(wire, 20_000_000n)))._tag, "Done")
    })
  )

  it.live("an address that is not saved there is refused before anything is sent", () =>
    Effect.gen(function* () {
      const wire = krakenWire([])
      const { custodian, given } = yield* opened(wire)
      const answer = yield* custodian.withdraw(withdrawal(wire))
      assert.strictEqual(answer._tag, "Refused")
      assert.include(JSON.stringify(answer), "not saved")
      assert.lengthOf(given(), 0)
    })
  )

  it.live(
    "two workers that call with one key at once do not cross each other's nonces, and each order is taken once",
    () =>
      Effect.gen(function* () {
        const wire = wires.kraken()
        const { book, custodian, served } = yield* opened(wire)
        const other = yield* makeCustodian(optionsFor(wire, served))
        const workers = [custodian, other]
        const answers = yield* Effect.all(
          Array.from({ length: 30 }, (_, index) => {
            const worker = workers[index % 2] ?? custodian
            if (index % 3 === 0) return Effect.map(worker.convert(conversion(wire, 1_000_000n)), ({ _tag }) => _tag)
            return index % 5 === 0
              ? Effect.map(worker.withdraw(withdrawal(wire)), ({ _tag }) => _tag)
              : Effect.as(Effect.orDie(worker.balances), "Done")
          }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([...new Set(answers)], ["Done"])
        assert.isEmpty(served.denied)
        assert.deepStrictEqual([book.orders.length, book.withdrawals.length], [10, 4])
      })
  )

  it.live("a nonce that somebody else has passed: a read is made again, an order is unknown and not sent again", () =>
    Effect.gen(function* () {
      const wire = wires.kraken()
      let passed = 0
      const gate: Wire = {
        ...wire,
        denies: (request) => {
          if (passed === 0 || request.path.startsWith("/0/public/")) return wire.denies(request)
          passed -= 1
          return { status: 200, body: { error: ["EAPI:Invalid nonce"] } }
        }
      }
      const { custodian, given } = yield* opened(gate)
      yield* Effect.orDie(custodian.pairs)
      passed = 3
      assert.isNotEmpty([...(yield* Effect.orDie(custodian.balances))])
      assert.strictEqual(passed, 0)
      passed = 1
      assert.strictEqual((yield* custodian.convert(conversion(wire)))._tag, "Unknown")
      assert.lengthOf(given(), 1)
    })
  )

  it.live("many calls at once keep their nonces in order", () =>
    Effect.gen(function* () {
      const wire = wires.kraken()
      const { custodian, served } = yield* opened(wire)
      yield* Effect.all(
        Array.from({ length: 30 }, () => Effect.orDie(custodian.balances)),
        { concurrency: "unbounded" }
      )
      assert.isEmpty(served.denied)
    })
  )
})

describe("CcxtCustodian at single exchanges", () => {
  it.live("binance: a memo that would be read as more parameters is not sent", () =>
    Effect.gen(function* () {
      const wire = wires.binance()
      const { custodian, given } = yield* opened(wire)
      const order = { ...withdrawal(wire), memo: "7&address=TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE" }
      assert.strictEqual((yield* custodian.withdraw(order))._tag, "Refused")
      assert.lengthOf(given(), 0)
    })
  )

  it.live("okx: what the account lacks is moved before an order, and without it nothing is sent", () =>
    Effect.gen(function* () {
      const wire = wires.okx()
      const { custodian, given, served } = yield* opened(wire)
      yield* custodian.withdraw(withdrawal(wire))
      const transfers = () => served.requests.filter(({ path }) => path === "/api/v5/asset/transfer")
      assert.include(transfers()[0]?.body, `"amt":"10.000001"`)
      yield* custodian.convert({ ...conversion(wire), amount: { units: 5_000_000n, currency: "USDT_TRON" }, to: "BTC" })
      assert.lengthOf(transfers(), 1)
      assert.lengthOf(given(), 2)
      const answer = yield* custodian.withdraw(withdrawal(wire, 10n ** 13n))
      assert.strictEqual(answer._tag, "Refused")
      assert.lengthOf(given(), 2)
    })
  )

  it.live("coinbase: a send without a token that looks like ours leaves it open", () =>
    Effect.gen(function* () {
      const wire = wires.coinbase()
      const { book, custodian } = yield* opened(wire, { absentAfterMs: 0 })
      const order = withdrawal(wire)
      assert.strictEqual((yield* custodian.withdrawal(order, null))._tag, "Refused")
      book.withdraw(
        {
          clientId: null,
          coin: "USDC",
          network: "ethereum",
          address: order.address,
          memo: null,
          gross: book.fee + 10_000_001n * 10n ** 12n,
          fee: book.fee
        },
        "settle"
      )
      const answer = yield* custodian.withdrawal(order, null)
      assert.strictEqual(answer._tag, "Unknown")
      assert.include(JSON.stringify(answer), "does not carry its token")
    })
  )

  it.live("an order that is filled while its trades are not all listed is still pending", () =>
    Effect.gen(function* () {
      for (const open of [wires.binance, wires.okx, wires.bitget, wires.kraken]) {
        const wire = open()
        const { book, custodian } = yield* opened(wire)
        const order = conversion(wire)
        yield* custodian.convert(order)
        book.finish()
        const [row] = book.orders
        assert.lengthOf(row?.fills ?? [], 2)
        book.hidden = row?.fills[1]?.id ?? null
        const early = yield* custodian.conversion(order, null)
        assert.strictEqual(early._tag === "Done" ? early.value._tag : early._tag, "Pending", wire.name)
        book.hidden = null
        const late = yield* custodian.conversion(order, null)
        assert.deepInclude(late._tag === "Done" ? late.value : late, {
          _tag: "Settled",
          received: { units: 6_166_666_161n, currency: "USDT_TRON" }
        })
      }
    })
  )

  it.live("an amount that comes as a JSON number is not read", () =>
    Effect.gen(function* () {
      const wire = wires.binance()
      const numbers: Wire = {
        ...wire,
        answer: (request, outcome) =>
          request.path === "/api/v3/account"
            ? { status: 200, body: { balances: [{ asset: "BTC", free: 0.1, locked: "0" }] } }
            : wire.answer(request, outcome)
      }
      const { custodian } = yield* opened(numbers)
      assert.include((yield* Effect.flip(custodian.balances)).detail, "cannot be read")
    })
  )

  it.live("too many requests, and pages of a gate, are no refusals", () =>
    Effect.gen(function* () {
      const bodies: ReadonlyArray<readonly [number, unknown]> = [
        [429, { code: -1003, msg: "Too many requests." }],
        [418, { code: -1003, msg: "banned" }],
        [403, "<html>blocked</html>"],
        [400, { code: -1007, msg: "Timeout waiting for response from backend server." }],
        [200, { code: -1006, msg: "An unexpected response was received." }],
        [400, { code: -9999, msg: "new" }]
      ]
      for (const [status, body] of bodies) {
        const wire = wires.binance()
        const gate: Wire = {
          ...wire,
          answer: (request, outcome) =>
            wire.gives(request) === undefined ? wire.answer(request, outcome) : { status, body }
        }
        const { custodian } = yield* opened(gate)
        for (const answer of [
          yield* custodian.withdraw(withdrawal(wire)),
          yield* custodian.convert(conversion(wire))
        ]) {
          assert.strictEqual(answer._tag, "Unknown", `${status} ${JSON.stringify(body)}`)
        }
      }
    })
  )

  it.live("only exchanges that pass the suite can be named, and each has its layers", () =>
    Effect.gen(function* () {
      assert.isFalse(isExchangeName("kucoin"))
      for (const name of exchangeNames) {
        assert.isTrue(isExchangeName(name))
        const wire = wires[name]()
        const options = optionsFor(wire, yield* serve(wire))
        const named = Effect.gen(function* () {
          const rate = yield* (yield* Prices).rate("BTC", conversion(wire).to)
          return [(yield* Custodian).name, rate?.price]
        })
        const custodian = Layer.provide(CcxtCustodian.layer(options), turns)
        const layers = Layer.mergeAll(custodian, CcxtPrices.layer(options))
        assert.deepStrictEqual(yield* Effect.provide(named, layers), [name, { units: 50_000n, decimals: 0 }])
      }
    })
  )

  it.live("a passphrase that is missing is said at once", () =>
    Effect.gen(function* () {
      for (const wire of [wires.okx(), wires.bitget()]) {
        const { apiKey, secret } = wire.credentials
        const options = { exchange: wire.name, credentials: { apiKey, secret } }
        assert.strictEqual((yield* Effect.flip(makeCustodian(options)))._tag, "CcxtMisconfigured")
      }
    })
  )
})
