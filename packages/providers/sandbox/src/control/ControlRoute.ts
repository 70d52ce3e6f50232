import { Effect, Schema } from "effect"

/** A control was not understood, or could not be obeyed. */
export class ControlError extends Schema.TaggedError<ControlError>()("ControlError", {
  code: Schema.Literals(["invalid_request", "not_found", "failed"]),
  message: Schema.String,
  hint: Schema.String
}) {}

/** What a control is called with: the parts of the path that stand for something, and the body. */
export interface ControlCall {
  readonly path: Readonly<Record<string, string>>
  readonly body: unknown
}

/** One control. Each area of the sandbox has a list of them, and `SandboxControl.serve` takes all the lists. */
export interface ControlRoute {
  readonly method: "GET" | "POST"
  /** Segments in braces stand for something, such as `/identity/{applicant}/result`. */
  readonly path: string
  /** The answer is sent as JSON. */
  readonly handle: (call: ControlCall) => Effect.Effect<Schema.Json, ControlError>
}

/** Shows something. */
export const get = (
  path: string,
  handle: (path: ControlCall["path"]) => Effect.Effect<Schema.Json, ControlError>
): ControlRoute => ({ method: "GET", path, handle: (call) => handle(call.path) })

/** Changes something: the body is decoded first, and what is wrong with it is `invalid_request`. */
export const post = <S extends Schema.Codec<unknown, unknown>>(
  path: string,
  schema: S,
  handle: (body: S["Type"], path: ControlCall["path"]) => Effect.Effect<Schema.Json, ControlError>
): ControlRoute => ({
  method: "POST",
  path,
  handle: (call) =>
    Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })(call.body).pipe(
      Effect.mapError(
        (error) =>
          new ControlError({
            code: "invalid_request",
            message: error.message,
            hint: "Correct the body and send it again."
          })
      ),
      Effect.flatMap((body) => handle(body, call.path))
    )
})
