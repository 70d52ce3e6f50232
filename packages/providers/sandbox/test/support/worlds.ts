import {
  centsOf,
  dollarsReceived,
  type FiatTerms,
  FiatWorld,
  partReturned,
  type TransferFate
} from "@bursar/testkit/suites/fiat/FiatWorld"
import { IdentityWorld } from "@bursar/testkit/suites/identity/IdentityWorld"
import { Effect, Layer, Redacted } from "effect"
import type { ControlRoute } from "../../src/control/ControlRoute.ts"
import { accountDetails } from "../../src/fiat/accountDetails.ts"
import * as SandboxFiat from "../../src/fiat/SandboxFiat.ts"
import type { TransferOutcome } from "../../src/fiat/TransferOutcome.ts"
import * as SandboxIdentity from "../../src/identity/SandboxIdentity.ts"
import * as SandboxPrices from "../../src/prices/SandboxPrices.ts"
import * as SandboxStore from "../../src/store/SandboxStore.ts"
import { sign, signatureHeader, type Told } from "../../src/webhook/SandboxWebhook.ts"

/** A transfer as the controls show it. */
interface ShownTransfer {
  readonly reference: string
  readonly id: string
  readonly amount: string
  readonly currency: string
}

export const secret = Redacted.make("the webhook secret")

/** Nobody listens there; only the secret matters. */
const webhook = { url: "http://127.0.0.1:1/hook", secret }

/** A webhook as the sandbox signs it. */
export const webhookOf = (told: Told) => {
  const body = new TextEncoder().encode(JSON.stringify(told))
  return { body, headers: { [signatureHeader]: sign(secret, Date.now(), body) } }
}

/** Calls a control as the server of the controls does. */
export const call = (routes: ReadonlyArray<ControlRoute>, method: "GET" | "POST", path: string, body: unknown = {}) =>
  Effect.suspend(() => {
    const segments = path.split("/")
    for (const route of routes) {
      const wanted = route.path.split("/")
      const values = Object.fromEntries(wanted.map((name, index) => [name.slice(1, -1), segments[index] ?? ""]))
      const fits = wanted.every((name, index) => name.startsWith("{") || name === segments[index])
      if (route.method === method && fits && wanted.length === segments.length) {
        return route.handle({ path: values, body })
      }
    }
    return Effect.die(new Error(`no control ${method} ${path}`))
  })

const results = {
  approve: { status: "GREEN" },
  reject: { status: "RED", reject_type: "FINAL" },
  retry: { status: "RED", reject_type: "RETRY" },
  review: { status: "IN_REVIEW" }
}

/** The world of the contract suite of identity providers. */
export const identityWorld = Layer.effect(
  IdentityWorld,
  Effect.gen(function* () {
    const { provider, routes } = yield* SandboxIdentity.make({ store: SandboxStore.memory(), webhook })
    const all = call(routes, "GET", "/identity").pipe(
      Effect.map((json) => json as ReadonlyArray<{ readonly customer_id: string; readonly is_business: boolean }>),
      Effect.orDie
    )
    return IdentityWorld.of({
      provider,
      decide: (id, verdict) =>
        Effect.orDie(Effect.asVoid(call(routes, "POST", `/identity/${id}/result`, results[verdict]))),
      applicants: (id) => Effect.map(all, (applicants) => applicants.filter((one) => one.customer_id === id).length),
      isBusiness: (id) =>
        Effect.map(all, (applicants) => applicants.some((one) => one.customer_id === id && one.is_business)),
      end: (id) => Effect.orDie(Effect.asVoid(call(routes, "POST", `/identity/${id}/result`, { status: "EXPIRED" }))),
      webhook: (about) => Effect.sync(() => webhookOf({ what: "applicant", about })),
      breakProvider: () => Effect.die(new Error("the sandbox does not break")),
      heal: Effect.void
    })
  })
)

const outcomes: Readonly<Record<TransferFate, TransferOutcome>> = {
  settle: "settle",
  convert: "settle",
  // in it nothing takes time: what is to wait must be told to
  await: "in_review",
  fail: "fail",
  return: "return",
  return_part: "return",
  in_review: "in_review",
  lost_then_settle: "timeout_then_settle",
  lost_then_fail: "timeout_then_fail",
  never: "never",
  refuse: "refuse"
}

/** What the suite is told of the fiat provider. It lists all that there is: the page is one that wrong adapters are given. */
export const fiatTerms: FiatTerms = {
  sendWithinMs: 15_000,
  absentAfterMs: 60_000,
  has: ["conversions"],
  currencies: ["USD", "GBP"],
  pageSize: 10
}

/** The world of the contract suite of fiat providers. Nothing takes time in it. */
export const fiatWorld = Layer.effect(
  FiatWorld,
  Effect.gen(function* () {
    const store = SandboxStore.memory()
    const { prices } = yield* SandboxPrices.make({ store: SandboxStore.memory() })
    const { provider, routes } = yield* SandboxFiat.make({ store, webhook, prices, stepMs: 0, activateAfterMs: 0 })
    const post = (path: string, body: unknown) => Effect.orDie(call(routes, "POST", path, body))
    const shownOf = (reference: string) =>
      call(routes, "GET", "/fiat").pipe(
        // what the sandbox shows, by its documentation
        Effect.map((json) => json as unknown as { readonly transfers: ReadonlyArray<ShownTransfer> }),
        Effect.map(({ transfers }) => transfers.filter((one) => one.reference === reference)),
        Effect.orDie
      )
    let end: Readonly<Record<string, string>> | undefined
    return FiatWorld.of({
      provider,
      next: (fate) => {
        end =
          fate === "return_part"
            ? { outcome: "return", returned: partReturned }
            : fate === "convert"
              ? { outcome: "settle", received: dollarsReceived }
              : undefined
        return Effect.asVoid(post("/fiat/next", { outcome: outcomes[fate] }))
      },
      conclude: (reference) =>
        end === undefined ? Effect.void : Effect.asVoid(post(`/fiat/transfers/${reference}`, end)),
      transfers: (reference) =>
        Effect.map(shownOf(reference), (all) =>
          // whom it pays the sandbox does not keep
          all.map(({ amount, currency }) => ({ amount: { units: centsOf(amount), currency }, payee: null }))
        ),
      payIn: (reference, received) =>
        Effect.gen(function* () {
          yield* post(`/fiat/transfers/${reference}`, { outcome: "settle", received })
          const [transfer] = yield* shownOf(reference)
          // the sandbox makes up who pays
          return accountDetails(transfer?.id ?? "", "EUR")?.iban ?? null
        }),
      activate: () => Effect.void,
      arrive: (account, amount, description) =>
        Effect.map(post("/fiat/incoming", { account, amount, description }), (json) =>
          String((json as { readonly id: string }).id)
        ),
      webhook: (about) => Effect.sync(() => webhookOf({ what: "transfer", about })),
      breakProvider: () => Effect.die(new Error("the sandbox does not break")),
      heal: Effect.void
    })
  })
)
