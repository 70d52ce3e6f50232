import { Schema } from "effect"
import { OpenApi } from "effect/http-api"

/** The payload of an endpoint whose body may be left out: null then. Its document says so with `optionalBody`. */
export const orNone = <S extends Schema.Top>(payload: S): readonly [S, typeof Schema.Null] => [payload, Schema.Null]

/** What the document says of an endpoint whose body may be left out: the schema of the body alone, and that it is not required. */
export const optionalBody = OpenApi.annotations({
  transform: ({ requestBody, ...spec }) => ({
    ...spec,
    requestBody: {
      required: false,
      content: { "application/json": { schema: requestBody.content["application/json"].schema.anyOf[0] } }
    }
  })
})
