import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { makeFaultyServer } from "@bursar/testkit/fixtures/FaultyServer"
import {
  centsOf,
  dollarsReceived,
  type FiatTerms,
  FiatWorld,
  partReturned,
  type TransferFate
} from "@bursar/testkit/suites/fiat/FiatWorld"
import { Context, Effect, Layer, Redacted } from "effect"
import { layerBridge } from "../../src/BridgeFiat.ts"
import type { BridgeOptions } from "../../src/BridgeOptions.ts"
import { apiKey, FakeBridge, ownCustomerId, publicKeyPem, webhookOf } from "./FakeBridge.ts"

/** A Bridge of one's own, and the adapter that talks to it. */
export const makeWorld = Effect.fnUntraced(function* (options: Partial<BridgeOptions> = {}) {
  const bridge = new FakeBridge()
  const server = yield* makeFaultyServer(bridge.handle)
  const context = yield* Layer.build(
    layerBridge({
      apiKey: Redacted.make(apiKey),
      webhookPublicKeys: [publicKeyPem],
      ownCustomerId,
      currencies: defaultCurrencies,
      holdings: {
        EUR: { kind: "bridge_wallet", walletId: "wallet_eur", currency: "eurc" },
        GBP: { kind: "bridge_wallet", walletId: "wallet_gbp", currency: "gbp" },
        USD: { kind: "prefunded", accountId: "prefunded_usd", currency: "usd" }
      },
      baseUrl: server.url,
      ...options
    })
  )
  return { bridge, server, provider: Context.get(context, FiatProvider) }
})

/** The last of the states that a fate leads to. */
const ends: Readonly<Record<TransferFate, string>> = {
  settle: "payment_processed",
  convert: "payment_processed",
  await: "awaiting_funds",
  fail: "canceled",
  return: "refunded",
  return_part: "refunded",
  in_review: "in_review",
  lost_then_settle: "payment_processed",
  lost_then_fail: "canceled",
  never: "undeliverable",
  refuse: ""
}

/** What else than the amount of an order a fate ends with. */
const amounts: Readonly<Partial<Record<TransferFate, string>>> = {
  return_part: partReturned,
  convert: dollarsReceived
}

/** What the suite is told of Bridge. */
export const fiatTerms: FiatTerms = {
  sendWithinMs: 900_000,
  absentAfterMs: 3_600_000,
  has: ["faults", "payees", "conversions"],
  currencies: ["USD", "GBP"],
  pageSize: 100
}

/** The id of an account at Bridge itself. */
const own = (providerAccountId: string): string => providerAccountId.split("/")[1] ?? ""

/** The world of the contract suite. */
export const fiatWorld = Layer.effect(
  FiatWorld,
  Effect.gen(function* () {
    const { bridge, provider, server } = yield* Effect.orDie(makeWorld())
    let fate: TransferFate = "settle"
    return FiatWorld.of({
      provider,
      next: (next) =>
        Effect.sync(() => {
          fate = next
          bridge.nextOrder = next === "refuse" ? "refuse" : next.startsWith("lost") ? "lose" : "take"
        }),
      conclude: (reference) => Effect.sync(() => bridge.move(reference, ends[fate], amounts[fate])),
      transfers: (reference) =>
        Effect.sync(() =>
          bridge.of(reference).map((row) => ({
            amount: { units: centsOf(String(row["amount"])), currency: bridge.leavesIn(row) },
            payee: bridge.payeeOf(row)
          }))
        ),
      payIn: (reference, amount) => Effect.sync(() => bridge.payIn(reference, amount)),
      activate: (account) => Effect.sync(() => bridge.activate(own(account))),
      arrive: (account, amount, description) => Effect.sync(() => bridge.arrive(own(account), amount, description)),
      webhook: (reference) =>
        Effect.sync(() =>
          webhookOf({
            api_version: "v0",
            event_category: "transfer",
            event_type: "transfer.updated.status_transitioned",
            event_object_id: bridge.of(reference)[0]?.["id"],
            event_object: { client_reference_id: reference }
          })
        ),
      breakProvider: server.breakIt,
      heal: server.heal
    })
  })
)
