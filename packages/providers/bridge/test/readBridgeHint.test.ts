import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { generateKeyPairSync } from "node:crypto"
import { readBridgeHint } from "../src/readBridgeHint.ts"
import { publicKeyPem, webhookOf } from "./support/FakeBridge.ts"

const readHint = readBridgeHint([publicKeyPem])
const now = Date.UTC(2026, 0, 15)
const minuteMs = 60_000
const payload = { event_category: "transfer", event_object_id: "tr_1", event_object: { client_reference_id: "op-1" } }

describe("readBridgeHint", () => {
  it.effect("takes a signature over the text, and over its digest as in Bridge's test data", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      for (const how of ["text", "digest"] as const) {
        const hint = yield* readHint(webhookOf(payload, how, now))
        assert.deepStrictEqual(hint, { _tag: "Hint", what: "transfer", about: "op-1" })
      }
    })
  )

  it.effect("takes ten minutes of distance and no more, either way", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const tags: Array<string> = []
      for (const minutes of [-11, -9, 9, 11]) {
        tags.push((yield* readHint(webhookOf(payload, "digest", now + minutes * minuteMs)))._tag)
      }
      assert.deepStrictEqual(tags, ["Untrusted", "Hint", "Hint", "Untrusted"])
    })
  )

  it.effect("refuses another key, another time under the same signature, and headers that are none", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const genuine = webhookOf(payload, "digest", now)
      const signature = genuine.headers["x-webhook-signature"]
      const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
      const wrong = [
        webhookOf(payload, "digest", now, other),
        { ...genuine, headers: { "x-webhook-signature": signature.replace(`t=${now}`, `t=${now + 1}`) } },
        { ...genuine, headers: { "x-webhook-signature": `t=${now}` } },
        { ...genuine, headers: { "x-webhook-signature": `t=${now},v0=` } },
        { ...genuine, headers: { "x-webhook-signature": `t=${now},v0=AAAA` } },
        { ...genuine, headers: { "x-webhook-signature": "" } }
      ]
      for (const request of wrong) assert.strictEqual((yield* readHint(request))._tag, "Untrusted")
      const unreadable = readBridgeHint(["no key at all"])
      assert.strictEqual((yield* unreadable(genuine))._tag, "Untrusted")
    })
  )

  it.effect("takes either key while they are being changed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const next = generateKeyPairSync("rsa", { modulusLength: 2048 })
      const pem = next.publicKey.export({ format: "pem", type: "spki" }).toString()
      const both = readBridgeHint([pem, publicKeyPem])
      assert.strictEqual((yield* both(webhookOf(payload, "digest", now)))._tag, "Hint")
      assert.strictEqual((yield* both(webhookOf(payload, "digest", now, next.privateKey)))._tag, "Hint")
    })
  )

  it.effect(
    "names the account of an arrival, the transfer without a reference of ours, and nothing in particular",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now)
        const hintOf = (event: unknown) => readHint(webhookOf(event, "digest", now))
        const activity = {
          event_category: "virtual_account.activity",
          event_object_id: "event_1",
          event_object: { customer_id: "cust_1", virtual_account_id: "va_1" }
        }
        assert.deepStrictEqual(yield* hintOf(activity), { _tag: "Hint", what: "account", about: "cust_1/va_1" })
        const foreign = { event_category: "transfer", event_object_id: "tr_2", event_object: {} }
        assert.deepStrictEqual(yield* hintOf(foreign), { _tag: "Hint", what: "transfer", about: "tr_2" })
        const customer = { event_category: "customer", event_object_id: "cust_1" }
        assert.deepStrictEqual(yield* hintOf(customer), { _tag: "Hint", what: "other", about: "cust_1" })
        assert.deepStrictEqual(yield* hintOf({}), { _tag: "Hint", what: "other", about: "" })
      })
  )
})
