import { inZone } from "@bursar/testkit/fixtures/inZone"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { appToken, levels, secretKey } from "./support/FakeSumsub.ts"
import { makeWorld } from "./support/world.ts"

const person = () => ({ customerId: crypto.randomUUID(), isBusiness: false, country: "PT" })

describe("Sumsub", () => {
  it.live("two that open a check for the same customer at once get one applicant", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld()
      const order = person()
      const answers = yield* Effect.all([provider.open(order), provider.open(order)], { concurrency: 2 })
      const ids = answers.map((answer) => (answer._tag === "Done" ? answer.value.applicantId : answer._tag))
      assert.strictEqual(ids[0], ids[1])
      assert.lengthOf(sumsub.applicants, 1)
      assert.lengthOf(
        answers.filter((answer) => answer._tag === "Done" && answer.value.newlyCreated),
        1
      )
    })
  )

  it.live("a business is checked at the level of businesses", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld()
      const order = { ...person(), isBusiness: true }
      assert.strictEqual((yield* provider.open(order))._tag, "Done")
      assert.strictEqual(sumsub.of(order.customerId)?.levelName, levels.business)
    })
  )

  it.live("what a level allows, and which of Sumsub's environments it is, comes with the state", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld({
        capabilitiesOf: (level) => (level === levels.individual ? ["payouts"] : [])
      })
      const opened = yield* provider.open(person())
      if (opened._tag !== "Done") return assert.fail(opened._tag)
      sumsub.complete(opened.value.applicantId, { reviewAnswer: "GREEN" })
      const { capabilities, environment } = yield* provider.state(opened.value.applicantId)
      assert.deepStrictEqual({ capabilities, environment }, { capabilities: ["payouts"], environment: "sandbox" })
      return undefined
    })
  )

  it.live("an approval at a level that is neither of the two grants nothing, and the check at ours is still open", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld()
      const order = person()
      const opened = yield* provider.open(order)
      if (opened._tag !== "Done") return assert.fail(opened._tag)
      const { applicantId } = opened.value
      sumsub.complete(applicantId, { reviewAnswer: "GREEN" })
      const ours = yield* provider.state(applicantId)
      assert.deepStrictEqual(ours.capabilities, ["fiat_accounts", "payouts", "swaps"])
      const verdict = { reviewStatus: "completed", reviewDate: "2026-01-01 00:00:00+0000" }
      for (const levelName of ["email-only-level", null]) {
        sumsub.review(applicantId, { ...verdict, levelName, reviewResult: { reviewAnswer: "GREEN" } })
        const { capabilities, status } = yield* provider.state(applicantId)
        assert.deepStrictEqual([status, capabilities], ["APPROVED", []])
      }
      const again = yield* provider.open(order)
      assert.isNotNull(again._tag === "Done" ? again.value.url : null)
      return undefined
    })
  )

  it.live("an applicant that was asked for more goes back before the verdict that is still to come", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld()
      const opened = yield* provider.open(person())
      if (opened._tag !== "Done") return assert.fail(opened._tag)
      const { applicantId } = opened.value
      sumsub.complete(applicantId, { reviewAnswer: "GREEN" })
      const green = yield* provider.state(applicantId)
      sumsub.clock += 5_000
      sumsub.review(applicantId, { reviewStatus: "pending", reviewResult: { reviewAnswer: "GREEN" } })
      const again = yield* provider.state(applicantId)
      sumsub.complete(applicantId, { reviewAnswer: "RED", reviewRejectType: "FINAL" })
      const red = yield* provider.state(applicantId)
      assert.deepStrictEqual([green.status, again.status, red.status], ["APPROVED", "IN_REVIEW", "REJECTED"])
      assert.isBelow(green.decidedAt, again.decidedAt)
      assert.isBelow(again.decidedAt, red.decidedAt)
      return undefined
    })
  )

  it.live(
    "what Sumsub has not reviewed to the end has no date of its own, and documents that were refused have one",
    () =>
      Effect.gen(function* () {
        const { provider, sumsub } = yield* makeWorld()
        const opened = yield* provider.open(person())
        if (opened._tag !== "Done") return assert.fail(opened._tag)
        const { applicantId } = opened.value
        const said = Effect.map(provider.state(applicantId), ({ isUndated, status }) => [status, isUndated])
        sumsub.review(applicantId, { reviewStatus: "awaitingUser" })
        assert.deepStrictEqual(yield* said, ["ACTION_REQUIRED", true])
        sumsub.complete(applicantId, { reviewAnswer: "RED", reviewRejectType: "RETRY" })
        assert.deepStrictEqual(yield* said, ["ACTION_REQUIRED", undefined])
        return undefined
      })
  )

  it.live("an applicant that was made inactive counts no more, dated later than its approval", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld()
      const order = person()
      const opened = yield* provider.open(order)
      if (opened._tag !== "Done") return assert.fail(opened._tag)
      const { applicantId } = opened.value
      sumsub.complete(applicantId, { reviewAnswer: "GREEN" })
      sumsub.clock += 5_000
      const approved = yield* provider.state(applicantId)
      assert.strictEqual(approved.status, "APPROVED")
      sumsub.deactivate(applicantId)
      const { capabilities, decidedAt, status } = yield* provider.state(applicantId)
      assert.deepStrictEqual([status, capabilities], ["EXPIRED", []])
      assert.isAbove(decidedAt, approved.decidedAt)
      // nobody at Sumsub can decide what an inactive person submits
      const again = yield* provider.open(order)
      if (again._tag !== "Done") return assert.fail(again._tag)
      assert.deepInclude(again.value, { applicantId, newlyCreated: false, status: "EXPIRED", url: null })
      return undefined
    })
  )

  it.live("a verdict's date without a zone is of UTC, wherever the service runs", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld()
      const opened = yield* provider.open(person())
      if (opened._tag !== "Done") return assert.fail(opened._tag)
      const { applicantId } = opened.value
      const at = sumsub.clock
      const reviewDate = new Date(at).toISOString().slice(0, "2026-11-30T11:49:27".length)
      for (const written of [reviewDate, reviewDate.replace("T", " ")]) {
        const reviewResult = { reviewAnswer: "GREEN" }
        sumsub.review(applicantId, { reviewStatus: "completed", reviewDate: written, reviewResult })
        const { decidedAt } = yield* inZone("America/New_York", provider.state(applicantId))
        assert.strictEqual(decidedAt, at)
      }
      return undefined
    })
  )

  it.live("an approval is not over where the keys are those of another account or environment of Sumsub", () =>
    Effect.gen(function* () {
      const { provider } = yield* makeWorld()
      const opened = yield* provider.open(person())
      if (opened._tag !== "Done") return assert.fail(opened._tag)
      // there every applicant is missing
      const other = yield* makeWorld()
      const error = yield* Effect.flip(other.provider.state(opened.value.applicantId))
      assert.strictEqual(error._tag, "ProviderError")
      assert.include(error.message, "another account or environment")
      return undefined
    })
  )

  it.live("an answer about another applicant decides nothing", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld()
      const order = person()
      const one = yield* provider.open(order)
      const two = yield* provider.open(person())
      if (one._tag !== "Done" || two._tag !== "Done") return assert.fail("no check was opened")
      sumsub.complete(two.value.applicantId, { reviewAnswer: "GREEN" })
      const another = sumsub.applicants.find(({ id }) => id === two.value.applicantId)
      sumsub.nextReplies.push({ status: 200, json: another })
      assert.strictEqual((yield* Effect.flip(provider.state(one.value.applicantId)))._tag, "ProviderError")
      const found = [another, { exists: true, applicant: another }]
      for (const json of found) {
        sumsub.nextReplies.push({ status: 200, json })
        assert.strictEqual((yield* provider.open(order))._tag, "Unknown")
      }
      sumsub.nextReplies.push({ status: 200, json: { exists: false } }, { status: 201, json: another })
      assert.strictEqual((yield* provider.open(person()))._tag, "Unknown")
      return undefined
    })
  )

  it.live("a gateway that finds nothing says nothing of an applicant", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld()
      for (const json of [{ code: 404 }, { code: 404, description: "no route" }, "<html>", { error: "not found" }]) {
        sumsub.nextReplies.push({ status: 404, json })
        assert.strictEqual((yield* Effect.flip(provider.state("1")))._tag, "ProviderError")
      }
    })
  )

  it.live("Sumsub's word that an order is wrong is a refusal, its word about our key or our haste is not", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld()
      const notThere = { status: 404, json: { code: 404 } }
      const answers: Array<string> = []
      for (const status of [400, 401, 403, 409, 429, 500]) {
        sumsub.nextReplies.push(notThere, { status, json: { code: status } })
        answers.push((yield* provider.open(person()))._tag)
      }
      assert.deepStrictEqual(answers, ["Refused", "Unknown", "Unknown", "Unknown", "Unknown", "Unknown"])
    })
  )

  it.live(
    "a status that is not known, a date that is none and a redirect lead to no state, and no secret is told",
    () =>
      Effect.gen(function* () {
        const { provider, sumsub } = yield* makeWorld()
        const replies = [
          { status: 200, json: {} },
          { status: 200, json: { review: { reviewStatus: "somethingNew" } } },
          {
            status: 200,
            json: { review: { reviewStatus: "completed", reviewDate: "soon", reviewResult: { reviewAnswer: "GREEN" } } }
          },
          { status: 302, json: {}, headers: { location: "/resources/applicants/1/one" } }
        ]
        for (const reply of replies) {
          sumsub.nextReplies.push(reply)
          const error = yield* Effect.flip(provider.state("1"))
          for (const secret of [appToken, secretKey]) assert.notInclude(error.message, secret)
        }
        assert.lengthOf(sumsub.received, replies.length)
      })
  )

  it.live("an answer that does not come is waited for only so long", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld({ timeoutMs: 50 })
      sumsub.nextReplies.push("hang", "hang")
      assert.strictEqual((yield* provider.open(person()))._tag, "Unknown")
      assert.strictEqual((yield* Effect.flip(provider.state("1")))._tag, "ProviderError")
    })
  )

  it.live("a wrong key is not a refusal of the person", () =>
    Effect.gen(function* () {
      const { provider, sumsub } = yield* makeWorld({ secretKey: Redacted.make("another key") })
      assert.strictEqual((yield* provider.open(person()))._tag, "Unknown")
      assert.lengthOf(sumsub.applicants, 0)
    })
  )
})
