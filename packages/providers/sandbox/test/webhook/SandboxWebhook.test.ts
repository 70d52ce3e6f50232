import { makeFaultyServer, type Received } from "@bursar/testkit/fixtures/FaultyServer"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as SandboxIdentity from "../../src/identity/SandboxIdentity.ts"
import * as SandboxStore from "../../src/store/SandboxStore.ts"
import { readSandboxHint, sign, signatureHeader } from "../../src/webhook/SandboxWebhook.ts"
import { call, secret } from "../support/worlds.ts"

const body = new TextEncoder().encode(JSON.stringify({ what: "transfer", about: "op-1" }))

describe("SandboxWebhook", () => {
  it.effect("is trusted for five minutes, and only with the secret", () =>
    Effect.gen(function* () {
      const now = Date.UTC(2026, 0, 1)
      yield* TestClock.setTime(now)
      const tagOf = (at: number, signedWith: Redacted.Redacted, readWith: Redacted.Redacted | null) =>
        readSandboxHint(readWith)({ body, headers: { [signatureHeader]: sign(signedWith, at, body) } }).pipe(
          Effect.map(({ _tag }) => _tag)
        )
      assert.strictEqual(yield* tagOf(now, secret, secret), "Hint")
      assert.strictEqual(yield* tagOf(now - 299_000, secret, secret), "Hint")
      assert.strictEqual(yield* tagOf(now - 301_000, secret, secret), "Untrusted")
      assert.strictEqual(yield* tagOf(now, Redacted.make("another"), secret), "Untrusted")
      assert.strictEqual(yield* tagOf(now, secret, null), "Untrusted")
    })
  )

  it.live("results are told of, and told again where nobody answered", () =>
    Effect.gen(function* () {
      const told = yield* Deferred.make<Received>()
      let refusals = 1
      const server = yield* makeFaultyServer((received) => {
        if (refusals-- > 0) return { status: 503, json: {} }
        Deferred.doneUnsafe(told, Effect.succeed(received))
        return { status: 204, json: null }
      })
      const webhook = { url: `${server.url}/hooks/sandbox`, secret }
      const { provider, routes } = yield* SandboxIdentity.make({ store: SandboxStore.memory(), webhook })
      const opened = yield* provider.open({ customerId: crypto.randomUUID(), isBusiness: false, country: null })
      if (opened._tag !== "Done") return assert.fail(opened._tag)
      const { applicantId } = opened.value
      yield* call(routes, "POST", `/identity/${applicantId}/result`, { status: "GREEN" })
      const received = yield* Deferred.await(told)
      const request = { headers: received.headers, body: new TextEncoder().encode(received.body) }
      assert.deepStrictEqual(yield* provider.readHint(request), { _tag: "Hint", what: "applicant", about: applicantId })
      return undefined
    })
  )
})
