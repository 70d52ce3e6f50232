import type { WithdrawOrder } from "@bursar/core/port/Custodian"
import { PaymentError, SandboxCustodian, SandboxPrices, SandboxStore } from "@bursar/sandbox"
import { custodianSuite } from "@bursar/testkit/suites/custodianSuite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { fakePayer, layerWorld, press } from "./support/world.ts"

custodianSuite("sandbox", layerWorld, {
  references: ["withdrawal", "conversion"],
  conversions: 2,
  sendWithinMs: 15_000,
  absentAfterMs: 60_000,
  has: ["memos"]
})

const withdrawal = (reference: string, units = 10_000_000n): WithdrawOrder => ({
  reference,
  sentAt: 0,
  amount: { units, currency: "XLM" },
  network: "stellar",
  address: "GBXYZ",
  memo: "77"
})

const opened = (store = SandboxStore.memory(), fake = fakePayer()) =>
  Effect.gen(function* () {
    const { prices, routes: priceRoutes } = yield* SandboxPrices.make({ store })
    const { custodian, routes } = yield* SandboxCustodian.make({ store, prices, payer: fake.payer })
    return { custodian, routes: [...routes, ...priceRoutes], ...fake, store }
  })

describe("SandboxCustodian", () => {
  it.effect("pays the amount less its fee, with the memo", () =>
    Effect.gen(function* () {
      const { custodian, paid } = yield* opened()
      yield* custodian.withdraw(withdrawal("one"))
      assert.deepStrictEqual(paid, [{ network: "stellar", contract: null, units: 9_800_000n, to: "GBXYZ", memo: "77" }])
    })
  )

  it.effect("pays once for a reference, and refuses another order under it", () =>
    Effect.gen(function* () {
      const { custodian, paid } = yield* opened()
      const first = yield* custodian.withdraw(withdrawal("one"))
      assert.deepStrictEqual(yield* custodian.withdraw(withdrawal("one")), first)
      assert.strictEqual((yield* custodian.withdraw(withdrawal("one", 11_000_000n)))._tag, "Refused")
      assert.lengthOf(paid, 1)
    })
  )

  it.effect("never says what became of an order that it was told never to", () =>
    Effect.gen(function* () {
      const { custodian, paid, routes } = yield* opened()
      yield* press(routes, "POST /custodian/next", { operation: "swap", outcome: "never" })
      yield* press(routes, "POST /custodian/next", { operation: "withdraw", outcome: "never" })
      const order = withdrawal("one")
      assert.strictEqual((yield* custodian.withdraw(order))._tag, "Unknown")
      assert.strictEqual((yield* custodian.withdrawal(order, null))._tag, "Unknown")
      assert.lengthOf(paid, 0)
      const conversion = { reference: "two", sentAt: 0, amount: { units: 10n ** 8n, currency: "BTC" }, to: "EUR" }
      assert.strictEqual((yield* custodian.convert(conversion))._tag, "Unknown")
      assert.strictEqual((yield* custodian.conversion(conversion, null))._tag, "Unknown")
    })
  )

  it.effect("gives the money back when its payment is refused, and knows nothing when that is not certain", () =>
    Effect.gen(function* () {
      const fake = fakePayer()
      const outcomes: Array<"no" | "unknown"> = ["no", "unknown"]
      const payer = {
        ...fake.payer,
        pay: () => Effect.fail(new PaymentError({ sent: outcomes.shift() ?? "no", detail: "the faucet is dry" }))
      }
      const { custodian } = yield* opened(SandboxStore.memory(), { ...fake, payer })
      const held = (yield* custodian.balances).get("XLM") ?? 0n
      yield* custodian.withdraw(withdrawal("one"))
      assert.deepStrictEqual(yield* custodian.withdrawal(withdrawal("one"), null), {
        _tag: "Done",
        value: { _tag: "Failed", providerReference: "sandbox-one", reason: "the faucet is dry" }
      })
      assert.strictEqual((yield* custodian.balances).get("XLM"), held)
      yield* custodian.withdraw(withdrawal("two"))
      assert.strictEqual((yield* custodian.withdrawal(withdrawal("two"), null))._tag, "Unknown")
      assert.strictEqual((yield* custodian.balances).get("XLM"), held - 10_000_000n)
    })
  )

  it.effect("a payment that a stop cut off is not made again: nobody knows whether it was", () =>
    Effect.gen(function* () {
      const fake = fakePayer()
      const store = SandboxStore.memory()
      const stopped = { ...fake, payer: { ...fake.payer, pay: () => Effect.die(new Error("the process was killed")) } }
      const { custodian } = yield* opened(store, stopped)
      yield* Effect.exit(custodian.withdraw(withdrawal("one")))
      const next = yield* opened(store, fake)
      assert.strictEqual((yield* next.custodian.withdrawal(withdrawal("one"), null))._tag, "Unknown")
      assert.strictEqual((yield* next.custodian.withdraw(withdrawal("one")))._tag, "Unknown")
      assert.lengthOf(fake.paid, 0)
    })
  )

  it.effect("finds its orders, its holdings and its script again after a restart", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = `${yield* files.makeTempDirectoryScoped()}/sandbox`
      const fake = fakePayer()
      const first = yield* opened(yield* SandboxStore.directory(path), fake)
      yield* press(first.routes, "POST /custodian/next", { operation: "withdrawal", outcome: "settle" })
      yield* press(first.routes, "POST /custodian/next", { operation: "withdrawal", outcome: "fail" })
      yield* press(first.routes, "POST /custodian/balance", { currency: "BTC", amount: "0.5" })
      yield* press(first.routes, "POST /prices", { currency: "BTC", usd: "70000" })
      yield* first.custodian.withdraw(withdrawal("one"))
      yield* fake.confirmAll
      const second = yield* opened(yield* SandboxStore.directory(path), fake)
      const answer = yield* second.custodian.withdrawal(withdrawal("one"), "sandbox-one")
      assert.strictEqual(answer._tag === "Done" ? answer.value._tag : answer._tag, "Settled")
      assert.deepStrictEqual(yield* second.custodian.balances, yield* first.custodian.balances)
      assert.strictEqual((yield* second.custodian.balances).get("BTC"), 50_000_000n)
      yield* second.custodian.withdraw(withdrawal("two"))
      const failed = yield* second.custodian.withdrawal(withdrawal("two"), "sandbox-two")
      assert.strictEqual(failed._tag === "Done" ? failed.value._tag : failed._tag, "Failed")
      assert.include(JSON.stringify(yield* press(second.routes, "GET /prices", {})), `"BTC":"70000"`)
      assert.lengthOf(fake.paid, 1)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("a file that cannot be read stops the start, and is not written over", () =>
    Effect.gen(function* () {
      const store = SandboxStore.memory()
      yield* store.write("custodian", "{")
      const error = yield* Effect.flip(opened(store))
      assert.strictEqual(error._tag, "StoreError")
      assert.strictEqual(yield* store.read("custodian"), "{")
    })
  )

  it.effect("a currency without a price can be withdrawn, and not converted", () =>
    Effect.gen(function* () {
      const { custodian, routes } = yield* opened()
      yield* press(routes, "POST /prices", { currency: "XLM", usd: null })
      assert.isFalse((yield* custodian.pairs).some(({ from, to }) => from === "XLM" || to === "XLM"))
      const answer = yield* custodian.convert({
        reference: "two",
        sentAt: 0,
        amount: { units: 10n ** 9n, currency: "XLM" },
        to: "EUR"
      })
      assert.strictEqual(answer._tag, "Refused")
      assert.strictEqual((yield* custodian.withdraw(withdrawal("one")))._tag, "Done")
    })
  )
})
