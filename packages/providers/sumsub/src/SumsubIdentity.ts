import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import { type CheckOrder, type CheckState, IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { Clock, Data, DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { makeAsk, NoAnswer, type SumsubAnswer } from "./internal/SumsubHttp.ts"
import { Applicant, Link, Lookup, Profile } from "./internal/wire.ts"
import { readSumsubHint } from "./readSumsubHint.ts"
import { statusOf } from "./statusOf.ts"
import {
  defaultCapabilities,
  defaultLinkSeconds,
  defaultTimeoutMs,
  type SumsubOptions,
  sumsubUrl
} from "./SumsubOptions.ts"

/** Sumsub does not take the order: asking again would change nothing. */
class NotTaken extends Data.TaggedError("NotTaken")<{ readonly status: number }> {}

/** The statuses that say so. A wrong key or too many requests are not among them: those pass. */
const refusals: ReadonlySet<number> = new Set([400, 422])

/** Nobody can tell from it whether the applicant was deleted. */
const noApplicant =
  "HTTP 404. The applicant was deleted, or the keys or the address are those of another account or environment"

const environmentOf = (appToken: string): CheckState["environment"] => {
  if (appToken.startsWith("sbx:")) return "sandbox"
  return appToken.startsWith("prd:") ? "production" : null
}

/** Sumsub writes `2024-07-09 10:24:26+0000`, in UTC and whole seconds. `Date.parse` would take one without a zone for a time of this machine's. */
const momentOf = (date: string): number =>
  Option.match(DateTime.make(date), { onNone: () => NaN, onSome: DateTime.toEpochMillis })

const notUnderstood = (doing: string, { status }: SumsubAnswer) =>
  new NoAnswer({ detail: `${doing}: HTTP ${status}, and the answer is not understood` })

const decoded =
  <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  (doing: string, answer: SumsubAnswer): Effect.Effect<S["Type"], NoAnswer> =>
    answer.status < 200 || answer.status >= 300
      ? Effect.fail(new NoAnswer({ detail: `${doing}: HTTP ${answer.status}` }))
      : Option.match(Schema.decodeUnknownOption(schema)(answer.json), {
          onNone: () => Effect.fail(notUnderstood(doing, answer)),
          onSome: Effect.succeed
        })

const profile = decoded(Profile)
const applicant = decoded(Applicant)
const link = decoded(Link)
const lookup = decoded(Lookup)

const answeredWith = (doing: string, applicantId: string) =>
  new NoAnswer({ detail: `${doing}: Sumsub answered with applicant ${applicantId}` })

/** The id of an applicant who is not said to be another customer. */
const idFor = (customerId: string, doing: string, { externalUserId, id }: Applicant): Effect.Effect<string, NoAnswer> =>
  typeof externalUserId === "string" && externalUserId !== customerId
    ? Effect.fail(answeredWith(doing, id))
    : Effect.succeed(id)

/** Makes the adapter over an HTTP client. Its redirects must not be followed: a signature is good for one address. */
export const makeSumsub = Effect.fn("Sumsub.make")(function* (options: SumsubOptions) {
  const { baseUrl = sumsubUrl, linkSeconds = defaultLinkSeconds, timeoutMs = defaultTimeoutMs } = options
  const ask = makeAsk({ ...options, baseUrl, timeoutMs, client: yield* HttpClient.HttpClient })
  const environment = environmentOf(Redacted.value(options.appToken))
  const configured = Object.values(options.levels)
  // somebody at Sumsub can move an applicant to another level, which may ask for less
  const capabilitiesOf =
    options.capabilitiesOf ?? ((level: string) => (configured.includes(level) ? defaultCapabilities : []))

  const find = Effect.fnUntraced(function* (customerId: string) {
    const doing = "looking the applicant up"
    const answer = yield* ask("GET", `/resources/applicants/-/byExternalUserId/${encodeURIComponent(customerId)}`)
    if (answer.status === 404) return undefined
    const found = yield* lookup(doing, answer)
    if ("applicant" in found) return yield* idFor(customerId, doing, found.applicant)
    return "id" in found ? yield* idFor(customerId, doing, found) : undefined
  })

  const findOrCreate = Effect.fnUntraced(function* ({ customerId, isBusiness }: CheckOrder, level: string) {
    const existing = yield* find(customerId)
    if (existing !== undefined) return { applicantId: existing, newlyCreated: false }
    const answer = yield* ask("POST", `/resources/applicants?levelName=${encodeURIComponent(level)}`, {
      externalUserId: customerId,
      type: isBusiness ? "company" : "individual"
    })
    // Somebody else was faster.
    const rival = answer.status === 409 ? yield* find(customerId) : undefined
    if (rival !== undefined) return { applicantId: rival, newlyCreated: false }
    if (refusals.has(answer.status)) return yield* new NotTaken({ status: answer.status })
    const creating = "creating the applicant"
    return {
      applicantId: yield* idFor(customerId, creating, yield* applicant(creating, answer)),
      newlyCreated: true
    }
  })

  const read = Effect.fnUntraced(function* (applicantId: string) {
    const doing = "reading the status"
    const answer = yield* ask("GET", `/resources/applicants/${encodeURIComponent(applicantId)}/one`)
    // with the keys of another account or environment, every applicant is missing: that ends no approval
    if (answer.status === 404) return yield* new NoAnswer({ detail: `${doing}: ${noApplicant}` })
    const { deleted, id, review } = yield* profile(doing, answer)
    // a verdict on somebody else says nothing of this one
    if (id !== applicantId) return yield* answeredWith(doing, id)
    if (deleted === true) {
      const gone: CheckState = {
        status: "EXPIRED",
        capabilities: [],
        expiresAt: null,
        environment,
        decidedAt: answer.at,
        isUndated: true
      }
      return gone
    }
    if (review == null) return yield* notUnderstood(doing, answer)
    const { levelName, reviewDate, reviewResult, reviewStatus } = review
    const status = statusOf({
      reviewStatus,
      reviewAnswer: reviewResult?.reviewAnswer ?? null,
      reviewRejectType: reviewResult?.reviewRejectType ?? null
    })
    const decidedAt =
      // A verdict is dated in whole seconds: whatever is seen without one is dated before every verdict still to come.
      reviewStatus === "completed" && typeof reviewDate === "string" ? momentOf(reviewDate) : answer.at - 1_000
    if (status === undefined || Number.isNaN(decidedAt)) return yield* notUnderstood(doing, answer)
    const state: CheckState = {
      status,
      capabilities: status === "APPROVED" && levelName != null ? capabilitiesOf(levelName) : [],
      expiresAt: null,
      environment,
      decidedAt,
      // a verdict whose date is missing counts as one of now
      ...(reviewStatus !== "completed" && { isUndated: true })
    }
    return state
  })

  const state = Effect.fn("Sumsub.state")(function* (applicantId: string) {
    return yield* Effect.mapError(
      read(applicantId),
      ({ detail }) => new ProviderError({ provider: "sumsub", doing: "read an identity check", detail })
    )
  })

  const openLink = Effect.fnUntraced(function* (customerId: string, levelName: string) {
    const at = yield* Clock.currentTimeMillis
    const answer = yield* ask("POST", "/resources/sdkIntegrations/levels/-/websdkLink", {
      levelName,
      userId: customerId,
      ttlInSecs: linkSeconds
    })
    return { url: (yield* link("making the link", answer)).url, urlExpiresAt: at + linkSeconds * 1_000 }
  })

  const open = Effect.fn("Sumsub.open")(
    function* (order: CheckOrder) {
      const level = order.isBusiness ? options.levels.business : options.levels.individual
      const { applicantId, newlyCreated } = yield* findOrCreate(order, level)
      const { capabilities, status } = newlyCreated
        ? { capabilities: [], status: "PENDING" as const }
        : yield* read(applicantId)
      // an approval that grants nothing is one at another level: the one that counts is still to come
      const decided = status === "REJECTED" || (status === "APPROVED" && capabilities.length > 0)
      // only an inactive applicant is EXPIRED: nobody at Sumsub could decide what the person submits
      const where =
        decided || status === "EXPIRED" ? { url: null, urlExpiresAt: null } : yield* openLink(order.customerId, level)
      return done({ applicantId, newlyCreated, status, ...where })
    },
    Effect.catchTags({
      NotTaken: ({ status }) => Effect.succeed(refused(`Sumsub does not take it: HTTP ${status}`)),
      // Opening again for the same customer is safe: it finds what was created.
      NoAnswer: ({ detail }) => Effect.succeed(unknown(detail))
    })
  )

  return IdentityProvider.of({
    name: "sumsub",
    environment: environment === "sandbox" ? "SANDBOX" : "LIVE",
    open,
    state,
    readHint: readSumsubHint(options.webhookSecret)
  })
})

/** Sumsub over `fetch`. */
export const layerSumsub = (options: SumsubOptions): Layer.Layer<IdentityProvider> =>
  Layer.effect(IdentityProvider, makeSumsub(options)).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" }))
  )
