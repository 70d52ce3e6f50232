import { of } from "@bursar/core/money/Amount"
import type { TransferOrder } from "@bursar/core/port/FiatProvider"
import { payee, secrets, somebody } from "@bursar/testkit/fixtures/people"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as SandboxFiat from "../../src/fiat/SandboxFiat.ts"
import * as SandboxPrices from "../../src/prices/SandboxPrices.ts"
import * as SandboxStore from "../../src/store/SandboxStore.ts"
import { call } from "../support/worlds.ts"

const orderOf = Effect.fnUntraced(function* (changes: Partial<TransferOrder> = {}) {
  const order: TransferOrder = {
    reference: crypto.randomUUID(),
    madeAt: yield* Clock.currentTimeMillis,
    sentAt: yield* Clock.currentTimeMillis,
    kind: "BANK_TRANSFER",
    amount: { units: 12_345n, currency: "EUR" },
    toCurrency: null,
    providerCustomerId: null,
    payee,
    rail: null,
    ...changes
  }
  return order
})

const accountIn = Effect.fnUntraced(function* ({ provider }: SandboxFiat.SandboxFiat, reference: string) {
  const person = yield* provider.register({ reference, isBusiness: false, identity: somebody })
  if (person._tag !== "Done") return yield* Effect.die(person._tag)
  const { providerCustomerId } = person.value
  const answer = yield* provider.openAccount({ reference, providerCustomerId, currency: "EUR", country: "PT" })
  return answer._tag === "Done" ? answer.value : yield* Effect.die(answer._tag)
})

