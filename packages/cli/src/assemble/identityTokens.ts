import { IdentityTokens, IdentityUnavailable } from "@bursar/core/port/IdentityTokens"
import { type FetchDocument, isLocalHttp } from "@bursar/oidc/OidcOptions"
import { makeOidcTokens } from "@bursar/oidc/OidcTokens"
import { Egress } from "@bursar/worker/egress/Egress"
import * as nodeEgress from "@bursar/worker/egress/nodeEgress"
import { Effect, Layer, Schema } from "effect"
import type { OidcSettings } from "../config/oidc.ts"

const limits = { connectTimeoutMs: 5_000, totalTimeoutMs: 10_000, keepAlive: false, responseBytesMax: 262_144 }

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

const unavailable = (reason: string) => new IdentityUnavailable({ reason })

/** Reads documents of the provider through the guarded way out: over https, or http on this machine. It may be in a private network. */
const fetchDocument =
  ({ send }: Egress["Service"], issuer: string): FetchDocument =>
  (url) =>
    Effect.gen(function* () {
      const reach = { http: isLocalHttp(issuer), local: true }
      const headers = { accept: "application/json" }
      const request = { method: "GET", url, chosenBy: "operator", reach, headers, body: null, ...limits } as const
      const { body, status, truncated } = yield* send(request)
      if (status !== 200 || truncated) return yield* unavailable(`${new URL(url).host} answered ${status}`)
      return yield* decodeJson(new TextDecoder().decode(body))
    }).pipe(
      Effect.catchTags({
        EgressError: ({ detail }) => Effect.fail(unavailable(detail)),
        SchemaError: () => Effect.fail(unavailable(`${new URL(url).host} answered what is no JSON`))
      })
    )

/** The identity provider of the settings; none where they name none. */
export const layerIdentityTokens = (settings: OidcSettings | null): Layer.Layer<never> =>
  settings === null
    ? Layer.empty
    : Layer.effect(
        IdentityTokens,
        Effect.flatMap(Egress, (egress) =>
          makeOidcTokens({ ...settings, fetchDocument: fetchDocument(egress, settings.issuer) })
        )
      ).pipe(Layer.provide(nodeEgress.layer))
