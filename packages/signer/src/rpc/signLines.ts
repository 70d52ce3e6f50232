import { SigningRefused, type SignTransaction as Asked } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import { Schema } from "effect"
import { SignTransaction } from "./SignerApi.ts"

/** Where transactions are signed: a line each, and a line for each answer, in the order in which they come. */
export const signPath = "/v1/sign"

/** What they are sent as. */
export const linesType = "application/x-ndjson"

/** How many transactions one request brings at most. */
export const linesMax = 64

/** A transaction in a line. */
export const lineOf = ({ unsigned, ...asked }: Asked): string =>
  JSON.stringify({ ...asked, unsigned: Buffer.from(unsigned).toString("base64") })

/** Reads a line again; it has nothing else in it. */
export const readLine = Schema.decodeUnknownEffect(Schema.fromJsonString(SignTransaction), {
  onExcessProperty: "error"
})

const at = Schema.Int

/** What became of a transaction, by its place among those that were brought. */
const Answer = Schema.Union([
  Schema.Struct({ at, hash: Schema.String, raw: Schema.Uint8ArrayFromBase64 }),
  Schema.Struct({ at, error: Schema.Union([SigningRefused, VaultError]) })
])
/** What became of a transaction, by its place among those that were brought. */
export type Answer = typeof Answer.Type

const AnswerLine = Schema.fromJsonString(Answer)

/** An answer in a line. */
export const answerLineOf = Schema.encodeEffect(AnswerLine)

/** Reads the line of an answer. Throws where it is none. */
export const readAnswer = Schema.decodeUnknownSync(AnswerLine)