describe("SandboxFiat", () => {
  it.effect("an account waits for its details", () =>
    Effect.gen(function* () {
      const sandbox = yield* SandboxFiat.make({ store: SandboxStore.memory() })
      const { iban, providerAccountId, status } = yield* accountIn(sandbox, "ours")
      assert.deepStrictEqual({ iban, status }, { iban: null, status: "PENDING" })
      const early = yield* Effect.flip(call(sandbox.routes, "POST", "/fiat/incoming", { account: "ours", amount: "1" }))
      assert.strictEqual(early.code, "invalid_request")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* sandbox.provider.account(providerAccountId)).status, "ACTIVE")
    })
  )

  it.effect("money arrives on an account by our id, the provider's or its IBAN, and not in another currency", () =>
    Effect.gen(function* () {
      const sandbox = yield* SandboxFiat.make({ store: SandboxStore.memory(), activateAfterMs: 0 })
      const { iban, providerAccountId } = yield* accountIn(sandbox, "ours")
      for (const account of ["ours", providerAccountId, iban]) {
        yield* call(sandbox.routes, "POST", "/fiat/incoming", { account, amount: "1.50", currency: "EUR" })
      }
      assert.lengthOf(yield* sandbox.provider.incoming(providerAccountId, null), 3)
      for (const wrong of [{ currency: "USD" }, { amount: "1.505" }, { amount: "-1" }, { amount: "0" }]) {
        const body = { account: "ours", amount: "1", ...wrong }
        const error = yield* Effect.flip(call(sandbox.routes, "POST", "/fiat/incoming", body))
        assert.strictEqual(error.code, "invalid_request")
      }
      const nowhere = yield* Effect.flip(call(sandbox.routes, "POST", "/fiat/incoming", { account: "x", amount: "1" }))
      assert.strictEqual(nowhere.code, "not_found")
    })
  )

  it.effect("outcomes wait in line, and a transfer that runs can be given another", () =>
    Effect.gen(function* () {
      const { provider, routes } = yield* SandboxFiat.make({ store: SandboxStore.memory(), stepMs: 0 })
      for (const outcome of ["in_review", "fail"]) yield* call(routes, "POST", "/fiat/next", { outcome })
      const orders = [yield* orderOf(), yield* orderOf(), yield* orderOf()]
      for (const order of orders) yield* provider.send(order)
      const statuses = Effect.forEach(orders, (order) =>
        Effect.map(provider.transfer(order, null), (answer) =>
          answer._tag === "Done" ? answer.value.status : answer._tag
        )
      )
      assert.deepStrictEqual(yield* statuses, ["IN_REVIEW", "FAILED", "SETTLED"])
      yield* call(routes, "POST", `/fiat/transfers/${orders[0]?.reference}`, { outcome: "settle" })
      assert.deepStrictEqual(yield* statuses, ["SETTLED", "FAILED", "SETTLED"])
    })
  )

  it.effect("what arrives, comes back and from whom can be scripted of a transfer that runs", () =>
    Effect.gen(function* () {
      const { provider, routes } = yield* SandboxFiat.make({ store: SandboxStore.memory(), stepMs: 0 })
      const order = yield* orderOf({ kind: "ON_RAMP", payee: null })
      yield* provider.send(order)
      const change = (body: unknown) => call(routes, "POST", `/fiat/transfers/${order.reference}`, body)
      const told = Effect.map(provider.transfer(order, null), (answer) =>
        answer._tag === "Done" ? answer.value : null
      )
      const sender = (yield* told)?.sender
      assert.match(sender?.iban ?? "", /^DE/u)
      yield* change({ outcome: "settle", received: "0.01" })
      const less = yield* told
      assert.deepStrictEqual([less?.received, less?.returned, less?.sender], [of(1n, "EUR"), null, sender])
      yield* change({ outcome: "settle", received: "0" })
      assert.deepInclude(yield* told, { received: of(0n, "EUR") })
      yield* change({ outcome: "return", returned: "70" })
      assert.deepInclude(yield* told, { status: "RETURNED", received: null, returned: of(7_000n, "EUR") })
      const wrong = yield* Effect.flip(change({ outcome: "return", returned: "-1" }))
      assert.strictEqual(wrong.code, "invalid_request")
    })
  )

  it.effect("everything is known after a restart, and nothing of anybody's identity is kept", () =>
    Effect.gen(function* () {
      const store = SandboxStore.memory()
      const before = yield* SandboxFiat.make({ store, stepMs: 0, activateAfterMs: 0 })
      const account = yield* accountIn(before, "ours")
      yield* call(before.routes, "POST", "/fiat/incoming", { account: "ours", amount: "7" })
      const order = yield* orderOf()
      yield* call(before.routes, "POST", "/fiat/next", { outcome: "timeout_then_settle" })
      assert.strictEqual((yield* before.provider.send(order))._tag, "Unknown")
      yield* call(before.routes, "POST", "/fiat/next", { outcome: "fail" })

      const after = yield* SandboxFiat.make({ store, stepMs: 0, activateAfterMs: 0 })
      assert.deepStrictEqual(yield* accountIn(after, "ours"), account)
      assert.lengthOf(yield* after.provider.incoming(account.providerAccountId, null), 1)
      const found = yield* after.provider.transfer(order, null)
      assert.deepInclude(found._tag === "Done" ? found.value : {}, { status: "SETTLED", received: order.amount })
      assert.deepInclude(yield* call(after.routes, "GET", "/fiat"), { next: ["fail"] })
      const kept = (yield* store.read("fiat")) ?? ""
      for (const secret of [...secrets, payee.name, payee.iban ?? ""]) assert.notInclude(kept, secret)
    })
  )

  it.effect("another currency is paid at the price of the moment, and refused without one", () =>
    Effect.gen(function* () {
      const { prices, routes } = yield* SandboxPrices.make({ store: SandboxStore.memory(), spreadBps: 0 })
      yield* call(routes, "POST", "/prices", { currency: "USDC_BASE", usd: "1" })
      yield* call(routes, "POST", "/prices", { currency: "EUR", usd: "1.25" })
      const order = yield* orderOf({
        kind: "OFF_RAMP",
        amount: { units: 10_000_000n, currency: "USDC_BASE" },
        toCurrency: "EUR"
      })
      const without = yield* SandboxFiat.make({ store: SandboxStore.memory(), stepMs: 0 })
      assert.strictEqual((yield* without.provider.send(order))._tag, "Refused")
      const { provider } = yield* SandboxFiat.make({ store: SandboxStore.memory(), stepMs: 0, prices })
      yield* provider.send(order)
      const paid = yield* provider.transfer(order, null)
      assert.deepStrictEqual(paid._tag === "Done" && paid.value.received, { units: 800n, currency: "EUR" })
    })
  )

  it.effect("a store that fails leaves open what happened", () =>
    Effect.gen(function* () {
      const error = new SandboxStore.StoreError({ area: "fiat", detail: "the disk is full" })
      const store = { ...SandboxStore.memory(), write: () => Effect.fail(error) }
      const { provider } = yield* SandboxFiat.make({ store })
      const order = yield* orderOf()
      assert.strictEqual((yield* provider.send(order))._tag, "Unknown")
      assert.strictEqual((yield* provider.transfer(order, null))._tag, "Unknown")
    })
  )
})
