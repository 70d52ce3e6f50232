import type { CheckState, OpenedCheck } from "@bursar/core/port/IdentityProvider"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { deafFaults } from "../../fixtures/ProviderFault.ts"
import { assertHints } from "../hintTests.ts"
import type { SuiteIt } from "../harness.ts"
import { type IdentityFeature, IdentityWorld } from "./IdentityWorld.ts"

const orderFor = (customerId: string) => ({ customerId, isBusiness: false, country: "PT" })

const opened = Effect.fnUntraced(function* (customerId: string) {
  const { provider } = yield* IdentityWorld
  const answer = yield* provider.open(orderFor(customerId))
  if (answer._tag !== "Done") return yield* Effect.die(new Error(`opening answered ${JSON.stringify(answer)}`))
  return answer.value satisfies OpenedCheck
})

/** Whether a state allows anything now. */
const allows = ({ capabilities, expiresAt, status }: CheckState, now: number): boolean =>
  status === "APPROVED" && capabilities.length > 0 && (expiresAt === null || expiresAt > now)

/** What every IdentityProvider must do. */
export const identityTests = (
  it: SuiteIt<IdentityWorld>,
  has: ReadonlyArray<IdentityFeature>,
  timeoutMs: number
): void => {
  it.effect(
    "a check is opened once for each customer, and leads the person to the provider",
    () =>
      Effect.gen(function* () {
        const { applicants, provider } = yield* IdentityWorld
        const [one, other] = [crypto.randomUUID(), crypto.randomUUID()]
        const first = yield* opened(one)
        assert.isTrue(first.newlyCreated)
        assert.strictEqual(first.status, "PENDING")
        assert.match(first.url ?? "", /^https?:\/\//u)
        assert.isAbove(first.urlExpiresAt ?? 0, 0)
        const again = yield* opened(one)
        assert.strictEqual(again.applicantId, first.applicantId)
        assert.isFalse(again.newlyCreated)
        assert.notStrictEqual((yield* opened(other)).applicantId, first.applicantId)
        assert.strictEqual(yield* applicants(one), 1)
        const { capabilities, status } = yield* provider.state(first.applicantId)
        assert.deepStrictEqual({ capabilities, status }, { capabilities: [], status: "PENDING" })
      }),
    timeoutMs
  )

  it.effect(
    "a business is checked as one, and a person as a person",
    () =>
      Effect.gen(function* () {
        const { isBusiness, provider } = yield* IdentityWorld
        for (const business of [true, false]) {
          const customerId = crypto.randomUUID()
          const answer = yield* provider.open({ ...orderFor(customerId), isBusiness: business })
          assert.strictEqual(answer._tag, "Done", JSON.stringify(answer))
          assert.strictEqual(yield* isBusiness(customerId), business)
        }
      }),
    timeoutMs
  )

  it.effect(
    "a state is of the environment that the provider is of, and of no real one where that is a sandbox",
    () =>
      Effect.gen(function* () {
        const { decide, provider } = yield* IdentityWorld
        const { applicantId } = yield* opened(crypto.randomUUID())
        yield* decide(applicantId, "approve")
        const { environment } = yield* provider.state(applicantId)
        if (provider.environment === "SANDBOX") assert.strictEqual(environment, "sandbox")
        else assert.notStrictEqual(environment, "sandbox")
      }),
    timeoutMs
  )

  it.effect(
    "approval comes with what it allows, is dated after what was seen before, and needs no link any more",
    () =>
      Effect.gen(function* () {
        const { decide, provider } = yield* IdentityWorld
        const customerId = crypto.randomUUID()
        const { applicantId } = yield* opened(customerId)
        const before = yield* provider.state(applicantId)
        yield* decide(applicantId, "approve")
        const state = yield* provider.state(applicantId)
        assert.strictEqual(state.status, "APPROVED")
        assert.isNotEmpty(state.capabilities)
        assert.isAbove(state.decidedAt, before.decidedAt)
        // one that is dated by when it was read would replace whatever was decided meanwhile
        if (state.isUndated !== true) assert.deepStrictEqual(yield* provider.state(applicantId), state)
        const again = yield* opened(customerId)
        assert.strictEqual(again.status, "APPROVED")
        assert.isNull(again.url)
      }),
    timeoutMs
  )

  it.effect(
    "a later verdict takes the place of an earlier one, and with approval goes what it allowed",
    () =>
      Effect.gen(function* () {
        const { decide, provider } = yield* IdentityWorld
        const { applicantId } = yield* opened(crypto.randomUUID())
        yield* decide(applicantId, "approve")
        const green = yield* provider.state(applicantId)
        yield* decide(applicantId, "reject")
        const red = yield* provider.state(applicantId)
        assert.deepStrictEqual([green.status, red.status], ["APPROVED", "REJECTED"])
        assert.deepStrictEqual(red.capabilities, [])
        assert.isAbove(red.decidedAt, green.decidedAt)
      }),
    timeoutMs
  )

  it.effect(
    "what waits for the person and what waits for the provider are told apart, and allow nothing",
    () =>
      Effect.gen(function* () {
        const { decide, provider } = yield* IdentityWorld
        const { applicantId } = yield* opened(crypto.randomUUID())
        for (const [verdict, wanted] of [
          ["review", "IN_REVIEW"],
          ["retry", "ACTION_REQUIRED"]
        ] as const) {
          yield* decide(applicantId, verdict)
          const { capabilities, status } = yield* provider.state(applicantId)
          assert.deepStrictEqual({ capabilities, status }, { capabilities: [], status: wanted })
        }
      }),
    timeoutMs
  )

  it.effect(
    "a genuine webhook names the applicant, and any other is not trusted",
    () =>
      Effect.gen(function* () {
        const { provider, webhook } = yield* IdentityWorld
        const { applicantId } = yield* opened(crypto.randomUUID())
        yield* assertHints(provider.readHint, yield* webhook(applicantId), "applicant", applicantId)
      }),
    timeoutMs
  )

  it.effect(
    "an applicant that the provider does not know has no state: nothing is concluded from that",
    () =>
      Effect.gen(function* () {
        const { provider } = yield* IdentityWorld
        const error = yield* Effect.flip(provider.state("000000000000000000000000"))
        assert.strictEqual(error._tag, "ProviderError")
      }),
    timeoutMs
  )

  if (has.includes("ends")) {
    it.effect(
      "an approval that has ended allows nothing",
      () =>
        Effect.gen(function* () {
          const { decide, end, provider } = yield* IdentityWorld
          const { applicantId } = yield* opened(crypto.randomUUID())
          yield* decide(applicantId, "approve")
          const allowed = Effect.zipWith(provider.state(applicantId), Clock.currentTimeMillis, allows)
          assert.isTrue(yield* allowed)
          yield* end(applicantId)
          assert.isFalse(yield* allowed)
        }),
      timeoutMs
    )
  }

  if (!has.includes("faults")) return

  for (const fault of deafFaults) {
    it.effect(
      `nothing is concluded from a provider that is ${fault}, and it is asked again once it is healed`,
      () =>
        Effect.gen(function* () {
          const { applicants, breakProvider, heal, provider } = yield* IdentityWorld
          const known = yield* opened(crypto.randomUUID())
          const customerId = crypto.randomUUID()
          yield* breakProvider(fault)
          const answer = yield* provider.open(orderFor(customerId))
          const error = yield* Effect.flip(provider.state(known.applicantId))
          yield* heal
          assert.strictEqual(answer._tag, "Unknown")
          assert.strictEqual(error._tag, "ProviderError")
          assert.isTrue((yield* opened(customerId)).newlyCreated)
          assert.strictEqual(yield* applicants(customerId), 1)
        }).pipe(Effect.ensuring(Effect.flatMap(IdentityWorld, ({ heal }) => heal))),
      timeoutMs
    )
  }

  it.effect(
    "a check whose answer was lost is found, and not opened twice",
    () =>
      Effect.gen(function* () {
        const { applicants, breakProvider, heal, provider } = yield* IdentityWorld
        const customerId = crypto.randomUUID()
        yield* breakProvider("lost")
        const lost = yield* provider.open(orderFor(customerId))
        assert.strictEqual(lost._tag, "Unknown")
        yield* heal
        yield* opened(customerId)
        assert.strictEqual(yield* applicants(customerId), 1)
      }).pipe(Effect.ensuring(Effect.flatMap(IdentityWorld, ({ heal }) => heal))),
    timeoutMs
  )
}
