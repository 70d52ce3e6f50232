import { OpenApi } from "effect/http-api"
import { OperatorApi } from "../OperatorApi.ts"
import { PartnerApi } from "../PartnerApi.ts"

/** The OpenAPI 3.1 document of the partner interface; committed as `openapi.json`. */
export const openApiDocument = (): OpenApi.OpenAPISpec => OpenApi.fromApi(PartnerApi)

/** The OpenAPI 3.1 document of the operator interface; committed as `operator-openapi.json`. */
export const operatorOpenApiDocument = (): OpenApi.OpenAPISpec => OpenApi.fromApi(OperatorApi)
