import { makeSumsub } from "@bursar/sumsub/SumsubIdentity"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { appToken, levels, secretKey, webhookSecret } from "./support/FakeSumsub.ts"

const slowMs = 5_000

/** Sumsub, whose clock is a minute ahead, and which answers slowly that nothing is decided. */
const slow = HttpClient.make((request) =>
  Effect.sync(() =>
    HttpClientResponse.fromWeb(
      request,
      new Response(JSON.stringify({ id: "applicant", review: { reviewStatus: "pending" } }), {
        headers: { date: new Date(60_000 + slowMs).toUTCString() }
      })
    )
  ).pipe(Effect.delay(slowMs))
)

it.effect(
  "an answer says what was so when it was asked for, by Sumsub's clock: a verdict that fell since is later",
  () =>
    Effect.gen(function* () {
      const provider = yield* makeSumsub({
        appToken: Redacted.make(appToken),
        secretKey: Redacted.make(secretKey),
        webhookSecret: Redacted.make(webhookSecret),
        levels
      })
      const asked = yield* Effect.forkChild(provider.state("applicant"))
      yield* TestClock.adjust(slowMs)
      const { decidedAt, isUndated, status } = yield* Fiber.join(asked)
      // verdicts are dated in whole seconds
      assert.deepStrictEqual([status, decidedAt, isUndated], ["IN_REVIEW", 60_000 - 1_000, true])
    }).pipe(Effect.provideService(HttpClient.HttpClient, slow))
)
