import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { ServerConfig } from "../config/ServerConfig.ts"
import { documentPaths, publishedApi } from "./partnerDocument.ts"

/** The OpenAPI document and its pages. They are written once, when the server starts. */
export const layer = Layer.unwrap(
  Effect.map(ServerConfig, ({ publicAuthorities }) => {
    const api = publishedApi(publicAuthorities)
    const document = HttpServerResponse.text(JSON.stringify(OpenApi.fromApi(api)), { contentType: "application/json" })
    return Layer.mergeAll(
      HttpRouter.add("GET", documentPaths.openApi, document),
      HttpApiScalar.layer(api, { path: documentPaths.docs })
    )
  })
)
