import { Schema } from "effect"

const Address = Schema.Struct({ address: Schema.String })

const AnswerBody = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    status: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(Schema.Struct({ code: Schema.String })),
    addresses: Schema.optionalKey(Schema.Array(Address)),
    results: Schema.optionalKey(Schema.Array(Schema.Struct({ address: Schema.NullishOr(Address) })))
  })
)

/** What of an answer matters here; nothing where it is none of ours. */
export const readAnswer = (text: string): typeof AnswerBody.Type => {
  const read = Schema.decodeUnknownOption(AnswerBody)(text)
  return read._tag === "Some" ? read.value : {}
}
