import { done, unknown } from "@bursar/core/port/ProviderResult"
import { type CheckOrder, type CheckState, IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { Clock, Effect } from "effect"
import type { Scope } from "effect"
import type { ControlRoute } from "../control/ControlRoute.ts"
import { openState } from "../store/openState.ts"
import type { SandboxStore, StoreError } from "../store/SandboxStore.ts"
import { makeTell, readSandboxHint, type SandboxWebhook } from "../webhook/SandboxWebhook.ts"
import { identityRoutes } from "./identityRoutes.ts"
import { type Applicant, at, find, IdentityState, initial, withApplicant } from "./IdentityState.ts"

/** How the identity provider is set up. */
export interface SandboxIdentityOptions {
  readonly store: SandboxStore
  /** Approves whoever was opened so many milliseconds ago and has no other result; null waits for the controls. Default null. */
  readonly approveAfterMs?: number | null
  /** What approval allows. Default: fiat accounts, payouts and swaps. */
  readonly capabilities?: ReadonlyArray<string>
  /** Where people are sent; the applicant's id is put behind it. The controls show an applicant at their `/identity`. */
  readonly verificationUrl?: string
  /** Where results are told of. Default: nowhere. */
  readonly webhook?: SandboxWebhook | null
}

/** An identity provider, and the controls that script it. */
export interface SandboxIdentity {
  readonly provider: IdentityProvider["Service"]
  readonly routes: ReadonlyArray<ControlRoute>
}

const linkMs = 30 * 60 * 1_000

const defaultCapabilities: ReadonlyArray<string> = ["fiat_accounts", "payouts", "swaps"]

/** An identity provider that checks nobody: people stay PENDING until the controls, or time, say what comes of it. */
export const make = Effect.fn("SandboxIdentity.make")(function* ({
  approveAfterMs = null,
  capabilities = defaultCapabilities,
  store,
  verificationUrl = "https://verify.sandbox.invalid/identity",
  webhook = null
}: SandboxIdentityOptions): Effect.fn.Return<SandboxIdentity, StoreError, Scope.Scope> {
  const state = yield* openState(store, "identity", IdentityState, initial)
  const tell = yield* makeTell(webhook)

  const open = Effect.fn("SandboxIdentity.open")(
    function* ({ customerId, isBusiness }: CheckOrder) {
      const now = yield* Clock.currentTimeMillis
      const fresh: Applicant = {
        id: crypto.randomUUID(),
        customerId,
        isBusiness,
        status: "PENDING",
        openedAt: now,
        decidedAt: now
      }
      yield* state.update((before) => (find(before, customerId) === undefined ? withApplicant(before, fresh) : before))
      const applicant = at(find(yield* state.get, customerId) ?? fresh, now, approveAfterMs)
      const newlyCreated = applicant.id === fresh.id
      if (newlyCreated && approveAfterMs !== null) {
        yield* tell({ what: "applicant", about: applicant.id }, approveAfterMs)
      }
      const finished = applicant.status === "APPROVED" || applicant.status === "REJECTED"
      return done({
        applicantId: applicant.id,
        newlyCreated,
        status: applicant.status,
        url: finished ? null : `${verificationUrl}/${applicant.id}`,
        urlExpiresAt: finished ? null : now + linkMs
      })
    },
    Effect.catchTag("StoreError", ({ message }) => Effect.succeed(unknown(message)))
  )

  const stateOf = Effect.fn("SandboxIdentity.state")(function* (applicantId: string) {
    const now = yield* Clock.currentTimeMillis
    const found = (yield* state.get).applicants.find(({ id }) => id === applicantId)
    if (found === undefined) {
      return yield* new ProviderError({
        provider: "sandbox",
        doing: "read an identity check",
        detail: "there is no such applicant"
      })
    }
    const { decidedAt, status } = at(found, now, approveAfterMs)
    const check: CheckState = {
      status,
      capabilities: status === "APPROVED" ? capabilities : [],
      expiresAt: null,
      environment: "sandbox",
      decidedAt
    }
    return check
  })

  return {
    provider: IdentityProvider.of({
      name: "sandbox",
      environment: "SANDBOX",
      open,
      state: stateOf,
      readHint: readSandboxHint(webhook?.secret ?? null)
    }),
    routes: identityRoutes(state, approveAfterMs, tell)
  }
})
