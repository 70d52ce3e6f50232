import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { type BridgeOptions, bridgeSandboxUrl, bridgeUrl, defaultTimeoutMs } from "./BridgeOptions.ts"
import { makeAccounts } from "./internal/accounts.ts"
import { makeBridgeHttp } from "./internal/BridgeHttp.ts"
import { isSameMoney } from "./internal/holding.ts"
import { makeRegister } from "./internal/registration.ts"
import { makeTransfers } from "./internal/transfers.ts"
import { readBridgeHint } from "./readBridgeHint.ts"

/** The options cannot be right. */
export class BridgeMisconfigured extends Schema.TaggedError<BridgeMisconfigured>()("BridgeMisconfigured", {
  detail: Schema.String
}) {
  override get message(): string {
    return `Bridge: ${this.detail}`
  }
}

/** Makes the adapter over an HTTP client, whose redirects must not be followed. */
export const makeBridge = Effect.fn("Bridge.make")(function* (options: BridgeOptions) {
  const { baseUrl = bridgeUrl, timeoutMs = defaultTimeoutMs } = options
  for (const [code, { currency }] of Object.entries(options.holdings)) {
    if (isSameMoney(code, currency)) continue
    // every amount that arrives or leaves would be another one
    return yield* new BridgeMisconfigured({ detail: `${code} cannot be held as ${currency}: it is other money` })
  }
  const client = yield* HttpClient.HttpClient
  const http = makeBridgeHttp({ client, baseUrl, timeoutMs, apiKey: options.apiKey })
  return FiatProvider.of({
    name: "bridge",
    environment: new URL(baseUrl).host === new URL(bridgeSandboxUrl).host ? "SANDBOX" : "LIVE",
    register: makeRegister(http),
    ...makeAccounts(http, options),
    ...makeTransfers(http, options),
    readHint: readBridgeHint(options.webhookPublicKeys)
  })
})

/** Bridge over `fetch`. */
export const layerBridge = (options: BridgeOptions): Layer.Layer<FiatProvider, BridgeMisconfigured> =>
  Layer.effect(FiatProvider, makeBridge(options)).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" }))
  )
