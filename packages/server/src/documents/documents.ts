import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiScalar, OpenApi } from "effect/http-api"
import { ServerConfig } from "../config/ServerConfig.ts"
import { documentPaths, publishedApi, publishedOperatorApi } from "./published.ts"

/** The OpenAPI document of a contract and its pages. They are written when they are first asked for. */
const documentsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  page: HttpApiScalar.ScalarConfig = {}
) =>
  Layer.mergeAll(
    HttpRouter.add(
      "GET",
      documentPaths.openApi,
      Effect.sync(() =>
        HttpServerResponse.text(JSON.stringify(OpenApi.fromApi(api)), { contentType: "application/json" })
      )
    ),
    HttpApiScalar.layer(api, {
      path: documentPaths.docs,
      // the usual ones would be asked for elsewhere
      scalar: { withDefaultFonts: false, ...page }
    })
  )

/** The documents of the partner port. */
export const partner = Layer.unwrap(
  Effect.map(ServerConfig, ({ publicAuthorities }) => documentsOf(publishedApi(publicAuthorities)))
)

/** The documents of the operator port. They are only to be read: their page calls nobody. */
export const operator = Layer.suspend(() => documentsOf(publishedOperatorApi, { hideTestRequestButton: true }))
