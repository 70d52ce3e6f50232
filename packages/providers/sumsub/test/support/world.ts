import { makeFaultyServer } from "@bursar/testkit/fixtures/FaultyServer"
import { IdentityWorld } from "@bursar/testkit/suites/identity/IdentityWorld"
import { Context, Effect, Layer, Redacted } from "effect"
import { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { layerSumsub } from "../../src/SumsubIdentity.ts"
import type { SumsubOptions } from "../../src/SumsubOptions.ts"
import { appToken, FakeSumsub, levels, secretKey, webhookOf, webhookSecret } from "./FakeSumsub.ts"

/** A Sumsub of one's own, and the adapter that talks to it. */
export const makeWorld = Effect.fnUntraced(function* (options: Partial<SumsubOptions> = {}) {
  const sumsub = new FakeSumsub()
  const server = yield* makeFaultyServer(sumsub.handle)
  const context = yield* Layer.build(
    layerSumsub({
      appToken: Redacted.make(appToken),
      secretKey: Redacted.make(secretKey),
      webhookSecret: Redacted.make(webhookSecret),
      levels,
      baseUrl: server.url,
      ...options
    })
  )
  return { sumsub, server, provider: Context.get(context, IdentityProvider) }
})

/** The world of the contract suite. */
export const identityWorld = Layer.effect(
  IdentityWorld,
  Effect.gen(function* () {
    const { provider, server, sumsub } = yield* makeWorld()
    const verdicts = {
      approve: (id: string) => sumsub.complete(id, { reviewAnswer: "GREEN" }),
      reject: (id: string) => sumsub.complete(id, { reviewAnswer: "RED", reviewRejectType: "FINAL" }),
      retry: (id: string) => sumsub.complete(id, { reviewAnswer: "RED", reviewRejectType: "RETRY" }),
      review: (id: string) => sumsub.review(id, { reviewStatus: "onHold" })
    }
    return IdentityWorld.of({
      provider,
      decide: (applicantId, verdict) => Effect.sync(() => verdicts[verdict](applicantId)),
      applicants: (customerId) =>
        Effect.sync(() => sumsub.applicants.filter(({ externalUserId }) => externalUserId === customerId).length),
      isBusiness: (customerId) => Effect.sync(() => sumsub.of(customerId)?.levelName === levels.business),
      end: (applicantId) => Effect.sync(() => sumsub.deactivate(applicantId)),
      webhook: (applicantId) => Effect.sync(() => webhookOf({ applicantId, type: "applicantReviewed" })),
      breakProvider: server.breakIt,
      heal: server.heal
    })
  })
)
